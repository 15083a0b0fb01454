// Odd ways to call: no points at all, visitors that throw, call or fork, members made by hand,
// absurd numbers. A call answers or throws Error; it never ends the process or hangs.
#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "calls/calls.hpp"
#include "calls/folder.hpp"
#include "support/expect_error.hpp"

namespace kith::test {
namespace {

struct Mine {};

TEST(OddCalls, FewPointsOrNone) {
  for (const std::size_t n : {0, 1, 2, 3}) {
    const Folder folder;
    const Scene scene(sample::uniform({.n = n}), Box::periodic(1), folder.path);
    for (const Call& call : core_calls(scene)) {
      if (n < 2 && call.name.starts_with("KnnSearcher")) continue;  // it reads two points
      for (const int threads : {1, 2}) {
        try {
          call.run({.threads = threads});
        } catch (const Error& error) {
          EXPECT_NE(error.code(), ErrorCode::internal) << call.name << ": " << error.what();
        }
      }
    }
  }
}

class OddVisitors : public ::testing::Test {
 protected:
  const sample::Points points_ = sample::uniform({.n = 3000});
  const Tree<float> tree_{points_.view()};
};

TEST_F(OddVisitors, MayThrowAnything) {
  for (const int threads : {1, 2, 5}) {
    const Execution execution{.threads = threads};
    std::atomic<int> calls{0};
    const auto visit = [&](const Neighborhood<float>&) {
      if (++calls > 100) throw Mine();
    };
    EXPECT_THROW(for_each_neighborhood<float>(tree_, {.k = 3}, visit, execution), Mine);
    calls = 0;
    EXPECT_THROW(for_each_pair<float>(tree_, {.radius = 0.2}, visit, execution), Mine);
    EXPECT_EQ(kth_distance(tree_, {.k = 3}, execution).size(), points_.size());
  }
}

TEST_F(OddVisitors, MayCallTheLibrary) {
  const std::vector<double> expected = kth_distance(tree_, {.k = 2});
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> wrong{0}, calls{0};
    const auto visit = [&](const Neighborhood<float>& found) {
      if (found.i % 300 != 0) return;
      ++calls;
      wrong += kth_distance(tree_, {.k = 2}, {.threads = threads}) == expected ? 0 : 1;
    };
    for_each_neighborhood<float>(tree_, {.k = 3}, visit, {.threads = threads});
    EXPECT_EQ(calls, 10);
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(OddVisitors, MayThrowErrorsOfCallsInside) {
  expect_error(ErrorCode::invalid_argument, "knn: k = 0", [&] {
    for_each_neighborhood<float>(
        tree_, {.k = 3}, [&](const Neighborhood<float>&) { knn(tree_, {.k = 0}); }, {.threads = 2});
  });
}

TEST_F(OddVisitors, ProgressMayThrowOrCall) {
  const sample::Points many = sample::uniform({.n = 400000});
  const auto fail = [](const Progress&) { throw Mine(); };
  for (const int threads : {1, 2}) {
    EXPECT_THROW(Tree(many.view(), {}, {.threads = threads, .progress = fail}), Mine);
    EXPECT_THROW(fof(many.view(), {.linking_length = 0.01}, {.threads = threads, .progress = fail}),
                 Mine);
  }
  int calls = 0;
  const auto ask = [&](const Progress&) { calls += kth_distance(tree_, {.k = 2}).empty() ? 0 : 1; };
  const Tree tree(many.view(), {}, {.threads = 2, .progress = ask});
  EXPECT_GT(calls, 0);
}

#if !defined(__SANITIZE_THREAD__)
TEST_F(OddVisitors, ACallAfterAForkInsideAVisitorWorks) {
  std::atomic<int> failures{0};
  for_each_neighborhood<float>(
      tree_, {.k = 3},
      [&](const Neighborhood<float>& found) {
        if (found.i != 5) return;
        const pid_t child = fork();
        if (child == 0) {
          alarm(30);
          _exit(kth_distance(tree_, {.k = 2}, {.threads = 2}).size() == 3000 ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failures += status == 0 ? 0 : 1;
      },
      {.threads = 1});
  EXPECT_EQ(failures, 0);
}
#endif

TEST(OddCalls, AbsurdNumbers) {
  const sample::Points points = sample::uniform({.n = 50});
  const Tree tree(points.view());
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t k :
       {kMost, kMost / 2, kMost / 8, std::size_t{1} << 60, std::size_t{1} << 45})
    for (const auto method : {KnnMethod::predict, KnnMethod::walk}) {
      expect_error(ErrorCode::invalid_argument, "ask for fewer",
                   [&] { knn(tree, {.k = k, .method = method}); });
    }
  expect_error(ErrorCode::invalid_argument, "ask for fewer",
               [&] { KnnSearcher<float>(tree, {.k = kMost}); });
  EXPECT_NO_THROW(KnnSearcher<float>(tree, {.k = kMaxNeighbors}));  // allowed if there is room
  EXPECT_EQ(kth_distance(tree, {.k = kMaxNeighbors})[0], std::numeric_limits<double>::infinity());
  expect_error(ErrorCode::too_large, "uniform: n", [&] { sample::uniform({.n = kMost}); });
  EXPECT_EQ(radius(tree, {.radius = 1, .max_neighbors = kMost}).size(), 50u);
}

TEST(OddCalls, MembersMadeByHand) {
  const sample::Points points = sample::uniform({.n = 4});
  const std::vector<double> mass(4, 1);
  const auto expect_refusal = [&](const Members& members, const char* words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { catalogue(points.view(), members); });
    expect_error(ErrorCode::invalid_argument, words, [&] {
      subhalos(points.view(), members, {.velocity = points.view(), .linking_length = 1});
    });
    expect_error(ErrorCode::invalid_argument, words, [&] { peak_members(members, values(mass)); });
    expect_error(ErrorCode::invalid_argument, words, [&] { group_means(members, mass, 1); });
    expect_error(ErrorCode::invalid_argument, words,
                 [&] { halos_jvp(points.view(), members, {}, {}); });
  };
  expect_refusal({.order = {0, 1, 2, 3}, .offset = {0, 2, 2, 4}}, "no members");
  expect_refusal({.order = {0, 1, 2, 3}, .offset = {0, 3, 1}}, "no members");
  expect_refusal({.order = {0, 1, 2, 3}, .offset = {0, 9}}, "offsets");
  expect_refusal({.order = {0, 1, 2, 3}, .offset = {}}, "offsets");
  expect_refusal({.order = {0, 1, 2, 4}, .offset = {0, 4}}, "member 4");
  Catalogue table;
  table.size = {1, 2};
  expect_error(ErrorCode::invalid_argument, "rows: 2 groups", [&] { rows(table); });
}

}  // namespace
}  // namespace kith::test
