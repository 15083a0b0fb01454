#include "arrays.hpp"

#include <stdexcept>

namespace kith::python {
namespace {

Scalar scalar_of_array(const Array& array) {
  if (array.dtype() == nb::dtype<float>()) return Scalar::float32;
  if (array.dtype() == nb::dtype<double>()) return Scalar::float64;
  throw nb::type_error("coordinates must be float32 or float64 here");
}

}  // namespace

PointsView points_of(const Array& array) {
  if (array.ndim() != 2) throw nb::value_error("points must be a matrix, one row per point");
  if (array.shape(0) > 0 && array.shape(1) > 1 && array.stride(1) != 1) {
    throw nb::value_error("the coordinates of a point must be adjacent in memory");
  }
  PointsView view;
  view.data = array.data();
  view.size = array.shape(0);
  view.dimension = static_cast<int>(array.shape(1));
  // A single row has no stride worth knowing; NumPy may report anything.
  view.stride = array.shape(0) > 1 ? array.stride(0) : view.dimension;
  view.scalar = scalar_of_array(array);
  return view;
}

ValuesView values_of(const Array& array) {
  if (array.ndim() != 1) throw nb::value_error("values must be one number per point");
  if (array.shape(0) > 1 && array.stride(0) != 1) {
    throw nb::value_error("values must be adjacent in memory");
  }
  ValuesView view;
  view.data = array.data();
  view.size = array.shape(0);
  view.scalar = scalar_of_array(array);
  return view;
}

}  // namespace kith::python
