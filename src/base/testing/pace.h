#pragma once

namespace ty {

/// How many times longer than on a quiet machine, in a plain build, a test lets something take: a
/// bound on time is there for mistakes in kind, not for a neighbour's load.
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
inline constexpr int kTestSlowdown = 10;
#else
inline constexpr int kTestSlowdown = 3;
#endif

}  // namespace ty
