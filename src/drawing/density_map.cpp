#include "drawing/density_map.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/fail.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kGrain = 16384;
constexpr int kMaxSize = 8192;
constexpr double kDecades = 1e5;  // of the scale of colors, unless it is given

/// Coordinates as numbers, of either type.
struct Coordinates {
  const PointsView& points;
  double operator()(std::size_t i, int axis) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * points.stride + axis;
    return points.scalar == Scalar::float32 ? static_cast<const float*>(points.data)[at]
                                            : static_cast<const double*>(points.data)[at];
  }
};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Extent extent_along(const PointsView& points, int axis, const Workers& workers) {
  const Coordinates coordinate{points};
  return reduce(
      workers, points.size, kGrain, Extent{},
      [&](std::size_t begin, std::size_t end) {
        Extent e;
        for (std::size_t i = begin; i < end; ++i) {
          const double x = coordinate(i, axis);
          if (!std::isfinite(x)) continue;
          e = {std::min(e.low, x), std::max(e.high, x)};
        }
        return e;
      },
      [](const Extent& a, const Extent& b) {
        return Extent{std::min(a.low, b.low), std::max(a.high, b.high)};
      });
}

Range range_along(const PointsView& points, const PictureOptions& options, int axis,
                  const Workers& workers) {
  const Box& box = options.box;
  if (box.is_periodic(axis)) return {axis, box.origin(axis), box.side(axis), box.side(axis)};
  const auto at = static_cast<std::size_t>(axis);
  const Extent e = options.lowest.empty() ? extent_along(points, axis, workers)
                                          : Extent{options.lowest[at], options.highest[at]};
  if (!(e.low <= e.high)) return {axis, 0, 1, 0};
  const double length = e.high - e.low;
  return {axis, e.low, length > 0 ? length * (1 + 1e-6) : 1, 0};  // the last point is inside
}

/// The part of it that the options ask for.
Range shown_along(const PointsView& points, const PictureOptions& options, int axis,
                  const Workers& workers) {
  const Box& box = options.box;
  const double side = box.is_periodic(axis) ? box.side(axis) : 0;
  const bool is_all = !(options.width > 0) || (side > 0 && options.width >= side);
  if (is_all) return range_along(points, options, axis, workers);
  const double middle = options.around[static_cast<std::size_t>(axis)];
  return {axis, middle - options.width / 2, options.width, side};
}

std::size_t pixels_along(const Range& range, double pixel) {
  return static_cast<std::size_t>(std::max(1.0, std::round(range.length / pixel)));
}

Frame frame_of(const PointsView& points, const PictureOptions& options, const Workers& workers) {
  Frame frame;
  frame.has_depth = points.dimension > 2;
  int shown[2];
  for (int axis = 0, count = 0; count < 2; ++axis)
    if (!frame.has_depth || axis != options.axis) shown[count++] = axis;
  frame.across = shown_along(points, options, shown[0], workers);
  frame.up = shown_along(points, options, shown[1], workers);
  if (frame.has_depth) frame.depth = range_along(points, options, options.axis, workers);
  frame.pixel = std::max(frame.across.length, frame.up.length) / options.size;
  frame.width = pixels_along(frame.across, frame.pixel);
  frame.height = pixels_along(frame.up, frame.pixel);
  return frame;
}

/// The pixel of a place along one axis; `count` for a place that is not finite or not shown.
std::size_t pixel_at(const Range& range, double x, std::size_t count) {
  const double at = range.place(x) / range.length * static_cast<double>(count);
  if (!(at >= 0) || at > static_cast<double>(count)) return count;
  return std::min(static_cast<std::size_t>(at), count - 1);
}

