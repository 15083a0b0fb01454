// A forest against brute force: after any history of insertions and removals, every answer is that
// of the points that are left.
#include <gtest/gtest.h>
#include <map>

#include <kith/error.hpp>
#include <kith/forest.hpp>

#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;

/// The same points without a forest: rows by index.
template <class T>
struct Reference {
  int dimension;
  Box box;
  std::map<std::int64_t, std::vector<T>> rows;

  std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> indices;
    for (const auto& [index, row] : rows) indices.push_back(index);
    return indices;
  }
  AnyTree tree() const {
    std::vector<T> x;
    for (const auto& [index, row] : rows) x.insert(x.end(), row.begin(), row.end());
    return Tree(view(x.data(), rows.size(), dimension), {.box = box});
  }
};

template <class T>
class History {
 public:
  explicit History(Draw& draw)
      : draw_(draw),
        dimension_(draw.one_of({1, 2, 3, 3, 5})),
        box_(draw.box(dimension_)),
        forest_(dimension_, {.box = box_}),
        reference_{dimension_, box_, {}} {}

  void step() {
    if (draw_.below(3) == 0 && !reference_.rows.empty())
      remove();
    else
      insert();
    ASSERT_EQ(forest_.size(), reference_.rows.size());
    ASSERT_EQ(forest_.indices(), reference_.indices());
  }

  void check() {
    const auto set = draw_.point_set<T>(dimension_, draw_.size(60));
    const AnyTree tree = reference_.tree();
    const std::vector<std::int64_t> indices = reference_.indices();
    const auto of_forest = [&](std::int64_t i) {
      return i < 0 ? i : indices[static_cast<std::size_t>(i)];
    };
    KnnOptions knn{.k = 1 + draw_.size(30)};
    if (draw_.below(3) == 0) knn.max_radius = draw_.uniform() * 0.4;
    const auto near = forest_.knn(set.view(), knn, execution());
    const auto expected = kith::knn<T, std::int64_t>(tree, set.view(), knn);
    const RadiusOptions ball{.radius = draw_.uniform() * 0.3, .strict = draw_.below(2) == 0};
    const auto lists = forest_.radius(set.view(), ball, execution());
    const auto balls = kith::radius<T, std::int64_t>(tree, set.view(), ball);
    ASSERT_EQ(forest_.radius_count(set.view(), ball, execution()),
              radius_count(tree, set.view(), ball));
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = 0; j < knn.k; ++j) {
        ASSERT_EQ(near.index(i)[j], of_forest(expected.index(i)[j])) << i << " " << j;
        ASSERT_EQ(near.distance(i)[j], expected.distance(i)[j]);
      }
      ASSERT_EQ(lists.index(i).size(), balls.index(i).size());
      for (std::size_t j = 0; j < balls.index(i).size(); ++j) {
        ASSERT_EQ(lists.index(i)[j], of_forest(balls.index(i)[j]));
        ASSERT_EQ(lists.distance(i)[j], balls.distance(i)[j]);
      }
    }
    test::ExactCases::count(3);
  }

  void through_bytes() { forest_ = Forest<T>::from_bytes(forest_.bytes(), execution()); }

 private:
  Execution execution() { return {.threads = static_cast<int>(1 + draw_.below(3))}; }

  void insert() {
    const auto set = draw_.point_set<T>(dimension_, draw_.size(700));
    std::int64_t index = forest_.insert(set.view(), execution());
    for (std::size_t i = 0; i < set.size(); ++i)
      reference_.rows[index++] = {set.row(i), set.row(i) + dimension_};
    ASSERT_EQ(forest_.inserted(), index);
  }

  void remove() {
    std::vector<std::int64_t> indices;
    const std::size_t share = 1 + draw_.below(6);
    for (const auto& [index, row] : reference_.rows)
      if (draw_.below(6) < share) indices.push_back(index);
    std::shuffle(indices.begin(), indices.end(), draw_.random);
    forest_.remove(indices, execution());
    for (const std::int64_t index : indices) reference_.rows.erase(index);
  }

  Draw& draw_;
  int dimension_;
  Box box_;
  Forest<T> forest_;
  Reference<T> reference_;
};

