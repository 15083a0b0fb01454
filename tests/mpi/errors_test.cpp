// One rank's failure is the same error on all ranks, in time, and the next call works.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kith/detail/ranks.hpp>
#include <kith/kith.hpp>
#include <kith/kith_mpi.h>
#include <kith/mpi.hpp>

#include "mpi/domains/domain.hpp"
#include "mpi/scenes.hpp"

extern "C" kith::Ranks* kith_mpi_start();

namespace kith::test {
namespace {

/// Of a clock that the ranks of a machine share.
double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// f() throws an Error of this code, whose message has these words, on every rank.
template <class F>
void expect_same_error(MPI_Comm comm, ErrorCode code, const std::string& words, F f) {
  std::string message = "no error";
  ErrorCode found = ErrorCode::internal;
  try {
    f();
  } catch (const Error& error) {
    message = error.what();
    found = error.code();
  }
  EXPECT_EQ(found, code) << message;
  EXPECT_NE(message.find(words), std::string::npos) << message;
  char first[1200] = "";
  message.copy(first, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
  EXPECT_EQ(message, first);
}

/// The smallest call that needs all ranks.
void expect_works(MPI_Comm comm) {
  const float x[3] = {static_cast<float>(rank_of(comm)), 0, 0};
  const auto rows = mpi::knn(comm, view(x, 1, 3), {.k = 1});
  EXPECT_EQ(rows.index(0)[0], rank_of(comm));
}

template <class F>
void on_some_ranks(F f) {
  for (const int ranks : {1, 2, 5, 16})
    if (ranks <= world_size()) on_ranks(ranks, f);
}

TEST(MpiErrors, NanOnOneRank) {
  on_some_ranks([](MPI_Comm comm) {
    const int bad = size_of(comm) / 2;
    std::vector<float> x(30, 0.5f);
    if (rank_of(comm) == bad) x[13] = std::numeric_limits<float>::quiet_NaN();
    expect_same_error(comm, ErrorCode::non_finite,
                      "rank " + std::to_string(bad) + " of " + std::to_string(size_of(comm)),
                      [&] { mpi::Domains::curve(comm, view(x.data(), 10, 3)); });
    expect_works(comm);
  });
}

TEST(MpiErrors, BadArgumentsOnOneRank) {
  on_some_ranks([](MPI_Comm comm) {
    const bool is_last = rank_of(comm) == size_of(comm) - 1;
    const std::vector<float> x(30, 0.5f);
    const auto domains = mpi::Domains::curve(comm, view(x.data(), 10, 3));
    if (size_of(comm) > 1) {
      const std::string last = "rank " + std::to_string(size_of(comm) - 1) + " of ";
      const auto expect_named = [&](const std::string& difference, const auto& f) {
        expect_same_error(comm, ErrorCode::invalid_argument, last, f);
        expect_same_error(comm, ErrorCode::invalid_argument, difference + " on rank 0", f);
      };
      expect_named("knn: k = 3 here, 2", [&] { mpi::knn(domains, {.k = is_last ? 3u : 2u}); });
      expect_named("side of the box = 2 here, 1", [&] {
        mpi::Domains::curve(comm, view(x.data(), 10, 3),
                            {.tree = {.box = is_last ? Box::periodic(2) : Box::periodic(1)}});
      });
      expect_named("another box than", [&] {
        const Box box = Box::periodic(1);
        mpi::Domains::curve(comm, view(x.data(), 10, 3),
                            {.tree = {.box = is_last ? box.with_origin(2) : box}});
      });
      expect_named("first_index = 1 here, 0", [&] {
        mpi::Domains::curve(comm, view(x.data(), 10, 3), {.first_index = is_last ? 1 : 0});
      });
      expect_named("dimension = 2 here, 3",
                   [&] { mpi::Domains::curve(comm, view(x.data(), 10, is_last ? 2 : 3)); });
      expect_named("type = float64 here, float32", [&] {
        const std::vector<double> wide(30, 0.5);
        mpi::Domains::curve(comm,
                            is_last ? PointsView(view(wide.data(), 10, 3)) : view(x.data(), 10, 3));
      });
      expect_named("domains = keep here, curve", [&] {
        is_last ? mpi::Domains::keep(comm, view(x.data(), 10, 3))
                : mpi::Domains::curve(comm, view(x.data(), 10, 3));
      });
      expect_named("call = fof here, knn", [&] {
        if (is_last)
          mpi::fof(domains, {.linking_length = 1});
        else
          mpi::knn(domains, {.k = 1});
      });
    }
    expect_same_error(comm, ErrorCode::invalid_argument, "k = 0",
                      [&] { mpi::knn(domains, {.k = 0}); });
    const std::vector<std::int64_t> ids(is_last ? 9 : 10);
    expect_same_error(comm, ErrorCode::invalid_argument, "ids",
                      [&] { mpi::Domains::curve(comm, view(x.data(), 10, 3), {.ids = ids}); });
    expect_same_error(comm, ErrorCode::invalid_argument, "first_index = -1", [&] {
      mpi::Domains::curve(comm, view(x.data(), 10, 3), {.first_index = -1});
    });
    const auto expect_weight_error = [&](const std::vector<double>& weight, const char* words,
                                         auto make) {
      expect_same_error(comm, ErrorCode::invalid_argument, words,
                        [&] { make(comm, view(x.data(), 10, 3), {.weight = weight}, {}); });
    };
    using mpi::Domains;
    const std::vector<double> ones(10, 1.0);
    for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
      std::vector<double> weight = ones;
      if (is_last) weight[7] = bad;
      expect_weight_error(weight, " of point 7; weights are finite", Domains::curve);
    }
    expect_weight_error({}, size_of(comm) == 1 ? "" : "weights on other ranks, but not here",
                        [&](auto on, auto points, mpi::DomainOptions options, const Execution& e) {
                          // One rank has weights; a single one has wrong ones.
                          const std::vector<double> few(9);
                          if (size_of(comm) == 1)
                            options.weight = few;
                          else if (is_last)
                            options.weight = ones;
                          Domains::curve(on, points, options, e);
                        });
    expect_weight_error(std::vector<double>(is_last ? 9 : 10), "9 weights for 10 points",
                        Domains::curve);
    expect_weight_error(ones, "kd gives all ranks the same number", Domains::kd);
    expect_weight_error(ones, "keep moves no points", Domains::keep);
    const std::int64_t last = std::numeric_limits<std::int64_t>::max();
    expect_same_error(comm, ErrorCode::invalid_argument, "the largest is", [&] {
      mpi::Domains::keep(comm, view(x.data(), 10, 3), {.first_index = last - 8});
    });
    const std::vector<double> queries(30, 0.5);
    expect_same_error(comm, ErrorCode::invalid_argument, "queries of dimension 3 and 64 bits", [&] {
      if (is_last)
        mpi::knn(domains, view(queries.data(), 10, 3), {.k = 1});
      else
        mpi::knn(domains, view(x.data(), 10, 3), {.k = 1});
    });
    EXPECT_EQ(mpi::knn(domains, {.k = 1}).size(), 10u);
    expect_works(comm);
  });
}

/// Nothing parts them, not even their ids.
TEST(MpiErrors, ManyPointsOfOneIdInOnePlace) {
  on_some_ranks([&](MPI_Comm comm) {
    for (const std::size_t n : {5, 100}) {
      const std::vector<float> x(3 * n);
      const std::vector<std::int64_t> ids(n, 7);
      const PointsView points = view(x.data(), n, 3);
      for (const Curve curve : {Curve::hilbert, Curve::z})
        expect_same_error(comm, ErrorCode::invalid_argument, "two points with the id 7", [&] {
          mpi::Domains::curve(comm, points, {.tree = {.curve = curve}, .ids = ids});
        });
      expect_same_error(comm, ErrorCode::invalid_argument, "two points with the id 7",
                        [&] { mpi::Domains::kd(comm, points, {.ids = ids}); });
    }
    expect_works(comm);
  });
}

/// Two ranks have a point of the same id, far apart in space and in the order of ids.
TEST(MpiErrors, IdsThatOccurTwice) {
  on_some_ranks([](MPI_Comm comm) {
    const int rank = rank_of(comm), ranks = size_of(comm);
    if (ranks == 1) return;
    const auto set = scene_points<float>(Shape::uniform, 3, 100, 1 + static_cast<unsigned>(rank));
    PointSet<float> slab = set;
    for (std::size_t i = 0; i < 100; ++i) slab.x[3 * i] += static_cast<float>(2 * rank);
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < 100; ++i) ids.push_back((99 - i) * 1000000007 + rank);
    using Make =
        mpi::Domains (*)(MPI_Comm, PointsView, const mpi::DomainOptions&, const Execution&);
    for (const Make make : {&mpi::Domains::curve, &mpi::Domains::kd, &mpi::Domains::keep}) {
      EXPECT_EQ(make(comm, slab.view(), {.ids = ids}, {}).total(),
                100u * static_cast<unsigned>(ranks));
      std::vector<std::int64_t> wrong = ids;
      if (rank == ranks - 1)
        wrong[40] = std::int64_t{59} * 1000000007;  // that of a point of rank 0
      expect_same_error(comm, ErrorCode::invalid_argument,
                        "two points with the id 59000000413; ids must be different",
                        [&] { make(comm, slab.view(), {.ids = wrong}, {}); });
    }
    expect_works(comm);
  });
}

/// The C interface makes boxes before it makes domains.
TEST(MpiErrors, BadBoxOfOneRankInC) {
  on_some_ranks([](MPI_Comm comm) {
    const bool is_last = rank_of(comm) == size_of(comm) - 1;
    const std::vector<float> x(30, 0.5f);
    const double box[3] = {1, is_last ? -1.0 : 1.0, 1};
    std::int64_t label[10] = {};
    kith_mpi_points points{};
    points.data = x.data();
    points.size = 10;
    points.dimension = 3;
    points.box = box;
    kith_mpi_fof_options options{};
    options.linking_length = 0.1;
    EXPECT_NE(kith_mpi_fof(comm, &points, &options, label, nullptr), 0);
    EXPECT_NE(std::string(kith_mpi_error()).find("side"), std::string::npos) << kith_mpi_error();
    points.box = nullptr;
    EXPECT_EQ(kith_mpi_fof(comm, &points, &options, label, nullptr), 0) << kith_mpi_error();
  });
}

TEST(MpiErrors, ExceptionInAVisitor) {
  on_some_ranks([](MPI_Comm comm) {
    const int bad = size_of(comm) - 1;
    const auto set = scene_points<float>(Shape::uniform, 3, 2000, 1);
    const Scene<float> scene(set, dealt(set, Deal::random, size_of(comm), 2), size_of(comm));
    const auto domains = mpi::Domains::curve(comm, scene.part(rank_of(comm)));
    expect_same_error(comm, ErrorCode::cancelled, "I am tired", [&] {
      mpi::for_each_neighborhood<float>(domains, {.k = 4}, [&](const auto& at) {
        if (rank_of(comm) == bad && at.position == 7) throw std::runtime_error("I am tired");
      });
    });
    expect_works(comm);
  });
}

/// Some rank's token is set while all compute: each stops soon, and all throw. "Soon" is counted in
/// visits, 1 ms and more each: on a crowded machine a rank may wait for its turn for longer than a
/// quarter of a second.
TEST(MpiErrors, CancelFromOneRank) {
  // Valgrind and sanitizers, which run fewer cases, are slow.
  const std::ptrdiff_t soon = number_from("KITH_CASES", 1) < 1 ? 2000 : 250;
  on_some_ranks([&](MPI_Comm comm) {
    const int ranks = size_of(comm);
    const std::size_t n = 200000 / static_cast<std::size_t>(ranks);
    const auto set =
        scene_points<float>(Shape::uniform, 3, n, 1 + static_cast<unsigned>(rank_of(comm)));
    const auto domains = mpi::Domains::curve(comm, set.view());
    const CancelToken token;
    std::vector<double> visits;
    double asked = 0;
    const bool is_mine = rank_of(comm) == ranks / 2;
    expect_same_error(comm, ErrorCode::cancelled,
                      "rank " + std::to_string(ranks / 2) + " of " + std::to_string(ranks), [&] {
                        mpi::for_each_neighborhood<float>(
                            domains, {.k = 16},
                            [&](const auto&) {
                              // Slow enough that no rank is done before.
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                              visits.push_back(seconds());
                              if (is_mine && asked == 0) {
                                asked = seconds();
                                token.cancel();
                              }
                            },
                            {.threads = 1, .cancel = is_mine ? &token : nullptr});
                      });
    const double thrown = seconds();
    MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_DOUBLE, MPI_MAX, comm);
    // On a crowded machine another rank may not have begun.
    EXPECT_TRUE(!visits.empty() || !is_mine) << "this rank did not compute";
    const auto later = std::upper_bound(visits.begin(), visits.end(), asked);
    EXPECT_LT(visits.end() - later, soon) << "continued to compute";
    EXPECT_LT(thrown - asked, 30);
    expect_works(comm);
  });
}

