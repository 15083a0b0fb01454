// Loops of one thread that are long enough to check the cancel token in between.
#pragma once

#include <algorithm>
#include <cstddef>

#include "parallel/workers.hpp"

namespace kith {

/// body(begin, end) for [0, n) cut into pieces of `grain`, one after the other.
template <class F>
void for_pieces(const Workers& workers, std::size_t n, std::size_t grain, F&& body) {
  for (std::size_t begin = 0; begin < n; begin += std::min(grain, n - begin)) {
    workers.check_cancelled();
    body(begin, begin + std::min(grain, n - begin));
  }
}

/// body(i) for i in [0, n), in order, where one i costs nanoseconds.
template <class F>
void for_each_in_order(const Workers& workers, std::size_t n, F&& body) {
  for_pieces(workers, n, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// Checks the token after each fixed amount of work, for loops whose items differ in cost.
class WorkMeter {
 public:
  explicit WorkMeter(const Workers& workers, std::size_t work = std::size_t{1} << 16)
      : workers_(workers), limit_(work) {}

  void add(std::size_t work) {
    done_ += work;
    if (done_ < limit_) return;
    done_ = 0;
    workers_.check_cancelled();
  }

 private:
  const Workers& workers_;
  std::size_t limit_, done_ = 0;
};

}  // namespace kith