template <class T>
void check_history(Draw& draw) {
  History<T> history(draw);
  for (std::size_t step = draw.below(12); step > 0; --step) history.step();
  if (draw.below(4) == 0) history.through_bytes();
  history.check();
}

TEST(Forest, FloatsEqualOneTree) { test::for_cases(150, check_history<float>); }
TEST(Forest, DoublesEqualOneTree) { test::for_cases(150, check_history<double>); }

template <class F>
ErrorCode code_of(F call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(Forest, RefusesAndStaysAsItWas) {
  const std::vector<std::array<double, 2>> x{{0, 0}, {1, 0}, {0, 1}};
  const std::vector<std::array<double, 2>> bad{{0, 0}, {NAN, 0}};
  const std::vector<std::array<float, 2>> floats{{0, 0}};
  const std::vector<std::array<double, 3>> solid{{0, 0, 0}};
  Forest<double> forest(2);
  EXPECT_EQ(forest.insert(view(x)), 0);
  EXPECT_EQ(forest.insert(view(x)), 3);
  EXPECT_EQ(code_of([&] { forest.insert(view(bad)); }), ErrorCode::non_finite);
  EXPECT_EQ(code_of([&] { forest.insert(view(floats)); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { forest.insert(view(solid)); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] {
              forest.remove(std::vector<std::int64_t>{1, 6});
            }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] {
              forest.remove(std::vector<std::int64_t>{1, 1});
            }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { forest.knn(view(x), {.k = 0}); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { forest.knn(view(x), {.p = 1}); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { forest.radius(view(x), {.radius = -1}); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { Forest<double>(33); }), ErrorCode::invalid_argument);
  EXPECT_EQ(forest.size(), 6);
  EXPECT_EQ(forest.knn(view(x), {.k = 2}).index(1)[1], 4) << "ties by index";
  forest.remove(std::vector<std::int64_t>{1});
  EXPECT_EQ(forest.knn(view(x), {.k = 1}).index(1)[0], 4);
  EXPECT_EQ(code_of([&] { forest.remove(std::vector<std::int64_t>{1}); }),
            ErrorCode::invalid_argument);
}

TEST(Forest, RescalesWhenExtremePointsArrive) {
  const std::vector<std::array<float, 1>> tiny{{1e-30f}, {2e-30f}, {4e-30f}}, large{{1e30f}};
  Forest<float> forest(1);
  forest.insert(view(tiny));
  EXPECT_EQ(forest.knn(view(tiny), {.k = 2}).index(2)[1], 1);
  forest.insert(view(large));
  EXPECT_EQ(forest.knn(view(large), {.k = 1}).index(0)[0], 3);
}

TEST(Forest, DamagedBytesAreRefused) {
  const auto set = test::random_sets<float>(3, 40, 5)[0];
  Forest<float> forest(3);
  forest.insert(set.view());
  forest.remove(std::vector<std::int64_t>{4, 7});
  const std::vector<std::byte> bytes = forest.bytes();
  EXPECT_EQ(Forest<float>::from_bytes(bytes).indices(), forest.indices());
  EXPECT_EQ(Forest<float>::from_bytes(bytes).coordinates(), forest.coordinates());
  EXPECT_EQ(code_of([&] { Forest<double>::from_bytes(bytes); }), ErrorCode::io);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{1};
    ASSERT_EQ(code_of([&] { Forest<float>::from_bytes(damaged); }), ErrorCode::io) << i;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, bytes.size() - 1})
    ASSERT_EQ(code_of([&] { Forest<float>::from_bytes(std::span(bytes).first(size)); }),
              ErrorCode::io);
}

TEST(Forest, TreesStayFew) {
  const auto set = test::random_sets<float>(2, 20000, 5)[0];
  Forest<float> forest(2);
  for (std::size_t i = 0; i < 200; ++i) {
    forest.insert(view(set.row(100 * i), 100, 2));
    ASSERT_LE(forest.trees(), 3 * 5);
  }
}

}  // namespace
}  // namespace kith
