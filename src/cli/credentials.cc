#include "cli/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "cli/messages.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string below_home(const char* variable, const char* fallback) {
  const std::string set = env(variable);
  return (set.empty() ? env("HOME") + fallback : set) + "/trainyard";
}

std::string login_file() { return below_home("XDG_CONFIG_HOME", "/.config") + "/login.json"; }
std::string data_dir() {
  const std::string set = env("TRAINYARD_DATA_DIR");
  return set.empty() ? below_home("XDG_DATA_HOME", "/.local/share") : set;
}

std::optional<std::string> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string field(const std::string& text, std::string_view name) {
  boost::system::error_code ec;
  const json::value value = json::parse(text, ec);
  if (ec || !value.is_object()) return "";
  const json::value* found = value.get_object().if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

}  // namespace

Result<client::Credentials> find_credentials(const std::string& url_flag,
                                             const std::string& token_flag,
                                             const std::string& ca_flag) {
  client::Credentials found;
  const std::string ca_file = ca_flag.empty() ? env("TRAINYARD_CA") : ca_flag;
  if (!url_flag.empty())
    found = {.url = url_flag, .source = "--server"};
  else if (!env("TRAINYARD_URL").empty())
    found = {.url = env("TRAINYARD_URL"), .source = "TRAINYARD_URL"};

  const std::string token = token_flag.empty() ? env("TRAINYARD_TOKEN") : token_flag;
  if (!token.empty()) found.token = Secret(std::string(trim(token)));

  if (const auto login = read(login_file())) {
    const std::string url = field(*login, "url");
    if (found.url.empty() && !url.empty()) {
      found.url = url;
      found.source = login_file();
    }
    if (found.token.empty() && found.url == url) found.token = Secret(field(*login, "token"));
    if (found.url == url)
      found.trust = {.ca_file = field(*login, "ca"), .fingerprint = field(*login, "fingerprint")};
  }
  if (const auto server = read(data_dir() + "/server.json")) {
    const std::string url = field(*server, "url");
    if (found.url.empty() && !url.empty()) {
      found.url = url;
      found.source = data_dir() + "/server.json";
    }
    if (found.token.empty() && found.url == url) {
      found.token = Secret(std::string(trim(read(data_dir() + "/admin.token").value_or(""))));
    }
    const std::string certificate = field(*server, "certificate");
    if (found.url == url && !certificate.empty() && found.trust == client::Trust()) {
      if (auto own = client::fingerprint_of(certificate)) found.trust.fingerprint = *own;
    }
  }
  if (found.url.empty()) {
    return fail(Errc::Unavailable, say::no_server_known());
  }
  if (!ca_file.empty()) found.trust = {.ca_file = ca_file, .fingerprint = {}};
  return found;
}

Result<std::string> keep_login(const client::Credentials& login) {
  const std::string path = login_file();
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  const int fd = ::open((path + ".new").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(Errc::Unavailable,
                say::login_not_kept({.path = path, .why = std::strerror(errno)}));
  json::object kept{{"url", login.url}, {"token", login.token.reveal()}};
  if (!login.trust.ca_file.empty())
    kept["ca"] = std::filesystem::absolute(login.trust.ca_file).string();
  if (!login.trust.fingerprint.empty()) kept["fingerprint"] = login.trust.fingerprint;
  const std::string text = json::serialize(kept) + "\n";
  const bool good = ::fchmod(fd, 0600) == 0 &&
                    ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  if (!good || ::rename((path + ".new").c_str(), path.c_str()) != 0) {
    return fail(Errc::Unavailable,
                say::login_not_kept({.path = path, .why = std::strerror(errno)}));
  }
  return path;
}

Result<void> forget_login() {
  std::error_code ec;
  std::filesystem::remove(login_file(), ec);
  if (ec)
    return fail(Errc::Unavailable,
                say::login_not_forgotten({.path = login_file(), .why = ec.message()}));
  return {};
}

}  // namespace ty::cli
