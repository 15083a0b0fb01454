// The simple shapes. Each point is drawn from random numbers of its index, in double precision,
// and rounded to float once.
#include <cmath>

#include <kith/box.hpp>
#include <kith/shapes.hpp>

#include "base/fail.hpp"
#include "base/function_ref.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "sample/random.hpp"

namespace kith::sample {
namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 44;

void check_positive(const char* call, const char* option, double value) {
  if (!(value > 0) || !std::isfinite(value))
    refuse("{}: {} = {}; give a positive, finite length", call, option, value);
}

void check_parts(const char* call, const char* option, int value) {
  if (value < 1) refuse("{}: {} = {}; ask for at least 1", call, option, value);
}

std::vector<float> room(const char* call, std::size_t n, int dimension, const Workers& workers) {
  if (dimension < 1 || dimension > kMaxDimension)
    refuse("{}: dimension = {}; points have 1 to {}", call, dimension, kMaxDimension);
  if (n > kMaxNumbers / static_cast<std::size_t>(dimension))
    fail(ErrorCode::too_large, "{}: n = {} points of {} coordinates; the limit is {} coordinates",
         call, n, dimension, kMaxNumbers);
  return filled<float>(workers, n * static_cast<std::size_t>(dimension));
}

/// fill(i, row) for every point.
Points generate(const char* call, std::size_t n, int dimension, const Execution& execution,
                FunctionRef<void(std::size_t, float*)> fill) {
  return public_call(call, execution, [&](Workers& workers) {
    Points points{dimension, room(call, n, dimension, workers)};
    const Stage stage(workers, "sample", n);
    workers.for_ranges(n, kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        fill(i, points.coordinates.data() + i * static_cast<std::size_t>(dimension));
      workers.advance(end - begin);
    });
    return points;
  });
}

/// x in [0, side) as a float that is still below the side.
float below_side(double x, double side) {
  const auto limit = static_cast<float>(side);
  const auto rounded = static_cast<float>(x);
  return rounded < limit ? rounded : std::nextafter(limit, 0.0F);
}

void fill_uniform(Random random, double side, int dimension, float* row) {
  for (int axis = 0; axis < dimension; ++axis)
    row[axis] = below_side(random.uniform() * side, side);
}

/// A point at distance `radius` from the origin, in a random direction.
void fill_direction(Random& random, double radius, int dimension, float* row) {
  double direction[kMaxDimension];
  double length2 = 0;
  for (int axis = 0; axis < dimension; ++axis) {
    direction[axis] = random.normal();
    length2 += direction[axis] * direction[axis];
  }
  const double factor = length2 > 0 ? radius / std::sqrt(length2) : 0;
  for (int axis = 0; axis < dimension; ++axis)
    row[axis] = static_cast<float>(direction[axis] * factor);
}

/// Mass of a Plummer sphere of radius 1 within r, as a fraction of the whole.
double plummer_mass(double r) { return power(r * r / (1 + r * r), 1.5); }

/// The inverse of plummer_mass.
double plummer_radius(double mass) {
  const double square = power(mass, 2.0 / 3);
  return std::sqrt(square / (1 - square));
}

double nfw_mass(double x) { return natural_log(1 + x) - x / (1 + x); }

/// The x below `limit` with nfw_mass(x) = mass, by bisection: a fixed number of steps, so no
/// stopping rule depends on rounding.
double nfw_radius(double mass, double limit) {
  double low = 0;
  double high = limit;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (nfw_mass(middle) < mass ? low : high) = middle;
  }
  return high;
}

}  // namespace

Points uniform(const Uniform& options, const Execution& execution) {
  check_positive("uniform", "side", options.side);
  return generate("uniform", options.n, options.dimension, execution,
                  [&](std::size_t i, float* row) {
                    fill_uniform(Random(options.seed, Stream::points, options.first + i),
                                 options.side, options.dimension, row);
                  });
}

Points normal(const Normal& options, const Execution& execution) {
  check_positive("normal", "sigma", options.sigma);
  return generate("normal", options.n, options.dimension, execution,
                  [&](std::size_t i, float* row) {
                    Random random(options.seed, Stream::points, i);
                    for (int axis = 0; axis < options.dimension; ++axis)
                      row[axis] = static_cast<float>(options.sigma * random.normal());
                  });
}

