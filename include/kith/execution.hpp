// How a call runs: threads, progress, cancelling, memory, statistics, device. None of these changes
// a result.
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

/// The argument of a progress callback: `done` of `total` units of the named stage.
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

/// Times and counts of a call, filled if `Execution::statistics` points here.
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
  std::vector<Count> counts;  ///< numbers of events, such as "rescanned queries"

  double seconds() const;                        ///< of all stages
  double seconds(std::string_view stage) const;  ///< 0 for a stage that did not run
  std::uint64_t count(std::string_view name) const;
};

/// Memory that outlives a call: large arrays that a call frees are kept for the next one and not
/// returned to the system. Use it for repeated calls: the first touch of fresh memory can cost more
/// than the work. Copies share the memory; several threads may use it at once.
class KITH_API Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(const Workspace&);
  Workspace& operator=(Workspace&&) noexcept;

  std::size_t bytes_kept() const;  ///< free memory kept for the next call
  void clear();                    ///< returns it to the system

  class Pool;
  const std::shared_ptr<Pool>& pool() const { return pool_; }

 private:
  std::shared_ptr<Pool> pool_;
};

struct Execution {
  /// Worker threads; 0 means as many as there are CPUs that the calling thread may use now.
  int threads = 0;

  /// Called about twenty times a second at most, with increasing `done`, from any worker thread but
  /// never from two at once. An exception that it throws ends the call and reaches the caller.
  std::function<void(const Progress&)> progress = {};

  /// Set it to stop the call within 0.25 s; the call then throws Error with code `cancelled`.
  const CancelToken* cancel = nullptr;

  /// Receives the time of each stage, added to its present content.
  Statistics* statistics = nullptr;

  /// Keeps large arrays between calls.
  const Workspace* workspace = nullptr;

  /// The device that does the work: "cpu", or "gpu", "gpu:1", ... (see kith/gpu.hpp); the bits are
  /// the same. Calls that have no code for devices accept "cpu" only (error: `unavailable`).
  std::string device = "cpu";
};

}  // namespace kith
