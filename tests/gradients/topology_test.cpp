// Random links: samples, and estimates of gradients against the sum over all sets of links.
#include <algorithm>
#include <numbers>
#include <numeric>

#include "gradients/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::Numbers;
using test::random_numbers;

const Execution kAlone{.threads = 1};

/// Two clumps, one across the edge of a periodic box.
std::vector<float> some_points(std::size_t n) {
  const Numbers wide = random_numbers(3 * n, 5, -0.1, 0.1);
  std::vector<float> x(wide.begin(), wide.end());
  for (std::size_t i = 0; i < n; ++i) x[3 * i] += i % 2 == 0 ? 0.5f : 0.f;
  return x;
}

TEST(SoftLinks, AreThePairsWithinReach) {
  const auto x = some_points(400);
  const View<float> points = view(x.data(), 400, 3);
  const SoftLinks links = soft_links(
      points, {.box = Box::periodic(1), .linking_length = 0.02, .alpha = 3, .reach = 1.5});
  const Tree tree(points, {.box = Box::periodic(1)});
  const auto pairs = radius_pairs(tree, {.radius = 0.03});
  ASSERT_GT(pairs.size(), 100u);
  EXPECT_TRUE(std::equal(links.second.begin(), links.second.end(), pairs.j.begin(), pairs.j.end()));
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const double q = double{pairs.distance[pair]} / 0.02;
    EXPECT_FLOAT_EQ(static_cast<float>(links.probability[pair]),
                    static_cast<float>(1 / (1 + std::exp(-3 * (1 - q * q)))));
  }
}

TEST(SoftLinks, SharpLinksAreThoseOfFof) {
  const auto x = some_points(3000);
  const PointsView points = view(x.data(), 3000, 3);
  const SoftLinks links =
      soft_links(points, {.box = Box::periodic(1), .linking_length = 0.012, .alpha = 1e7});
  const LinkSamples samples = sample_links(links, {.samples = 3, .seed = 8, .min_size = 4});
  const Groups groups =
      fof(points, {.box = Box::periodic(1), .linking_length = 0.012, .min_size = 4});
  ASSERT_GT(groups.count(), 10u);
  for (std::size_t sample = 0; sample < 3; ++sample) {
    EXPECT_EQ(samples.count[sample], static_cast<std::int64_t>(groups.count()));
    EXPECT_TRUE(std::ranges::equal(samples.label(sample), groups.label()));
  }
}

TEST(SoftLinks, SamplesDependOnTheSeedAndThePairAlone) {
  const auto x = some_points(2000);
  const PointsView points = view(x.data(), 2000, 3);
  SoftLinkOptions options{.box = Box::periodic(1), .linking_length = 0.02, .alpha = 2};
  const SoftLinks links = soft_links(points, options);
  const LinkSamples one = sample_links(links, {.samples = 21, .seed = 4}, {.threads = 1});
  std::vector<std::vector<float>> gradients;
  for (const int threads : {1, 2, 5}) {
    const LinkSamples many = sample_links(links, {.samples = 21, .seed = 4}, {.threads = threads});
    EXPECT_EQ(many.bits, one.bits);
    EXPECT_EQ(many.labels, one.labels);
    EXPECT_EQ(many.count, one.count);
    gradients.emplace_back(x.size());
    log_probability_vjp<float>(points, links, many, random_numbers(21, 1), gradients.back().data(),
                               {.threads = threads});
    EXPECT_EQ(gradients.back(), gradients.front());
  }
  EXPECT_NE(sample_links(links, {.samples = 21, .seed = 5}).bits, one.bits);
  options.reach = 1.2;
  const SoftLinks fewer = soft_links(points, options);
  const LinkSamples same = sample_links(fewer, {.samples = 21, .seed = 4});
  for (std::size_t i = 0; i < 2000; ++i)  // the nearest pairs of a row come first
    for (std::int64_t k = 0; k < fewer.offset[i + 1] - fewer.offset[i]; ++k)
      for (std::size_t sample = 0; sample < 21; ++sample)
        ASSERT_EQ(same.is_linked(static_cast<std::size_t>(fewer.offset[i] + k), sample),
                  one.is_linked(static_cast<std::size_t>(links.offset[i] + k), sample));
}