Points grid(const Grid& options, const Execution& execution) {
  return public_call("grid", execution, [&] {
    check_positive("grid", "side", options.side);
    std::size_t total = 1;
    for (int axis = 0; axis < options.dimension; ++axis) {
      if (options.n > 0 && total > kMaxNumbers / options.n)
        fail(ErrorCode::too_large, "grid: {} points along each of {} axes; the limit is {} in all",
             options.n, options.dimension, kMaxNumbers);
      total *= options.n;
    }
    const double cell = options.side / static_cast<double>(options.n);
    return generate("grid", total, options.dimension, execution, [&](std::size_t i, float* row) {
      for (int axis = options.dimension - 1; axis >= 0; --axis, i /= options.n)
        row[axis] = below_side((static_cast<double>(i % options.n) + 0.5) * cell, options.side);
    });
  });
}

Points plummer(const Plummer& options, const Execution& execution) {
  return public_call("plummer", execution, [&] {
    check_positive("plummer", "radius", options.radius);
    if (!(options.max_radius >= 0))
      refuse("plummer: max_radius = {}; give a positive length, or 0 for no limit",
             options.max_radius);
    const double whole =
        options.max_radius > 0 ? plummer_mass(options.max_radius / options.radius) : 1.0;
    return generate("plummer", options.n, 3, execution, [&](std::size_t i, float* row) {
      Random random(options.seed, Stream::points, i);
      const double radius = options.radius * plummer_radius(random.uniform() * whole);
      fill_direction(random, radius, 3, row);
    });
  });
}

Points nfw(const Nfw& options, const Execution& execution) {
  return public_call("nfw", execution, [&] {
    check_positive("nfw", "radius", options.radius);
    check_positive("nfw", "concentration", options.concentration);
    const double whole = nfw_mass(options.concentration);
    return generate("nfw", options.n, 3, execution, [&](std::size_t i, float* row) {
      Random random(options.seed, Stream::points, i);
      const double x = nfw_radius(random.uniform() * whole, options.concentration);
      fill_direction(random, options.radius * x / options.concentration, 3, row);
    });
  });
}

Points shells(const Shells& options, const Execution& execution) {
  check_positive("shells", "radius", options.radius);
  check_parts("shells", "shells", options.shells);
  return generate(
      "shells", options.n, options.dimension, execution, [&](std::size_t i, float* row) {
        Random random(options.seed, Stream::points, i);
        const auto shell = static_cast<double>(i % static_cast<std::size_t>(options.shells) + 1);
        fill_direction(random, options.radius * shell / options.shells, options.dimension, row);
      });
}

Points lines(const Lines& options, const Execution& execution) {
  check_positive("lines", "side", options.side);
  check_parts("lines", "lines", options.lines);
  return generate("lines", options.n, options.dimension, execution, [&](std::size_t i, float* row) {
    Random ends(options.seed, Stream::shapes, i % static_cast<std::size_t>(options.lines));
    const double along = Random(options.seed, Stream::points, i).uniform();
    for (int axis = 0; axis < options.dimension; ++axis) {
      const double from = ends.uniform() * options.side;
      const double to = ends.uniform() * options.side;
      row[axis] = below_side(from + along * (to - from), options.side);
    }
  });
}

Points all_equal(const AllEqual& options, const Execution& execution) {
  if (!std::isfinite(options.value))
    refuse("all_equal: value = {}; give a finite one", options.value);
  return generate("all_equal", options.n, options.dimension, execution,
                  [&](std::size_t, float* row) {
                    for (int axis = 0; axis < options.dimension; ++axis)
                      row[axis] = static_cast<float>(options.value);
                  });
}

Points half_identical(const HalfIdentical& options, const Execution& execution) {
  check_positive("half_identical", "side", options.side);
  return generate("half_identical", options.n, options.dimension, execution,
                  [&](std::size_t i, float* row) {
                    if (i % 2 == 1)
                      return fill_uniform(Random(options.seed, Stream::points, i), options.side,
                                          options.dimension, row);
                    for (int axis = 0; axis < options.dimension; ++axis)
                      row[axis] = static_cast<float>(options.side / 2);
                  });
}

}  // namespace kith::sample
