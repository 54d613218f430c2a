#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/impl/job_counts.h"
#include "store/impl/job_filter.h"
#include "store/tx.h"

/// Sources of job numbers in their order, each reading an index of SQLite in small pieces, so that
/// a page reads about as many entries as it shows.
namespace ty::store {

/// Numbers between `low` and `high`, both included, up or down.
struct SeqRange {
  std::int64_t low = 1;
  std::int64_t high = INT64_MAX;
  bool down = true;
  bool empty() const { return low > high; }
  std::int64_t size() const { return empty() ? 0 : high - low + 1; }
};

/// What a page may cost at most, in index entries read (about a quarter of a microsecond each).
class Budget {
 public:
  explicit Budget(std::int64_t entries) : left_(entries) {}
  void spend(std::int64_t entries) { left_ -= entries; }
  bool spent() const { return left_ <= 0; }

 private:
  std::int64_t left_;
};

/// A stream may know some of what is asked and leave out what does not fit. When the budget is
/// spent it stops choosing and offers what it reads next: whoever reads the stream looks at each
/// job anyway, and finds there where to go on from.
class SeqStream {
 public:
  virtual ~SeqStream() = default;
  /// The next number, or nothing at the end.
  virtual Result<std::optional<std::int64_t>> next() = 0;
};

/// Entries of one index in one order. `fetch` reads at most `most` entries of the range; it returns
/// how many it read and the last of them, and adds those that fit to `fitting`.
class ChunkedStream final : public SeqStream {
 public:
  struct Chunk {
    int read = 0;
    std::int64_t last = 0;
    std::vector<std::int64_t> fitting;
  };
  using Fetch = std::function<Result<void>(const SeqRange& range, int most, Chunk& chunk)>;

  /// `cost` of one entry, in those of the budget.
  ChunkedStream(SeqRange range, int first_chunk, Budget& budget, Fetch fetch, int cost = 1)
      : range_(range), most_(first_chunk), cost_(cost), budget_(budget), fetch_(std::move(fetch)) {}
  Result<std::optional<std::int64_t>> next() override;

 private:
  SeqRange range_;
  int most_;
  int cost_;
  Budget& budget_;
  Fetch fetch_;
  Chunk chunk_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

/// All of several streams in one order.
class MergedStream final : public SeqStream {
 public:
  MergedStream(bool down, std::vector<std::unique_ptr<SeqStream>> streams)
      : down_(down), streams_(std::move(streams)) {}
  Result<std::optional<std::int64_t>> next() override;

 private:
  struct Head {
    std::int64_t seq;
    std::size_t stream;
  };
  Result<void> refill(std::size_t stream);

  bool down_;
  std::vector<std::unique_ptr<SeqStream>> streams_;
  std::vector<Head> heads_;  ///< a heap, next one first
  bool begun_ = false;
};

/// One stream, then another.
class ChainedStream final : public SeqStream {
 public:
  explicit ChainedStream(std::vector<std::unique_ptr<SeqStream>> streams)
      : streams_(std::move(streams)) {}
  Result<std::optional<std::int64_t>> next() override;

 private:
  std::vector<std::unique_ptr<SeqStream>> streams_;
  std::size_t at_ = 0;
};

/// Where streams read, and how much.
struct Reading {
  Tx& tx;
  SeqRange range;
  int page;  ///< entries that are likely to be needed
  const JobFilter& filter;
  Budget& budget;
};

/// All jobs, compared by name on the way.
std::unique_ptr<SeqStream> all_jobs(const Reading& reading);
/// Jobs of these cells, whoever owns them.
std::unique_ptr<SeqStream> jobs_of_cells(const Reading& reading,
                                         const std::vector<CountedCell>& cells);
/// Jobs of one owner in the states of these cells, compared by workspace and dialect on the way.
std::unique_ptr<SeqStream> jobs_of_owner(const Reading& reading,
                                         UserId owner,
                                         const std::vector<CountedCell>& cells);
/// Jobs with the label of the query; of its owner only, where there is one and a value.
std::unique_ptr<SeqStream> jobs_with_label(const Reading& reading);
/// Jobs whose names the index of name pieces offers, and those it does not know yet, compared by
/// name. For fragments that have pieces; the former have to be compared still.
class NameSearch {
 public:
  static bool can_find(std::string_view fragment);
  /// Looks at how common each piece of the fragment is and keeps the rarest.
  static Result<NameSearch> prepare(const Reading& reading);

  /// About how many jobs it offers.
  std::int64_t estimate() const { return estimate_; }
  std::unique_ptr<SeqStream> stream(const Reading& reading) const;

 private:
  std::string pieces_;
  std::int64_t indexed_to_ = 0;
  std::int64_t estimate_ = 0;
};

/// About how many jobs have the label of the query.
Result<std::int64_t> estimate_labelled(const Reading& reading);

}  // namespace ty::store
