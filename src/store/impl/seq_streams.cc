#include "store/impl/seq_streams.h"

#include <algorithm>

#include "store/impl/name_index.h"

namespace ty::store {

namespace {

constexpr int kLargestChunk = 512;

Result<void> collect(Rows rows, std::vector<std::int64_t>& out) {
  while (rows.next()) out.push_back(rows.integer(0));
  return rows.status();
}

/// A query in both directions; the index is named, since only we know how long its rows are.
/// `where` comes before the range condition and may be empty.
struct BothWays {
  std::string up, down;
};
BothWays both_ways(std::string_view table, std::string_view column, std::string_view where) {
  const std::string head = "select " + std::string(column) + " from " + std::string(table) +
                           " where " + std::string(where) + (where.empty() ? "" : " and ") +
                           std::string(column) + " between :low and :high order by " +
                           std::string(column);
  return {head + " limit :most", head + " desc limit :most"};
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    all.push_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

/// `"tra" AND "rai" AND "ain"`: without positions in the index, the pieces of a phrase are asked
/// for one by one.
std::string pieces_query(std::string_view fragment) {
  const auto letters = characters(fragment);
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i + 3 <= letters.size(); ++i) {
    std::string piece;
    for (std::size_t k = i; k < i + 3; ++k)
      piece += letters[k] == "\"" ? "\"\"" : std::string(letters[k]);
    if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end())
      pieces.push_back(std::move(piece));
  }
  std::string query;
  for (const std::string& piece : pieces)
    query += (query.empty() ? "\"" : " AND \"") + piece + "\"";
  return query;
}

/// Names that are not in the index yet, compared one by one.
class UnindexedNames final : public SeqStream {
 public:
  UnindexedNames(Tx& tx, SeqRange range, const JobFilter& filter, Budget& budget)
      : filter_(filter),
        budget_(budget),
        rows_(tx.query(
            range.down
                ? "select seq, name from jobs where seq between :low and :high order by seq desc"
                : "select seq, name from jobs where seq between :low and :high order by seq",
            range.low,
            range.high)) {}

  Result<std::optional<std::int64_t>> next() override {
    while (!budget_.spent() && rows_.next()) {
      budget_.spend(2);
      at_ = rows_.integer(0);
      if (filter_.wants_name(rows_.text(1))) return at_;
    }
    TY_DO(rows_.status());
    return std::nullopt;
  }
  std::optional<std::int64_t> stopped_at() const override {
    return budget_.spent() ? at_ : std::nullopt;
  }

 private:
  const JobFilter& filter_;
  Budget& budget_;
  Rows rows_;
  std::optional<std::int64_t> at_;
};

}  // namespace

Result<std::optional<std::int64_t>> ChunkedStream::next() {
  if (at_ == buffer_.size()) {
    if (last_ || range_.empty()) return std::nullopt;
    buffer_.clear();
    at_ = 0;
    TY_DO(fetch_(range_, chunk_, buffer_));
    last_ = buffer_.size() < static_cast<std::size_t>(chunk_);
    chunk_ = std::min(chunk_ * 2, kLargestChunk);
    if (buffer_.empty()) return std::nullopt;
    (range_.down ? range_.high : range_.low) = buffer_.back() + (range_.down ? -1 : 1);
  }
  return buffer_[at_++];
}

MergedStream::MergedStream(bool down, std::vector<std::unique_ptr<SeqStream>> streams)
    : down_(down), streams_(std::move(streams)) {}

Result<void> MergedStream::refill(std::size_t stream) {
  TY_TRY(auto seq, streams_[stream]->next());
  if (!seq) return {};
  heads_.push_back({*seq, stream});
  std::push_heap(heads_.begin(), heads_.end(), [this](const Head& a, const Head& b) {
    return down_ ? a.seq < b.seq : a.seq > b.seq;
  });
  return {};
}

Result<std::optional<std::int64_t>> MergedStream::next() {
  if (!begun_) {
    begun_ = true;
    for (std::size_t i = 0; i < streams_.size(); ++i) TY_DO(refill(i));
  }
  if (heads_.empty()) return std::nullopt;
  std::pop_heap(heads_.begin(), heads_.end(), [this](const Head& a, const Head& b) {
    return down_ ? a.seq < b.seq : a.seq > b.seq;
  });
  const Head head = heads_.back();
  heads_.pop_back();
  TY_DO(refill(head.stream));
  return head.seq;
}

