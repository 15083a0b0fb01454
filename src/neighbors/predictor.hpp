// Guesses the squared radius of the k-th neighbor from the queries before. Guesses steer the work;
// no result depends on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kith {

/// log2 of a number of 0 or more through its bits, linear between powers of two, and the inverse:
/// close enough for a guess and a few cycles each. Floats go through double, where their subnormal
/// numbers are normal and have logarithms like all others; 0 is a step below the smallest of them.
inline float rough_log2(double x) {
  return static_cast<float>(static_cast<double>(std::bit_cast<std::int64_t>(x)) * 0x1p-52);
}
inline float rough_log2(float x) { return rough_log2(std::max(static_cast<double>(x), 0x1p-150)); }
template <class T>
T rough_exp2(float y) {
  constexpr float kMost = sizeof(T) == 4 ? 1150.f : 2044.f;  // 2^127 and 2^1021
  return static_cast<T>(std::bit_cast<double>(
      static_cast<std::int64_t>(static_cast<double>(std::clamp(y, 0.f, kMost)) * 0x1p52)));
}

/// The target of a search in `dimension` dimensions for `need` neighbors. Radii are squared here
/// and below; by a norm without squares (`power` 1) they are the radii themselves.
struct Aim {
  float points;    ///< expected within the guessed radius: some more than needed, as counts scatter
  float margin;    ///< log2 of the squared radius of so many over that of the last one needed
  float scatter;   ///< of log2 r_k^2 in a set without structure
  float blocks;    ///< that a ball of so many points touches
  float exponent;  ///< r^2 grows as the count to this power

  Aim(std::size_t need, int dimension, bool is_hilbert, int power = 2) {
    const float k = static_cast<float>(need), d = static_cast<float>(dimension);
    constexpr float kSigmas = 1.6f;  // measured with bench_neighbors: 1.3 to 2.2 differ by 3 %
    exponent = static_cast<float>(power) / d;
    points = k + kSigmas * std::sqrt(k - 1);
    // The distances of the first few scatter more than their counts say: for k = 2, 6 % of the
    // searches would be repeated, which takes 19 % longer.
    if (need > 1) points += 24 / (k * k + 2);
    // The nearest of other points than the query: in a set without structure its ball has 0.56
    // points in the geometric mean, and one of 4 points is empty in 2 % of cases.
    if (need == 1) points = 4;
    margin = exponent * std::log2(points / (need > 1 ? k - 1 : 0.56f));
    scatter = exponent * 1.44f / std::sqrt(k);
    blocks = touched_blocks(points, dimension) * (is_hilbert ? 1.f : 2.f);
  }

 private:
  /// Steiner's formula: boxes of side s touch a ball of radius r in proportion to the volume of
  /// their Minkowski sum. The tight box of 8 points spans 7/9 of their cell on each axis.
  static float touched_blocks(float points, int dimension) {
    const double d = dimension, s = std::pow(8.0, 1 / d) * 7 / 9;
    auto ball = [](double n) { return std::pow(3.14159265, n / 2) / std::tgamma(n / 2 + 1); };
    const double r = std::pow(points / ball(d), 1 / d);
    double sum = 0, choose = 1;
    for (int i = 0; i <= dimension; ++i) {
      sum += choose * std::pow(s, d - i) * ball(i) * std::pow(r, i);
      choose = choose * (dimension - i) / (i + 1);
    }
    return static_cast<float>(1.14 * sum / 8);  // boxes are not cubes: measured
  }
};

/// Results of a block, log2 of r_k^2, around a guess of them. Sums alone: an array that is written
/// number by number and read back at once would wait for the memory.
class Lesson {
 public:
  explicit Lesson(float guess) : guess_(guess) {}
  void add(float log_r2) {
    const float error = log_r2 - guess_;
    sum_ += error;
    squares_ += error * error;
    count_ += 1;
  }
  float mean() const { return guess_ + sum_ / count_; }
  float scatter2() const { return squares_ / count_; }  ///< mean square error of the guess

 private:
  float guess_, sum_ = 0, squares_ = 0, count_ = 0;
};

/// Two guesses, weighted by their running errors: the mean of the last results, and the size of the
/// block of queries times a slowly learned ratio.
class Predictor {
 public:
  bool is_ready() const { return is_ready_; }

  /// log2 of the squared radius for queries in a block with this log2 of its squared diagonal,
  /// margin included.
  float predict(float log_diagonal2, const Aim& aim) {
    by_result_ = mean_;
    by_size_ = log_diagonal2 + ratio_;
    const float weight = result_error2_ / (result_error2_ + size_error2_ + 1e-6f);
    guess_ = by_result_ + weight * (by_size_ - by_result_);
    excess_ = std::max(0.f, std::sqrt(scatter2_) - aim.scatter);
    return guess_ + aim.margin + 0.1f * excess_;
  }

  /// How much farther than predicted the lists should reach, in log2: where results scatter, many a
  /// search is repeated with a larger radius.
  float spare(const Aim& aim) const { return 0.57f * aim.exponent + 1.2f * excess_; }

  /// The last guess, without the margin.
  float guess() const { return guess_; }

  /// Learns from the results for the queries of that block.
  void learn(const Lesson& lesson, float log_diagonal2) {
    const float mean = lesson.mean();
    if (!is_ready_) {
      is_ready_ = true;
      mean_ = mean;
      ratio_ = mean - log_diagonal2;
      return;
    }
    const float result_error = mean - by_result_, size_error = mean - by_size_;
    follow(result_error2_, square(result_error));
    follow(size_error2_, square(size_error));
    follow(scatter2_, lesson.scatter2());
    mean_ += 0.5f * result_error;
    ratio_ += (std::abs(size_error) > 3 ? 1.f : 0.1f) * size_error;
  }

 private:
  static float square(float x) { return x * x; }
  /// Never near 0: where all results are equal, squares would fade to subnormal numbers, which are
  /// slow.
  static void follow(float& value, float now) {
    value += 0.05f * (std::clamp(now, 1e-6f, 9.f) - value);
  }

  bool is_ready_ = false;
  float mean_ = 0, ratio_ = 0;
  float result_error2_ = 0.05f, size_error2_ = 0.05f, scatter2_ = 0.06f;
  float by_result_ = 0, by_size_ = 0, guess_ = 0;
  float excess_ = 0;  ///< of the scatter over that in a set without structure
};

}  // namespace kith
