// kNN equals its definition, for random dimension, scalar, box, size, k, builder, threads and SIMD
// target. A failure prints the seed; KITH_SEED runs one seed alone, KITH_CASES sets the number of
// cases.
#include <gtest/gtest.h>

#include "kernels/target.hpp"
#include "neighbors/draw.hpp"
#include "neighbors/knn_cases.hpp"
#include "support/point_sets.hpp"

namespace kith {
namespace {

using testing::are_equal;
using testing::Draw;
using testing::number_from;
using testing::rows_of;

template <class T>
void check_case(std::uint64_t seed, const std::vector<std::string>& targets) {
  Draw draw(seed);
  const int dimension = draw.one_of({1, 2, 2, 3, 3, 3, 4, 7});
  const auto sets = testing::random_sets<T>(dimension, draw.size(700), draw.random());
  const auto& set = sets[draw.below(sets.size())];
  TreeOptions options{.box = draw.box(dimension),
                      .builder = draw.one_of({Builder::packed, Builder::cells})};
  if (options.builder == Builder::packed && draw.below(4) == 0) options.curve = Curve::z;
  KnnOptions knn_options{.k = draw.size(draw.below(8) ? 70.0 : 900.0)};
  if (draw.below(4) == 0) knn_options.max_radius = draw.uniform() * 0.3;
  knn_options.strict = draw.below(4) == 0;
  if (draw.below(3) == 0) knn_options.method = KnnMethod::walk;
  const std::string target = targets[draw.below(targets.size())];
  force_target(target);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const auto trace = ::testing::Message()
                     << "KITH_SEED=" << seed << ": " << set.name << ", n = " << set.size()
                     << ", d = " << dimension << ", k = " << knn_options.k
                     << ", max_radius = " << knn_options.max_radius << ", builder "
                     << int(options.builder) << ", method " << int(knn_options.method) << ", "
                     << target;
  const Tree tree(set.view(), options, execution);
  if (draw.below(3) == 0) {
    const auto queries = testing::random_sets<T>(dimension, draw.size(150), draw.random());
    const auto asked = queries[draw.below(queries.size())].view();
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, asked, knn_options, execution)),
                          brute_knn<T>(set.view(), options, asked, knn_options)))
        << trace << ", other queries";
  } else {
    knn_options.exclude_self = draw.below(3) == 0;
    ASSERT_TRUE(are_equal(rows_of(knn<T>(tree, knn_options, execution)),
                          brute_knn<T>(set.view(), options, knn_options)))
        << trace << ", exclude_self " << knn_options.exclude_self;
  }
}

template <class T>
void check_cases(std::uint64_t count) {
  const auto targets = available_targets();
  const std::uint64_t only = number_from("KITH_SEED", 0);
  for (std::uint64_t seed = only ? only : 1; seed <= (only ? only : count); ++seed) {
    check_case<T>(seed, targets);
    if (::testing::Test::HasFatalFailure()) break;
  }
  force_target("");
}

TEST(KnnRandom, FloatsEqualBruteForce) { check_cases<float>(number_from("KITH_CASES", 3000)); }
TEST(KnnRandom, DoublesEqualBruteForce) { check_cases<double>(number_from("KITH_CASES", 2000)); }

}  // namespace
}  // namespace kith
