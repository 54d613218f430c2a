#include "control/logs/log_text.h"

#include <boost/asio/this_coro.hpp>
#include <utility>

namespace ty::control {

namespace asio = boost::asio;
using Piece = Result<std::string_view>;

asio::awaitable<Result<LogPiece>> LogText::next_piece() {
  TY_CO_TRY(const std::string_view bytes, co_await next());
  co_return LogPiece{.bytes = bytes};
}

RangeText::RangeText(telemetry::LogReader reader, telemetry::ByteRange range)
    : reader_(std::move(reader)), unplaced_(range), stream_(reader_, range) {
  length = range.size();
  total = reader_.size();
}

asio::awaitable<Piece> RangeText::next() { co_return stream_.next(); }

asio::awaitable<Result<LogPiece>> RangeText::next_piece() {
  if (reader_.plain_file() < 0) co_return co_await LogText::next_piece();
  const telemetry::ByteRange range = std::exchange(unplaced_, {});
  co_return LogPiece{.file = reader_.plain_file(), .begin = range.begin, .size = range.size()};
}

ChainText::ChainText(std::vector<std::unique_ptr<LogText>> parts) : parts_(std::move(parts)) {
  length = 0;
  for (const auto& part : parts_) {
    if (part->length && length)
      *length += *part->length;
    else
      length.reset();
  }
}

asio::awaitable<Piece> ChainText::next() {
  for (; at_ < parts_.size(); ++at_) {
    Piece piece = co_await parts_[at_]->next();
    if (!piece || !piece->empty()) co_return piece;
  }
  co_return std::string_view{};
}

asio::awaitable<Result<LogPiece>> ChainText::next_piece() {
  for (; at_ < parts_.size(); ++at_) {
    Result<LogPiece> piece = co_await parts_[at_]->next_piece();
    if (!piece || !piece->empty()) co_return piece;
  }
  co_return LogPiece{};
}

FollowText::FollowText(Parts parts, std::optional<model::TaskKey> first, std::uint64_t first_from)
    : p_(std::move(parts)), first_(std::move(first)), from_(first_from) {}

asio::awaitable<bool> FollowText::begin_next() {
  for (;;) {
    // The mark before the look: what happens in between wakes us at once.
    const EventId seen = p_.hub.latest();
    std::optional<model::TaskKey> key = std::exchange(first_, std::nullopt);
    if (!key) {
      Next next = p_.next_try(current_);
      if (next.none) co_return false;
      key = std::move(next.key);
    }
    if (key) {
      telemetry::FollowOptions options{.log = p_.records->log(*key),
                                       .from = std::exchange(from_, 0)};
      options.ended = [has_ended = p_.has_ended, key = *key] { return has_ended(key); };
      const auto executor = co_await asio::this_coro::executor;
      follower_ =
          std::make_unique<telemetry::LogFollower>(p_.watcher, executor, std::move(options));
      current_ = std::move(key);
      co_return true;
    }
    if (p_.hub.closed()) co_return false;
    co_await p_.hub.wait_beyond(seen, Millis{5'000});
  }
}

template <class Taken>
asio::awaitable<Result<Taken>> FollowText::take(
    asio::awaitable<Result<Taken>> (telemetry::LogFollower::*next)()) {
  for (;;) {
    if (!follower_ && !co_await begin_next()) co_return Taken{};
    Result<Taken> piece = co_await ((*follower_).*next)();
    const bool no_log =
        !piece && piece.error().code == Errc::NotFound;  // it ended before it could write
    if (!no_log && (!piece || !piece->empty())) co_return piece;
    follower_.reset();
  }
}

asio::awaitable<Piece> FollowText::next() { return take(&telemetry::LogFollower::next); }

asio::awaitable<Result<LogPiece>> FollowText::next_piece() {
  TY_CO_TRY(const telemetry::LogPiece piece, co_await take(&telemetry::LogFollower::next_piece));
  co_return LogPiece{.bytes = piece.bytes,
                     .file = piece.file,
                     .begin = piece.range.begin,
                     .size = piece.range.size()};
}

asio::awaitable<Piece> MergedText::next() {
  auto read = [this] { return merge_.next(); };
  co_return co_await pool_.run(std::move(read));
}

FilteredText::FilteredText(std::unique_ptr<LogText> inner,
                           telemetry::LineMatcher matcher,
                           rt::BlockingPool& pool)
    : inner_(std::move(inner)),
      matcher_(std::make_unique<telemetry::LineMatcher>(std::move(matcher))),
      filter_(*matcher_),
      pool_(pool) {}

asio::awaitable<Piece> FilteredText::next() {
  out_.clear();
  while (!finished_ && out_.empty()) {
    const Piece piece = co_await inner_->next();
    if (!piece) co_return piece;
    if (piece->empty()) {
      filter_.finish(out_);
      finished_ = true;
    } else {
      auto match = [&] { filter_.feed(*piece, out_); };
      co_await pool_.run(std::move(match));
    }
  }
  co_return std::string_view(out_);
}

}  // namespace ty::control
