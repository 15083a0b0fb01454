// How a call is carried out: threads, progress, cancelling, memory, statistics, device. None of it
// ever changes a result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kith/export.hpp>

namespace kith {

/// What a progress callback is told: `done` of `total` units of the named stage.
struct Progress {
  std::string_view stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// A switch that stops a running call from another thread or a signal handler. Copies share it.
class KITH_API CancelToken {
 public:
  CancelToken();
  void cancel() const noexcept { stop_->store(true, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept { return stop_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> stop_;
};

/// What a call did; filled when `Execution::statistics` points here.
struct KITH_API Statistics {
  struct Stage {
    std::string name;
    double seconds = 0;
  };
  struct Count {
    std::string name;
    std::uint64_t value = 0;
  };
  std::vector<Stage> stages;  ///< in the order in which they ran
  std::vector<Count> counts;  ///< events worth knowing, such as "rescanned queries"

  double seconds() const;                        ///< all stages
  double seconds(std::string_view stage) const;  ///< 0 for a stage that did not run
  std::uint64_t count(std::string_view name) const;
};

/// Memory that outlives a call: large arrays that a call frees are kept for the next one instead of
/// going back to the system. Worth it when calls repeat, since the first touch of fresh memory can
/// cost more than the work. Copies share it; safe to use from several threads at once.
class KITH_API Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(const Workspace&);
  Workspace& operator=(Workspace&&) noexcept;

  std::size_t bytes_kept() const;  ///< free memory waiting for the next call
  void clear();                    ///< gives it back to the system

  class Pool;
  const std::shared_ptr<Pool>& pool() const { return pool_; }

 private:
  std::shared_ptr<Pool> pool_;
};

struct Execution {
  /// Worker threads; 0 takes as many as there are CPUs that the calling thread may use now.
  int threads = 0;

  /// Called with increasing `done`, never from two threads at once, at most some twenty times a
  /// second, from any worker thread. What it throws ends the call and reaches the caller unchanged.
  std::function<void(const Progress&)> progress = {};

  /// Set it to stop the call within 0.25 s; the call then throws Error with code `cancelled`.
  const CancelToken* cancel = nullptr;

  /// Receives the time of each stage, added to what is there already.
  Statistics* statistics = nullptr;

  /// Keeps large arrays between calls.
  const Workspace* workspace = nullptr;

  /// Where the work is done: "cpu", or "gpu", "gpu:1", ... for a device of kith/gpu.hpp, which
  /// gives the same bits. Calls without code for devices refuse all but "cpu" (`unavailable`).
  std::string device = "cpu";
};

}  // namespace kith
