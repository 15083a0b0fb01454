// The scheduler of fibers, and what it counts.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>

#include "fiber.hpp"
#include "kernels.hpp"

#if defined(KITH_HOST_RACES)
#include <sanitizer/tsan_interface.h>
#include <thread>
#endif

namespace kith::host {

KITH_HOST_OF_GROUP Item item;

namespace {

enum class State { ready, at_barrier, done };

/// The kernel that runs; one at a time.
const Kernel* running = nullptr;
void* const* running_arguments = nullptr;

/// Where the work-items of a group wait for each other: at its begin, at barriers and at its end.
/// A work-item may reach the next barrier while others still leave the last one.
struct Meetings {
  char begin = 0, end = 0, barriers[2] = {};
  unsigned passed = 0;
  void* barrier() { return &barriers[passed % 2]; }
};
struct Lane {
  Fiber fiber;
  State state = State::ready;
  int line = 0;                  ///< of the barrier
  Meetings* meetings = nullptr;  ///< of its group
};
KITH_HOST_OF_GROUP Lane* running_lane = nullptr;

/// For ThreadSanitizer: earlier accesses of a work-item precede those of all that pass here later.
void release([[maybe_unused]] void* place) {
#if defined(KITH_HOST_RACES)
  __tsan_release(place);
#endif
}
void acquire([[maybe_unused]] void* place) {
#if defined(KITH_HOST_RACES)
  __tsan_acquire(place);
#endif
}

/// Lanes that were in a section since the last barrier, by key.
std::array<std::vector<std::uint64_t>, static_cast<std::size_t>(Section::kCount)> lanes_in;

void add_up(KernelCounts& into) {
  for (std::size_t s = 0; s < lanes_in.size(); ++s) {
    Counts& counts = into.sections[s];
    for (const std::uint64_t lanes : lanes_in[s]) {
      counts.lanes += static_cast<unsigned>(std::popcount(lanes));
      counts.warps32 += ((lanes & 0xffffffff) != 0) + (lanes >> 32 != 0);
      counts.warps64 += lanes != 0;
    }
    lanes_in[s].clear();
  }
}

void body() {
  acquire(&running_lane->meetings->begin);
  running->call(running_arguments);
  running_lane->state = State::done;
  release(&running_lane->meetings->end);
  Fiber::leave(true);
}

/// A group of work-items and its local memory.
class Group {
 public:
  Group() : lanes_(kGroupSize) {}

  void start(unsigned number) {
    number_ = number;
    is_active_ = true;
    release(&meetings_.begin);
    for (Lane& lane : lanes_) {
      lane.meetings = &meetings_;
      lane.state = State::ready;
      lane.fiber.start(&body);
    }
    ready_ = kGroupSize;
    local_.assign(static_cast<std::size_t>(running->local.end - running->local.begin), '\xa5');
  }
  bool is_active() const { return is_active_; }

  void take_local() const {
    if (!local_.empty()) std::memcpy(running->local.begin, local_.data(), local_.size());
  }
  void keep_local() {
    if (!local_.empty()) std::memcpy(local_.data(), running->local.begin, local_.size());
  }

  /// Runs one fiber until it leaves.
  void step(unsigned lane) {
    item.lane = lane;
    item.group = number_;
    running_lane = &lanes_[lane];
    running_lane->fiber.enter();
    if (running_lane->state != State::ready) --ready_;
    if (ready_ == 0) pass_barrier();
  }

  bool is_ready(unsigned lane) const { return lanes_[lane].state == State::ready; }

 private:
  void pass_barrier() {
    const auto waiting = std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
      return lane.state == State::at_barrier;
    });
    if (item.counts) add_up(counts()[running->name]);
    if (waiting == 0) {
      is_active_ = false;
      acquire(&meetings_.end);
      return;
    }
    for (const Lane& lane : lanes_)
      if (lane.state == State::done || lane.line != lanes_.front().line)
        throw std::runtime_error(running->name + ": not all work-items reach the barrier of line " +
                                 std::to_string(lanes_.front().line));
#if !defined(KITH_HOST_RACES)
    ++counts()[running->name].barriers;
#endif
    for (Lane& lane : lanes_) lane.state = State::ready;
    ready_ = kGroupSize;
    ++meetings_.passed;
  }

  std::vector<Lane> lanes_;
  Meetings meetings_;
  std::vector<char> local_;
  unsigned number_ = 0, ready_ = 0;
  bool is_active_ = false;
};

/// Stacks are made once.
Group& group_at(std::size_t place) {
  static std::vector<std::unique_ptr<Group>> made;
  while (made.size() <= place) made.push_back(std::make_unique<Group>());
  return *made[place];
}

void run_in_order(std::size_t groups) {
  Group& group = group_at(0);
  for (std::size_t number = 0; number < groups; ++number) {
    group.start(static_cast<unsigned>(number));
    group.take_local();
    while (group.is_active())
      for (unsigned lane = 0; lane < kGroupSize; ++lane)
        if (group.is_ready(lane)) group.step(lane);
  }
}

