// Large arrays: uninitialized, aligned for SIMD, on huge pages where the system gives them, and
// kept in a Workspace between calls where the caller has one.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <kith/execution.hpp>

#include "base/shared.hpp"

namespace kith {

/// A block of memory that the system does not have; public_call makes an Error of it.
struct KITH_SHARED NoMemory : std::bad_alloc {
  explicit NoMemory(std::size_t size) noexcept : bytes(size) {}
  std::size_t bytes;
};

/// A raw block of memory, from a pool or from the system; the destructor returns it.
class KITH_SHARED Memory {
 public:
  Memory() = default;
  /// Throws NoMemory. The bytes are aligned to at least 64, and not initialized.
  Memory(std::size_t bytes, std::shared_ptr<Workspace::Pool> pool);
  /// Memory of another owner, who keeps it for as long as this lives.
  static Memory borrowed(void* data, std::size_t bytes) {
    Memory memory;
    memory.data_ = data;
    memory.capacity_ = bytes;
    memory.is_borrowed_ = true;
    return memory;
  }
  ~Memory() { release(); }
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    Memory(std::move(other)).swap(*this);
    return *this;
  }

  void* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }  ///< bytes, at least as many as requested

 private:
  void release() noexcept;
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_borrowed_, other.is_borrowed_);
    std::swap(pool_, other.pool_);
  }

  void* data_ = nullptr;
  std::size_t capacity_ = 0;
  bool is_borrowed_ = false;
  std::shared_ptr<Workspace::Pool> pool_;
};

/// The pool of a call, or none.
inline std::shared_ptr<Workspace::Pool> pool_of(const Execution& execution) {
  return execution.workspace ? execution.workspace->pool() : nullptr;
}

/// An array of plain values in one block of memory.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t size, std::shared_ptr<Workspace::Pool> pool = nullptr)
      : memory_(bytes_of(size), std::move(pool)), size_(size) {}
  /// Values in memory of another owner; if it is read-only, they must not be written.
  static Array borrowed(T* data, std::size_t size) {
    Array array;
    array.memory_ = Memory::borrowed(data, size * sizeof(T));
    array.size_ = size;
    return array;
  }

  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return memory_.capacity(); }
  T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }

 private:
  /// A product that does not fit becomes a size that no machine has.
  static constexpr std::size_t bytes_of(std::size_t size) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    return size > kMost / sizeof(T) ? kMost : size * sizeof(T);
  }

  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace kith
