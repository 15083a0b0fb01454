// Property tests: random cases from seeds, counted, repeatable, and shrunk when they fail.
//
//   TEST(Knn, EqualsBruteForce) { for_cases(3000, check_case<float>); }   // check_case(Draw& draw)
//
// KITH_SEED=n runs the one case with this seed; KITH_CASES=x multiplies the number of cases (the
// sanitizers take a tenth). When a case fails, points are taken away from its sets as long as it
// still fails; the message is of the smallest case found. Sets take part in this if the test passes
// them through Draw::thinned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <kith/box.hpp>

#include "kernels/target.hpp"
#include "support/exact_cases.hpp"
#include "support/point_sets.hpp"

namespace kith::test {

/// The rows of each set of a case that are still there; empty: all.
using KeptRows = std::vector<std::vector<std::size_t>>;

/// One case, drawn from its seed.
struct Draw {
  std::uint64_t seed;
  std::mt19937_64 random;

  explicit Draw(std::uint64_t from, const KeptRows* kept = nullptr)
      : seed(from), random(from), kept_(kept) {}

  std::size_t below(std::size_t n) { return random() % n; }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random); }
  double normal() { return std::normal_distribution<double>()(random); }
  template <class X>
  X one_of(std::initializer_list<X> values) {
    return values.begin()[below(values.size())];
  }
  /// Small numbers more often than large ones.
  std::size_t size(double most) {
    return static_cast<std::size_t>(std::exp(uniform() * std::log(most)));
  }

  Box box(int dimension) {
    std::vector<double> sides;
    const bool is_mixed = below(3) == 0;
    for (int axis = 0; axis < dimension; ++axis)
      sides.push_back(is_mixed && below(2) ? 0 : 0.25 + uniform());
    return below(2) ? Box::open()
                    : Box::periodic(sides).with_origin(below(2) ? 0 : uniform() - 0.5);
  }

  /// Forces one of this machine's SIMD targets until the end of the property; returns its name.
  std::string target() {
    const auto targets = available_targets();
    const std::string chosen = targets[below(targets.size())];
    force_target(chosen);
    return chosen;
  }

  /// A set of about this many points.
  template <class T>
  PointSet<T> point_set(int dimension, std::size_t n) {
    auto sets = random_sets<T>(dimension, n, random());
    return thinned(std::move(sets[below(sets.size())]));
  }

  /// A set of the case, without the rows that shrinking took away. Call it once per set.
  template <class T>
  PointSet<T> thinned(PointSet<T> set) {
    const std::size_t number = sizes.size();
    sizes.push_back(set.size());
    if (!kept_ || number >= kept_->size()) return describe(std::move(set));
    PointSet<T> rest{set.name, set.dimension, {}};
    for (const std::size_t row : (*kept_)[number])
      rest.x.insert(rest.x.end(), set.row(row), set.row(row) + set.dimension);
    return describe(std::move(rest));
  }

  std::vector<std::size_t> sizes;  ///< of the sets before rows were taken away
  std::string points;              ///< the sets in words, with the coordinates of small ones

 private:
  template <class T>
  PointSet<T> describe(PointSet<T> set) {
    constexpr std::size_t kShown = 16;
    std::ostringstream words;
    words.precision(std::numeric_limits<T>::max_digits10);
    words << "\n  " << set.size() << " points (" << set.name << ")";
    for (std::size_t i = 0; set.size() <= kShown && i < set.size(); ++i) {
      words << (i == 0 ? ": (" : " (");
      for (int axis = 0; axis < set.dimension; ++axis)
        words << (axis == 0 ? "" : ", ") << set.row(i)[axis];
      words << ")";
    }
    points += words.str();
    return set;
  }

  const KeptRows* kept_;
};

/// The value of an environment variable.
inline double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtod(text, nullptr) : otherwise;
}

/// Looks for a smaller case that fails, by taking runs of rows away from its sets.
template <class Check>
class Shrinker {
 public:
  Shrinker(std::uint64_t seed, Check check, const std::vector<std::size_t>& sizes)
      : seed_(seed), check_(check) {
    for (const std::size_t size : sizes) {
      kept_.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) kept_.back()[i] = i;
    }
  }

  const KeptRows& smallest() {
    for (std::size_t set = 0; set < kept_.size(); ++set)
      for (std::size_t run = (kept_[set].size() + 1) / 2; run > 0; run /= 2) take_runs(set, run);
    return kept_;
  }

  /// Runs the case as it is now; true if it fails. Failures are swallowed.
  static bool fails(std::uint64_t seed, Check check, const KeptRows* kept) {
    ::testing::TestPartResultArray results;
    {
      const ::testing::ScopedFakeTestPartResultReporter reporter(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      Draw draw(seed, kept);
      check(draw);
    }
    return results.size() > 0;
  }

 private:
  static constexpr int kMostTries = 2000;

  void take_runs(std::size_t set, std::size_t run) {
    for (std::size_t begin = 0; begin < kept_[set].size() && tries_ < kMostTries;) {
      KeptRows fewer = kept_;
      auto& rows = fewer[set];
      const std::size_t end = std::min(rows.size(), begin + run);
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                 rows.begin() + static_cast<std::ptrdiff_t>(end));
      ++tries_;
      if (fails(seed_, check_, &fewer))
        kept_ = std::move(fewer);
      else
        begin = end;
    }
  }

  std::uint64_t seed_;
  Check check_;
  KeptRows kept_;
  int tries_ = 0;
};

/// Runs check(draw) for the seeds 1, 2, ...; stops at the first case that fails and reports the
/// smallest that it shrinks to.
template <class Check>
void for_cases(std::uint64_t count, Check check) {
  struct AnyTarget {
    ~AnyTarget() { force_target(""); }
  } at_the_end;
  const auto only = static_cast<std::uint64_t>(number_from("KITH_SEED", 0));
  const auto last = static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(count) * number_from("KITH_CASES", 1)));
  for (std::uint64_t seed = only ? only : 1; seed <= (only ? only : last); ++seed) {
    if (!Shrinker<Check>::fails(seed, check, nullptr)) continue;
    Draw whole(seed);
    {
      // A second time, for the sizes of its sets.
      ::testing::TestPartResultArray ignored;
      const ::testing::ScopedFakeTestPartResultReporter reporter(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &ignored);
      check(whole);
    }
    const KeptRows kept = Shrinker<Check>(seed, check, whole.sizes).smallest();
    Draw draw(seed, &kept);
    check(draw);
    FAIL() << "KITH_SEED=" << seed << " repeats it; the smallest case found:" << draw.points;
  }
}

}  // namespace kith::test
