// Structs whose fields are listed once: sums, and rows of numbers.
#include "groups/fields.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace kith::test {
namespace {

enum class Kind { plain, other };

struct Everything {
  Kind kind = Kind::plain;
  bool is_known = false;
  double sum = 0, least = 0, most = 0;
  std::array<std::int64_t, 2> count{};
  std::vector<double> fixed = {0, 0}, list;

  template <class F, class... E>
  static void for_each_field(F f, E&... e) {
    f(Kept(), e.kind...);
    f(Kept(), e.is_known...);
    f(Added(), e.sum...);
    f(Least(), e.least...);
    f(Most(), e.most...);
    f(Added(), e.count...);
    f(Added(), e.fixed...);
    f(Appended(), e.list...);
  }
};

TEST(Fields, AreAddedEachInItsWay) {
  Everything a{Kind::other, true, 1, 2, 3, {4, 5}, {6, 7}, {8}};
  const Everything b{Kind::plain, false, 10, -1, 2, {1, 1}, {0.5, 0.25}, {9, 10}};
  add_fields(a, b);
  EXPECT_EQ(a.kind, Kind::other);
  EXPECT_TRUE(a.is_known);
  EXPECT_EQ(a.sum, 11);
  EXPECT_EQ(a.least, -1);
  EXPECT_EQ(a.most, 3);
  EXPECT_EQ(a.count, (std::array<std::int64_t, 2>{5, 6}));
  EXPECT_EQ(a.fixed, (std::vector<double>{6.5, 7.25}));
  EXPECT_EQ(a.list, (std::vector<double>{8, 9, 10}));
}

TEST(Fields, SurviveARowOfNumbers) {
  const Everything a{Kind::other, true, 1, 2, 3, {4, -5}, {6, 7}, {8, 9}};
  std::vector<double> row;
  put_fields(a, row);
  put_fields(Everything(), row);
  Everything first, second{Kind::other, true, 1, 1, 1, {1, 1}, {1, 1}, {1}};
  const double* end = get_fields(get_fields(row.data(), first), second);
  EXPECT_EQ(end, row.data() + row.size());
  EXPECT_EQ(first.kind, Kind::other);
  EXPECT_TRUE(first.is_known);
  EXPECT_EQ(first.count, a.count);
  EXPECT_EQ(first.fixed, a.fixed);
  EXPECT_EQ(first.list, a.list);
  EXPECT_EQ(second.kind, Kind::plain);
  EXPECT_EQ(second.fixed, (std::vector<double>{0, 0}));
  EXPECT_TRUE(second.list.empty());
}

}  // namespace
}  // namespace kith::test
