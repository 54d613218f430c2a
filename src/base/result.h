#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"

namespace ty {

/// Why something did not happen, in words that every layer shares. `api/problem.cc` turns it into
/// an HTTP status, the CLI into an exit code.
enum class Errc : std::uint8_t {
  Invalid,          ///< what was asked for makes no sense; asking again will not help
  Unauthenticated,  ///< we do not know who asks
  Forbidden,        ///< we know, and they may not
  NotFound,
  Conflict,       ///< it is in a state that does not allow this
  TooLarge,       ///< over a size limit
  Unprocessable,  ///< well formed, but what it holds is refused
  Exhausted,      ///< a quota or a rate is used up
  DiskFull,       ///< a file system has no space left
  Unavailable,    ///< something we need is away; asking again may help
  Timeout,
  Internal,  ///< our fault
};
std::string_view to_string(Errc code);
/// What a failed call on files means: `DiskFull` for ENOSPC and EDQUOT, else `otherwise`.
Errc disk_errc(int system_error, Errc otherwise = Errc::Unavailable);

/// One fault inside a larger input: where (JSON pointer, line and column if known) and what to
/// write instead.
struct Fault {
  std::string pointer;
  Message message;
  std::string code;  ///< short, stable word: "type", "range", "unknown_key"…; may be empty
  int line = 0;      ///< from 1; 0 when unknown
  int column = 0;
  bool operator==(const Fault&) const = default;
};

struct Error {
  Errc code = Errc::Internal;
  Message message;  ///< for the person who asked; never holds a secret
  std::vector<Fault> details;

  /// What was being done when it went wrong: `starting task a: …`.
  Error with_context(Message what) && {
    message = within(std::move(what), std::move(message));
    return std::move(*this);
  }
};

template <class T>
using Result = std::expected<T, Error>;

/// `return fail(Errc::NotFound, say::no_such_job({.name = name}));`
inline std::unexpected<Error> fail(Errc code, Message message, std::vector<Fault> details = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(details)});
}

[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);

}  // namespace ty

#define TY_CONCAT_(a, b) a##b
#define TY_CONCAT(a, b) TY_CONCAT_(a, b)

/// `TY_TRY(auto x, f());`: x is the value, or the enclosing function returns the error.
#define TY_TRY_(tmp, ret, decl, ...)                     \
  auto tmp = (__VA_ARGS__);                              \
  if (!tmp) ret std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)
#define TY_TRY(decl, ...) TY_TRY_(TY_CONCAT(ty_try_, __LINE__), return, decl, __VA_ARGS__)
#define TY_CO_TRY(decl, ...) TY_TRY_(TY_CONCAT(ty_try_, __LINE__), co_return, decl, __VA_ARGS__)

/// The same for Result<void>, or when the value does not matter.
#define TY_DO_(ret, ...)                                                                   \
  do {                                                                                     \
    if (auto ty_do = (__VA_ARGS__); !ty_do) ret std::unexpected(std::move(ty_do).error()); \
  } while (false)
#define TY_DO(...) TY_DO_(return, __VA_ARGS__)
#define TY_CO_DO(...) TY_DO_(co_return, __VA_ARGS__)

/// Aborts in every build when something we ourselves guarantee does not hold. User input never
/// reaches one.
#define TY_CHECK(condition, why) \
  ((condition) ? void() : ::ty::check_failed(#condition, why, __FILE__, __LINE__))
