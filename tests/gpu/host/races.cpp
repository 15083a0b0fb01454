// Runs one of the faulty kernels under ThreadSanitizer, which has to find the fault.
// Usage: races KERNEL
#include <bit>
#include <cstdio>
#include <math.h>
#include <numeric>

#include "gpu/host/kernels.hpp"

#define KERNELS_ON_HOST
#define HOST_LOCAL thread_local
#define REAL float
#define DIM 3
// clang-format off
#include "gpu/portable.h"
#include "gpu/host/wrong.cl"
// clang-format on

int main(int count, char** words) {
  using kith::host::Call;
  const std::vector<kith::host::Kernel> kernels = {
      Call<&reverse>::kernel("reverse", {}),
      Call<&reverse_without_barrier>::kernel("reverse_without_barrier", {}),
      Call<&reverse_into_other_groups>::kernel("reverse_into_other_groups", {}),
      Call<&add_at_once>::kernel("add_at_once", {}),
      Call<&add_without_atomics>::kernel("add_without_atomics", {})};
  std::vector<unsigned> values(4 * kith::host::kGroupSize);
  std::iota(values.begin(), values.end(), 0u);
  void* pointer = values.data();
  void* arguments[] = {&pointer};
  for (const kith::host::Kernel& kernel : kernels)
    if (count == 2 && kernel.name == words[1]) {
      kith::host::run(kernel, 4, arguments);
      return 0;
    }
  std::puts("usage: races KERNEL");
  return 2;
}
