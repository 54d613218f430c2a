#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "net/http_client.h"
#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

struct BlockingHttpClient::Loop {
  Loop(Endpoint endpoint, ClientOptions options)
      : client(io.get_executor(), std::move(endpoint), options) {}

  /// Runs one coroutine to its end; nothing else is ever on this loop.
  Result<Answer> finish(asio::awaitable<Result<Answer>> work) {
    std::exception_ptr thrown;
    Result<Answer> result = fail(Errc::Internal, say::nothing_answered());
    auto keep = [](asio::awaitable<Result<Answer>> inner,
                   Result<Answer>& into) -> asio::awaitable<void> {
      into = co_await std::move(inner);
    };
    asio::co_spawn(
        io, keep(std::move(work), result), [&thrown](std::exception_ptr e) { thrown = e; });
    io.restart();
    io.run();
    if (thrown) std::rethrow_exception(thrown);
    return result;
  }

  asio::io_context io{1};
  HttpClient client;
};

BlockingHttpClient::BlockingHttpClient(Endpoint endpoint, ClientOptions options)
    : loop_(std::make_unique<Loop>(std::move(endpoint), options)) {}
BlockingHttpClient::~BlockingHttpClient() = default;

Result<Answer> BlockingHttpClient::send(ClientRequest request) {
  auto work = [](HttpClient& client, ClientRequest what) -> asio::awaitable<Result<Answer>> {
    TY_CO_TRY(ClientResponse response, co_await client.send(std::move(what)));
    TY_CO_TRY(std::string body, co_await response.body());
    co_return Answer{
        .status = response.status, .headers = std::move(response.headers), .body = std::move(body)};
  };
  return loop_->finish(work(loop_->client, std::move(request)));
}

Result<Answer> BlockingHttpClient::stream(ClientRequest request,
                                          std::function<bool(std::string_view)> piece,
                                          std::function<void(const Answer&)> head) {
  struct Hooks {
    std::function<bool(std::string_view)> piece;
    std::function<void(const Answer&)> head;
  };
  auto work =
      [](HttpClient& client, ClientRequest what, Hooks hooks) -> asio::awaitable<Result<Answer>> {
    TY_CO_TRY(ClientResponse response, co_await client.send(std::move(what)));
    Answer answer{.status = response.status, .headers = response.headers};
    if (hooks.head) hooks.head(answer);
    if (answer.status < 200 || answer.status > 299) {
      TY_CO_TRY(answer.body, co_await response.body());
      co_return answer;
    }
    for (;;) {
      TY_CO_TRY(const std::string_view bytes, co_await response.read_some());
      if (bytes.empty() || !hooks.piece(bytes)) co_return answer;
    }
  };
  Hooks hooks{.piece = std::move(piece), .head = std::move(head)};
  return loop_->finish(work(loop_->client, std::move(request), std::move(hooks)));
}

}  // namespace ty::net
