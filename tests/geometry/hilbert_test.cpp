// The Hilbert curve visits every cell once, and neighbors on the curve are neighbors in space.
#include "geometry/hilbert.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace kith {
namespace {

/// The Morton digits of a cell, level by level, to its place on the curve.
std::uint64_t place_of(std::uint64_t morton, int dimension, int levels) {
  HilbertState state;
  std::uint64_t place = 0;
  for (int level = levels - 1; level >= 0; --level) {
    const auto digit =
        static_cast<std::uint32_t>(morton >> (level * dimension) & ((1ull << dimension) - 1));
    place = place << dimension | hilbert_step(digit, dimension, state);
  }
  return place;
}

/// Coordinates of a cell from its Morton position; axis 0 has the highest bit of each digit.
std::vector<int> cell_of(std::uint64_t morton, int dimension, int levels) {
  std::vector<int> cell(static_cast<std::size_t>(dimension), 0);
  for (int level = levels - 1; level >= 0; --level)
    for (int axis = 0; axis < dimension; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          cell[static_cast<std::size_t>(axis)] << 1 |
          static_cast<int>(morton >> (level * dimension + dimension - 1 - axis) & 1);
  return cell;
}

void check_curve(int dimension, int levels) {
  const std::uint64_t cells = 1ull << (dimension * levels);
  std::vector<std::vector<int>> path(cells);
  for (std::uint64_t morton = 0; morton < cells; ++morton) {
    auto& at = path[place_of(morton, dimension, levels)];
    ASSERT_TRUE(at.empty()) << "two cells at one place";
    at = cell_of(morton, dimension, levels);
  }
  for (std::uint64_t i = 1; i < cells; ++i) {
    int steps = 0;
    for (int axis = 0; axis < dimension; ++axis)
      steps += std::abs(path[i][static_cast<std::size_t>(axis)] -
                        path[i - 1][static_cast<std::size_t>(axis)]);
    ASSERT_EQ(steps, 1) << "a jump at " << i << " in " << dimension << "-D";
  }
}

TEST(Hilbert, TablesOfFourToSixDimensionsTakeTheSameSteps) {
  EXPECT_EQ(HilbertSteps::of(3), nullptr);
  EXPECT_EQ(HilbertSteps::of(7), nullptr);
  std::mt19937_64 random(1);
  for (int dimension = 4; dimension <= 6; ++dimension)
    for (int round = 0; round < 200; ++round) {
      const int levels = 1 + static_cast<int>(random() % static_cast<unsigned>(64 / dimension));
      const std::uint64_t morton = random() >> (64 - dimension * levels);
      const std::vector<int> cell = cell_of(morton, dimension, levels);
      const std::vector<std::uint64_t> digits(cell.begin(), cell.end());
      ASSERT_EQ(HilbertSteps::of(dimension)->place(digits.data(), levels),
                place_of(morton, dimension, levels))
          << dimension << "-D, " << levels << " levels";
    }
}

TEST(Hilbert, IsContinuous) {
  check_curve(2, 1);
  check_curve(2, 6);
  check_curve(3, 4);
  check_curve(4, 3);
  check_curve(5, 2);
  check_curve(8, 2);
}

template <int D>
void check_tables(const CurveTables<D>& tables, bool is_hilbert) {
  using Tables = CurveTables<D>;
  constexpr int kLevels = Tables::kTopDigits + Tables::kLowDigits;
  std::uint64_t morton = 1;
  for (int round = 0; round < 20000; ++round) {
    morton = (morton * 6364136223846793005ull + 1442695040888963407ull) % (1ull << 61);
    const std::uint64_t cell = morton >> 20 & ((1ull << 30) - 1);
    const std::uint32_t top = tables.top[cell >> Tables::kLowBits];
    const std::uint64_t place =
        std::uint64_t{top} << Tables::kLowBits |
        tables.low(static_cast<std::uint32_t>(cell & ((1u << Tables::kLowBits) - 1)),
                   tables.top_state[top]);
    ASSERT_EQ(place, is_hilbert ? place_of(cell, D, kLevels) : cell);
  }
}

TEST(Hilbert, TablesFollowTheCurve) {
  check_tables(CurveTables<2>::hilbert(), true);
  check_tables(CurveTables<3>::hilbert(), true);
  check_tables(CurveTables<2>::z(), false);
  check_tables(CurveTables<3>::z(), false);
}

TEST(Hilbert, MortonInterleavesFirstAxisFirst) {
  const std::array<std::uint32_t, 3> cell{1, 0, 0};
  EXPECT_EQ(CurveTables<3>::z().morton(cell), 4u);
  const std::array<std::uint32_t, 2> flat{0b10, 0b01};
  EXPECT_EQ(CurveTables<2>::z().morton(flat), 0b1001u);
}

}  // namespace
}  // namespace kith
