// A race on purpose: two bodies of a loop write to one variable. ThreadSanitizer must report it, in
// spite of what tests/tsan.supp and src/parallel/arena.hpp keep from it.
#include <cstdio>

#include "parallel/workers.hpp"

int main() {
  const kith::Execution execution{.threads = 4};
  const kith::Workers workers(execution);
  long sum = 0;
  workers.for_each(100000, [&](std::size_t i) { sum += static_cast<long>(i); });
  std::printf("%ld\n", sum);
}
