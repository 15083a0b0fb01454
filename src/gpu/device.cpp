#include "gpu/device.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/fail.hpp"

namespace kith::gpu {
namespace {

/// Smaller buffers have sizes that are powers of two.
constexpr std::size_t kSmall = std::size_t{1} << 16;
/// The pool keeps up to this part of the memory.
constexpr std::size_t kPooledPart = 8;

}  // namespace

OpenDevice::OpenDevice(Device facts, std::unique_ptr<Driver> driver)
    : facts_(std::move(facts)),
      driver_(std::move(driver)),
      largest_piece_(driver_->largest_piece()) {}

std::size_t OpenDevice::memory_limit() const {
  const std::size_t limit = limit_;
  return limit > 0 ? limit : std::min(facts_.memory / 8 * 7, within_free_.load());
}

/// Some of it is left to drivers, which need memory themselves.
void OpenDevice::query_memory() const {
  if (const auto free = driver_->free_memory())
    within_free_ = allocated_ + pooled_ + *free / 16 * 15;
}

std::size_t OpenDevice::available() const {
  const std::size_t limit = memory_limit(), used = allocated_;
  return limit > used ? limit - used : 0;
}

Traffic OpenDevice::traffic() const {
  return {uploaded_, downloaded_, launches_, allocated_, peak_};
}

Memory OpenDevice::allocate(std::size_t bytes) {
  const std::size_t room = std::max<std::size_t>(bytes, 8);
  if (room > available() || room > largest_piece_)
    fail_for_device_memory(
        "gpu: {} bytes are not available on {}: {} of {} are in use, and one array takes at most "
        "{}; use fewer points, or raise the memory limit",
        room, facts_.name, allocated_.load(), memory_limit(), largest_piece_);
  Memory memory = take_pooled(room);
  const std::size_t now = allocated_ += bytes;
  for (std::size_t seen = peak_; seen < now && !peak_.compare_exchange_weak(seen, now);) {
  }
  return memory;
}

/// From the pool if it has a buffer that is large enough and not much larger, else a new one.
Memory OpenDevice::take_pooled(std::size_t room) {
  const std::lock_guard lock(pool_mutex_);
  const std::size_t rounded = room < kSmall ? std::bit_ceil(room) : room;
  const auto found = pool_.lower_bound(rounded);
  if (found != pool_.end() && found->first <= rounded + rounded / 4) {
    Memory memory = found->second;
    pooled_ -= found->first;
    pool_.erase(found);
    return memory;
  }
  if (allocated_ + pooled_ + rounded > memory_limit()) empty_locked_pool();
  Memory memory = nullptr;
  try {
    memory = driver_->allocate(rounded);
  } catch (const DeviceMemoryError&) {
    if (pool_.empty()) throw;
    empty_locked_pool();
    memory = driver_->allocate(rounded);
  }
  room_[memory] = rounded;
  return memory;
}

void OpenDevice::empty_locked_pool() {
  for (const auto& [size, memory] : pool_) {
    driver_->release(memory);
    room_.erase(memory);
  }
  pool_.clear();
  pooled_ = 0;
}

void OpenDevice::empty_pool() {
  const std::lock_guard lock(pool_mutex_);
  empty_locked_pool();
}

/// Without memory for its record, or beyond the limit of the pool, it is returned to the driver.
void OpenDevice::release(Memory memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(pool_mutex_);
  allocated_ -= bytes;
  const std::size_t size = room_.find(memory)->second;
  try {
    if (reuses_buffers && pooled_ + size <= memory_limit() / kPooledPart) {
      pool_.emplace(size, memory);
      pooled_ += size;
      return;
    }
  } catch (const std::bad_alloc&) {
  }
  room_.erase(memory);
  driver_->release(memory);
}

void OpenDevice::write(Memory to, std::size_t at, const void* from, std::size_t bytes) {
  driver_->write(to, at, from, bytes);
  uploaded_ += bytes;
}

void OpenDevice::read(Memory from, std::size_t at, void* to, std::size_t bytes) {
  driver_->read(from, at, to, bytes);
  downloaded_ += bytes;
}

void OpenDevice::launch_groups(const Launch& launch) {
  try {
    driver_->launch(launch);
  } catch (const DeviceMemoryError&) {
    empty_pool();  // some drivers allocate memory here
    throw;
  }
  ++launches_;
  if (!measures_) return;
  const std::lock_guard lock(times_mutex_);
  if (++measured_ >= kMostMeasured) collect_times();
}

// ---- times by the clock of the device

void OpenDevice::measure_kernels(bool is_measured) {
  finish();
  const std::lock_guard lock(times_mutex_);
  collect_times();
  if (is_measured) kernel_times_.clear();
  if (measures_ == is_measured) return;
  driver_->measure(is_measured);
  measures_ = is_measured;
}

void OpenDevice::collect_times() {
  if (measured_ == 0) return;
  finish();
  driver_->take_times([&](const char* kernel, double seconds) {
    KernelTime& sum = kernel_times_[kernel];
    sum.kernel = kernel;
    ++sum.launches;
    sum.seconds += seconds;
  });
  measured_ = 0;
}

std::vector<KernelTime> OpenDevice::kernel_times() {
  const std::lock_guard lock(times_mutex_);
  collect_times();
  std::vector<KernelTime> times;
  for (const auto& [name, time] : kernel_times_) times.push_back(time);
  std::stable_sort(times.begin(), times.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
  return times;
}

}  // namespace kith::gpu
