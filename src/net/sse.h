#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Server-sent events (text/event-stream), both ends.
namespace ty::net {

struct SseEvent {
  std::string id;
  std::string event;  ///< empty: "message"
  std::string data;   ///< lines joined by newlines
  bool operator==(const SseEvent&) const = default;
};

/// One event as it goes over the wire. Line breaks in `data` become several data lines; in id and
/// event they are dropped.
std::string to_wire(const SseEvent& event);
/// A line that clients skip: keeps idle streams open through proxies.
inline constexpr std::string_view kSseHeartbeat = ": still here\n\n";

/// Bytes in, events out, however the bytes are cut.
class SseParser {
 public:
  void feed(std::string_view bytes);
  std::optional<SseEvent> next();
  /// The id to resume from, as `Last-Event-ID`.
  const std::string& last_id() const { return last_id_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
  SseEvent pending_;
  std::string last_id_;
  bool has_data_ = false;
};

}  // namespace ty::net
