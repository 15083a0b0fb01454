// public_call: the environment that it sets up, and the errors that leave it.
#include "parallel/public_call.hpp"

#include <cfenv>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;

template <class Exception>
auto thrower(Exception exception) {
  return [=] { public_call("knn", [&] { throw exception; }); };
}

TEST(PublicCall, ReturnsWhatTheBodyReturns) {
  EXPECT_EQ(public_call("knn", [] { return 3; }), 3);
  EXPECT_EQ(public_call("knn", Execution{.threads = 2}, [](Workers& w) { return w.threads(); }), 2);
  int done = 0;
  public_call("knn", Execution(), [&] { ++done; });
  public_call("knn", Execution(), [&](Workers&) { ++done; });
  EXPECT_EQ(done, 2);
}

TEST(PublicCall, TurnsLackOfMemoryIntoAnErrorWithFactAndRemedy) {
  expect_error(ErrorCode::out_of_memory, "knn: out of memory; use fewer",
               thrower(std::bad_alloc()));
  expect_error(ErrorCode::out_of_memory, "knn: 123 bytes of memory are not available; use fewer",
               thrower(NoMemory(123)));
  expect_error(ErrorCode::out_of_memory, "knn: out of memory",
               thrower(std::length_error("vector::reserve")));
  expect_error(ErrorCode::out_of_memory,
               "knn: ", [] { public_call("knn", [] { Array<double>(~std::size_t{0}); }); });
}

TEST(PublicCall, TurnsEverythingElseIntoInternal) {
  expect_error(ErrorCode::internal, "knn: unexpected exception: odd",
               thrower(std::runtime_error("odd")));
  expect_error(ErrorCode::internal, "knn: unexpected exception", thrower(42));
}

TEST(PublicCall, LeavesErrorsAlone) {
  expect_error(ErrorCode::io, "as it was", [] {
    public_call("knn", [] { public_call("tree", [] { fail(ErrorCode::io, "as it was"); }); });
  });
}

TEST(PublicCall, PassesOnWhatTheCallersCodeThrows) {
  struct Mine {};
  for (const int threads : {1, 2}) {
    const Execution execution{.threads = threads};
    EXPECT_THROW(public_call("knn", execution,
                             [](Workers& workers) {
                               workers.for_each(
                                   8, [](std::size_t) { caller_code([] { throw Mine(); }); });
                             }),
                 Mine);
    // Also what would be an error of the library, had the library thrown it.
    EXPECT_THROW(public_call("knn", execution, [] { caller_code([] { throw std::bad_alloc(); }); }),
                 std::bad_alloc);
  }
}

TEST(PublicCall, NamesItselfWhenItIsCancelledOrAskedForAnOddNumberOfThreads) {
  const CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "radius: cancelled", [&] {
    public_call("radius", Execution{.cancel = &token},
                [](Workers& workers) { workers.check_cancelled(); });
  });
  expect_error(ErrorCode::invalid_argument, "radius: threads = -1",
               [] { public_call("radius", Execution{.threads = -1}, [](Workers&) {}); });
}

TEST(PublicCall, SetsTheRoundingAndRestoresIt) {
  volatile double tiny = 1e-30;
  const auto rounds_up = [&] {
    volatile double sum = 1 + tiny;  // added here and now, not when the compiler likes
    return sum > 1;
  };
  std::fesetround(FE_UPWARD);
  const bool inside = public_call("knn", rounds_up), after = rounds_up();
  std::fesetround(FE_TONEAREST);
  EXPECT_FALSE(inside);
  EXPECT_TRUE(after);
}

struct Interruption {};

TEST(ProgressCallback, MayThrowInTheMiddleOfAStage) {
  for (const int threads : {1, 2}) {
    const Execution execution{.threads = threads,
                              .progress = [](const Progress&) { throw Interruption(); }};
    EXPECT_THROW(public_call("knn", execution,
                             [](Workers& workers) {
                               const Stage stage(workers, "sort", 1000);
                               const auto begin = std::chrono::steady_clock::now();
                               while (std::chrono::steady_clock::now() - begin <
                                      std::chrono::milliseconds(60)) {
                               }
                               workers.for_each(1000, [&](std::size_t) { workers.advance(1); });
                             }),
                 Interruption);
  }
}

TEST(ProgressCallback, MayThrowAtTheEndOfAStage) {
  const Execution execution{.threads = 2,
                            .progress = [](const Progress&) { throw Interruption(); }};
  EXPECT_THROW(public_call("knn", execution,
                           [](Workers& workers) { const Stage stage(workers, "sort", 0); }),
               Interruption);
}

}  // namespace
}  // namespace kith
