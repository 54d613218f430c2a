#pragma once

namespace ty {

/// How many times longer than in the build that ships a test lets something take: a sanitizer's
/// own work is not the program's.
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
inline constexpr int kTestSlowdown = 4;
#else
inline constexpr int kTestSlowdown = 1;
#endif

}  // namespace ty
