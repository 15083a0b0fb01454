// Potentials by direct sums. The terms of a block of bodies are added in their order, then the sums
// of blocks: so the blocks may be on several ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/dispatch.hpp"
#include "groups/potential.hpp"
#include "parallel/pieces.hpp"

namespace kith {

template <class T>
class DirectSum {
 public:
  static constexpr std::size_t kMost = 64;  ///< receivers: their columns stay in the cache

  /// Lengths and masses are multiplied by these first: float has few exponents.
  DirectSum(const Bodies& bodies, double softening, double length = 1, double mass = 1)
      : d_(bodies.d),
        count_(bodies.count),
        x_(bodies.x.size()),
        mass_(bodies.count),
        softening2_(static_cast<T>(softening * length * softening * length)) {
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = static_cast<T>(bodies.x[k] * length);
    for (std::size_t i = 0; i < count_; ++i) mass_[i] = static_cast<T>(bodies.mass[i] * mass);
  }

  /// Where potentials are wanted.
  class Receivers {
   public:
    std::size_t size() const { return count_; }
    /// At most kMost.
    template <class At>
    void add(std::size_t d, At at) {
      for (std::size_t axis = 0; axis < d; ++axis) at_[axis][count_] = at(axis);
      ++count_;
    }
    /// The receiver that was added last is this body, on which it does not act. Bodies ascend.
    void is_body(std::size_t body) { selves_.push_back({body, count_ - 1}); }

   private:
    friend class DirectSum;
    struct Self {
      std::size_t body, receiver;
    };
    std::size_t count_ = 0;
    T at_[kMaxDimension][kMost];
    std::vector<Self> selves_;
  };

  void add_body(Receivers& to, std::size_t body) const {
    to.add(d_, [&](std::size_t axis) { return x_[axis * count_ + body]; });
    to.is_body(body);
  }

  /// The potential of the bodies [begin, end) at each receiver. Bodies without mass do nothing,
  /// wherever they are.
  void run(const Receivers& to, std::size_t begin, std::size_t end, T* potential,
           WorkMeter& meter) const {
    T r2[kMost];
    std::fill_n(potential, to.count_, T(0));
    std::size_t self = 0;
    for (std::size_t body = begin; body < end; ++body) {
      if (mass_[body] == 0) continue;
      std::fill_n(r2, to.count_, softening2_);
      for (std::size_t axis = 0; axis < d_; ++axis) {
        const T x = x_[axis * count_ + body];
        for (std::size_t k = 0; k < to.count_; ++k)
          r2[k] += (to.at_[axis][k] - x) * (to.at_[axis][k] - x);
      }
      while (self < to.selves_.size() && to.selves_[self].body < body) ++self;
      if (self < to.selves_.size() && to.selves_[self].body == body)
        r2[to.selves_[self].receiver] = std::numeric_limits<T>::infinity();
      for (std::size_t k = 0; k < to.count_; ++k) potential[k] -= mass_[body] / std::sqrt(r2[k]);
      meter.add(to.count_);
    }
  }

 private:
  std::size_t d_, count_;
  std::vector<T> x_, mass_;
  T softening2_;
};

}  // namespace kith
