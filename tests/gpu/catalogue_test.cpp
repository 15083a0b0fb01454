// Catalogues whose sums a device makes have the bits of the CPU's.
#include <kith/groups.hpp>

#include "gpu/support.hpp"
#include "support/catalogues.hpp"

namespace kith {
namespace {

using test::Belongings;
using test::Draw;
using test::on_device;
class GpuCatalogue : public test::OnDevice {};

void expect_same(const Catalogue& found, const Catalogue& expected) {
  ASSERT_EQ(found.count(), expected.count());
  test::expect_rows(found, expected, 0);
}

template <class T>
void check_case(Draw& draw) {
  const int dimension = draw.below(8) ? draw.one_of({2, 3, 3, 3}) : draw.one_of({1, 5, 9});
  const auto set = draw.point_set<T>(dimension, draw.size(draw.below(5) ? 800 : 12000));
  const Box box = draw.box(dimension);
  const FofOptions fof_options{.box = box,
                               .linking_length = std::pow(10, -3 + 2.5 * draw.uniform()),
                               .min_size = draw.one_of<std::size_t>({1, 2, 5})};
  const Groups groups = fof(set.view(), fof_options, {.threads = 1});
  Belongings<T> has(draw, dimension, set.size());
  if (draw.below(4) == 0)  // groups without mass, too
    for (std::size_t i = 0; i < has.mass.size(); ++i)
      if (groups.label()[i] % 2 == 0) has.mass[i] = 0;
  CatalogueOptions options = has.part(0, set.size());
  options.box = box;
  if (draw.below(2)) options.gravity = 0;
  test::ExactCases::count();
  SCOPED_TRACE(set.name + ", n = " + std::to_string(set.size()) +
               ", d = " + std::to_string(dimension) + ", groups " + std::to_string(groups.count()));
  expect_same(catalogue(set.view(), groups, options, on_device()),
              catalogue(set.view(), groups, options, {.threads = 1}));
}

TEST_F(GpuCatalogue, FloatsHaveTheBitsOfTheCpu) { test::for_cases(80, check_case<float>); }
TEST_F(GpuCatalogue, DoublesHaveTheBitsOfTheCpu) { test::for_cases(40, check_case<double>); }

TEST_F(GpuCatalogue, DegenerateSetsHaveTheBitsOfTheCpu) {
  for (const auto& set : test::degenerate_sets<float>(3))
    for (const double length : {1e-30, 0.2}) {
      SCOPED_TRACE(set.name);
      const Groups groups = fof(set.view(), {.linking_length = length});
      const CatalogueOptions options{.velocity = set.view()};
      expect_same(catalogue(set.view(), groups, options, on_device()),
                  catalogue(set.view(), groups, options, {.threads = 1}));
    }
}

/// Rows that are not packed, and members that are given.
TEST_F(GpuCatalogue, RowsMayBeFarApart) {
  const auto set = test::random_sets<double>(7, 3000, 3)[0];
  const PointsView points = view(set.x.data(), 3000, 3, 7),
                   velocity = view(set.x.data() + 3, 3000, 3, 7);
  const Groups groups = fof(points, {.linking_length = 0.05});
  const Members sorted = members(groups);
  const CatalogueOptions options{.velocity = velocity};
  expect_same(catalogue(points, sorted, options, on_device()),
              catalogue(points, sorted, options, {.threads = 1}));
}

/// A large group and thousands of small ones, in little memory.
TEST_F(GpuCatalogue, HasTheBitsOfTheCpuInBatches) {
  constexpr std::size_t kCount = 60000;
  auto set = test::random_sets<float>(3, kCount, 9)[0];
  for (std::size_t i = 0; i < kCount / 2; ++i) set.x[3 * i] *= 1e-3f;
  const Groups groups = fof(set.view(), {.linking_length = 0.02});
  ASSERT_GT(groups.size(0), 5 * 4096u);
  ASSERT_GT(groups.count(), 2000u);
  const Catalogue expected = catalogue(set.view(), groups, {}, {.threads = 2});
  expect_same(catalogue(set.view(), groups, {}, on_device()), expected);
  const std::uint64_t launches = gpu::traffic().launches;
  gpu::set_memory_limit(gpu::traffic().allocated + 50 * kCount);
  expect_same(catalogue(set.view(), groups, {}, on_device()), expected);
  gpu::set_memory_limit(0);
  // A quarter of the memory that is left holds the sums of fewer groups than this; each batch is 10
  // launches.
  constexpr std::size_t kMostOfBatch = 50 * kCount / 4 / (2 * 8 * (14 + 9));
  EXPECT_GT(gpu::traffic().launches - launches, groups.count() / kMostOfBatch * 10);
}

TEST_F(GpuCatalogue, MoreThanFitsIsAnErrorThatSaysHowManyDo) {
  const auto set = test::random_sets<float>(3, 10000, 3)[0];
  const Groups groups = fof(set.view(), {.linking_length = 0.02});
  gpu::set_memory_limit(gpu::traffic().allocated + 100000);
  try {
    catalogue(set.view(), groups, {}, on_device());
    ADD_FAILURE() << "was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("would fit"), std::string::npos) << error.what();
  }
  gpu::set_memory_limit(0);
}

/// Points, velocities, masses and labels go there, rows of groups come back.
TEST_F(GpuCatalogue, OnlyInputAndRowsCrossTheBus) {
  constexpr std::size_t kCount = 20000;
  const auto set = test::random_sets<float>(3, kCount, 3)[0];
  const std::vector<float> mass(kCount, 2.5f);
  const Groups groups = fof(set.view(), {.linking_length = 0.02, .min_size = 20});
  const gpu::Traffic before = gpu::traffic();
  const Catalogue found =
      catalogue(set.view(), groups, {.mass = values(mass), .velocity = set.view()}, on_device());
  const gpu::Traffic after = gpu::traffic();
  constexpr std::size_t kRow = (14 + 12) * sizeof(double) + 4;
  EXPECT_LT(after.uploaded - before.uploaded, kCount * (12 + 12 + 4 + 4) + 65536);
  EXPECT_LT(after.downloaded - before.downloaded, found.count() * kRow + 65536);
}

TEST_F(GpuCatalogue, WrongArraysAreRefusedAsOnTheCpu) {
  const auto set = test::random_sets<float>(3, 100, 3)[0];
  const Groups groups = fof(set.view(), {.linking_length = 0.1});
  const std::vector<double> mass(99, 1.0);
  EXPECT_THROW(catalogue(set.view(), groups, {.mass = values(mass)}, on_device()), Error);
  EXPECT_THROW(catalogue(view(set.x.data(), 99, 3), groups, {}, on_device()), Error);
}

}  // namespace
}  // namespace kith
