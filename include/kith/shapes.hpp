// Sample points: simple shapes and difficult cases.
//
// A sample depends only on its options: the same seed gives the same bits with any
// number of threads and on any machine that runs the same build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith::sample {

/// Points of a sample: `coordinates` holds them row by row, `dimension` numbers each.
struct Points {
  int dimension = 3;
  std::vector<float> coordinates;

  std::size_t size() const { return coordinates.size() / static_cast<std::size_t>(dimension); }
  View<float> view() const { return kith::view(coordinates.data(), size(), dimension); }
};

/// Uniformly distributed points in the cube [0, side)^dimension.
struct Uniform {
  std::size_t n = 0;
  int dimension = 3;
  double side = 1;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< number of the first point: a part of a larger sample
};
KITH_API Points uniform(const Uniform& options, const Execution& execution = {});

/// A Gaussian cloud around the origin, of standard deviation `sigma` along each axis.
struct Normal {
  std::size_t n = 0;
  int dimension = 3;
  double sigma = 1;
  std::uint64_t seed = 1;
};
KITH_API Points normal(const Normal& options, const Execution& execution = {});

/// The centers of n^dimension equal cells of the cube [0, side)^dimension, the last axis fastest.
/// It has many equal distances.
struct Grid {
  std::size_t n = 0;  ///< along each axis
  int dimension = 3;
  double side = 1;
};
KITH_API Points grid(const Grid& options, const Execution& execution = {});

/// A Plummer sphere around the origin in three dimensions: density (1 + r^2 / radius^2)^(-5/2),
/// with a few points very far out.
struct Plummer {
  std::size_t n = 0;
  double radius = 1;      ///< contains 35 % of the points
  double max_radius = 0;  ///< no point beyond; 0 = no limit
  std::uint64_t seed = 1;
};
KITH_API Points plummer(const Plummer& options, const Execution& execution = {});

/// A halo around the origin with the profile of Navarro, Frenk and White, truncated at `radius`:
/// density 1 / (x (1 + x)^2) with x = concentration * r / radius, very dense at the center.
struct Nfw {
  std::size_t n = 0;
  double radius = 1;
  double concentration = 10;
  std::uint64_t seed = 1;
};
KITH_API Points nfw(const Nfw& options, const Execution& execution = {});

/// Points on concentric spheres around the origin with radii radius * (1, 2, ... shells) / shells,
/// the same number on each.
struct Shells {
  std::size_t n = 0;
  int dimension = 3;
  int shells = 5;
  double radius = 1;
  std::uint64_t seed = 1;
};
KITH_API Points shells(const Shells& options, const Execution& execution = {});

/// Points on straight lines between random ends in the cube [0, side)^dimension, equally many each.
struct Lines {
  std::size_t n = 0;
  int dimension = 3;
  int lines = 16;
  double side = 1;
  std::uint64_t seed = 1;
};
KITH_API Points lines(const Lines& options, const Execution& execution = {});

/// The same point n times: every coordinate is `value`.
struct AllEqual {
  std::size_t n = 0;
  int dimension = 3;
  double value = 0.5;
};
KITH_API Points all_equal(const AllEqual& options, const Execution& execution = {});

/// Points with an even index are at the center of the cube [0, side)^dimension, the others are
/// uniformly distributed in it.
struct HalfIdentical {
  std::size_t n = 0;
  int dimension = 3;
  double side = 1;
  std::uint64_t seed = 1;
};
KITH_API Points half_identical(const HalfIdentical& options, const Execution& execution = {});

}  // namespace kith::sample
