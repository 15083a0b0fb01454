// The real compiler of CUDA, by the code that compiles for a card: no card is needed. Skipped
// where there is no NVRTC.
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/cuda/compiler.hpp"
#include "kith/error.hpp"

namespace kith::gpu::cuda {
namespace {

constexpr int kMajor = 13;

class GpuNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvidia_compiler(kMajor);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

/// Every program: those that do not depend on the scalar type once, kNN for each pass.
std::vector<ProgramKey> programs() {
  std::vector<ProgramKey> keys = {{"scan"}, {"sort"}, {"catalogue", true, 3}};
  for (const bool is_double : {false, true}) {
    keys.push_back({"check", is_double, 1});
    for (const char* file : {"input", "order", "planes", "walk", "radius", "fof", "rows"})
      keys.push_back({file, is_double, 3});
    for (const int k : {8, 16, 32}) keys.push_back({"knn", is_double, 3, k});
  }
  return keys;
}

Device card() { return {.name = "gpu:0", .model = "a card"}; }

std::string code_of(const CompilerApi& compiler, const ProgramKey& key, int capability) {
  const Device facts = card();
  return compiled(compiler, key, {facts, capability});
}

/// The words of an instruction of PTX that rounds otherwise than the CPU; empty if it does not.
std::string different_rounding(const std::string& ptx) {
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line.compare(at, 2, "//") == 0) continue;
    for (const char* wrong : {"fma.", "mad.rn", "mad.f", ".ftz", ".approx", "div.full", ".rz.f",
                              ".rm.f", ".rp.f", ".sat"})
      if (line.find(wrong) != std::string::npos && line.find("cvt.r") == std::string::npos)
        return line;
  }
  return "";
}

TEST_F(GpuNvrtc, PtxRoundsEveryOperationAsTheCpu) {
  CompilerApi compiler = nvidia_compiler(kMajor);
  compiler.code_size = compiler.ptx_size;
  compiler.code = compiler.ptx;
  for (const ProgramKey& key : programs()) {
    const std::string ptx = code_of(compiler, key, 80);
    EXPECT_NE(ptx.find(".entry"), std::string::npos) << key.file;
    EXPECT_EQ(different_rounding(ptx), "") << key.file << (key.is_double ? ", double" : ", float");
  }
  // The test would see what it looks for.
  EXPECT_NE(different_rounding("  fma.rn.f32 %f1, %f2, %f3, %f4;"), "");
  EXPECT_NE(different_rounding("  mul.ftz.f32 %f1, %f2, %f3;"), "");
  EXPECT_EQ(different_rounding("  mad.lo.s32 %r1, %r2, %r3, %r4;"), "");
}

/// Machine code for cards of all generations; KITH_ALL_ARCHITECTURES compiles all programs for
/// each.
TEST_F(GpuNvrtc, CompilesForOldAndNewCards) {
  const bool all = std::getenv("KITH_ALL_ARCHITECTURES") != nullptr;
  const std::vector<int> capabilities =
      all ? std::vector<int>{75, 80, 86, 89, 90, 100, 103, 120} : std::vector<int>{75, 90, 120};
  const std::vector<ProgramKey> some = {{"knn", false, 3, 16}, {"sort"}};
  for (const int capability : capabilities)
    for (const ProgramKey& key : all ? programs() : some) {
      const std::string code = code_of(nvidia_compiler(kMajor), key, capability);
      EXPECT_EQ(code.substr(0, 4), "\177ELF") << key.file << ", " << capability;
    }
}

/// A card that the compiler does not know gets PTX for the newest one that it knows.
TEST_F(GpuNvrtc, CompilesForCardsOfTheFuture) {
  const std::string code = code_of(nvidia_compiler(kMajor), {"scan"}, 999);
  EXPECT_NE(code.find(".target sm_"), std::string::npos);
}

TEST_F(GpuNvrtc, AnErrorHasTheCompilersWords) {
  try {
    code_of(nvidia_compiler(kMajor), {"scan", false, 1, -1}, 20);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no code for a card (compute capability 2.0)"),
              std::string::npos)
        << error.what();
  }
  // The text of knn.cl needs K.
  try {
    code_of(nvidia_compiler(kMajor), {"knn", false, 3}, 80);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("It says: knn.cl("), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace kith::gpu::cuda
