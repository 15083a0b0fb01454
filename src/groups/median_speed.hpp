// The median speed of the members of a group about its mean velocity: exact, by counting the
// members whose squared speed begins with some bits until few enough are left to list them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "groups/rounds.hpp"

namespace kith {

class MedianSpeed {
 public:
  static constexpr bool kInAnyOrder = true;
  static constexpr int kBits = 8;  ///< found by one round of counts

  /// Members whose bits, from those of `least` on, differ in the lowest `shift` bits only are
  /// listed; or members are counted by the `kBits` above those.
  struct Question {
    std::vector<double> mean;
    bool lists = false;
    double least = 0;
    int shift = 0;

    template <class F, class... Q>
    static void for_each_field(F f, Q&... q) {
      f(Appended(), q.mean...);
      f(Kept(), q.lists...);
      f(Kept(), q.least...);
      f(Kept(), q.shift...);
    }
  };
  struct Partial {
    std::array<std::int64_t, 1 << kBits> count{};
    std::vector<double> speed2;  ///< of members that are listed

    explicit Partial(const Source&) {}
    template <class F, class... P>
    static void for_each_field(F f, P&... p) {
      f(Added(), p.count...);
      f(Appended(), p.speed2...);
    }
  };

  /// `size`: members of the group. The lower median has (size - 1) / 2 members before it.
  MedianSpeed(std::vector<double> mean, std::size_t size)
      : question_{.mean = std::move(mean), .shift = 64 - kBits}, before_((size - 1) / 2) {
    if (size <= kSumBlock) list(64);
  }

  template <int D>
  static Partial answer(const Source& from, const Question& question, const MemberBlock& block) {
    const Axes<D> axes(static_cast<int>(from.d));
    const auto d = static_cast<std::size_t>(axes.count());
    const std::uint64_t least = bits_of(question.least);
    Partial found(from);
    if (question.lists && question.shift == 64) found.speed2.reserve(block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      double v2 = 0;
      for (std::size_t axis = 0; axis < d; ++axis) {
        const double v = block.v[i * d + axis] - question.mean[axis];
        v2 += v * v;
      }
      if (!(v2 >= 0)) v2 = std::numeric_limits<double>::quiet_NaN();  // one NaN, behind all numbers
      const std::uint64_t bits = bits_of(v2) - least;
      const std::uint64_t bin = question.shift < 64 ? bits >> question.shift : 0;
      if (!question.lists) {
        if (bin < found.count.size()) ++found.count[bin];
      } else if (bin == 0) {
        found.speed2.push_back(v2);
      }
    }
    return found;
  }

  const Question* question() const { return is_done_ ? nullptr : &question_; }

  void take(Partial found) {
    if (question_.lists) return select(found.speed2);
    std::size_t bin = 0;
    for (; before_ >= static_cast<std::size_t>(found.count[bin]); ++bin)
      before_ -= static_cast<std::size_t>(found.count[bin]);
    question_.least =
        std::bit_cast<double>(bits_of(question_.least) + (std::uint64_t{bin} << question_.shift));
    if (question_.shift == 0)
      finish(question_.least);
    else if (found.count[bin] <= static_cast<std::int64_t>(kSumBlock))
      list(question_.shift);
    else
      question_.shift -= kBits;
  }

  double value() const { return std::sqrt(speed2_); }

 private:
  /// Those of numbers that are not negative ascend with them.
  static std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

  void list(int shift) {
    question_.lists = true;
    question_.shift = shift;
  }
  void select(std::vector<double>& speed2) {
    const auto middle = speed2.begin() + static_cast<std::ptrdiff_t>(before_);
    std::nth_element(speed2.begin(), middle, speed2.end(),
                     [](double a, double b) { return bits_of(a) < bits_of(b); });
    finish(*middle);
  }
  void finish(double speed2) {
    speed2_ = speed2;
    is_done_ = true;
  }

  Question question_;
  std::size_t before_;
  bool is_done_ = false;
  double speed2_ = 0;
};

}  // namespace kith
