#include "telemetry/log_follow.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace ty::telemetry {

namespace asio = boost::asio;

/// One sleeping coroutine. Wakers on other threads only set `due` and post; the timer is touched on
/// its own executor.
class LogInterest::Waiter : public std::enable_shared_from_this<Waiter> {
 public:
  explicit Waiter(asio::any_io_executor executor) : executor_(executor), timer_(executor) {}

  void wake() {
    if (due_.exchange(true)) return;
    asio::post(executor_, [self = shared_from_this()] { self->timer_.cancel(); });
  }

  asio::awaitable<void> wait(Millis at_most) {
    if (!due_.load()) co_await sleep(at_most);
    due_.store(false);
  }

  asio::awaitable<void> sleep(Millis time) {
    timer_.expires_after(time);
    // Cancelling the coroutine throws at its next co_await; a timer that was cancelled to wake us
    // is no error.
    (void)co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  std::vector<std::string> paths;  ///< guarded by the watcher's mutex

 private:
  asio::any_io_executor executor_;
  asio::steady_timer timer_;
  std::atomic<bool> due_ = false;
};

class LogWatcher::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::any_io_executor executor, Millis poll) : poll(poll), inotify_(executor) {
    const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0) inotify_.assign(fd);
  }

  void listen() {
    if (!inotify_.is_open()) return;
    inotify_.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](auto error) {
                          if (error) return;
                          self->take_events();
                          self->listen();
                        });
  }

  void stop() {
    asio::post(inotify_.get_executor(), [self = shared_from_this()] {
      const std::scoped_lock lock(self->mutex_);
      boost::system::error_code ignored;
      self->inotify_.close(ignored);
      for (auto& [path, file] : self->files_) file.wd = -1;
      self->by_wd_.clear();
    });
  }

  void add(const std::shared_ptr<LogInterest::Waiter>& waiter, const std::string& path) {
    const std::scoped_lock lock(mutex_);
    if (!files_[path].waiters.insert(waiter.get()).second) return;
    waiter->paths.push_back(path);
    ++registered_;
  }

  void remove(LogInterest::Waiter* waiter, const std::string& path) {
    const std::scoped_lock lock(mutex_);
    if (std::erase(waiter->paths, path) > 0) forget(waiter, path);
  }

  void remove_all(LogInterest::Waiter* waiter) {
    const std::scoped_lock lock(mutex_);
    for (const std::string& path : waiter->paths) forget(waiter, path);
    waiter->paths.clear();
  }

  void arm(const LogInterest::Waiter* waiter) {
    const std::scoped_lock lock(mutex_);
    if (!inotify_.is_open()) return;
    for (const std::string& path : waiter->paths) {
      File& file = files_[path];
      if (file.wd >= 0) continue;
      // Refused when the log does not exist yet, or when this user's watches are used up: then the
      // poll finds out.
      file.wd = ::inotify_add_watch(inotify_.native_handle(), path.c_str(), IN_MODIFY | IN_ONESHOT);
      if (file.wd >= 0) by_wd_[file.wd] = path;
    }
  }

  void poke(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = files_.find(path); found != files_.end()) wake(found->second);
  }

  std::size_t registered() const {
    const std::scoped_lock lock(mutex_);
    return registered_;
  }

  const Millis poll;

 private:
  struct File {
    int wd = -1;  ///< armed
    std::unordered_set<LogInterest::Waiter*> waiters;
  };

  static void wake(File& file) {
    for (LogInterest::Waiter* waiter : file.waiters) waiter->wake();
  }

  void forget(LogInterest::Waiter* waiter, const std::string& path) {
    const auto found = files_.find(path);
    --registered_;
    found->second.waiters.erase(waiter);
    if (!found->second.waiters.empty()) return;
    if (found->second.wd >= 0) {
      if (inotify_.is_open()) ::inotify_rm_watch(inotify_.native_handle(), found->second.wd);
      by_wd_.erase(found->second.wd);
    }
    files_.erase(found);
  }

  void take_events() {
    alignas(inotify_event) std::array<char, 16'384> buffer;
    while (true) {
      const ssize_t got = ::read(inotify_.native_handle(), buffer.data(), buffer.size());
      if (got <= 0) return;
      const std::scoped_lock lock(mutex_);
      for (const char* at = buffer.data(); at < buffer.data() + got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(at);
        at += sizeof(inotify_event) + event->len;
        if (event->mask & IN_Q_OVERFLOW) {
          wake_everybody();
        } else if (const auto armed = by_wd_.find(event->wd); armed != by_wd_.end()) {
          // The watch is spent with its first event; the IN_IGNORED that follows finds nothing here
          // any more.
          File& file = files_[armed->second];
          file.wd = -1;
          by_wd_.erase(armed);
          wake(file);
        }
      }
    }
  }

  /// Some events were lost: every watch may be spent.
  void wake_everybody() {
    for (auto& [path, file] : files_) {
      if (file.wd >= 0) ::inotify_rm_watch(inotify_.native_handle(), file.wd);
      file.wd = -1;
      wake(file);
    }
    by_wd_.clear();
  }

  mutable std::mutex mutex_;
  asio::posix::stream_descriptor inotify_;
  std::unordered_map<std::string, File> files_;
  std::unordered_map<int, std::string> by_wd_;
  std::size_t registered_ = 0;
};

