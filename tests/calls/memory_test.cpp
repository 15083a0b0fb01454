// Calls when memory runs out: the n-th allocation fails, for n = 1, 2, 3, ... until the
// call succeeds. Each failure is an Error, nothing is leaked, and the next call works.
//
// The allocations are those of C++ (operator new) and of kith's arrays (aligned_alloc). oneTBB
// takes memory by malloc: where that fails, TBB throws std::bad_alloc from the calling thread,
// which becomes an Error as well; on a thread of TBB it may end the process, which kith
// cannot prevent and this test does not try.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <vector>

#include "calls/calls.hpp"
#include "calls/folder.hpp"
#include "support/property.hpp"

namespace {

/// Counts allocations down; the one that finds 0 fails, and all after it if `for_good`.
std::atomic<long> countdown{-1};
std::atomic<bool> for_good{false};
std::atomic<long> live{0};

bool fails_now() {
  long left = countdown.load(std::memory_order_relaxed);
  while (left >= 0) {
    const long next = left > 0 ? left - 1 : for_good ? 0 : -1;
    if (countdown.compare_exchange_weak(left, next, std::memory_order_relaxed)) return left == 0;
  }
  return false;
}

void* allocate(std::size_t size) {
  if (fails_now()) throw std::bad_alloc();
  void* data = std::malloc(size > 0 ? size : 1);
  if (!data) throw std::bad_alloc();
  live.fetch_add(1, std::memory_order_relaxed);
  return data;
}

void release(void* data) noexcept {
  if (!data) return;
  live.fetch_sub(1, std::memory_order_relaxed);
  std::free(data);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (...) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* data) noexcept { release(data); }
void operator delete[](void* data) noexcept { release(data); }
void operator delete(void* data, std::size_t) noexcept { release(data); }
void operator delete[](void* data, std::size_t) noexcept { release(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { release(data); }
void operator delete[](void* data, const std::nothrow_t&) noexcept { release(data); }

/// In the place of the C library's, or the sanitizer's.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* data = nullptr;
  return fails_now() || posix_memalign(&data, alignment, size) != 0 ? nullptr : data;
}

namespace kith::test {
namespace {

enum class Outcome { done, error, foreign };

/// Runs the call with its n-th allocation (from 0) failing.
Outcome outcome_of(const Call& call, const Execution& execution, long n, bool to_the_end,
                   std::string& message) {
  for_good = to_the_end;
  countdown = n;
  try {
    call.run(execution);
    countdown = -1;
    return Outcome::done;
  } catch (const Error& error) {
    countdown = -1;
    message = error.what();
    return error.code() == ErrorCode::out_of_memory || error.code() == ErrorCode::io
               ? Outcome::error
               : Outcome::foreign;
  } catch (const std::exception& exception) {
    countdown = -1;
    message = std::string("foreign: ") + exception.what();
    return Outcome::foreign;
  }
}

void expect_errors_only(const Call& call, int threads, bool to_the_end) {
  const Execution execution{.threads = threads};
  call.run(execution);  // makes everything that is made once per process
  std::string message;
  message.reserve(1000);
  const long dense = std::max(1L, std::lround(200 * number_from("KITH_CASES", 1)));
  for (long n = 0;; n += 1 + n / dense) {  // every one at first, then fewer
    const long before = live;
    const Outcome outcome = outcome_of(call, execution, n, to_the_end, message);
    ASSERT_NE(outcome, Outcome::foreign) << call.name << ", allocation " << n << ": " << message;
    // On several threads, TBB and the loops' workers settle in their own time.
    if (threads == 1) {
      ASSERT_LE(live, before) << call.name << " leaks, allocation " << n;
    }
    if (outcome == Outcome::done) break;
    ASSERT_NE(message.find(": "), std::string::npos) << message;
    ASSERT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
    ASSERT_NO_THROW(call.run(execution)) << call.name << " after allocation " << n;
  }
}

/// All, or those whose names contain the words of KITH_CALL: to look at one that fails.
std::vector<Call> asked_for(std::vector<Call> calls) {
  if (const char* words = std::getenv("KITH_CALL"))
    std::erase_if(calls,
                  [&](const Call& call) { return call.name.find(words) == std::string::npos; });
  return calls;
}

class OutOfMemory : public ::testing::TestWithParam<bool> {
 protected:
  Folder folder_;
  Scene scene_{sample::uniform({.n = 120, .seed = 5}), Box::periodic(1), folder_.path};
};

TEST_P(OutOfMemory, IsAnErrorOfEveryCall) {
  for (const Call& call : asked_for(all_calls(scene_))) {
    SCOPED_TRACE(call.name);
    ASSERT_NO_FATAL_FAILURE(expect_errors_only(call, 1, GetParam()));
  }
}

TEST_P(OutOfMemory, IsAnErrorOnSeveralThreads) {
  for (const Call& call : asked_for(core_calls(scene_))) {
    SCOPED_TRACE(call.name);
    ASSERT_NO_FATAL_FAILURE(expect_errors_only(call, 2, GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Allocations, OutOfMemory, ::testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "AllFromNthOn" : "NthAlone"; });

/// The bytes that are named are those that were asked for, not an estimate.
TEST(OutOfMemoryOfFof, NamesTheBytes) {
  const auto x = sample::uniform({.n = 5000, .seed = 5});
  const Tree tree(x.view());
  std::string messages;
  messages.reserve(10000);
  for (long n = 0; n < 40; ++n) {
    countdown = n;
    try {
      fof(tree, {.linking_length = 0.01}, {.threads = 1});
    } catch (const Error& error) {
      messages.append(error.what()).append("\n");
    }
    countdown = -1;
  }
  EXPECT_NE(messages.find("fof: 20032 bytes of memory are not available"), std::string::npos)
      << messages;
  EXPECT_EQ(messages.find("about"), std::string::npos) << messages;
}

}  // namespace
}  // namespace kith::test