void run_in_any_order(std::size_t groups, std::size_t at_once, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t places = std::min(groups, at_once);
  std::vector<Group*> active;
  std::size_t next = 0;
  for (; next < places; ++next) {
    active.push_back(&group_at(next));
    active.back()->start(static_cast<unsigned>(next));
  }
  while (!active.empty()) {
    const std::size_t place = random() % active.size();
    Group& group = *active[place];
    group.take_local();
    for (std::size_t steps = 1 + random() % 64; steps > 0 && group.is_active(); --steps) {
      unsigned lane = static_cast<unsigned>(random() % kGroupSize);
      while (!group.is_ready(lane)) lane = (lane + 1) % kGroupSize;
      group.step(lane);
    }
    group.keep_local();
    if (group.is_active()) continue;
    if (next < groups)
      group.start(static_cast<unsigned>(next++));
    else
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

#if defined(KITH_HOST_RACES)
/// Groups on threads, lanes in any order from barrier to barrier. Groups that do not run at the
/// same time are ordered by the threads that end and begin.
void run_at_once(std::size_t groups, std::uint64_t seed) {
  constexpr std::size_t kAtOnce = 8;
  for (std::size_t first = 0; first < groups; first += kAtOnce) {
    std::vector<std::thread> threads;
    std::array<std::exception_ptr, kAtOnce> errors;
    const std::size_t end = std::min(groups, first + kAtOnce);
    for (std::size_t number = first; number < end; ++number) group_at(number - first);
    for (std::size_t number = first; number < end; ++number)
      threads.emplace_back([&, number, common = item] {
        item = common;
        std::mt19937_64 random(seed + number);
        Group& group = group_at(number - first);
        try {
          for (group.start(static_cast<unsigned>(number)); group.is_active();) {
            auto lane = static_cast<unsigned>(random() % kGroupSize);
            while (!group.is_ready(lane)) lane = (lane + 1) % kGroupSize;
            group.step(lane);
          }
        } catch (...) {
          errors[number - first] = std::current_exception();
        }
      });
    for (std::thread& each : threads) each.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }
}
#endif

const char* text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text && *text ? text : nullptr;
}

Settings settings_of_environment() {
  Settings made;
  if (const char* seed = text_of("KITH_HOST_SEED")) {
    made.is_random = true;
    made.seed = std::strtoull(seed, nullptr, 10);
  }
  made.counts = text_of("KITH_HOST_COUNTS") != nullptr;
  return made;
}

/// To the file that is named, after each launch, since programs may leave by _exit: kernel,
/// section, warps of 32, of 64, lanes.
void write_counts() {
  std::FILE* file = std::fopen(text_of("KITH_HOST_COUNTS"), "w");
  if (!file) return;
  static constexpr const char* kNames[] = {"box",   "pair",    "accept",    "insert", "node",
                                           "entry", "compare", "candidate", "load",   "link"};
  for (const auto& [name, of] : counts()) {
    std::fprintf(file, "%s groups %llu %llu %llu\n", name.c_str(), (unsigned long long)of.groups,
                 (unsigned long long)of.launches, (unsigned long long)of.barriers);
    for (std::size_t s = 0; s < of.sections.size(); ++s)
      if (of.sections[s].lanes > 0)
        std::fprintf(file, "%s %s %llu %llu %llu\n", name.c_str(), kNames[s],
                     (unsigned long long)of.sections[s].warps32,
                     (unsigned long long)of.sections[s].warps64,
                     (unsigned long long)of.sections[s].lanes);
  }
  std::fclose(file);
}

}  // namespace

void barrier(int line) {
  running_lane->state = State::at_barrier;
  running_lane->line = line;
  void* meeting = running_lane->meetings->barrier();
  release(meeting);
  Fiber::leave(false);
  acquire(meeting);
}

void yield() { Fiber::leave(false); }

void count(Section section, std::size_t key) {
  auto& lanes = lanes_in[static_cast<std::size_t>(section)];
  if (lanes.size() <= key) lanes.resize(key + 1);
  lanes[key] |= std::uint64_t{1} << item.lane;
}

Settings& settings() {
  static Settings made = settings_of_environment();
  return made;
}

std::map<std::string, KernelCounts>& counts() {
  static std::map<std::string, KernelCounts> made;
  return made;
}

void run(const Kernel& kernel, std::size_t groups, void* const* arguments) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Settings& how = settings();
  running = &kernel;
  running_arguments = arguments;
  item = {0, 0, static_cast<unsigned>(groups), how.is_random, how.counts};
  KernelCounts& into = counts()[kernel.name];
  ++into.launches;
  into.groups += groups;
#if defined(KITH_HOST_RACES)
  item.yields = false;
  return run_at_once(groups, how.seed++);
#endif
  const bool can_save = kernel.local.end > kernel.local.begin;
  if (how.is_random)
    run_in_any_order(groups, can_save ? how.groups_at_once : 1, how.seed++);
  else
    run_in_order(groups);
  if (text_of("KITH_HOST_COUNTS")) write_counts();
}

}  // namespace kith::host
