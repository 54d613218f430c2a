#include "telemetry/log_merge.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <queue>

namespace ty::telemetry {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kSourceBuffer = std::size_t{64} << 10;
constexpr Millis kGap{10};

/// One log on its way through the merge: a window of bytes, and at its front the next line to come.
class Source {
 public:
  Source(MergeSource source, bool live)
      : log_(std::move(source.log)), prefix_(source.label + " | "), live_(live) {}

  const std::string& name() const { return log_.name; }
  const std::string& prefix() const { return prefix_; }
  bool finished() const { return finished_; }
  void set_ended() { live_ = false; }

  /// Opens the log where the options say to begin. False: there is none (yet).
  Result<bool> open(const MergeOptions& options) {
    auto opened = log_.open();
    if (!opened && opened.error().code == Errc::NotFound) {
      finished_ = !live_;
      return false;
    }
    if (!opened) return std::unexpected(std::move(opened).error());
    reader_ = std::make_unique<LogReader>(std::move(*opened));
    TY_TRY(ByteRange range, reader_->between(options.since, options.until));
    until_ = options.until;
    if (options.last_lines) {
      TY_TRY(range, reader_->last_lines(*options.last_lines, range));
      TY_TRY(lines_at_start_, count_lines(range));
    }
    at_ = range.begin;
    return true;
  }
  bool is_open() const { return reader_ != nullptr; }
  std::uint64_t lines_at_start() const { return lines_at_start_; }

  Result<void> refresh() { return reader_->refresh(); }

  /// Finds the next line and its time. False: none now; `finished` says whether ever.
  Result<bool> find_line() {
    if (finished_ || !reader_) return false;
    while (true) {
      const char* start = window_.data() + begin_;
      const void* newline =
          searched_ < length_ ? std::memchr(start + searched_, '\n', length_ - searched_) : nullptr;
      if (newline) {
        return set_line(static_cast<std::size_t>(static_cast<const char*>(newline) - start) + 1);
      }
      searched_ = length_;
      if (length_ >= kSourceBuffer) return set_line(length_);
      TY_TRY(const std::size_t got, fill());
      if (got > 0) continue;
      if (!live_ && length_ > 0) return set_line(length_);
      if (!live_)
        finish();
      else if (length_ == 0)
        window_ = {};
      return false;
    }
  }

  /// Set by the merge while the line has its place among those of the others.
  bool queued = false;
  /// Set by a follower that wants to know of its growth.
  bool watched = false;

  Time time() const { return time_; }
  std::string_view line() const { return {window_.data() + begin_, line_}; }
  void drop_line() {
    begin_ += line_;
    at_ += line_;
    length_ -= line_;
    line_ = searched_ = 0;
  }

 private:
  Result<bool> set_line(std::size_t size) {
    line_ = size;
    TY_TRY(const auto time, reader_->time_at(at_ + size - 1));
    // A clock that was set back must not tear a task's lines out of their order.
    time_ = std::max(time_, time.value_or(Time{}));
    if (until_ && time && time_ >= *until_) {
      finish();
      return false;
    }
    return true;
  }

  Result<std::size_t> fill() {
    window_.resize(kSourceBuffer);
    std::memmove(window_.data(), window_.data() + begin_, length_);
    begin_ = 0;
    TY_TRY(const std::size_t got,
           reader_->read_at(at_ + length_, std::span(window_).subspan(length_)));
    length_ += got;
    return got;
  }

  Result<std::uint64_t> count_lines(ByteRange range) {
    if (range.empty()) return 0;
    TY_TRY(const std::uint64_t first, reader_->line_at(range.begin));
    TY_TRY(const std::uint64_t last, reader_->line_at(range.end - 1));
    return last - first + 1;
  }

  /// Gives back memory and files: jobs may have thousands of tasks.
  void finish() {
    finished_ = true;
    reader_.reset();
    window_ = {};
    length_ = 0;
  }

  LogRef log_;
  std::string prefix_;
  bool live_;
  bool finished_ = false;
  std::unique_ptr<LogReader> reader_;
  std::optional<Time> until_;
  std::uint64_t lines_at_start_ = 0;
  std::vector<char> window_;
  std::size_t begin_ = 0;     ///< of the unread part of the window
  std::size_t length_ = 0;    ///< of the unread part
  std::size_t searched_ = 0;  ///< so much of it holds no newline
  std::size_t line_ = 0;      ///< size of the next line
  std::uint64_t at_ = 0;      ///< offset in the log of the unread part
  Time time_{};
};

}  // namespace

class MergeCore {
 public:
  explicit MergeCore(MergeOptions options) : options_(options) {}

  std::size_t sources() const { return sources_.size(); }
  Source& source(std::size_t i) { return sources_[i]; }
  void add(MergeSource source, bool live) { sources_.emplace_back(std::move(source), live); }