/// A rank that would hold more than 2^32 - 16 points; here, fewer are too many.
TEST(MpiErrors, TooManyPointsOnARank) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  on_ranks(3, [](MPI_Comm comm) {
    const auto set =
        scene_points<float>(Shape::uniform, 3, 100, 1 + static_cast<unsigned>(rank_of(comm)));
    const auto domains = mpi::Domains::curve(comm, set.view());
    const std::size_t limit = std::exchange(mpi::most_points, 50);
    expect_same_error(comm, ErrorCode::too_large, "points on one rank",
                      [&] { mpi::Domains::curve(comm, set.view()); });
    mpi::most_points = domains.size() + 10;
    expect_same_error(comm, ErrorCode::too_large, "points of other ranks",
                      [&] { mpi::knn(domains, {.k = 16}); });
    mpi::most_points = limit;
    expect_works(comm);
  });
}

TEST(MpiErrors, NoCommunicator) {
  const float x[3] = {};
  EXPECT_THROW(mpi::Domains::curve(MPI_COMM_NULL, view(x, 1, 3)), Error);
}

/// The program's bar: the notes of all ranks come together on the first one while they wait.
TEST(MpiProgress, ProgressIsThatOfAllRanks) {
  Ranks* ranks = kith_mpi_start();
  ASSERT_NE(ranks, nullptr);
  const auto rank = static_cast<std::uint64_t>(ranks->rank());
  const auto size = static_cast<std::uint64_t>(ranks->size());
  std::uint64_t done = 0, total = 0;
  const auto note = ranks->share_progress([&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "link");
    done = progress.done;
    total = progress.total;
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    note({"link", rank + 1, 100});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  } while (rank == 0 && done < size * (size + 1) / 2 && std::chrono::steady_clock::now() < end);
  std::int64_t one = 1;
  ranks->sum({&one, 1});  // the others send while they wait here
  if (rank > 0) return;
  EXPECT_EQ(done, size * (size + 1) / 2);
  EXPECT_EQ(total, 100 * size);
}

}  // namespace
}  // namespace kith::test
