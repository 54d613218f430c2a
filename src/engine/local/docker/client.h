#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"

namespace ty::engine::docker {

/// Speaks the Docker Engine API over its unix socket, Docker's own or Podman's compatible one, in
/// the newest version that both sides know. Safe to call from any thread; every call blocks.
///
/// Errors carry the daemon's own words. Unavailable: nobody answers at the socket. NotFound,
/// Conflict, Invalid: it refused. Internal: it tried and failed.
class Client {
 public:
  explicit Client(std::string socket);
  ~Client();

  const std::string& socket() const { return socket_; }

  /// Body of the answer. `path` begins after the version, as `/containers/json?all=true`.
  Result<std::string> get(std::string_view path);
  Result<std::string> post(std::string_view path, std::string json = {});
  Result<void> remove(std::string_view path);

  /// The version that is spoken, as `1.41`; asks for it first if that is not known yet.
  Result<std::string> version();
  /// Podman behind its compatible service.
  Result<bool> is_podman();
  /// Whether the daemon answers now.
  Result<void> ping();

  /// Text of a query value.
  static std::string encode(std::string_view text);
  /// What an answer of the daemon means: nothing, or the error in its words.
  static Result<void> check(int status, std::string_view body);
  /// What the daemon itself said, wherever our own words stand around it; empty: nothing.
  static std::string words_of(const Message& message);
  net::Endpoint endpoint() const;

 private:
  Result<net::Answer> send(std::string method, std::string target, std::string json);
  Result<std::string> call(std::string method, std::string_view path, std::string json);
  std::unique_ptr<net::BlockingHttpClient> take();
  void give_back(std::unique_ptr<net::BlockingHttpClient> connection);

  const std::string socket_;
  std::mutex mutex_;
  std::string version_;
  bool is_podman_ = false;
  std::vector<std::unique_ptr<net::BlockingHttpClient>> idle_;
};

}  // namespace ty::engine::docker
