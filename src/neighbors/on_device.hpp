// Searches that run on a device: options become limits, rows of d2 become rows of distances.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <kith/neighbors.hpp>
#include <kith/radius.hpp>

#include "base/fail.hpp"
#include "neighbors/limits.hpp"
#include "neighbors/search_job.hpp"
#include "tree/device.hpp"

namespace kith {

inline void check_device_norm(const char* call, double p) {
  if (p != 2)
    fail(ErrorCode::unavailable, "{}: no code for p = {} on a device; leave device = cpu", call, p);
}

template <class T>
const Frame<T>& frame_of_tree(const AnyTree& tree) {
  return impl_of(tree).facts([](const auto& data) -> const Frame<T>& {
    if constexpr (std::is_same_v<decltype(data.frame), Frame<T>>)
      return data.frame;
    else
      fail(ErrorCode::internal, "tree: asked for the frame of another scalar type");
  });
}

/// From the tree's lengths to the caller's.
template <class T>
T unscale_of(const AnyTree& tree) {
  return std::ldexp(T(1), -frame_of_tree<T>(tree).exponent);
}

/// Calls visit(row, distances, indices, count) for each query of a batch, on all threads.
template <class T, class Visit>
void visit_rows(const DeviceRows<T>& rows, T unscale, const Workers& workers, Visit visit) {
  constexpr std::size_t kGrain = 1024;
  workers.for_ranges(rows.count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<T> distance;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t first = rows.offset[i];
      std::size_t count = rows.offset[i + 1] - first;
      while (count > 0 && rows.index[first + count - 1] == kNoIndex) --count;
      distance.resize(count);
      for (std::size_t n = 0; n < count; ++n) distance[n] = std::sqrt(rows.d2[first + n]) * unscale;
      visit(i, Found<T>{rows.query[i], count, rows.index + first, distance.data()});
    }
  });
}

/// The limits of a radius search on a device.
template <class T>
std::vector<T> device_limits(const RadiusOptions& options, const Frame<T>& frame) {
  std::vector<T> limits;
  limits.reserve(options.radii.size());
  for (const double r : options.radii) limits.push_back(limit2(r, options.strict, frame));
  return limits;
}

}  // namespace kith