Result<std::optional<std::int64_t>> ChainedStream::next() {
  for (; at_ < streams_.size(); ++at_) {
    TY_TRY(auto seq, streams_[at_]->next());
    if (seq) return seq;
    if (streams_[at_]->stopped_at()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ChainedStream::stopped_at() const {
  return at_ < streams_.size() ? streams_[at_]->stopped_at() : std::nullopt;
}

std::unique_ptr<SeqStream> all_jobs(Tx& tx, SeqRange range, int page) {
  static const BothWays sql = both_ways("jobs", "seq", "");
  return std::make_unique<ChunkedStream>(
      range, page, [&tx](const SeqRange& r, int most, std::vector<std::int64_t>& out) {
        return collect(tx.query(r.down ? sql.down : sql.up, r.low, r.high, most), out);
      });
}

std::unique_ptr<SeqStream> jobs_of_cells(Tx& tx,
                                         SeqRange range,
                                         int page,
                                         const std::vector<CountedCell>& cells) {
  static const BothWays of_all =
      both_ways("jobs indexed by jobs_cell",
                "seq",
                "workspace_id = :workspace and dialect = :dialect and state = :state");
  static const BothWays of_owner = both_ways(
      "jobs indexed by jobs_owner_cell",
      "seq",
      "owner_id = :owner and workspace_id = :workspace and dialect = :dialect and state = :state");
  // Most cells give little to a page of many; those that give more are asked again.
  const int first_chunk =
      cells.size() <= 1 ? page : std::max<int>(4, 2 * page / static_cast<int>(cells.size()));
  std::vector<std::unique_ptr<SeqStream>> streams;
  for (const CountedCell& counted : cells) {
    const Cell& cell = counted.cell;
    auto fetch = [&tx, cell](const SeqRange& r, int most, std::vector<std::int64_t>& out) {
      if (!cell.owner) {
        return collect(tx.query(r.down ? of_all.down : of_all.up,
                                cell.workspace,
                                cell.dialect,
                                cell.state,
                                r.low,
                                r.high,
                                most),
                       out);
      }
      return collect(tx.query(r.down ? of_owner.down : of_owner.up,
                              cell.owner,
                              cell.workspace,
                              cell.dialect,
                              cell.state,
                              r.low,
                              r.high,
                              most),
                     out);
    };
    streams.push_back(std::make_unique<ChunkedStream>(range, first_chunk, std::move(fetch)));
  }
  if (streams.size() == 1) return std::move(streams.front());
  return std::make_unique<MergedStream>(range.down, std::move(streams));
}

std::unique_ptr<SeqStream> jobs_with_label(Tx& tx,
                                           SeqRange range,
                                           int page,
                                           const std::string& key,
                                           const std::optional<std::string>& value) {
  static const BothWays by_value = both_ways(
      "job_labels indexed by job_labels_value", "job_seq", "key = :key and value = :value");
  static const BothWays by_key =
      both_ways("job_labels indexed by job_labels_key", "job_seq", "key = :key");
  return std::make_unique<ChunkedStream>(
      range,
      page,
      [&tx, &key, &value](const SeqRange& r, int most, std::vector<std::int64_t>& out) {
        if (value)
          return collect(
              tx.query(r.down ? by_value.down : by_value.up, key, *value, r.low, r.high, most),
              out);
        return collect(tx.query(r.down ? by_key.down : by_key.up, key, r.low, r.high, most), out);
      });
}

bool has_name_pieces(std::string_view fragment) { return characters(fragment).size() >= 3; }

Result<std::unique_ptr<SeqStream>> jobs_by_name(
    Tx& tx, SeqRange range, int page, const JobFilter& filter, Budget& budget) {
  TY_TRY(const std::int64_t indexed_to, NameIndex::indexed_to(tx));
  SeqRange known = range;
  known.high = std::min(range.high, indexed_to);
  SeqRange unknown = range;
  unknown.low = std::max(range.low, indexed_to + 1);

  std::vector<std::unique_ptr<SeqStream>> parts;
  auto fetch = [&tx, pieces = pieces_query(filter.name_part())](
                   const SeqRange& r, int most, std::vector<std::int64_t>& out) {
    return collect(
        tx.query(r.down ? "select rowid from job_names where job_names match :pieces "
                          "and rowid between :low and :high order by rowid desc limit :most"
                        : "select rowid from job_names where job_names match :pieces "
                          "and rowid between :low and :high order by rowid limit :most",
                 pieces,
                 r.low,
                 r.high,
                 most),
        out);
  };
  parts.push_back(std::make_unique<ChunkedStream>(known, page, std::move(fetch)));
  if (!unknown.empty())
    parts.push_back(std::make_unique<UnindexedNames>(tx, unknown, filter, budget));
  if (range.down) std::reverse(parts.begin(), parts.end());
  return std::make_unique<ChainedStream>(std::move(parts));
}

}  // namespace ty::store