TEST(SoftLinks, AreDrawnWithTheirProbability) {
  const Numbers x{0, 0.9, 2.1};
  const SoftLinks links = soft_links(view(x.data(), 3, 1), {.linking_length = 1, .alpha = 1.5});
  ASSERT_EQ(links.size(), 2u);
  const std::size_t count = 200000;
  const LinkSamples samples = sample_links(links, {.samples = count});
  for (std::size_t pair = 0; pair < 2; ++pair) {
    double linked = 0;
    for (std::size_t sample = 0; sample < count; ++sample)
      linked += samples.is_linked(pair, sample) ? 1 : 0;
    const double p = links.probability[pair];
    EXPECT_NEAR(linked / count, p, 4 * std::sqrt(p * (1 - p) / count));
  }
}

/// Five points in the plane and a loss that depends on groups and positions.
struct Toy {
  std::size_t n = 5;
  SoftLinkOptions options{.box = Box::periodic(10), .linking_length = 1, .alpha = 1.5, .reach = 2};
  Numbers x{9.7, 1.0, 0.4, 1.2, 1.1, 0.7, 1.6, 1.9, 0.2, 2.1};

  PointsView view(const Numbers& at) const { return kith::view(at.data(), n, 2); }

  /// The loss of given groups; adds its gradient at frozen groups to `gradient`, times `weight`.
  double loss(const Numbers& at, std::span<const std::int32_t> label, std::int64_t count,
              double weight, Numbers* gradient) const {
    const Members of = members(label, static_cast<std::size_t>(count));
    const Catalogue found = catalogue(view(at), of, {.box = options.box}, kAlone);
    double sum = 0;
    GroupValues cotangent;
    for (std::size_t group = 0; group < of.count(); ++group) {
      const double m = std::pow(found.mass[group], 1.5);
      const double phase = 0.2 * std::numbers::pi * (found.center[2 * group] + 0.3);
      sum += m * std::sin(phase) + 2 * found.inertia_radius[group];
      cotangent.center.push_back(m * std::cos(phase) * 0.2 * std::numbers::pi);
      cotangent.center.push_back(0);
      cotangent.inertia_radius.push_back(2);
    }
    if (!gradient) return sum;
    Numbers part(at.size());
    halos_vjp(view(at), of, {.box = options.box}, cotangent, {part.data()}, kAlone);
    for (std::size_t i = 0; i < part.size(); ++i) (*gradient)[i] += weight * part[i];
    return sum;
  }

  /// All sets of links: the expectation of the loss.
  double expectation(const Numbers& at) const {
    const SoftLinks links = soft_links(view(at), options, kAlone);
    double sum = 0;
    for (std::size_t set = 0; set < std::size_t{1} << links.size(); ++set) {
      std::vector<std::int32_t> root(n);
      std::iota(root.begin(), root.end(), 0);
      double probability = 1;
      for (std::size_t i = 0; i < n; ++i)
        for (auto pair = links.offset[i]; pair < links.offset[i + 1]; ++pair) {
          const auto e = static_cast<std::size_t>(pair);
          const auto j = static_cast<std::size_t>(links.second[e]);
          double dx[2];
          for (std::size_t axis = 0; axis < 2; ++axis)
            dx[axis] = std::remainder(at[2 * i + axis] - at[2 * j + axis], 10.0);
          const double p = 1 / (1 + std::exp(-1.5 * (1 - dx[0] * dx[0] - dx[1] * dx[1])));
          const bool is_linked = set >> e & 1;
          probability *= is_linked ? p : 1 - p;
          if (!is_linked) continue;
          const std::int32_t from = std::max(root[i], root[j]), to = std::min(root[i], root[j]);
          std::replace(root.begin(), root.end(), from, to);
        }
      std::vector<std::int32_t> name(n, -1), label(n);
      std::int32_t count = 0;
      for (std::size_t i = 0; i < n; ++i) {
        std::int32_t& own = name[static_cast<std::size_t>(root[i])];
        if (own < 0) own = count++;
        label[i] = own;
      }
      sum += probability * loss(at, label, count, 0, nullptr);
    }
    return sum;
  }

