// A view of the caller's points.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <kith/error.hpp>
#include <kith/export.hpp>

namespace kith {

/// The scalar type of coordinates.
enum class Scalar { float32, float64 };

template <class T>
concept Coordinate = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Coordinate T>
inline constexpr Scalar scalar_of = std::is_same_v<T, float> ? Scalar::float32 : Scalar::float64;

namespace detail {

template <class P>
struct PointTraits {};
template <Coordinate T, std::size_t D>
struct PointTraits<std::array<T, D>> {
  using coordinate = T;
  static constexpr int kDimension = D;
};
template <Coordinate T, std::size_t D>
struct PointTraits<T[D]> {
  using coordinate = T;
  static constexpr int kDimension = D;
};

template <class P>
using Traits = PointTraits<std::remove_cvref_t<P>>;

}  // namespace detail

/// One point: std::array<T, D> or T[D], of float or double.
template <class P>
concept Point = requires {
  typename detail::Traits<P>::coordinate;
};

/// Elements one after the other in memory: std::vector, std::span, an array, ...
template <class R>
concept Elements = std::ranges::contiguous_range<const R> && std::ranges::sized_range<const R>;

/// Points one after the other in memory.
template <class R>
concept PointRange = Elements<R> && Point<std::ranges::range_value_t<const R>>;

namespace detail {

template <class R>
using PointIn = Traits<std::ranges::range_value_t<const R>>;
template <class R>
using CoordinateIn = typename PointIn<R>::coordinate;

template <PointRange R>
const CoordinateIn<R>* first_coordinate(const R& points) {
  return std::ranges::empty(points) ? nullptr : std::data(*std::ranges::data(points));
}

}  // namespace detail

/// Points in the caller's memory: `size` rows of `dimension` coordinates, each row `stride` scalars
/// after the one before (stride >= dimension). Nothing is copied; the memory must outlive the view.
/// Every function that takes a view also takes a range of points.
struct PointsView {
  const void* data = nullptr;
  std::size_t size = 0;
  int dimension = 0;
  std::ptrdiff_t stride = 0;
  Scalar scalar = Scalar::float32;

  PointsView() = default;
  PointsView(const void* points, std::size_t count, int axes, std::ptrdiff_t row_stride,
             Scalar type = Scalar::float32)
      : data(points), size(count), dimension(axes), stride(row_stride), scalar(type) {}
  template <PointRange R>
  PointsView(const R& points)
      : PointsView(detail::first_coordinate(points), std::ranges::size(points),
                   detail::PointIn<R>::kDimension, detail::PointIn<R>::kDimension,
                   scalar_of<detail::CoordinateIn<R>>) {}
};

namespace detail {
/// Errors: invalid_argument for points of another scalar type.
KITH_API const PointsView& checked(const PointsView& points, Scalar scalar);
}  // namespace detail

/// A view of points of type T.
template <Coordinate T>
struct View : PointsView {
  View() { scalar = scalar_of<T>; }
  View(const T* points, std::size_t count, int axes, std::ptrdiff_t row_stride)
      : PointsView(points, count, axes, row_stride, scalar_of<T>) {}

  template <PointRange R>
  requires std::same_as<detail::CoordinateIn<R>, T> View(const R& points) : PointsView(points) {}

  /// A view whose type is known at run time only. Errors: invalid_argument for another scalar type.
  template <std::same_as<PointsView> Erased>
  View(const Erased& points) : PointsView(detail::checked(points, scalar_of<T>)) {}
};

template <PointRange R>
View(const R&) -> View<detail::CoordinateIn<R>>;

/// Finds the point in an element of a range, such as a pointer to a member. It must return a
/// reference to a part of the element, the same part of every element.
template <class F, class R>
concept PointProjection = Elements<R> &&
    requires(F& point_of, const std::ranges::range_value_t<const R>& element) {
  { std::invoke(point_of, element) } -> Point;
  requires std::is_lvalue_reference_v<decltype(std::invoke(point_of, element))>;
};

/// Rows of a plain array; stride 0 means that the rows are packed.
template <Coordinate T>
View<T> view(const T* data, std::size_t size, int dimension, std::ptrdiff_t stride = 0) {
  return {data, size, dimension, stride == 0 ? dimension : stride};
}

/// Points that are a part of something larger, in place: view(particles, &Particle::position).
template <class R, PointProjection<R> F>
auto view(const R& elements, F point_of) {
  using Element = std::ranges::range_value_t<const R>;
  using Traits = detail::Traits<std::invoke_result_t<F&, const Element&>>;
  using T = typename Traits::coordinate;
  static_assert(sizeof(Element) % sizeof(T) == 0, "elements must be a whole number of scalars");
  const T* first = nullptr;
  if (!std::ranges::empty(elements))
    first = std::data(std::invoke(point_of, *std::ranges::data(elements)));
  return View<T>(first, std::ranges::size(elements), Traits::kDimension,
                 sizeof(Element) / sizeof(T));
}

template <PointRange R>
auto view(const R& points) {
  return View(points);
}

/// std::mdspan and what looks like it, with a row for each point.
template <class M>
concept Matrix = requires(const M& matrix) {
  requires Coordinate<std::remove_cvref_t<decltype(*matrix.data_handle())>>;
  matrix.extent(1);
  matrix.stride(1);
};

/// The rows of a matrix in place. Errors: invalid_argument if the coordinates of a point are not
/// next to each other.
template <Matrix M>
auto view(const M& rows) {
  if (rows.extent(1) > 1 && rows.stride(1) != 1)
    throw Error(ErrorCode::invalid_argument,
                "view: the coordinates of a point are " + std::to_string(rows.stride(1)) +
                    " scalars apart; they must be next to each other: copy the matrix");
  return view(&*rows.data_handle(), static_cast<std::size_t>(rows.extent(0)),
              static_cast<int>(rows.extent(1)), static_cast<std::ptrdiff_t>(rows.stride(0)));
}

/// The points of a tree: a range of them, or a view.
template <class P>
concept PointSource = requires(const P& points) {
  View(points);
};
template <PointSource P>
using ViewOf = decltype(View(std::declval<const P&>()));

}  // namespace kith
