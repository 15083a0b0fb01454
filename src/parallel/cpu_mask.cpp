#include "parallel/cpu_mask.hpp"

#include <sched.h>

namespace kith {

CpuMask cpus_of_thread() {
  CpuMask mask;
#if defined(__linux__)
  // Fails if the machine has more CPUs than the mask. A cpu_set_t has 1,024.
  if (sched_getaffinity(0, sizeof mask.words, reinterpret_cast<cpu_set_t*>(mask.words.data())) != 0)
    return {};
#endif
  return mask;
}

}  // namespace kith
