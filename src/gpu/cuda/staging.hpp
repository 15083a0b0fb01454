// Copies between memory of the host that may be paged out and a device. Drivers copy such memory
// at a fraction of the speed of the bus; so large copies go through two pinned buffers: while one
// crosses the bus, the host fills or empties the other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "gpu/cuda/api.hpp"

namespace kith::gpu::cuda {

/// Of one device and its stream. Callers have entered the device. Calls may come from several
/// threads at once; they take turns.
class Staging {
 public:
  explicit Staging(const Api& api) : api_(api) {}

  /// Both return when the bytes are copied. Errors: those of the driver.
  void write(Memory to, const void* from, std::size_t bytes, Handle stream);
  void read(void* to, Memory from, std::size_t bytes, Handle stream);

  /// Bytes of a buffer; copies of fewer go directly. Tests make it small.
  static inline std::atomic<std::size_t> room{std::size_t{4} << 20};

 private:
  struct Piece {
    std::size_t at, bytes;
  };
  static Piece piece(std::size_t number, std::size_t bytes, std::size_t room);

  bool has_buffers();
  void begin(Handle stream);
  void wait(std::size_t buffer, Name what);
  void wait_for_all(Handle stream, Name what);

  const Api& api_;
  std::mutex mutex_;
  std::array<std::byte*, 2> buffer_{};
  std::array<Handle, 2> copied_{};  // events: the last copy of a buffer is done
  std::size_t room_ = 0;            // of each buffer
  bool is_idle_ = true;             // no copy of a buffer may still run
};

}  // namespace kith::gpu::cuda
