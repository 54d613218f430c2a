#include "store/impl/seq_streams.h"

#include <algorithm>
#include <set>

#include "store/impl/name_index.h"

namespace ty::store {

namespace {

using Chunk = ChunkedStream::Chunk;

constexpr int kLargestChunk = 512;
constexpr int kNameCost = 1;  ///< reading a job's name along the table, in index entries
/// How many entries tell how common something is.
constexpr int kProbe = 64;
constexpr int kPieceProbe = 8;
constexpr std::size_t kMostPieces = 10;

bool all_fit(const Rows&) { return true; }

/// `seq` is the first column.
template <class Fits>
Result<void> collect(Rows rows, Chunk& chunk, const Fits& fits) {
  while (rows.next()) {
    ++chunk.read;
    chunk.last = rows.integer(0);
    if (fits(rows)) chunk.fitting.push_back(chunk.last);
  }
  return rows.status();
}

/// A query in both directions; the index is named in `from`, since only we know how long its rows
/// are. `seq` is the first of `columns`, `where` comes before its range and may be empty.
class BothWays {
 public:
  BothWays(const std::string& columns, const std::string& from, const std::string& where) {
    const std::string seq = columns.substr(0, columns.find(','));
    const std::string head = "select " + columns + " from " + from + " where " + where +
                             (where.empty() ? "" : " and ") + seq +
                             " between :low and :high order by " + seq;
    up_ = head + " limit :most";
    down_ = head + " desc limit :most";
  }
  const std::string& sql(const SeqRange& range) const { return range.down ? down_ : up_; }

