#pragma once
// Which sanitizer a test runs under, whatever the compiler.

#if defined(__SANITIZE_ADDRESS__)
#define KITH_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KITH_ADDRESS_SANITIZER
#endif
#endif
