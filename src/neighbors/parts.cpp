#include "neighbors/parts.hpp"

#include "geometry/curve_key.hpp"
#include "neighbors/driver.hpp"

namespace kith {
namespace {

/// Keys by table where there are tables.
template <int D, class T, template <int, class> class Cells>
KeyBits table_keys(const Bounds<kAnyDimension, T>& bounds, const T* rows, std::size_t n,
                   std::uint64_t* keys) {
  Bounds<D, T> own;
  std::copy_n(bounds.lo, D, own.lo);
  std::copy_n(bounds.hi, D, own.hi);
  const auto key = CurveKey<D, T, Cells>::long_key(own);
  if (!key.can_split()) return {};
  for (std::size_t i = 0; i < n; ++i) keys[i] = key(rows + i * D);
  return {CurveKey<D, T, Cells>::kBits};
}

template <class T, template <int, class> class Cells>
KeyBits wide_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, const T* rows,
                  std::size_t n, std::uint64_t* keys) {
  const WideCurveKey<T, Cells> key(bounds, dimension);
  if (!key.can_split()) return {};
  const auto stride = static_cast<std::size_t>(dimension);
  for (std::size_t i = 0; i < n; ++i) keys[i] = key(rows + i * stride);
  return {dimension * std::max(1, std::min(60, 64 / dimension))};
}

template <class T, template <int, class> class Cells>
KeyBits any_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, const T* rows,
                 std::size_t n, std::uint64_t* keys) {
  switch (dimension) {
    case 2: return table_keys<2, T, Cells>(bounds, rows, n, keys);
    case 3: return table_keys<3, T, Cells>(bounds, rows, n, keys);
    default: return wide_keys<T, Cells>(bounds, dimension, rows, n, keys);
  }
}

}  // namespace

template <class T>
void Parts<T>::check(const char* call, const PointsView& points, const TreeOptions& options) {
  check_view(call, points, options.box);
  frame_of<T>(options.box, points.dimension);
}

template <class T>
Curve Parts<T>::curve(const TreeOptions& options, int dimension) {
  if (options.curve != Curve::automatic) return options.curve;
  return options.builder == Builder::cells || dimension == 1 ? Curve::z : Curve::hilbert;
}

template <class T>
MeasuredRows<T> Parts<T>::measure(const PointsView& points, NonFinite non_finite,
                                  const Workers& workers) {
  return kith::measure<T>(points, non_finite, workers);
}

template <class T>
Frame<T> Parts<T>::frame(const Box& box, int dimension, const Extent<T>& extent) {
  return fitted_frame(box, dimension, extent);
}

template <class T>
Input<T> Parts<T>::input(const Frame<T>& frame, MeasuredRows<T> measured) {
  return input_in(frame, std::move(measured));
}

template <class T>
KeyBits Parts<T>::keys(const Bounds<kAnyDimension, T>& bounds, int dimension, Curve curve,
                       const T* rows, std::size_t n, std::uint64_t* keys) {
  return curve == Curve::z ? any_keys<T, DigitCells>(bounds, dimension, rows, n, keys)
                           : any_keys<T, EqualCells>(bounds, dimension, rows, n, keys);
}

template <class T>
Planes<T> Parts<T>::planes(const Input<T>& input, const TreeOptions& options, Workers& workers) {
  Planes<T> planes;
  planes.dimension = input.dimension;
  order_points(input, {curve(options, input.dimension), options.split_axis}, workers, planes);
  if (kith::is_implicit(options.builder))
    build_packed(workers, planes);
  else
    build_cells(options, workers, planes);
  return planes;
}

template <class T>
std::vector<Plane<T>> Parts<T>::packed(const Planes<T>& planes, const Workers& workers) {
  return packed_planes(workers, planes);
}

template <class T>
Subset<T> Parts<T>::subset(const Planes<T>& planes, const Array<std::uint8_t>& mask,
                           const Workers& workers) {
  return kith::subset(planes, mask, workers);
}

template <class T>
void Parts<T>::search(const KnnJob<T>& job, const char* stage, Workers& workers) {
  if (job.source.points > 0 && job.queries.points > 0) run_search(job, stage, job.k, workers);
}

template <class T>
void Parts<T>::search(const RadiusJob<T>& job, const char* stage, Workers& workers) {
  if (job.source.points > 0 && job.queries.points > 0) run_search(job, stage, 64, workers);
}

template struct Parts<float>;
template struct Parts<double>;

}  // namespace kith
