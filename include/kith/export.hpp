// Marks what the shared library exports; everything else is hidden.
#pragma once

#if defined(_WIN32)
#define KITH_API
#else
#define KITH_API __attribute__((visibility("default")))
#endif
