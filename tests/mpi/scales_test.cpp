// Properties of groups that span ranks, at extreme scales: the bits of one process.
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/group_checks.hpp"
#include "support/scaled_clumps.hpp"

namespace kith::test {
namespace {

/// The points of a rank: about as many on every rank, in order.
struct ScaledPart {
  std::size_t begin, end;
  ScaledPart(MPI_Comm comm, std::size_t n)
      : begin(n * static_cast<std::size_t>(rank_of(comm)) /
              static_cast<std::size_t>(size_of(comm))),
        end(n * static_cast<std::size_t>(rank_of(comm) + 1) /
            static_cast<std::size_t>(size_of(comm))) {}

  template <class Value>
  std::span<const Value> of(const std::vector<Value>& all) const {
    return std::span(all).subspan(begin, end - begin);
  }
};

void check_scales(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  // Groups of several blocks of 4,096 members: others are on one rank.
  const Scaled data =
      draw_clumps(draw, 6000 + draw.below(8000))
          .times(any_exponent(draw, 960), any_exponent(draw, 960), any_exponent(draw, 960));
  const int square = 2 * data.speed + data.length - data.mass;
  const double gravity = std::abs(square) < 1000 ? std::ldexp(0.75, square) : 0;
  const FofOptions links{.box = data.box, .linking_length = data.long_as(draw.one_of({0.2, 4.0}))};
  const Execution execution{.threads = threads};

  const ScaledPart part(comm, data.x.size());
  const auto x = part.of(data.x), v = part.of(data.v);
  const auto mass = values(part.of(data.m));
  const PointsView points = view(x);
  const auto domains = mpi::Domains::curve(comm, points, {{.box = data.box}}, execution);
  const auto groups = mpi::fof(domains, links, RowOrder::input, execution);

  const Groups all = fof(view(data.x), links);
  expect_rows(
      mpi::catalogue(domains, points, groups,
                     {.mass = mass, .velocity = view(v), .gravity = gravity}, execution),
      catalogue(
          view(data.x), all,
          {.box = data.box, .mass = values(data.m), .velocity = view(data.v), .gravity = gravity}),
      groups.first());
  for (const CenterKind kind : {CenterKind::mass, CenterKind::shrinking, CenterKind::potential}) {
    const double softening = data.long_as(0.125);
    const auto own = mpi::centers(domains, points, groups,
                                  {.mass = mass, .kind = kind, .softening = softening}, execution);
    const auto expected =
        centers(view(data.x), members(all),
                {.box = data.box, .mass = values(data.m), .kind = kind, .softening = softening});
    ASSERT_LE((groups.first() + groups.sizes().size()) * 3, expected.size());
    EXPECT_TRUE(std::equal(own.begin(), own.end(), expected.begin() + 3 * groups.first()));
  }
  expect_subhalos(
      comm,
      mpi::subhalos(domains, points, groups,
                    {.velocity = view(v), .mass = mass, .linking_length = 0.5, .min_size = 4},
                    execution),
      subhalos(view(data.x), members(all),
               {.box = data.box,
                .velocity = view(data.v),
                .mass = values(data.m),
                .linking_length = 0.5,
                .min_size = 4}));
}

TEST(MpiScales, DoNotMatterToProperties) {
  check_cases(4, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_scales(comm, seed, threads);
  });
}

}  // namespace
}  // namespace kith::test
