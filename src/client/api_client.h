#pragma once
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
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

using Query = std::vector<std::pair<std::string, std::string>>;

/// Our end of contract/openapi.yaml: sends, and turns every failure, the server's or the network's,
/// into an Error with the server's own words. Blocks; one thread at a time.
class ApiClient {
 public:
  explicit ApiClient(Credentials credentials);
  ~ApiClient();

  /// A JSON answer; null for 204.
  Result<boost::json::value> get(std::string_view path, const Query& query = {});
  Result<boost::json::value> post(std::string_view path,
                                  const boost::json::value& body = nullptr,
                                  const Query& query = {});
  Result<boost::json::value> put(std::string_view path, const boost::json::value& body);
  Result<boost::json::value> remove(std::string_view path, const Query& query = {});

  struct Upload {
    std::string name;  ///< as the job file writes it: `.`, `./src`
    std::string file;  ///< the packed archive
  };
  /// Hands in a job file. The key makes it safe to send again when the answer got lost.
  Result<boost::json::value> submit(std::string_view job_file,
                                    const std::vector<Upload>& uploads,
                                    const Query& query,
                                    std::string_view idempotency_key);
  /// A text body that is not JSON, for checking.
  Result<boost::json::value> post_text(std::string_view path,
                                       std::string_view text,
                                       const Query& query);

  /// Text as it arrives, until the end or until `piece` returns false.
  Result<void> stream(std::string_view path,
                      const Query& query,
                      const std::function<bool(std::string_view)>& piece,
                      const std::vector<std::pair<std::string, std::string>>& headers = {});
  Result<std::string> text(std::string_view path, const Query& query = {});

  const Credentials& credentials() const { return credentials_; }

 private:
  net::ClientRequest request(std::string_view method,
                             std::string_view path,
                             const Query& query) const;
  Result<boost::json::value> send(net::ClientRequest request);
  Error unreachable(Error error) const;

  Credentials credentials_;
  std::unique_ptr<net::BlockingHttpClient> http_;
  Result<void> endpoint_;  ///< why the URL makes no sense, if it does not
};

}  // namespace ty::client