  struct Estimate {
    Numbers score, pathwise;
  };
  /// Both terms from one batch of samples.
  Estimate estimate(std::uint64_t seed, const SoftLinks& links,
                    const AdvantageOptions& advantage) const {
    const LinkSamples samples = sample_links(links, {.samples = 8, .seed = seed}, kAlone);
    Estimate found{Numbers(x.size()), Numbers(x.size(), 0.0)};
    Numbers losses;
    for (std::size_t sample = 0; sample < 8; ++sample)
      losses.push_back(
          loss(x, samples.label(sample), samples.count[sample], 1.0 / 8, &found.pathwise));
    log_probability_vjp<double>(view(x), links, samples, score_weights(losses, advantage),
                                found.score.data(), kAlone);
    return found;
  }
};

/// Mean and its standard error.
struct Average {
  double sum = 0, squares = 0, count = 0;
  void add(double value) { sum += value, squares += value * value, ++count; }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt((squares / count - mean() * mean()) / (count - 1)); }
};

TEST(Reinforce, IsUnbiasedAgainstTheSumOverAllSetsOfLinks) {
  const Toy toy;
  const SoftLinks links = soft_links(toy.view(toy.x), toy.options);
  ASSERT_GE(links.size(), 6u);
  ASSERT_LE(links.size(), 10u);
  Numbers exact;
  for (std::size_t i = 0; i < toy.x.size(); ++i) {
    Numbers direction(toy.x.size(), 0.0);
    direction[i] = 1;
    exact.push_back(test::slope_along([&](const Numbers& at) { return toy.expectation(at); }, toy.x,
                                      direction, 1e-3));
  }
  for (const Baseline baseline : {Baseline::none, Baseline::leave_one_out, Baseline::batch_mean}) {
    std::vector<Average> average(toy.x.size());
    // The mean over the batch shortens the score by 1 - 1 / samples, and by nothing else.
    const double repair = baseline == Baseline::batch_mean ? 8.0 / 7 : 1;
    for (std::uint64_t seed = 0; seed < 1200; ++seed) {
      const Toy::Estimate found = toy.estimate(seed, links, {.baseline = baseline});
      for (std::size_t i = 0; i < exact.size(); ++i)
        average[i].add(repair * found.score[i] + found.pathwise[i]);
    }
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_NEAR(average[i].mean(), exact[i], 4 * average[i].error()) << int(baseline) << " " << i;
    EXPECT_LT(average[0].error(), 0.3);
  }
}

TEST(Reinforce, WeightsOfTheScore) {
  const Numbers loss{1, 2, 6};
  EXPECT_EQ(score_weights(loss, {.baseline = Baseline::none}), (Numbers{1. / 3, 2. / 3, 2}));
  const Numbers others = score_weights(loss);
  EXPECT_NEAR(others[0], (1 - 4.0) / 3, 1e-15);
  EXPECT_NEAR(others[2], (6 - 1.5) / 3, 1e-15);
  const Numbers clipped = score_weights(loss, {Baseline::batch_mean, Advantage::clipped, 1.5});
  EXPECT_NEAR(clipped[0], -0.5, 1e-15);
  EXPECT_NEAR(clipped[2], 0.5, 1e-15);
  const Numbers unit = score_weights(loss, {Baseline::batch_mean, Advantage::normalized});
  EXPECT_NEAR(9 * std::inner_product(unit.begin(), unit.end(), unit.begin(), 0.0), 3, 1e-6);
  test::expect_error(ErrorCode::invalid_argument, "needs at least 2",
                     [] { score_weights(Numbers{1}); });
}

