#include "parallel/arena.hpp"

#include <optional>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace kith {

int available_threads() { return tbb::info::default_concurrency(); }

struct Arena::Threads {
  explicit Threads(int threads) : arena(threads) {
    // TBB starts no more threads than there are cores unless it is told to.
    if (threads > available_threads())
      limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

Arena::Arena(int threads) : threads_(std::make_unique<Threads>(threads)) {}
Arena::~Arena() = default;

void Arena::run(std::size_t count, Task task, const void* context) const {
  threads_->arena.execute([=] {
    tbb::parallel_for(
        std::size_t{0}, count, [=](std::size_t i) { task(context, i); }, tbb::auto_partitioner());
  });
}

}  // namespace kith
