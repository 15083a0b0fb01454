// Numbers in memory, in one of two types.
#pragma once

#include <memory>

#include <kith/catalogue.hpp>
#include <kith/points.hpp>

namespace kith::cli {

class Numbers {
 public:
  Numbers() = default;
  Numbers(Scalar scalar, std::size_t count);
  Scalar scalar() const { return scalar_; }
  std::size_t count() const { return count_; }
  float* floats() { return static_cast<float*>(data_.get()); }
  double* doubles() { return static_cast<double*>(data_.get()); }
  PointsView rows(int dimension) const;
  ValuesView values() const { return {data_.get(), count_, scalar_}; }
  double operator[](std::size_t i) const;
  void set(std::size_t i, double number);

 private:
  Scalar scalar_ = Scalar::float32;
  std::size_t count_ = 0;
  std::shared_ptr<void> data_;
};

}  // namespace kith::cli
