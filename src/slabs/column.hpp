// A column of values on disk, slab after slab: the results of searches.
#pragma once

#include <cstring>
#include <mutex>
#include <vector>

#include <kith/io/stored_neighbors.hpp>

#include "base/access.hpp"
#include "base/fail.hpp"
#include "slabs/pieces.hpp"
#include "slabs/store.hpp"

namespace kith::slabs {

class Column {
 public:
  /// `none`: the value of dropped points.
  template <class T, class Value>
  Column(const SlabStore<T>& store, Value none, std::size_t width)
      : Column(store.scratch, store.size, store.slabs(), store.total, store.input_order(), none,
               width) {}
  /// For `total` of `size` points in this order; the others have no value.
  template <class Value>
  Column(std::shared_ptr<Scratch> scratch, std::uint64_t size, std::size_t slabs,
         std::uint64_t total, OrderOfInput order, Value none, std::size_t width)
      : scratch_(std::move(scratch)),
        size_(size),
        slabs_(slabs),
        place_(scratch_->reserve(total * width * sizeof(Value))),
        none_(width * sizeof(Value)),
        order_(std::move(order)) {
    for (std::size_t i = 0; i < width; ++i)
      std::memcpy(none_.data() + i * sizeof(Value), &none, sizeof(Value));
  }

  std::uint64_t size() const { return size_; }
  DiskUse disk() const { return {slabs_, scratch_->written(), scratch_->read_so_far()}; }

  /// Values of points from `begin` on, among those of all slabs.
  template <class Value>
  void write(std::uint64_t begin, std::span<const Value> values, const Workers& workers) const {
    in_pieces(values, workers, [&](std::size_t first, std::span<const Value> piece) {
      scratch_->write(place_ + begin * none_.size() + first * sizeof(Value), piece);
    });
  }

  /// Rows in the order of the input. Errors: invalid_argument.
  template <class Value>
  void read(const char* call, std::uint64_t begin, std::span<Value> out) const {
    const std::size_t width = none_.size() / sizeof(Value);
    const std::size_t rows = width == 0 ? 0 : out.size() / width;
    if (begin > size_ || rows > size_ - begin || rows * width != out.size())
      refuse("{}: {} values in rows of {} from row {}, of {} rows", call, out.size(), width, begin,
             size_);
    const std::lock_guard lock(mutex_);
    order_.read(place_, none_.size(), begin, rows, none_.data(), out.data());
  }

 private:
  std::shared_ptr<Scratch> scratch_;
  std::uint64_t size_;
  std::size_t slabs_;
  std::uint64_t place_;
  std::vector<char> none_;
  mutable std::mutex mutex_;
  mutable OrderOfInput order_;
};

}  // namespace kith::slabs

namespace kith {

class StoredNeighbors::Impl {
 public:
  std::size_t k = 0;
  Scalar scalar = Scalar::float32;
  bool is_wide = false;  ///< indices of 64 bits
  std::unique_ptr<slabs::Column> index, distance;
};

template <class Value>
class StoredNumbers<Value>::Impl {
 public:
  std::unique_ptr<slabs::Column> column;
};

}  // namespace kith
