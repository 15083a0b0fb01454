// A view of the caller's points.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <kith/export.hpp>

namespace kith {

/// The scalar type of coordinates.
enum class Scalar { float32, float64 };

template <class T>
concept Coordinate = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Coordinate T>
inline constexpr Scalar scalar_of = std::is_same_v<T, float> ? Scalar::float32 : Scalar::float64;

/// Points in the caller's memory: `size` rows of `dimension` coordinates, each row `stride` scalars
/// after the one before (stride >= dimension). Nothing is copied; the memory must outlive the view.
struct PointsView {
  const void* data = nullptr;
  std::size_t size = 0;
  int dimension = 0;
  std::ptrdiff_t stride = 0;
  Scalar scalar = Scalar::float32;
};

/// Rows of a plain array; stride 0 means that the rows are packed.
template <Coordinate T>
PointsView view(const T* data, std::size_t size, int dimension, std::ptrdiff_t stride = 0) {
  return {data, size, dimension, stride == 0 ? dimension : stride, scalar_of<T>};
}

template <Coordinate T, std::size_t D>
PointsView view(std::span<const std::array<T, D>> points) {
  return view(points.empty() ? nullptr : points.front().data(), points.size(), static_cast<int>(D));
}

template <Coordinate T, std::size_t D>
PointsView view(const std::vector<std::array<T, D>>& points) {
  return view(std::span<const std::array<T, D>>(points));
}

}  // namespace kith
