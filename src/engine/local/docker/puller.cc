#include "engine/local/docker/puller.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>

#include "base/encoding.h"
#include "base/text.h"
#include "engine/local/docker/image.h"
#include "engine/messages.h"
#include "rt/within.h"

namespace ty::engine::docker {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr Millis kTellEvery{500};
constexpr Seconds kSilence{20};

/// As Docker wants credentials.
std::string encoded(const RegistryLogin& login) {
  return to_base64(json::serialize(json::object{{"username", login.username},
                                                {"password", login.password.reveal()},
                                                {"serveraddress", login.server}}),
                   Base64::Url);
}

}  // namespace

Puller::Puller(Client& client, Seconds patience)
    : client_(client), patience_(patience), work_(io_.get_executor()) {
  asio::co_spawn(io_, tell_progress(), asio::detached);
  thread_ = std::thread([this] { io_.run(); });
}

Puller::~Puller() { stop(); }

void Puller::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void Puller::pull(std::string image, std::optional<RegistryLogin> login, Waiter waiter) {
  auto here = [this,
               image = std::move(image),
               login = std::move(login),
               waiter = std::move(waiter)]() mutable {
    // Who may not pull an image must not get it because somebody else may.
    Key key{image, login ? encoded(*login) : std::string()};
    if (const auto found = pulls_.find(key); found != pulls_.end()) {
      waiter.progress(found->second->progress.message());
      found->second->waiters.push_back(std::move(waiter));
      return;
    }
    auto pull = std::make_shared<Pull>();
    pull->image = image;
    pull->login = std::move(login);
    pull->progress = PullProgress(image);
    pull->last_news = clock_.now();
    waiter.progress(pull->progress.message());
    pull->waiters.push_back(std::move(waiter));
    pulls_.emplace(key, pull);
    asio::co_spawn(io_, run(std::move(key), std::move(pull)), asio::detached);
  };
  asio::post(io_, std::move(here));
}

asio::awaitable<void> Puller::run(Key key, std::shared_ptr<Pull> pull) {
  const std::optional<model::Ending> failed = co_await fetch(pull);
  pulls_.erase(key);
  for (const Waiter& waiter : pull->waiters) waiter.done(failed);
}

asio::awaitable<std::optional<model::Ending>> Puller::fetch(std::shared_ptr<Pull> pull) {
  const auto read = co_await read_stream(pull);
  if (!read) co_return pull_ending(pull->image, read.error().message);
  if (pull->progress.error().empty()) co_return std::nullopt;
  co_return pull_ending(pull->image, plain(pull->progress.error()));
}

asio::awaitable<Result<void>> Puller::read_stream(std::shared_ptr<Pull> pull) {
  TY_CO_TRY(const std::string version, client_.version());
  net::ClientOptions options;
  options.answer_time = patience_;
  options.idle_read_time = patience_;
  net::HttpClient http(io_.get_executor(), client_.endpoint(), options);
  net::ClientRequest request;
  request.method = "POST";
  request.target = fmt::format(
      "/v{}/images/create?fromImage={}", version, Client::encode(with_tag(pull->image)));
  if (pull->login) request.headers.set("X-Registry-Auth", encoded(*pull->login));
  auto sent = co_await http.send(std::move(request));
  const Message silence =
      say::registry_silent({.server = registry_of(pull->image), .time = patience_});
  if (!sent && sent.error().code == Errc::Timeout) co_return fail(Errc::Timeout, silence);
  if (!sent) co_return std::unexpected(std::move(sent).error());
  net::ClientResponse response = *std::move(sent);
  if (response.status >= 400) {
    TY_CO_TRY(const std::string body, co_await response.body());
    co_return Client::check(response.status, body);
  }
  while (true) {
    const auto piece = co_await response.read_some();
    if (!piece && piece.error().code == Errc::Timeout) co_return fail(Errc::Timeout, silence);
    if (!piece) co_return std::unexpected(piece.error());
    if (piece->empty()) co_return Result<void>{};
    pull->progress.feed(*piece);
  }
}

asio::awaitable<void> Puller::tell_progress() {
  while (true) {
    asio::steady_timer pause(io_, kTellEvery);
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    const Time now = clock_.now();
    for (const auto& [key, pull] : pulls_) {
      const bool has_news = pull->progress.news() != pull->seen_news;
      const Millis silent = now - pull->last_news;
      if (has_news) {
        pull->seen_news = pull->progress.news();
        pull->last_news = now;
      } else if (silent < kSilence) {
        continue;
      }
      Message told = pull->progress.message();
      if (!has_news)
        told = joined(std::move(told), say::pull_stalled({.time = silent, .limit = patience_}));
      for (const Waiter& waiter : pull->waiters) waiter.progress(told);
    }
  }
}

}  // namespace ty::engine::docker
