// Memory that stays: many small calls of each kind leave the resident set as it was.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

#include "calls/calls.hpp"
#include "calls/folder.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

/// Bytes of memory that the process has in use.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr int kWarmUp = 500;
/// KITH_CASES multiplies it.
constexpr int kCalls = 5000;

/// A leak of 400 bytes a call would be 2 MB; campaigns make more calls.
constexpr std::size_t kGrowth = std::size_t{2} << 20;

class ResidentSet : public ::testing::Test {
 protected:
  void expect_no_growth(const Call& call, int threads, int calls = kCalls) {
    const Execution execution{.threads = threads};
    for (int i = 0; i < kWarmUp * calls / kCalls; ++i) call.run(execution);
    const std::size_t before = resident_bytes();
    const long all = std::lround(calls * number_from("KITH_CASES", 1));
    for (long i = 0; i < all; ++i) call.run(execution);
    EXPECT_LE(resident_bytes(), before + kGrowth) << call.name << " with " << threads << " threads";
  }
  Folder folder_;
};

TEST_F(ResidentSet, StaysOverManyCallsOfTheCore) {
  const Scene scene(sample::uniform({.n = 100}), Box::periodic(1), folder_.path);
  for (const Call& call : core_calls(scene)) expect_no_growth(call, 2);
}

/// Some of these take milliseconds, because they integrate a power spectrum: fewer calls.
TEST_F(ResidentSet, StaysOverManySamples) {
  const std::set<std::string> slow{"cosmology", "linear_power", "mass_function, theory",
                                   "sigma_of_mass"};
  for (const Call& call : sample_calls(300))
    expect_no_growth(call, 2, slow.contains(call.name) ? 50 : kCalls / 20);
}

/// Some take as long as the disk: fewer calls.
TEST_F(ResidentSet, StaysOverManyFiles) {
  const Scene scene(sample::uniform({.n = 60}), Box::periodic(1), folder_.path);
  for (const Call& call : file_calls(scene)) expect_no_growth(call, 2, 300);
}

/// Loops that do share their work: more ranges than one, and more threads than CPUs.
TEST_F(ResidentSet, StaysOverLoopsOfManyThreads) {
  const Scene scene(sample::uniform({.n = 3000}), Box::periodic(1), folder_.path);
  const Call call{"kth_distance",
                  [&](const Execution& e) { kth_distance(scene.tree, {.k = 2}, e); }};
  for (const int threads : {1, 2, 5}) expect_no_growth(call, threads, kCalls / 4);
}

}  // namespace
}  // namespace kith::test
