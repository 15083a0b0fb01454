#include "groups/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "base/wide_number.hpp"

namespace kith {
namespace {

/// Options of 0 were not given.
void check_length(const char* call, const char* option, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    refuse("{}: {} = {}; give a positive, finite number", call, option, value);
}

double root_of(double cell, int dimension) {
  return dimension == 3 ? std::cbrt(cell) : std::pow(cell, 1.0 / dimension);
}

double mean_separation_of(const FofOptions& options, const Box& box, std::size_t points,
                          int dimension) {
  if (options.mean_separation > 0) return options.mean_separation;
  const auto count = static_cast<double>(points);
  if (options.volume > 0) return root_of(options.volume / count, dimension);
  double volume = 1;
  WideNumber wide(1);
  bool is_normal = true;
  for (int axis = 0; axis < dimension; ++axis) {
    if (!box.is_periodic(axis))
      refuse(
          "fof: b = {} without a volume, since axis {} of the box is open; give volume or "
          "mean_separation",
          options.b, axis);
    volume *= box.side(axis);
    wide *= box.side(axis);
    is_normal = is_normal && std::isnormal(volume);
  }
  if (is_normal && std::isnormal(volume / count)) return root_of(volume / count, dimension);
  return (wide /= count).root(dimension);
}

}  // namespace

void check_fof_options(const FofOptions& options, const char* call) {
  check_length(call, "linking_length", options.linking_length);
  check_length(call, "b", options.b);
  check_length(call, "mean_separation", options.mean_separation);
  check_length(call, "volume", options.volume);
  if ((options.linking_length > 0) == (options.b > 0))
    refuse("{}: linking_length = {} and b = {}; give one of them, greater than 0", call,
           options.linking_length, options.b);
  if (options.linking_length > 0 && (options.mean_separation > 0 || options.volume > 0))
    refuse("{}: mean_separation = {} and volume = {} with a linking_length; they go with b", call,
           options.mean_separation, options.volume);
  if (options.mean_separation > 0 && options.volume > 0)
    refuse("{}: mean_separation = {} and volume = {}; give one of them", call,
           options.mean_separation, options.volume);
  if (options.min_size < 1) refuse("{}: min_size = 0; the smallest group has 1 point", call);
}

double linking_length_of(const FofOptions& options, const Box& box, std::size_t points,
                         int dimension) {
  if (options.linking_length > 0) return options.linking_length;
  const double separation =
      mean_separation_of(options, box, std::max<std::size_t>(1, points), dimension);
  const double length = options.b * separation;
  if (!std::isfinite(length))
    refuse("fof: b = {} times a mean separation of {} is not a length; check volume and box",
           options.b, separation);
  return length;
}

template <class T>
T reach2_of(T length, bool is_strict) {
  // Distances of points in a tree's frame are far below the largest number, so an infinite square
  // may be replaced by it; the kernels rely on a finite one to keep off empty boxes.
  const T reach2 = std::min(length * length, std::numeric_limits<T>::max());
  // d2 < r2 is d2 <= the number before r2.
  if (is_strict) return reach2 > 0 ? std::nextafter(reach2, T(0)) : T(-1);
  return reach2;
}

template <class T>
LinkingReach<T> reach_of(double linking_length, bool is_strict, const Frame<T>& frame) {
  constexpr T kMost = std::numeric_limits<T>::max();
  LinkingReach<T> reach;
  reach.linking_length = linking_length < double{kMost} ? static_cast<T>(linking_length) : kMost;
  reach.reach2 = reach2_of(std::ldexp(reach.linking_length, frame.exponent), is_strict);
  return reach;
}

template float reach2_of(float, bool);
template double reach2_of(double, bool);
template LinkingReach<float> reach_of(double, bool, const Frame<float>&);
template LinkingReach<double> reach_of(double, bool, const Frame<double>&);

}  // namespace kith
