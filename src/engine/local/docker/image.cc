#include "engine/local/docker/image.h"

#include <boost/json.hpp>

#include "base/text.h"
#include "engine/local/docker/client.h"
#include "engine/messages.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

std::string text(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::vector<std::string> texts(const json::object& from, std::string_view key) {
  std::vector<std::string> all;
  const json::value* found = from.if_contains(key);
  if (found == nullptr || !found->is_array()) return all;
  for (const json::value& item : found->as_array()) {
    if (item.is_string()) all.emplace_back(item.as_string());
  }
  return all;
}

}  // namespace

Result<Image> parse_image(std::string_view answer) {
  boost::system::error_code error;
  const json::value parsed = json::parse(answer, error);
  if (error || !parsed.is_object()) return fail(Errc::Internal, say::docker_answer_not_json());
  const json::object& top = parsed.as_object();
  Image image;
  image.id = text(top, "Id");
  image.architecture = text(top, "Architecture");
  image.os = text(top, "Os");
  if (const json::value* config = top.if_contains("Config"); config && config->is_object()) {
    const json::object& from = config->as_object();
    image.env = texts(from, "Env");
    image.entrypoint = texts(from, "Entrypoint");
    image.command = texts(from, "Cmd");
    image.workdir = text(from, "WorkingDir");
    image.user = text(from, "User");
    const json::value* check = from.if_contains("Healthcheck");
    image.has_health_check = check != nullptr && check->is_object();
  }
  return image;
}

std::string with_tag(std::string_view image) {
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const bool has_tag = last.find(':') != std::string_view::npos ||
                       image.find('@') != std::string_view::npos || image.starts_with("sha256:");
  return has_tag ? std::string(image) : std::string(image) + ":latest";
}

std::string image_path(std::string_view image) {
  std::string path = "/images";
  for (const std::string& part : split(with_tag(image), '/')) path += "/" + Client::encode(part);
  return path + "/json";
}

std::string_view own_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#else
#error "name this machine's architecture as images do"
#endif
}

}  // namespace ty::engine::docker
