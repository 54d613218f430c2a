#include "engine/local/docker/pull_progress.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/text.h"
#include "engine/local/docker/client.h"
#include "engine/local/docker/image.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestLine = 1 << 20;

std::string text_of(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::int64_t number_of(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_int64() ? found->as_int64() : 0;
}

template <std::size_t N>
bool says(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

void PullProgress::feed(std::string_view bytes) {
  rest_.append(bytes);
  std::size_t from = 0;
  for (std::size_t end; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1)
    take_line(std::string_view(rest_).substr(from, end - from));
  rest_.erase(0, from);
  if (rest_.size() > kLongestLine) rest_.clear();
}

void PullProgress::take_line(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return;
  ++news_;
  const json::object& top = parsed.as_object();
  if (const std::string error = text_of(top, "error"); !error.empty()) error_ = error;
  const std::string status = text_of(top, "status");
  const std::string id = text_of(top, "id");
  // The first line names the tag as if it were a layer.
  if (id.empty() || status.starts_with("Pulling from")) return;
  Layer& layer = layers_[id];
  if (status == "Downloading") {
    if (const json::value* detail = top.if_contains("progressDetail");
        detail != nullptr && detail->is_object()) {
      layer.current = number_of(detail->as_object(), "current");
      layer.total = std::max(layer.total, number_of(detail->as_object(), "total"));
    }
  } else if (status == "Download complete") {
    layer.current = layer.total;
  } else if (status == "Pull complete" || status == "Already exists") {
    layer.current = layer.total;
    layer.is_done = true;
  }
  note_ = status.starts_with("Retrying") ? status : std::string();
}

Message PullProgress::message() const {
  std::int64_t current = 0;
  std::int64_t total = 0;
  std::int64_t done = 0;
  for (const auto& [id, layer] : layers_) {
    current += layer.current;
    total += layer.total;
    done += layer.is_done ? 1 : 0;
  }
  const std::string image = shorten(image_);
  Message told;
  if (layers_.empty()) {
    told = say::pulling({.image = image});
  } else if (total == 0) {
    told = say::pulling_layers({.image = image, .done = done, .count = layers_.size()});
  } else {
    told = say::pulling_bytes(
        {.image = image, .done = done, .count = layers_.size(), .got = current, .size = total});
  }
  return note_.empty() ? told : joined(std::move(told), plain(note_));
}

model::Ending pull_ending(std::string_view image, Message why) {
  constexpr std::array<std::string_view, 5> kRefused = {
      "unauthorized", "denied", "no basic auth", "authentication required", "401 Unauthorized"};
  constexpr std::array<std::string_view, 4> kUnknown = {
      "manifest unknown", "not found", "does not exist", "invalid reference"};
  constexpr std::array<std::string_view, 3> kPlatform = {
      "no matching manifest", "no match for platform", "unsupported platform"};
  constexpr std::array<std::string_view, 1> kFull = {"no space left"};
  const std::string words = Client::words_of(why);
  Message cure = say::is_registry_reachable();
  bool is_final = true;
  // First what the disk says: it names files, and their names may say anything.
  if (says(words, kFull)) {
    is_final = false;
    cure = say::free_space_for_images();
  } else if (says(words, kPlatform)) {
    cure = say::name_image_for({.platform = own_architecture()});
  } else if (says(words, kRefused)) {
    cure = say::check_image_or_sign_in({.server = registry_of(image)});
  } else if (says(words, kUnknown)) {
    cure = say::check_image_name();
  } else {
    is_final = false;
  }
  model::Ending ending = model::fault(
      model::Reason::ImageMissing,
      joined(say::cannot_pull({.image = shorten(image), .why = std::move(why)}), std::move(cure)));
  // What a network or a disk did may be over the next time.
  if (!is_final) ending.failure = model::FailureClass::Platform;
  return ending;
}

}  // namespace ty::engine::docker
