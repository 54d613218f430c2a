#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace ty {

/// A text id of its own type: a UserId where a JobId is due does not compile.
template <class Tag>
class TextId {
 public:
  TextId() = default;
  explicit TextId(std::string text) : text_(std::move(text)) {}
  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const TextId&) const = default;

 private:
  std::string text_;
};

/// A number id of its own type, as databases hand them out.
template <class Tag>
struct NumberId {
  std::int64_t value = 0;
  explicit operator bool() const { return value != 0; }
  auto operator<=>(const NumberId&) const = default;
};

/// One letter and 31 lower-case hex digits, random, never reused (job-model §9).
using JobId = TextId<struct JobIdTag>;
/// The order in which jobs were accepted; the store's own key, never shown.
using JobSeq = NumberId<struct JobSeqTag>;
using UserId = NumberId<struct UserIdTag>;
using WorkspaceId = NumberId<struct WorkspaceIdTag>;
using TokenId = NumberId<struct TokenIdTag>;
/// Position in the one stream of events; what `Last-Event-ID` carries.
using EventId = NumberId<struct EventIdTag>;

JobId random_job_id();
bool looks_like_job_id(std::string_view text);

/// `bytes` random bytes from the kernel, as lower-case hex.
std::string random_hex(std::size_t bytes);

}  // namespace ty

template <class Tag>
struct std::hash<ty::TextId<Tag>> {
  std::size_t operator()(const ty::TextId<Tag>& id) const {
    return std::hash<std::string>{}(id.str());
  }
};
template <class Tag>
struct std::hash<ty::NumberId<Tag>> {
  std::size_t operator()(const ty::NumberId<Tag>& id) const {
    return std::hash<std::int64_t>{}(id.value);
  }
};