/// The number of points in each pixel, from the top row down.
std::vector<std::uint32_t> count_points(const PointsView& points, const PictureOptions& options,
                                        const Frame& frame, const Workers& workers) {
  const Coordinates coordinate{points};
  std::vector<std::uint32_t> count(frame.width * frame.height);
  workers.for_ranges(points.size, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (frame.has_depth && !frame.is_in_slice(options, coordinate(i, options.axis))) continue;
      const std::size_t x = pixel_at(frame.across, coordinate(i, frame.across.axis), frame.width);
      const std::size_t y = pixel_at(frame.up, coordinate(i, frame.up.axis), frame.height);
      if (x == frame.width || y == frame.height) continue;
      // Relaxed: sums of whole numbers, read only after the loop.
      std::atomic_ref(count[(frame.height - 1 - y) * frame.width + x])
          .fetch_add(1, std::memory_order_relaxed);
    }
    workers.advance(end - begin);
  });
  return count;
}

/// Some of the positive pixels, sorted: at most about a million, evenly spread.
std::vector<float> sorted_pixels(const Image& image) {
  const std::size_t step = image.values.size() / (1 << 20) + 1;
  std::vector<float> positive;
  for (std::size_t i = 0; i < image.values.size(); i += step)
    if (image.values[i] > 0) positive.push_back(image.values[i]);
  std::sort(positive.begin(), positive.end());
  return positive;
}

/// The value that a fraction of the pixels lie below; 1 if there are none.
double quantile(const std::vector<float>& sorted, double fraction) {
  if (sorted.empty()) return 1;
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
}

double mean_of(const Image& counts) {
  double sum = 0;
  for (const float v : counts.values) sum += v;
  return sum / static_cast<double>(counts.values.size());
}

void check(const PointsView& points, const PictureOptions& options) {
  if (points.dimension < 2 || points.dimension > kMaxDimension)
    refuse("picture: points of dimension {}; give 2 to {}", points.dimension, kMaxDimension);
  if (options.box.dimension() != 0 && options.box.dimension() != points.dimension)
    refuse(
        "picture: a box of dimension {} for points of dimension {}; give as many sides as "
        "coordinates",
        options.box.dimension(), points.dimension);
  if (options.size < 1 || options.size > kMaxSize)
    refuse("picture: size = {}; give 1 to {} pixels", options.size, kMaxSize);
  if (points.dimension > 2 && (options.axis < 0 || options.axis >= points.dimension))
    refuse("picture: axis = {}; points of dimension {} have axes 0 to {}", options.axis,
           points.dimension, points.dimension - 1);
  if (!(options.thickness >= 0) || !std::isfinite(options.center))
    refuse("picture: a slice of thickness {} at {}; give 0 or more, at a finite place",
           options.thickness, options.center);
  if (options.width > 0 && options.around.size() != static_cast<std::size_t>(points.dimension))
    refuse("picture: width = {} around a place of {} coordinates; give {}", options.width,
           options.around.size(), points.dimension);
  if (!(options.width >= 0) || !std::isfinite(options.width) ||
      !std::all_of(options.around.begin(), options.around.end(),
                   [](double x) { return std::isfinite(x); }))
    refuse("picture: width = {}; give 0 or more, around a finite place", options.width);
  const std::size_t lowest = options.lowest.size();
  if (options.highest.size() != lowest ||
      (lowest != 0 && lowest != static_cast<std::size_t>(points.dimension)))
    refuse("picture: {} lowest and {} highest coordinates; give one of each for {} axes", lowest,
           options.highest.size(), points.dimension);
  if (!(options.smoothing >= 0))
    refuse("picture: smoothing = {}; give 0 or more", options.smoothing);
  if (!(options.darkest >= 0) || !(options.brightest >= 0) ||
      (options.brightest > 0 && options.darkest >= options.brightest))
    refuse("picture: colors from {} to {}; give positive densities, the brightest last, or 0",
           options.darkest, options.brightest);
}

