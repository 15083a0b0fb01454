// Labels in the caller's memory, and the memory that they take.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/prctl.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class T>
void check_in_place(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), ranks = size_of(comm);
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const std::size_t n = draw.below(2000);
  const bool has_bad = draw.below(3) == 0, has_ids = draw.below(3) == 0;
  PointSet<T> set = scene_points<T>(shape, 3, n, draw.random());
  for (std::size_t i = 0; has_bad && i < set.x.size(); i += 1 + draw.below(900))
    set.x[i] = std::numeric_limits<T>::quiet_NaN();
  const Scene<T> scene(set, dealt(set, deal, ranks, draw.random()), ranks);
  const PointsView part = scene.part(rank);
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; has_ids && i < part.size; ++i)
    ids.push_back(static_cast<std::int64_t>(7 * n - 3 * (scene.begin(rank) + i)));
  const FofOptions options{.linking_length = 0.06, .min_size = draw.one_of<std::size_t>({1, 4})};
  const mpi::DomainOptions tree{.tree = {.non_finite = NonFinite::drop}, .ids = ids};
  const Execution execution{.threads = threads};
  const auto domains = draw.below(3) > 0 ? mpi::Domains::keep(comm, part, tree, execution)
                                         : mpi::Domains::curve(comm, part, tree, execution);
  const mpi::Groups expected = mpi::fof(domains, options, RowOrder::input, execution);
  std::vector<std::int64_t> label(part.size, 77);
  const mpi::Groups groups = mpi::fof(domains, options, label, execution);
  EXPECT_TRUE(
      std::equal(label.begin(), label.end(), expected.label().begin(), expected.label().end()));
  EXPECT_EQ(groups.label().data(), label.data());
  EXPECT_EQ(groups.count(), expected.count());
  if (has_ids || has_bad) return;
  const Groups one = fof(scene.all.view(), options, {.threads = 1});
  for (std::size_t i = 0; i < label.size(); ++i)
    ASSERT_EQ(label[i], one.label()[scene.begin(rank) + i]);
}

TEST(MpiInPlace, HasTheSameLabels) {
  check_cases(8, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_in_place<T>(comm, seed, threads);
  });
}

/// A line of /proc/self/status, in bytes.
std::size_t status(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[200];
  std::size_t kilobytes = 0;
  while (file && std::fgets(line, sizeof line, file))
    if (std::strncmp(line, name, std::strlen(name)) == 0)
      kilobytes = std::strtoull(line + std::strlen(name) + 1, nullptr, 10);
  if (file) std::fclose(file);
  return kilobytes * 1024;
}

/// Bytes that the C library has given out.
std::size_t given_out() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Resets the peak to the memory in use now.
bool forget_peak() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  return file && std::fputs("5", file) >= 0 && std::fclose(file) == 0;
}

TEST(MpiInPlace, TakesAtMost44BytesPerPoint) {
  on_ranks(std::min(2, world_size()), [](MPI_Comm comm) {
    constexpr std::size_t n = 1500000;
    // Slabs, so that there are few ghosts.
    const auto set = make_set<float>("slab", 3, n, [&](std::size_t i, int axis) {
      std::uint64_t state = (3 * i + static_cast<std::size_t>(axis) + 1) * 0x9e3779b97f4a7c15;
      state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
      const double x = static_cast<double>((state ^ state >> 27) >> 11) * 0x1p-53;
      return axis == 0 ? rank_of(comm) + x : x;
    });
    std::vector<std::int64_t> label(n);
    const auto run = [&](std::size_t count) {
      const PointsView points = view(set.x.data(), count, 3);
      const auto domains = mpi::Domains::keep(comm, points, {}, {.threads = 1});
      mpi::fof(domains, {.linking_length = 0.002, .min_size = 20}, std::span(label).first(count),
               {.threads = 1});
    };
    // Large pages would make the peak depend on which of them the system happens to have.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    run(100000);  // makes everything that is made once
    malloc_trim(0);
    const std::size_t before = status("VmRSS:"), given = given_out();
    if (!forget_peak()) GTEST_SKIP() << "the peak of this process cannot be reset";
    run(n);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    const auto more = static_cast<double>(status("VmHWM:") - before) / n;
    const auto left = static_cast<double>(given_out()) - static_cast<double>(given);
    std::printf("rank %d: %.1f bytes per point at the peak\n", rank_of(comm), more);
    EXPECT_LE(more, 44);
    EXPECT_GE(more, 30);  // it was measured at all
    EXPECT_LE(left, 2e6);
    EXPECT_LE(mpi::estimate_fof_memory(n, 3, Scalar::float32).peak, 44 * n);
    EXPECT_GE(static_cast<double>(mpi::estimate_fof_memory(n, 3, Scalar::float32).peak) / n,
              0.95 * more);
  });
}

}  // namespace
}  // namespace kith::test
