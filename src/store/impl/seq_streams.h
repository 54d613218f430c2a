#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/impl/job_counts.h"
#include "store/impl/job_filter.h"
#include "store/tx.h"

/// Sources of job numbers in their order, each reading an index in small pieces, so that a page
/// reads about as many entries as it shows.
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

class SeqStream {
 public:
  virtual ~SeqStream() = default;
  /// The next number, or nothing at the end. A stream that filters may also stop when the budget is
  /// spent: then `stopped_at()` says how far it got.
  virtual Result<std::optional<std::int64_t>> next() = 0;
  virtual std::optional<std::int64_t> stopped_at() const { return std::nullopt; }
};

/// One ordered row of index entries. `fetch` reads the next of them into `out`, at most `most`,
/// inside the range.
class ChunkedStream final : public SeqStream {
 public:
  using Fetch =
      std::function<Result<void>(const SeqRange& range, int most, std::vector<std::int64_t>& out)>;

  ChunkedStream(SeqRange range, int first_chunk, Fetch fetch)
      : range_(range), chunk_(first_chunk), fetch_(std::move(fetch)) {}
  Result<std::optional<std::int64_t>> next() override;

 private:
  SeqRange range_;
  int chunk_;
  Fetch fetch_;
  std::vector<std::int64_t> buffer_;
  std::size_t at_ = 0;
  bool last_ = false;
};

/// All of several streams in one order.
class MergedStream final : public SeqStream {
 public:
  MergedStream(bool down, std::vector<std::unique_ptr<SeqStream>> streams);
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
  std::optional<std::int64_t> stopped_at() const override;

 private:
  std::vector<std::unique_ptr<SeqStream>> streams_;
  std::size_t at_ = 0;
};

std::unique_ptr<SeqStream> all_jobs(Tx& tx, SeqRange range, int page);
std::unique_ptr<SeqStream> jobs_of_cells(Tx& tx,
                                         SeqRange range,
                                         int page,
                                         const std::vector<CountedCell>& cells);
std::unique_ptr<SeqStream> jobs_with_label(Tx& tx,
                                           SeqRange range,
                                           int page,
                                           const std::string& key,
                                           const std::optional<std::string>& value);
/// Jobs whose names the index of name pieces offers, and those it does not know yet whose names
/// match. For fragments of three or more characters; the former have to be compared still.
Result<std::unique_ptr<SeqStream>> jobs_by_name(
    Tx& tx, SeqRange range, int page, const JobFilter& filter, Budget& budget);
bool has_name_pieces(std::string_view fragment);

}  // namespace ty::store
