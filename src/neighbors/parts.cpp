#include "neighbors/parts.hpp"

#include "geometry/curve_key.hpp"
#include "neighbors/driver.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

/// Keys by table where there are tables; 16-bit ones are the first bits.
template <int D, class T, template <int, class> class Cells, class Key>
KeyBits table_keys(const Bounds<kAnyDimension, T>& bounds, const T* rows, std::size_t n,
                   Key* keys) {
  constexpr bool kIsTop = sizeof(Key) == 2;
  using Curve = CurveKey<D, T, Cells>;
  Bounds<D, T> own;
  std::copy_n(bounds.lo, D, own.lo);
  std::copy_n(bounds.hi, D, own.hi);
  const auto key = Curve::long_key(own);
  if (!key.can_split()) return {};
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (kIsTop)
      keys[i] = static_cast<Key>(key.bucket(rows + i * D));
    else
      keys[i] = key(rows + i * D);
  }
  return {kIsTop ? Curve::Tables::kTopBits : Curve::kBits};
}

template <class T, template <int, class> class Cells, class Key>
KeyBits wide_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, const T* rows,
                  std::size_t n, Key* keys) {
  const WideCurveKey<T, Cells> key(bounds, dimension);
  if (!key.can_split()) return {};
  const auto stride = static_cast<std::size_t>(dimension);
  const int bits = dimension * std::max(1, std::min(60, 64 / dimension));
  const int cut = sizeof(Key) == 2 ? std::max(0, bits - 12) : 0;
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(key(rows + i * stride) >> cut);
  return {bits - cut};
}

template <class T, template <int, class> class Cells, class Key>
KeyBits any_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, const T* rows,
                 std::size_t n, Key* keys) {
  switch (dimension) {
    case 2: return table_keys<2, T, Cells>(bounds, rows, n, keys);
    case 3: return table_keys<3, T, Cells>(bounds, rows, n, keys);
    default: return wide_keys<T, Cells>(bounds, dimension, rows, n, keys);
  }
}

template <class T, class Key>
KeyBits curve_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, Curve curve,
                   const T* rows, std::size_t n, Key* keys) {
  return curve == Curve::z ? any_keys<T, DigitCells>(bounds, dimension, rows, n, keys)
                           : any_keys<T, EqualCells>(bounds, dimension, rows, n, keys);
}

template <int D, class T>
Bounds<kAnyDimension, T> bounds_of_rows(const T* rows, std::size_t n, int dimension,
                                        const Workers& workers) {
  using Box = Bounds<D, T>;
  const Axes<D> axes(dimension);
  const auto d = static_cast<std::size_t>(dimension);
  const Box box = reduce(
      workers, n, kPointGrain, Box::empty(),
      [&](std::size_t begin, std::size_t end) {
        Box part = Box::empty();
        for (std::size_t i = begin; i < end; ++i) part.add(rows + i * d, axes);
        return part;
      },
      [&](Box sum, const Box& part) {
        sum.add(part, axes);
        return sum;
      });
  auto bounds = Bounds<kAnyDimension, T>::empty();
  bounds.add(box.lo, box.hi, Axes<kAnyDimension>(dimension));
  return bounds;
}

}  // namespace

template <class T>
void Parts<T>::check(const char* call, const PointsView& points, const TreeOptions& options) {
  check_view(call, points, options.box);
  check_tree_options(options);
  frame_of<T>(options.box, points.dimension);
}

template <class T>
Curve Parts<T>::curve(const TreeOptions& options, int dimension) {
  return key_curve(options, dimension);
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
  return curve_keys(bounds, dimension, curve, rows, n, keys);
}

template <class T>
KeyBits Parts<T>::top_keys(const Bounds<kAnyDimension, T>& bounds, int dimension, Curve curve,
                           const T* rows, std::size_t n, std::uint16_t* keys) {
  return curve_keys(bounds, dimension, curve, rows, n, keys);
}

template <class T>
Planes<T> Parts<T>::ordered(const Input<T>& input, const TreeOptions& options, Workers& workers) {
  Planes<T> planes;
  planes.dimension = input.dimension;
  order_points(input, {curve(options, input.dimension), options.split_axis}, workers, planes);
  return planes;
}

template <class T>
Planes<T> Parts<T>::planes(const Input<T>& input, const TreeOptions& options, Workers& workers) {
  Planes<T> planes = ordered(input, options, workers);
  if (kith::is_implicit(options.builder))
    build_packed(workers, planes);
  else
    build_cells(options, workers, planes);
  return planes;
}

template <class T>
Input<T> Parts<T>::input_of_rows(const T* rows, std::size_t n, int dimension,
                                 const Workers& workers) {
  Input<T> input;
  input.data = rows;
  input.stride = dimension;
  input.dimension = dimension;
  input.size = n;
  with_dimension(dimension,
                 [&]<int D>() { input.bounds = bounds_of_rows<D>(rows, n, dimension, workers); });
  return input;
}

template <class T>
Planes<T> Parts<T>::planes_of_rows(const T* rows, std::size_t n, int dimension,
                                   const TreeOptions& options, Workers& workers) {
  return planes(input_of_rows(rows, n, dimension, workers), options, workers);
}

template <class T>
std::vector<Plane<T>> Parts<T>::packed(const Planes<T>& planes, const Workers& workers) {
  return packed_planes(workers, planes);
}

template <class T>
void Parts<T>::sort(KeyIndex* keys, std::size_t n, const Workers& workers) {
  sort_keys(workers, keys, n);
}

template <class T>
Subset<T> Parts<T>::subset(const Planes<T>& planes, const Array<std::uint8_t>& mask,
                           const Workers& workers) {
  return kith::subset(planes, mask, workers);
}

template <class T>
void Parts<T>::search(const KnnJob<T>& job, const char* stage, Workers& workers,
                      const FunctionRef<void(std::size_t, std::size_t)>* finished) {
  if (job.source.points > 0 && job.queries.points > 0)
    run_search(job, stage, job.k, workers, finished);
}

template <class T>
void Parts<T>::search(const RadiusJob<T>& job, const char* stage, Workers& workers) {
  if (job.source.points > 0 && job.queries.points > 0) run_search(job, stage, 64, workers);
}

template struct Parts<float>;
template struct Parts<double>;

}  // namespace kith
