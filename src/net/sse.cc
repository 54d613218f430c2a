#include "net/sse.h"

#include <algorithm>

namespace ty::net {

namespace {

void append_without_breaks(std::string& out, std::string_view text) {
  std::ranges::copy_if(
      text, std::back_inserter(out), [](char c) { return c != '\n' && c != '\r' && c != '\0'; });
}

}  // namespace

std::string to_wire(const SseEvent& event) {
  std::string out;
  if (!event.id.empty()) {
    out += "id: ";
    append_without_breaks(out, event.id);
    out += '\n';
  }
  if (!event.event.empty()) {
    out += "event: ";
    append_without_breaks(out, event.event);
    out += '\n';
  }
  std::string_view rest = event.data;
  for (;;) {
    const std::size_t end = rest.find('\n');
    out += "data: ";
    append_without_breaks(out, rest.substr(0, end));
    out += '\n';
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  out += '\n';
  return out;
}

void SseParser::feed(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

std::optional<SseEvent> SseParser::next() {
  for (;;) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const std::size_t end = rest.find_first_of("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t used = end + 1;
    if (rest[end] == '\r') {
      // Whether a line feed belongs to it shows only with the next byte.
      if (used == rest.size()) return std::nullopt;
      if (rest[used] == '\n') ++used;
    }
    const std::string_view line = rest.substr(0, end);
    at_ += used;
    if (line.empty()) {
      SseEvent event = std::exchange(pending_, {});
      event.id = last_id_;
      if (std::exchange(has_data_, false)) return event;
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view field = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") {
      if (has_data_) pending_.data += '\n';
      pending_.data += value;
      has_data_ = true;
    } else if (field == "event") {
      pending_.event = value;
    } else if (field == "id") {
      last_id_ = value;
    }
  }
}

}  // namespace ty::net