LogWatcher::LogWatcher(asio::any_io_executor executor, Millis poll)
    : state_(std::make_shared<State>(executor, poll)) {
  state_->listen();
}
LogWatcher::~LogWatcher() {
  try {
    state_->stop();
  } catch (const std::exception&) {
    // No memory even to say goodbye: the descriptor closes with the loop.
  }
}

void LogWatcher::poke(const std::string& path) { state_->poke(path); }
std::size_t LogWatcher::followers() const { return state_->registered(); }

LogInterest::LogInterest(LogWatcher& watcher, asio::any_io_executor executor)
    : state_(watcher.state_), waiter_(std::make_shared<Waiter>(std::move(executor))) {}
LogInterest::LogInterest(LogInterest&&) noexcept = default;
LogInterest::~LogInterest() {
  if (waiter_) state_->remove_all(waiter_.get());
}

void LogInterest::add(const std::string& path) { state_->add(waiter_, path); }
void LogInterest::remove(const std::string& path) { state_->remove(waiter_.get(), path); }
void LogInterest::arm() { state_->arm(waiter_.get()); }
asio::awaitable<void> LogInterest::wait() { return waiter_->wait(state_->poll); }
asio::awaitable<void> LogInterest::rest(Millis time) { return waiter_->sleep(time); }

namespace {
/// Long enough that handing out costs nothing, short enough that a client who left is soon noticed.
constexpr std::uint64_t kPlacePiece = std::uint64_t{16} << 20;
}  // namespace

LogFollower::LogFollower(LogWatcher& watcher, asio::any_io_executor executor, FollowOptions options)
    : options_(std::move(options)), interest_(watcher, std::move(executor)), at_(options_.from) {}

Result<std::uint64_t> LogFollower::look() {
  if (!reader_) {
    auto opened = options_.log.open();
    if (!opened) return std::unexpected(std::move(opened).error());
    reader_ = std::move(*opened);
  } else if (at_ >= reader_->size()) {
    TY_DO(reader_->refresh());
  }
  return reader_->size() - std::min(at_, reader_->size());
}

asio::awaitable<Result<std::uint64_t>> LogFollower::wait_for_bytes() {
  bool armed = false;
  while (true) {
    // Asked before looking: what was written before the end is then surely seen.
    const bool ended = !options_.ended || options_.ended();
    const Result<std::uint64_t> ready = look();
    const bool missing = !ready && ready.error().code == Errc::NotFound && !reader_;
    if (!ready && (!missing || ended)) co_return ready;
    if (!missing && *ready > 0) {
      trickling_ = *ready < kTrickle;
      co_return ready;
    }
    if (ended) co_return 0;

    buffer_ = {};
    if (!registered_) {
      interest_.add(options_.log.name);
      registered_ = true;
    }
    if (!armed) {
      // A log that grows line by line is read at most once per `gap`, whatever it does in between.
      if (std::exchange(trickling_, false)) co_await interest_.rest(options_.gap);
      interest_.arm();
      armed = true;
      continue;  // what came before the watch was armed raised no event
    }
    co_await interest_.wait();
    armed = false;
  }
}

Result<std::string_view> LogFollower::read(std::uint64_t ready) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kLogChunk, ready));
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  TY_TRY(const std::size_t got, reader_->read_at(at_, std::span(buffer_).first(wanted)));
  at_ += got;
  return std::string_view(buffer_.data(), got);
}

asio::awaitable<Result<std::string_view>> LogFollower::next() {
  TY_CO_TRY(const std::uint64_t ready, co_await wait_for_bytes());
  if (ready == 0) co_return std::string_view{};
  co_return read(ready);
}

asio::awaitable<Result<LogPiece>> LogFollower::next_piece() {
  TY_CO_TRY(const std::uint64_t ready, co_await wait_for_bytes());
  if (ready == 0) co_return LogPiece{};
  if (const int file = reader_->plain_file(); file >= 0) {
    const ByteRange range{at_, at_ + std::min(ready, kPlacePiece)};
    at_ = range.end;
    co_return LogPiece{.file = file, .range = range};
  }
  TY_CO_TRY(const std::string_view bytes, read(ready));
  co_return LogPiece{.bytes = bytes};
}

}  // namespace ty::telemetry