/// Both ends of the scale, from the options, or such that nearly all pixels lie between them. In
/// units of the mean.
void set_scale(DensityMap& map, const PictureOptions& options) {
  map.darkest = options.darkest;
  map.brightest = options.brightest;
  if (map.darkest > 0 && map.brightest > 0) return;
  const std::vector<float> sorted = sorted_pixels(map.density);
  const double unit = map.mean > 0 ? map.mean : 1;
  if (!(map.brightest > 0)) map.brightest = quantile(sorted, 0.9995) / unit;
  // Smoothing leaves tails of next to nothing where there are no points.
  if (!(map.darkest > 0))
    map.darkest = std::max(quantile(sorted, 0.003) / unit, map.brightest / kDecades);
}

}  // namespace

double Range::place(double x) const {
  const double r = period > 0 ? std::fmod(x - begin, period) : x - begin;
  return r < 0 && period > 0 ? r + period : r;
}

bool Frame::is_in_slice(const PictureOptions& options, double depth_coordinate) const {
  if (!has_depth || options.thickness == 0) return true;
  double distance = std::abs(depth.place(depth_coordinate) - options.center);
  if (depth.wraps()) {
    distance = std::fmod(distance, depth.length);
    distance = std::min(distance, depth.length - distance);
  }
  return distance <= options.thickness / 2;
}

namespace {

DensityMap map_of(const Frame& frame, std::span<const std::uint32_t> counts,
                  const PictureOptions& options, Workers& workers) {
  DensityMap map;
  map.frame = frame;
  map.density = {frame.width, frame.height, frame.across.wraps(), frame.up.wraps(), {}};
  map.density.values.assign(counts.begin(), counts.end());
  map.mean = mean_of(map.density);
  if (options.smoothing > 0 && map.mean > 0) {
    const Stage stage(workers, "smoothing", smoothing_work(map.density));
    map.density = smoothed(map.density, options.smoothing, workers);
  }
  set_scale(map, options);
  return map;
}

std::vector<std::uint32_t> staged_counts(const PointsView& points, const PictureOptions& options,
                                         const Frame& frame, Workers& workers) {
  const Stage stage(workers, "counting", points.size);
  return count_points(points, options, frame, workers);
}

}  // namespace

DensityMap density_map(const PointsView& points, const PictureOptions& options, Workers& workers) {
  check(points, options);
  const Frame frame = frame_of(points, options, workers);
  return map_of(frame, staged_counts(points, options, frame, workers), options, workers);
}

std::vector<std::uint32_t> counts_of(const PointsView& points, const PictureOptions& options,
                                     Workers& workers) {
  check(points, options);
  return staged_counts(points, options, frame_of(points, options, workers), workers);
}

DensityMap density_map(std::span<const std::uint32_t> counts, int dimension,
                       const PictureOptions& options, Workers& workers) {
  const PointsView none(nullptr, 0, dimension, dimension, Scalar::float32);
  check(none, options);
  const Frame frame = frame_of(none, options, workers);
  if (counts.size() != frame.width * frame.height)
    refuse("figure: {} counts for {} x {} pixels; pass those of pixel_counts with the same options",
           counts.size(), frame.width, frame.height);
  return map_of(frame, counts, options, workers);
}

Picture colored(const DensityMap& map, const Workers& workers) {
  const Image& density = map.density;
  const double low = map.darkest * (map.mean > 0 ? map.mean : 1);
  const double range = map.brightest > map.darkest ? std::log(map.brightest / map.darkest) : 1;
  Picture picture{static_cast<int>(density.width), static_cast<int>(density.height), {}};
  picture.pixels.resize(3 * density.values.size());
  workers.for_each(density.height, [&](std::size_t y) {
    for (std::size_t i = y * density.width; i < (y + 1) * density.width; ++i) {
      const float value = density.values[i];
      const Color color = color_of(value > 0 ? std::log(value / low) / range : 0);
      picture.pixels[3 * i] = color.red;
      picture.pixels[3 * i + 1] = color.green;
      picture.pixels[3 * i + 2] = color.blue;
    }
  });
  return picture;
}

}  // namespace kith::io
