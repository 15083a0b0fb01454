// KITH_API marks the symbols that the shared library exports; all others are hidden. Access is the
// way of the library's own code to the data of public classes.
#pragma once

#if defined(_WIN32)
#define KITH_API
#else
#define KITH_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus /* kith_mpi.h is C */
namespace kith::detail {
struct Access;
}  // namespace kith::detail
#endif