TEST(Reinforce, LogProbabilityHasItsGradient) {
  const Toy toy;
  const SoftLinks links = soft_links(toy.view(toy.x), toy.options);
  const LinkSamples samples = sample_links(links, {.samples = 5});
  const Numbers weight = random_numbers(5, 3);
  Numbers gradient(toy.x.size());
  log_probability_vjp<double>(toy.view(toy.x), links, samples, weight, gradient.data());
  // Probabilities are kept in float: a step that is not small, and an error to match.
  test::expect_gradient(
      [&](const Numbers& at) {
        return test::dot(log_probability(soft_links(toy.view(at), toy.options), samples), weight);
      },
      toy.x, gradient, 5e-3, 1e-3);
}

TEST(Gumbel, TendsToTheExactGradientAsTauFalls) {
  const Numbers x{0, 0.8, 1.9};  // two links: loss = first + 3 first second
  const SoftLinkOptions options{.linking_length = 1, .alpha = 1.5, .reach = 1.5};
  const SoftLinks links = soft_links(view(x.data(), 3, 1), options);
  ASSERT_EQ(links.size(), 2u);
  const auto expectation = [&](const Numbers& at) {
    const auto p = [&](double d) { return 1 / (1 + std::exp(-1.5 * (1 - d * d))); };
    const double first = p(at[1] - at[0]), second = p(at[2] - at[1]);
    return first + 3 * first * second;
  };
  const std::size_t count = 1 << 18;
  Numbers error;
  for (const double tau : {1.0, 0.3, 0.05}) {
    const Numbers link = relaxed_links(links, {.samples = count, .tau = tau});
    const Numbers soft = relaxed_links(links, {.samples = count, .tau = tau, .is_hard = false});
    Numbers cotangent(link.size()), gradient(3);
    for (std::size_t at = 0; at < link.size(); at += 2) {
      ASSERT_EQ(soft[at] > 0.5, link[at] == 1);
      cotangent[at] = (1 + 3 * link[at + 1]) / count;
      cotangent[at + 1] = 3 * link[at] / count;
    }
    relaxed_links_vjp<double>(view(x.data(), 3, 1), links, {.samples = count, .tau = tau},
                              cotangent, gradient.data());
    Numbers exact(3), direction(3);
    for (std::size_t i = 0; i < 3; ++i) {
      direction.assign(3, 0);
      direction[i] = 1;
      exact[i] = test::slope_along(expectation, x, direction);
      exact[i] -= gradient[i];
    }
    error.push_back(std::sqrt(test::dot(exact, exact)));
  }
  EXPECT_LT(error[1], error[0] / 2);
  EXPECT_LT(error[2], 0.03);
  EXPECT_GT(error[0], 0.1);
}

TEST(SoftLinks, Errors) {
  const Numbers x(6, 0.5);
  const auto points = view(x.data(), 3, 2);
  test::expect_error(ErrorCode::invalid_argument, "linking_length = 0",
                     [&] { soft_links(points, {}); });
  test::expect_error(ErrorCode::invalid_argument, "reach = -1",
                     [&] { soft_links(points, {.linking_length = 1, .reach = -1}); });
  const SoftLinks links = soft_links(points, {.linking_length = 1});
  test::expect_error(ErrorCode::invalid_argument, "samples = 0",
                     [&] { sample_links(links, {.samples = 0}); });
  // All points in one place: always drawn with the largest probability, without a derivative.
  const LinkSamples samples = sample_links(links, {.samples = 4});
  Numbers gradient(6);
  log_probability_vjp<double>(points, links, samples, Numbers(4, 1), gradient.data());
  EXPECT_EQ(gradient, Numbers(6, 0.0));
}

}  // namespace
}  // namespace kith
