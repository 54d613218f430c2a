#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "net/http_client.h"

namespace ty::client {

/// Whose word we take for who the server is, where it speaks https.
using Trust = net::TlsTrust;
/// Of the first certificate in a PEM file, as `SHA256:…`.
Result<std::string> fingerprint_of(const std::string& certificate_file);

/// Where a server is and who we are to it.
struct Credentials {
  std::string url;
  Secret token;
  std::string source;  ///< for messages: "TRAINYARD_URL", a file's name, …
  Trust trust = {};
};

/// What the server answered: the fields we know, and the JSON as it came.
template <class T>
struct Answer : T {
  boost::json::value json;
};

/// Takes text as it arrives; false ends the call.
using Piece = std::function<bool(std::string_view)>;

/// A body that is not JSON, with its media type.
struct Payload {
  std::string type;
  std::vector<net::BodyPart> parts;
};

/// One call being made up. This is the one place where values become part of an address.
class Request {
 public:
  /// The path in turns of our words and the caller's values: `"/api/v1/jobs/", id, "/stop"`.
  template <class... Parts>
  Request(std::string_view method, std::string_view begin, const Parts&... rest) {
    http_.method = method;
    http_.target = begin;
    bool is_value = true;
    ((add(is_value, rest), is_value = !is_value), ...);
  }

  void query(std::string_view name, std::string_view value);
  void query(std::string_view name, std::int64_t value);
  void query(std::string_view name, bool value);
  void query(std::string_view name, const std::vector<std::string>& values);
  template <class T>
  void query(std::string_view name, const std::optional<T>& value) {
    if (value) query(name, *value);
  }
  void header(std::string_view name, const std::optional<std::string>& value);

  void json(const boost::json::value& body);
  void text(std::string_view body);
  void payload(const Payload& body);

  net::ClientRequest take(const Secret& token) &&;

 private:
  void add_value(std::string_view value);
  void add(bool is_value, std::string_view part) {
    is_value ? add_value(part) : void(http_.target += part);
  }
  void add(bool, std::int64_t value) { add_value(std::to_string(value)); }

  net::ClientRequest http_;
  bool has_query_ = false;
};

/// Sends, and turns every failure, the server's or the network's, into an Error with the server's
/// own words. Blocks; one thread at a time.
class Transport {
 public:
  explicit Transport(Credentials credentials);
  ~Transport();

  template <class T>
  Result<Answer<T>> fetch(Request request) {
    TY_TRY(boost::json::value json, exchange(std::move(request)));
    Answer<T> answer;
    read(json, static_cast<T&>(answer));
    answer.json = std::move(json);
    return answer;
  }
  Result<void> send(Request request);
  Result<std::string> text(Request request);
  Result<void> stream(Request request, const Piece& piece);

  const Credentials& credentials() const { return credentials_; }

 private:
  Result<boost::json::value> exchange(Request request);
  Error unreachable(Error error) const;

  Credentials credentials_;
  std::unique_ptr<net::BlockingHttpClient> http_;
  Result<void> endpoint_;  ///< why the URL makes no sense, if it does not
};

}  // namespace ty::client
