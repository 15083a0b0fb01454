#include "parallel/arena.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <thread>
#include <utility>

#include "parallel/cpu_mask.hpp"

namespace kith {

// TBB counts the CPUs once, when it starts: it would keep a process that began on one CPU at one
// thread forever.
int available_threads() {
  const int cpus = cpus_of_thread().count();
  return cpus > 0 ? cpus : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

struct Arena::Team {
  explicit Team(int count) : threads(count), arena(count) {}

  const int threads;
  tbb::task_arena arena;
  std::optional<tbb::global_control> limit;  // while a call uses the team
  unsigned process = 0;                      // in which it was made, see Idle
  Team* next = nullptr;                      // in the list of idle teams
};

/// The teams that no call uses now. An intrusive list, so that returning a team takes no memory.
/// Teams are never destroyed; there are as many as calls have run at once. The list is initialized
/// statically, without a guard: ThreadSanitizer would not see the guard in code that is not
/// instrumented.
class Arena::Idle {
 public:
  static Idle idle;

  Team* acquire(int threads) {
    const std::lock_guard lock(mutex_);
    for (Team** link = &first_; *link; link = &(*link)->next)
      if ((*link)->threads == threads) return std::exchange(*link, (*link)->next);
    return nullptr;
  }

  Team* make(int threads) const {
    Team* team = new Team(threads);
    team->process = process_;
    return team;
  }

  void give(Team* team) {
    const std::lock_guard lock(mutex_);
    if (team->process != process_) return;  // its threads live on the other side of a fork
    team->next = std::exchange(first_, team);
  }

  /// In the child of a fork: the threads of all teams are gone, and another thread may have held
  /// the lock. The teams are left alone; their memory is the parent's, page by page.
  void begin_child() {
    new (&mutex_) std::mutex;
    first_ = nullptr;
    ++process_;
  }

 private:
  std::mutex mutex_;
  Team* first_ = nullptr;
  unsigned process_ = 0;
};

constinit Arena::Idle Arena::Idle::idle;

const int Arena::forks = pthread_atfork(nullptr, nullptr, [] { Idle::idle.begin_child(); });

Arena::Arena(int threads) : team_(Idle::idle.acquire(threads)) {
  if (!team_) team_ = Idle::idle.make(threads);
  // By default TBB starts no more threads than the number of CPUs that it counted.
  if (threads <= tbb::info::default_concurrency()) return;
  try {
    team_->limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
  } catch (...) {
    Idle::idle.give(team_);
    throw;
  }
}

Arena::~Arena() {
  team_->limit.reset();
  Idle::idle.give(team_);
}

void Arena::run(std::size_t count, Task task, void* context) const {
  team_->arena.execute([=] {
    tbb::parallel_for(
        std::size_t{0}, count, [=](std::size_t i) { task(context, i); }, tbb::auto_partitioner());
  });
}

}  // namespace kith
