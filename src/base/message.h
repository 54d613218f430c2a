#pragma once
#include <fmt/core.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ty {

struct Param;
class Value;

/// What a person is told, as a value until the last moment: which sentence, and what stands in its
/// holes. The sentences are in `src/*/messages.toml`, in English and Chinese; the build makes a
/// function of each one (`say::no_such_job({.name = name})` in `<module>/messages.h`), so a code
/// without words, or a hole without a value, does not compile. Whoever shows it renders it; nobody
/// in between compares, parses or joins sentences.
struct Message {
  std::string code;  ///< `no_such_job`; stable; empty: there is nothing to say
  std::vector<Param> params;

  bool empty() const { return code.empty(); }
  /// In English, for the API, the server's own log and tests.
  std::string text() const;
  bool operator==(const Message& other) const;

  /// One value more, which no sentence shows but a program wants: `.with("job_id", id)`.
  Message with(std::string name, Value value) &&;
  /// nullptr when there is none.
  const Value* find(std::string_view name) const;

  Message();
  Message(std::string code, std::vector<Param> params);
  Message(const Message&);
  Message(Message&&) noexcept;
  Message& operator=(const Message&);
  Message& operator=(Message&&) noexcept;
  ~Message();
};

/// What stands in a hole: a number (bytes, milliseconds, …: the hole says which), a name that is
/// the same in every language, several names, or further messages. There is no default: a value
/// that was forgotten does not compile.
class Value {
 public:
  using Texts = std::vector<std::string>;
  using Messages = std::vector<Message>;
  using Any = std::variant<std::int64_t, std::string, Texts, Messages>;

  template <std::integral N>
    requires(!std::same_as<N, bool> && !std::same_as<N, char>)
  Value(N number)
      : any_(static_cast<std::int64_t>(number)) {}  // NOLINT(google-explicit-constructor)
  /// Lengths of time are milliseconds, moments those since 1970.
  template <class Rep, class Period>
  Value(std::chrono::duration<Rep, Period> length)  // NOLINT(google-explicit-constructor)
      : any_(static_cast<std::int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(length).count())) {}
  template <class Duration>
  Value(std::chrono::time_point<std::chrono::system_clock, Duration>
            at)  // NOLINT(google-explicit-constructor)
      : Value(at.time_since_epoch()) {}
  Value(std::string text) : any_(std::move(text)) {}         // NOLINT(google-explicit-constructor)
  Value(std::string_view text) : any_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Value(const char* text) : any_(std::string(text)) {}       // NOLINT(google-explicit-constructor)
  Value(Texts names) : any_(std::move(names)) {}             // NOLINT(google-explicit-constructor)
  Value(Message message)
      : any_(Messages{std::move(message)}) {}              // NOLINT(google-explicit-constructor)
  Value(Messages messages) : any_(std::move(messages)) {}  // NOLINT(google-explicit-constructor)

  const Any& any() const { return any_; }
  bool operator==(const Value&) const = default;

 private:
  Any any_;
};

struct Param {
  std::string name;
  Value value;
  bool operator==(const Param&) const = default;
};

enum class Language : std::uint8_t { English, Chinese };

/// The sentence with its holes filled. A code that this program does not know gives its code and
/// values, so that nothing is hidden.
std::string render(const Message& message, Language language);

/// Words that come from elsewhere (Docker, the kernel, an older version) and pass as they are.
Message plain(std::string_view text);
/// One after the other: `a; b`. What is empty is left out.
Message joined(Message first, Message second);
/// `what: why`.
Message within(Message what, Message why);

/// Whether the catalogue has the code.
bool is_known_code(std::string_view code);

/// `{"code":"no_such_job","data":{"name":"a"}}`: how a message is stored and sent.
void append_json(std::string& out, const Message& message);
/// The `data` of it alone.
void append_json_data(std::string& out, const Message& message);

std::ostream& operator<<(std::ostream& out, const Message& message);

}  // namespace ty

/// In English: for the server's own log.
template <>
struct fmt::formatter<ty::Message> : fmt::formatter<std::string_view> {
  auto format(const ty::Message& message, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(message.text(), context);
  }
};
