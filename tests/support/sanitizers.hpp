#pragma once
// Which sanitizer a test runs under, whatever the compiler.

#if defined(__SANITIZE_ADDRESS__)
#define KITH_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KITH_ADDRESS_SANITIZER
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define KITH_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KITH_THREAD_SANITIZER
#endif
#endif

namespace kith::test {

#if defined(KITH_ADDRESS_SANITIZER) || defined(KITH_THREAD_SANITIZER)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace kith::test
