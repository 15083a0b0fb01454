// Marks the symbols that the shared library exports; all others are hidden.
#pragma once

#if defined(_WIN32)
#define KITH_API
#else
#define KITH_API __attribute__((visibility("default")))
#endif