  /// Looks for lines in every source that had none. The first time also decides how many to leave
  /// out.
  Result<void> look() {
    std::uint64_t lines = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      Source& source = sources_[i];
      if (source.finished() || source.queued) continue;
      if (source.is_open()) {
        TY_DO(source.refresh());
      } else {
        // The wish for the last lines is about what was there at the start.
        TY_TRY(const bool opened,
               source.open(looked_ ? MergeOptions{.since = options_.since, .until = options_.until}
                                   : options_));
        if (!opened) continue;
        lines += source.lines_at_start();
      }
      TY_DO(enqueue(i));
    }
    if (!looked_ && options_.last_lines) skip_ = lines - std::min(lines, *options_.last_lines);
    looked_ = true;
    return {};
  }

  /// Lines in order until there are enough for a piece or no more.
  Result<std::string_view> next() {
    out_.clear();
    while (out_.size() < kLogChunk - kSourceBuffer) {
      if (begun_) {
        TY_DO(go_on(*begun_));
      } else if (!queue_.empty()) {
        const std::size_t i = queue_.top().source;
        queue_.pop();
        TY_DO(emit(i));
      } else {
        break;
      }
    }
    return std::string_view(out_);
  }

  bool all_finished() const { return std::ranges::all_of(sources_, &Source::finished); }

 private:
  struct Head {
    Time time;
    std::size_t source;
    auto operator<=>(const Head&) const = default;
  };

  Result<void> enqueue(std::size_t i) {
    TY_TRY(sources_[i].queued, sources_[i].find_line());
    if (sources_[i].queued) queue_.push({sources_[i].time(), i});
    return {};
  }

  /// One line, or the beginning of one that is too long for its window.
  Result<void> emit(std::size_t i) {
    if (skip_ == 0 && options_.labels) out_ += sources_[i].prefix();
    return copy_line(i);
  }

  /// The rest of a line that was begun, before any other source has its turn.
  Result<void> go_on(std::size_t i) {
    TY_TRY(const bool found, sources_[i].find_line());
    if (found) return copy_line(i);
    // Its task is still writing it, or ended within it. Others need not wait for that.
    if (skip_ == 0) out_ += '\n';
    return line_ended(i);
  }

  Result<void> copy_line(std::size_t i) {
    const std::string_view line = sources_[i].line();
    const bool ends = line.back() == '\n';
    if (skip_ == 0) out_ += line;
    sources_[i].drop_line();
    if (ends) return line_ended(i);
    begun_ = i;
    return {};
  }

  Result<void> line_ended(std::size_t i) {
    if (skip_ > 0) --skip_;
    begun_.reset();
    return enqueue(i);
  }

  MergeOptions options_;
  std::deque<Source> sources_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> queue_;
  std::optional<std::size_t> begun_;  ///< the source whose line was begun and not ended
  std::uint64_t skip_ = 0;            ///< lines still to leave out
  bool looked_ = false;
  std::string out_;
};

Result<LogMerge> LogMerge::open(std::vector<MergeSource> sources, MergeOptions options) {
  auto core = std::make_unique<MergeCore>(options);
  for (MergeSource& source : sources) core->add(std::move(source), false);
  TY_DO(core->look());
  return LogMerge(std::move(core));
}
LogMerge::LogMerge(std::unique_ptr<MergeCore> core) : core_(std::move(core)) {}
LogMerge::LogMerge(LogMerge&&) noexcept = default;
LogMerge& LogMerge::operator=(LogMerge&&) noexcept = default;
LogMerge::~LogMerge() = default;
Result<std::string_view> LogMerge::next() { return core_->next(); }

LogMergeFollower::LogMergeFollower(LogWatcher& watcher,
                                   asio::any_io_executor executor,
                                   rt::BlockingPool& pool,
                                   std::function<MergeView()> view,
                                   MergeOptions options)
    : pool_(pool),
      view_(std::move(view)),
      interest_(watcher, std::move(executor)),
      core_(std::make_unique<MergeCore>(options)) {}
LogMergeFollower::LogMergeFollower(LogMergeFollower&&) noexcept = default;
LogMergeFollower::~LogMergeFollower() = default;

/// Tells the merge what the job looks like now. True: nothing more will come.
Result<bool> LogMergeFollower::look() {
  // First what has ended, then the bytes: what was written before the end is then surely seen.
  MergeView view = view_();
  for (std::size_t i = 0; i < view.sources.size(); ++i) {
    const bool ended = i < view.ended.size() && view.ended[i];
    if (i >= core_->sources()) core_->add(view.sources[i], !ended);
    if (ended) core_->source(i).set_ended();
  }
  TY_DO(core_->look());
  for (std::size_t i = 0; i < core_->sources(); ++i) {
    Source& source = core_->source(i);
    if (source.watched == !source.finished()) continue;
    source.watched = !source.finished();
    if (source.watched)
      interest_.add(source.name());
    else
      interest_.remove(source.name());
  }
  return view.complete && core_->all_finished();
}

asio::awaitable<Result<std::string_view>> LogMergeFollower::next() {
  bool armed = false;
  while (true) {
    TY_CO_TRY(const std::string_view piece, core_->next());
    if (!piece.empty()) {
      trickling_ = piece.size() < kTrickle;
      co_return piece;
    }
    if (done_) co_return std::string_view{};
    if (armed) {
      co_await interest_.wait();
      armed = false;
    } else {
      if (std::exchange(trickling_, false)) co_await interest_.rest(kGap);
      interest_.arm();
      armed = true;
    }
    TY_CO_TRY(done_, co_await look_first());
  }
}

/// The first look finds where to begin, which may mean reading a long stretch of each log.
asio::awaitable<Result<bool>> LogMergeFollower::look_first() {
  if (std::exchange(has_looked_, true)) co_return look();
  auto find = [this] { return look(); };
  co_return co_await pool_.run(std::move(find));
}

}  // namespace ty::telemetry
