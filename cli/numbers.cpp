#include "numbers.hpp"

namespace kith::cli {

Numbers::Numbers(Scalar scalar, std::size_t count) : scalar_(scalar), count_(count) {
  // Not initialized: the caller fills it.
  if (scalar == Scalar::float32)
    data_ = std::shared_ptr<float[]>(new float[count]);
  else
    data_ = std::shared_ptr<double[]>(new double[count]);
}

PointsView Numbers::rows(int dimension) const {
  return {data_.get(), count_ / static_cast<std::size_t>(dimension), dimension, dimension, scalar_};
}

double Numbers::operator[](std::size_t i) const {
  return scalar_ == Scalar::float32 ? static_cast<double>(static_cast<const float*>(data_.get())[i])
                                    : static_cast<const double*>(data_.get())[i];
}

void Numbers::set(std::size_t i, double number) {
  if (scalar_ == Scalar::float32)
    floats()[i] = static_cast<float>(number);
  else
    doubles()[i] = number;
}

}  // namespace kith::cli
