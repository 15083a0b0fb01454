#include "base/array.hpp"

#include <cstdlib>
#include <limits>
#include <mutex>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "base/fail.hpp"

namespace kith {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kMaxBytes = std::numeric_limits<std::ptrdiff_t>::max();

bool is_large(std::size_t bytes) { return bytes >= kHugePage; }

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = is_large(bytes) ? kHugePage : kCacheLine;
  return (bytes + unit - 1) / unit * unit;
}

void* allocate(std::size_t bytes) {
  void* data = std::aligned_alloc(is_large(bytes) ? kHugePage : kCacheLine, bytes);
  if (!data) throw NoMemory(bytes);
#ifdef MADV_HUGEPAGE
  // Measured in bench/tree: small pages cost a tree of 10^6 points a third of its build time.
  if (is_large(bytes)) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

}  // namespace

/// Free large blocks, smallest sufficient one first.
class Workspace::Pool {
 public:
  ~Pool() { clear(); }

  /// A free block of `bytes` or somewhat more; nullptr if there is none.
  std::pair<void*, std::size_t> acquire(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const std::size_t size = free_[i].second;
      if (size < bytes || size > 2 * bytes) continue;  // do not waste a block over twice as large
      if (best == free_.size() || size < free_[best].second) best = i;
    }
    if (best == free_.size()) return {nullptr, 0};
    const auto block = free_[best];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    return block;
  }

  void give(void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    free_.emplace_back(data, bytes);
  }

  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& block : free_) sum += block.second;
    return sum;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    for (const auto& block : free_) std::free(block.first);
    free_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<void*, std::size_t>> free_;
};

Workspace::Workspace() {
  try {
    pool_ = std::make_shared<Pool>();
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, "workspace: out of memory; free some");
  }
}
Workspace::~Workspace() = default;
Workspace::Workspace(const Workspace&) = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(const Workspace&) = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
// A workspace that was moved from has no pool: calls use it as if there were none.
std::size_t Workspace::bytes_kept() const { return pool_ ? pool_->bytes() : 0; }
void Workspace::clear() {
  if (pool_) pool_->clear();
}

Memory::Memory(std::size_t bytes, std::shared_ptr<Workspace::Pool> pool) {
  if (bytes == 0) return;
  if (bytes > kMaxBytes) throw NoMemory(bytes);  // rounding up would wrap around
  capacity_ = rounded(bytes);
  if (pool && is_large(capacity_)) {
    pool_ = std::move(pool);
    if (const auto [data, size] = pool_->acquire(capacity_); data) {
      data_ = data;
      capacity_ = size;
      return;
    }
  }
  data_ = allocate(capacity_);
}

void Memory::release() noexcept {
  if (!data_ || is_borrowed_) return;
  try {
    if (pool_) return pool_->give(data_, capacity_);
  } catch (...) {  // the pool's own list could not grow
  }
  std::free(data_);
}

}  // namespace kith