 private:
  std::string up_, down_;
};

std::unique_ptr<SeqStream> merged(bool down, std::vector<std::unique_ptr<SeqStream>> streams) {
  if (streams.size() == 1) return std::move(streams.front());
  return std::make_unique<MergedStream>(down, std::move(streams));
}

/// Most of many streams give little to a page; those that give more are asked again.
int share_of_page(int page, std::size_t streams) {
  return streams <= 1 ? page : std::max<int>(4, 2 * page / static_cast<int>(streams));
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

/// Three letters each, quoted for a search. The index has no positions, so a fragment is looked for
/// by its pieces and compared afterwards.
std::vector<std::string> pieces_of(std::string_view fragment) {
  const auto letters = characters(fragment);
  std::vector<std::string> pieces;
  for (std::size_t end = letters.size(); end >= 3 && pieces.size() < kMostPieces; --end) {
    std::string piece = "\"";
    for (std::size_t k = end - 3; k < end; ++k) {
      piece += letters[k] == "\"" ? "\"\"" : std::string(letters[k]);
    }
    piece += '"';
    if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) pieces.push_back(piece);
  }
  return pieces;
}

Result<void> fetch_hits(
    Tx& tx, const std::string& pieces, const SeqRange& range, int most, Chunk& chunk) {
  return collect(tx.query(range.down ? "select rowid from job_names where job_names match :pieces "
                                       "and rowid between :low and :high "
                                       "order by rowid desc limit :most"
                                     : "select rowid from job_names where job_names match :pieces "
                                       "and rowid between :low and :high "
                                       "order by rowid limit :most",
                          pieces,
                          range.low,
                          range.high,
                          most),
                 chunk,
                 all_fit);
}

std::unique_ptr<SeqStream> jobs_in(const Reading& reading, const SeqRange& range) {
  static const BothWays plain("seq", "jobs", "");
  static const BothWays named("seq, name", "jobs", "");
  const bool by_name = !reading.filter.name_part().empty();
  auto fetch = [&tx = reading.tx, &filter = reading.filter, by_name](
                   const SeqRange& r, int most, Chunk& chunk) {
    if (!by_name) return collect(tx.query(plain.sql(r), r.low, r.high, most), chunk, all_fit);
    const auto fits = [&](const Rows& rows) { return filter.wants_name(rows.text(1)); };
    return collect(tx.query(named.sql(r), r.low, r.high, most), chunk, fits);
  };
  return std::make_unique<ChunkedStream>(
      range, reading.page, reading.budget, std::move(fetch), by_name ? kNameCost : 1);
}

/// How many there are in all, if the first of them lie as close together as the rest.
std::int64_t extrapolate(const Chunk& first, int asked, std::int64_t newest) {
  if (first.read < asked) return first.read;
  const std::int64_t span = std::abs(first.fitting.front() - first.fitting.back()) + 1;
  return std::max<std::int64_t>(asked, newest * asked / span);
}

Result<std::int64_t> newest_seq(Tx& tx) {
  TY_TRY(auto seq, tx.value<std::int64_t>("select seq from jobs order by seq desc limit 1"));
  return seq.value_or(0);
}

}  // namespace

Result<std::optional<std::int64_t>> ChunkedStream::next() {
  for (;;) {
    if (at_ < chunk_.fitting.size()) return chunk_.fitting[at_++];
    if (ended_ || range_.empty()) return std::nullopt;
    chunk_.fitting.clear();
    chunk_.read = 0;
    at_ = 0;
    TY_DO(fetch_(range_, most_, chunk_));
    budget_.spend(chunk_.read * cost_);
    ended_ = chunk_.read < most_;
    most_ = std::min(most_ * 2, kLargestChunk);
    if (chunk_.read == 0) return std::nullopt;
    (range_.down ? range_.high : range_.low) = chunk_.last + (range_.down ? -1 : 1);
    const bool last_fits = !chunk_.fitting.empty() && chunk_.fitting.back() == chunk_.last;
    if (budget_.spent() && !last_fits) chunk_.fitting.push_back(chunk_.last);
  }
}

Result<void> MergedStream::refill(std::size_t stream) {
  TY_TRY(auto seq, streams_[stream]->next());
  if (!seq) return {};
  heads_.push_back({*seq, stream});
  const auto later = [this](const Head& a, const Head& b) {
    return down_ ? a.seq < b.seq : a.seq > b.seq;
  };
  std::push_heap(heads_.begin(), heads_.end(), later);
  return {};
}

Result<std::optional<std::int64_t>> MergedStream::next() {
  if (!begun_) {
    begun_ = true;
    for (std::size_t i = 0; i < streams_.size(); ++i) TY_DO(refill(i));
  }
  if (heads_.empty()) return std::nullopt;
  const auto later = [this](const Head& a, const Head& b) {
    return down_ ? a.seq < b.seq : a.seq > b.seq;
  };
  std::pop_heap(heads_.begin(), heads_.end(), later);
  const Head head = heads_.back();
  heads_.pop_back();
  TY_DO(refill(head.stream));
  return head.seq;
}

Result<std::optional<std::int64_t>> ChainedStream::next() {
  for (; at_ < streams_.size(); ++at_) {
    TY_TRY(auto seq, streams_[at_]->next());
    if (seq) return seq;
  }
  return std::nullopt;
}

std::unique_ptr<SeqStream> all_jobs(const Reading& reading) {
  return jobs_in(reading, reading.range);
}

std::unique_ptr<SeqStream> jobs_of_cells(const Reading& reading,
                                         const std::vector<CountedCell>& cells) {
  static const BothWays sql("seq",
                            "jobs indexed by jobs_cell",
                            "workspace_id = :workspace and dialect = :dialect and state = :state");
  const int share = share_of_page(reading.page, cells.size());
  std::vector<std::unique_ptr<SeqStream>> streams;
  for (const CountedCell& counted : cells) {
    auto fetch = [&tx = reading.tx, cell = counted.cell](
                     const SeqRange& r, int most, Chunk& chunk) {
      return collect(
          tx.query(sql.sql(r), cell.workspace, cell.dialect, cell.state, r.low, r.high, most),
          chunk,
          all_fit);
    };
    streams.push_back(
        std::make_unique<ChunkedStream>(reading.range, share, reading.budget, std::move(fetch)));
  }
  return merged(reading.range.down, std::move(streams));
}

std::unique_ptr<SeqStream> jobs_of_owner(const Reading& reading,
                                         UserId owner,
                                         const std::vector<CountedCell>& cells) {
  static const BothWays sql("seq, workspace_id, dialect",
                            "jobs indexed by jobs_owner",
                            "owner_id = :owner and state = :state");
  std::set<model::JobState> states;
  for (const CountedCell& counted : cells) states.insert(counted.cell.state);
  const int share = share_of_page(reading.page, states.size());
  std::vector<std::unique_ptr<SeqStream>> streams;
  for (const model::JobState state : states) {
    auto fetch = [&tx = reading.tx, &filter = reading.filter, owner, state](
                     const SeqRange& r, int most, Chunk& chunk) {
      const auto fits = [&](const Rows& rows) {
        return filter.wants_workspace(rows.get<WorkspaceId>(1)) &&
               filter.wants_dialect(rows.get<model::Dialect>(2));
      };
      return collect(tx.query(sql.sql(r), owner, state, r.low, r.high, most), chunk, fits);
    };
    streams.push_back(
        std::make_unique<ChunkedStream>(reading.range, share, reading.budget, std::move(fetch)));
  }
  return merged(reading.range.down, std::move(streams));
}

std::unique_ptr<SeqStream> jobs_with_label(const Reading& reading) {
  static const BothWays by_owner("job_seq",
                                 "job_labels indexed by job_labels_owner",
                                 "owner_id = :owner and key = :key and value = :value");
  static const BothWays by_value(
      "job_seq", "job_labels indexed by job_labels_value", "key = :key and value = :value");
  static const BothWays by_key(
      "job_seq, owner_id", "job_labels indexed by job_labels_key", "key = :key");
  auto fetch = [&tx = reading.tx, &filter = reading.filter](
                   const SeqRange& r, int most, Chunk& chunk) {
    const model::JobQuery& query = filter.query();
    const auto& [key, value] = *query.label;
    if (!value) {
      const auto fits = [&](const Rows& rows) { return filter.wants_owner(rows.get<UserId>(1)); };
      return collect(tx.query(by_key.sql(r), key, r.low, r.high, most), chunk, fits);
    }
    if (query.owner) {
      return collect(tx.query(by_owner.sql(r), *query.owner, key, *value, r.low, r.high, most),
                     chunk,
                     all_fit);
    }
    return collect(tx.query(by_value.sql(r), key, *value, r.low, r.high, most), chunk, all_fit);
  };
  return std::make_unique<ChunkedStream>(
      reading.range, reading.page, reading.budget, std::move(fetch));
}

Result<std::int64_t> estimate_labelled(const Reading& reading) {
  const std::unique_ptr<SeqStream> stream = jobs_with_label(reading);
  Chunk first;
  while (first.read < kProbe) {
    TY_TRY(auto seq, stream->next());
    if (!seq) break;
    ++first.read;
    first.fitting.push_back(*seq);
  }
  TY_TRY(const std::int64_t newest, newest_seq(reading.tx));
  return extrapolate(first, kProbe, newest);
}

bool NameSearch::can_find(std::string_view fragment) { return characters(fragment).size() >= 3; }

Result<NameSearch> NameSearch::prepare(const Reading& reading) {
  NameSearch search;
  TY_TRY(search.indexed_to_, NameIndex::indexed_to(reading.tx));
  TY_TRY(const std::int64_t newest, newest_seq(reading.tx));
  SeqRange known = reading.range;
  known.high = std::min(known.high, search.indexed_to_);

  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (std::string& piece : pieces_of(reading.filter.name_part())) {
    Chunk first;
    TY_DO(fetch_hits(reading.tx, piece, known, kPieceProbe, first));
    by_count.emplace_back(extrapolate(first, kPieceProbe, newest), std::move(piece));
    if (by_count.back().first == 0) break;
  }
  std::sort(by_count.begin(), by_count.end());
  // A second piece helps when it is about as rare; a common one costs more to read than it saves.
  search.pieces_ = by_count[0].second;
  search.estimate_ = by_count[0].first;
  if (by_count.size() > 1 && by_count[1].first <= 8 * by_count[0].first) {
    search.pieces_ += " AND " + by_count[1].second;
    Chunk first;
    TY_DO(fetch_hits(reading.tx, search.pieces_, known, kProbe, first));
    search.estimate_ = extrapolate(first, kProbe, newest);
  }
  return search;
}

std::unique_ptr<SeqStream> NameSearch::stream(const Reading& reading) const {
  SeqRange known = reading.range;
  known.high = std::min(known.high, indexed_to_);
  SeqRange unknown = reading.range;
  unknown.low = std::max(unknown.low, indexed_to_ + 1);

  std::vector<std::unique_ptr<SeqStream>> parts;
  auto fetch = [&tx = reading.tx, pieces = pieces_](const SeqRange& r, int most, Chunk& chunk) {
    return fetch_hits(tx, pieces, r, most, chunk);
  };
  parts.push_back(
      std::make_unique<ChunkedStream>(known, reading.page, reading.budget, std::move(fetch)));
  if (!unknown.empty()) parts.push_back(jobs_in(reading, unknown));
  if (reading.range.down) std::reverse(parts.begin(), parts.end());
  return std::make_unique<ChainedStream>(std::move(parts));
}

}  // namespace ty::store
