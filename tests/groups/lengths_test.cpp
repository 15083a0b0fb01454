// Groups with a linking length for each point equal their definition; with equal lengths they are
// those of one length.
#include <cmath>
#include <limits>
#include <vector>

#include <kith/linking_lengths.hpp>

#include "groups/support.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_equal;
using test::expect_error;
using test::to_vector;
using Labels = std::vector<std::int32_t>;

/// Alike, of all magnitudes, mostly 0, or two kinds.
std::vector<double> any_lengths(Draw& draw, std::size_t n) {
  const double scale = std::pow(10, -3 + 2.7 * draw.uniform());
  const std::size_t kind = draw.below(5);
  std::vector<double> lengths;
  for (std::size_t i = 0; i < n; ++i) {
    double factor = 1;
    if (kind == 1) factor = 0.9 + 0.2 * draw.uniform();
    if (kind == 2) factor = std::pow(10, -3 + 4 * draw.uniform());
    if (kind == 3) factor = draw.below(10) == 0 ? 3 : 0;
    if (kind == 4) factor = draw.below(2) == 0 ? 0.01 : 1;
    lengths.push_back(scale * factor);
  }
  return lengths;
}

template <class T>
void check_lengths(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 3, 6});
  const auto set = draw.point_set<T>(dimension, draw.size(500));
  const auto length = any_lengths(draw, set.size());
  const LinkingLengths lengths{
      length, draw.one_of({LengthRule::mean, LengthRule::least, LengthRule::largest})};
  const FofOptions options{.box = draw.box(dimension),
                           .min_size = 1 + draw.below(3),
                           .strict = draw.below(3) == 0,
                           .keep_roots = true};
  const BruteGroups brute = brute_fof(set.view(), lengths, options);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  expect_equal(fof(set.view(), lengths, options, execution), brute);
  const AnyTree tree(set.view(), test::any_tree(draw, options.box), execution);
  expect_equal(fof(tree, lengths, options, execution), brute);
}

TEST(LinkingLengths, EqualBruteForceInFloat) { test::for_cases(600, check_lengths<float>); }
TEST(LinkingLengths, EqualBruteForceInDouble) { test::for_cases(600, check_lengths<double>); }

TEST(LinkingLengths, EqualLengthsAreOneLength) {
  test::for_cases(100, [](Draw& draw) {
    const auto set = draw.point_set<float>(3, draw.size(3000));
    const double length = 0.2 * draw.uniform() + 1e-3;
    const Box box = draw.box(3);
    const Groups one = fof(set.view(), {.box = box, .linking_length = length, .min_size = 2});
    for (const LengthRule rule : {LengthRule::mean, LengthRule::least, LengthRule::largest}) {
      const std::vector<double> lengths(set.size(), length);
      const Groups each = fof(set.view(), {lengths, rule}, {.box = box, .min_size = 2});
      ASSERT_EQ(to_vector(each.label()), to_vector(one.label()));
    }
  });
}

TEST(LinkingLengths, TheRulesDiffer) {
  const std::vector<std::array<double, 1>> x = {{0}, {2}, {5}, {9}};
  const std::vector<double> length = {1, 3, 1, 7};
  const auto labels = [&](LengthRule rule, bool is_strict = false) {
    return to_vector(fof(view(x), {length, rule}, {.strict = is_strict}).label());
  };
  EXPECT_EQ(labels(LengthRule::least), (Labels{0, 1, 2, 3}));
  EXPECT_EQ(labels(LengthRule::mean), (Labels{0, 0, 1, 1}));
  EXPECT_EQ(labels(LengthRule::mean, true), (Labels{0, 1, 2, 3}));
  EXPECT_EQ(labels(LengthRule::largest), (Labels{0, 0, 0, 0}));
  EXPECT_EQ(fof(view(x), {length}, {}).linking_length(), 7);
}

TEST(LinkingLengths, ThreadsDoNotMatter) {
  Draw draw(11);
  std::vector<std::array<float, 3>> points;
  std::vector<double> length;
  for (std::size_t i = 0; i < 8000; ++i) {
    const bool is_clumped = i % 3 == 0;
    const auto place = [&] {
      return static_cast<float>(is_clumped ? 0.5 + 0.02 * draw.normal() : draw.uniform());
    };
    points.push_back({place(), place(), place()});
    length.push_back(0.006 * std::exp(1.5 * draw.normal()));
  }
  const FofOptions options{.box = Box::periodic(1), .min_size = 2};
  for (const LengthRule rule : {LengthRule::mean, LengthRule::least, LengthRule::largest}) {
    const Groups one = fof(view(points), {length, rule}, options, {.threads = 1});
    for (const int threads : {2, 3, 8})
      ASSERT_EQ(to_vector(fof(view(points), {length, rule}, options, {.threads = threads}).label()),
                to_vector(one.label()));
  }
}

TEST(LinkingLengths, WrongArguments) {
  const std::vector<std::array<double, 2>> x = {{0, 0}, {3, 4}};
  const auto wrong = [&](std::string_view words, const std::vector<double>& length,
                         const FofOptions& options) {
    expect_error(ErrorCode::invalid_argument, words,
                 [&] { fof(view(x), LinkingLengths{length}, options); });
  };
  wrong("1 linking lengths for 2 points", {1}, {});
  wrong("linking length -1 of point 1", {1, -1}, {});
  wrong("linking length inf of point 0", {std::numeric_limits<double>::infinity(), 1}, {});
  wrong("leave them 0", {1, 1}, {.linking_length = 1});
  wrong("leave them 0", {1, 1}, {.b = 0.2});
  wrong("min_size = 0", {1, 1}, {.min_size = 0});
}

}  // namespace
}  // namespace kith
