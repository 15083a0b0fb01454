#include <algorithm>
#include <cmath>
#include <vector>

#include <kith/linking_lengths.hpp>
#include <kith/radius.hpp>

#include "base/dispatch.hpp"
#include "base/fail.hpp"
#include "groups/labels.hpp"
#include "groups/pair_length.hpp"
#include "groups/reach.hpp"
#include "groups/redshift.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

constexpr const char* kCall = "redshift_fof";

/// A copy of the caller's rows, with one axis divided.
template <class T>
std::vector<T> compressed(const PointsView& points, int axis, double stretch,
                          const Workers& workers) {
  const auto dimension = static_cast<std::size_t>(points.dimension);
  std::vector<T> rows(points.size * dimension);
  const T* from = static_cast<const T*>(points.data);
  workers.for_ranges(points.size, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < dimension; ++k) {
        const T x =
            from[static_cast<std::ptrdiff_t>(i) * points.stride + static_cast<std::ptrdiff_t>(k)];
        rows[i * dimension + k] = k == static_cast<std::size_t>(axis)
                                      ? static_cast<T>(static_cast<double>(x) / stretch)
                                      : x;
      }
  });
  return rows;
}

Box compressed(const Box& box, int dimension, int axis, double stretch) {
  std::vector<double> sides, origins;
  for (int k = 0; k < dimension; ++k) {
    sides.push_back(box.side(k) / (k == axis ? stretch : 1));
    origins.push_back(box.origin(k) / (k == axis ? stretch : 1));
  }
  return box.is_periodic() ? Box::periodic(sides).with_origin(origins) : Box::open();
}

template <class T>
bool is_finite(const PointsView& points, std::size_t i) {
  const T* row =
      static_cast<const T*>(points.data) + static_cast<std::ptrdiff_t>(i) * points.stride;
  return std::all_of(row, row + points.dimension, [](T x) { return std::isfinite(x); });
}

template <class T>
void compress(CompressedPoints& made, int axis, double stretch, const Workers& workers) {
  const auto rows =
      std::make_shared<const std::vector<T>>(compressed<T>(made.points, axis, stretch, workers));
  made.points.data = rows->data();
  made.points.stride = made.points.dimension;
  made.memory = rows;
}

/// The length of a pair: one for all, or from those of both.
class MidpointLengths {
 public:
  /// Rounded to T.
  template <class T>
  static MidpointLengths of(const FofOptions& options, const LinkingLengths& given, T) {
    MidpointLengths made;
    made.rule_ = given.rule;
    made.largest_ = static_cast<double>(static_cast<T>(options.linking_length));
    for (const double length : given.length) {
      made.length_.push_back(static_cast<double>(static_cast<T>(length)));
      made.largest_ = std::max(made.largest_, made.length_.back());
    }
    return made;
  }

  double largest() const { return largest_; }
  double operator()(std::size_t i, std::size_t j) const {
    if (length_.empty()) return largest_;
    return with_rule(rule_,
                     [&]<LengthRule Rule>() { return pair_length<Rule>(length_[i], length_[j]); });
  }

 private:
  LengthRule rule_ = LengthRule::mean;
  double largest_ = 0;
  std::vector<double> length_;
};

/// Whether two points are friends, by the definition of lines of sight to midpoints.
template <class T>
class MidpointFriends {
 public:
  MidpointFriends(const PointsView& points, const RedshiftSpace& space,
                  const MidpointLengths& length, bool is_strict)
      : points_(points),
        observer_(space.observer),
        stretch2_(space.stretch * space.stretch),
        length_(length),
        is_strict_(is_strict) {
    observer_.resize(static_cast<std::size_t>(points.dimension), 0);
  }

  bool operator()(std::size_t i, std::size_t j) const {
    double d2 = 0, s2 = 0, product = 0;
    for (std::size_t k = 0; k < observer_.size(); ++k) {
      const double p = at(i, k), q = at(j, k);
      const double d = p - q, s = (p - observer_[k]) + (q - observer_[k]);
      d2 += d * d;
      s2 += s * s;
      product += d * s;
    }
    const double along2 = s2 > 0 ? product * product / s2 : d2;
    const double measure2 = (d2 - along2) + along2 / stretch2_;
    const double length = length_(i, j);
    return is_strict_ ? measure2 < length * length : measure2 <= length * length;
  }

 private:
  double at(std::size_t i, std::size_t k) const {
    return static_cast<double>(
        static_cast<const T*>(points_.data)[static_cast<std::ptrdiff_t>(i) * points_.stride +
                                            static_cast<std::ptrdiff_t>(k)]);
  }
  const PointsView& points_;
  std::vector<double> observer_;
  double stretch2_;
  const MidpointLengths& length_;
  bool is_strict_;
};

/// The largest length, rounded to T, of points that are not dropped.
template <class T>
double largest_of_live(const PointsView& points, const FofOptions& options,
                       const LinkingLengths& lengths) {
  auto largest = static_cast<T>(options.linking_length);
  for (std::size_t i = 0; i < lengths.length.size(); ++i)
    if (options.non_finite != NonFinite::drop || is_finite<T>(points, i))
      largest = std::max(largest, static_cast<T>(lengths.length[i]));
  return static_cast<double>(largest);
}

template <class T>
Groups to_midpoints(const PointsView& points, const FofOptions& options, const RedshiftSpace& space,
                    const LinkingLengths& lengths, const Execution& execution) {
  const Array<std::uint32_t> parent =
      join_to_midpoints<T>(points, options, space, lengths, execution);
  return public_call(kCall, execution, [&](Workers& workers) {
    auto groups = std::make_shared<Groups::Impl>();
    groups->label = Array<std::int32_t>(points.size, workers.pool());
    groups->linking_length = largest_of_live<T>(points, options, lengths);
    const InputOrder order{points.size};
    const CountedSets counted = count_sets(order, parent.data(), options.min_size, workers);
    for (std::size_t i = 0; options.non_finite == NonFinite::drop && i < points.size; ++i)
      if (!is_finite<T>(points, i)) counted.drop(i);
    name_sets(order, counted, options.min_size, workers, *groups);
    return wrap_impl<Groups>(std::move(groups));
  });
}

CompressedPoints compressed_by(const PointsView& points, const FofOptions& options,
                               const RedshiftSpace& space, const Execution& execution) {
  return public_call(kCall, execution, [&](Workers& workers) {
    return compressed_points(points, options, space, workers);
  });
}

}  // namespace

std::size_t live_points(const PointsView& points, const FofOptions& options) {
  if (options.non_finite != NonFinite::drop) return points.size;
  std::size_t live = 0;
  for (std::size_t i = 0; i < points.size; ++i)
    live += (points.scalar == Scalar::float32 ? is_finite<float>(points, i)
                                              : is_finite<double>(points, i))
                ? 1
                : 0;
  return live;
}

FofOptions with_length_across(const FofOptions& options, std::size_t live, int dimension) {
  FofOptions result = options;
  result.linking_length = linking_length_of(options, options.box, live, dimension);
  result.b = result.mean_separation = result.volume = 0;
  return result;
}

CompressedPoints compressed_points(const PointsView& points, const FofOptions& options,
                                   const RedshiftSpace& space, const Workers& workers) {
  const int axis = static_cast<int>(space.line_of_sight);
  CompressedPoints made{points, options, nullptr};
  made.options.box = compressed(options.box, points.dimension, axis, space.stretch);
  if (points.scalar == Scalar::float32)
    compress<float>(made, axis, space.stretch, workers);
  else
    compress<double>(made, axis, space.stretch, workers);
  return made;
}

/// Distances of a search are rounded in T, those of the definition in float64.
double midpoint_reach(double length, const RedshiftSpace& space) {
  constexpr double kMargin = 1 + 1e-5;
  return kMargin * length * std::max(1.0, space.stretch);
}

template <class T>
Array<std::uint32_t> join_to_midpoints(const PointsView& points, const FofOptions& options,
                                       const RedshiftSpace& space, const LinkingLengths& lengths,
                                       const Execution& execution) {
  const MidpointLengths length = MidpointLengths::of(options, lengths, T(0));
  const AnyTree tree(points, {.non_finite = options.non_finite}, execution);
  return public_call(kCall, execution, [&](Workers& workers) {
    Array<std::uint32_t> parent(points.size, workers.pool());
    const UnionFind<std::uint32_t> sets(parent.data());
    workers.for_ranges(points.size, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sets.reset(static_cast<std::uint32_t>(i));
    });
    const MidpointFriends<T> are_friends(points, space, length, options.strict);
    for_each_pair<T>(
        tree, {.radius = midpoint_reach(length.largest(), space), .sorted = false},
        [&](const Neighborhood<T>& near) {
          for (const std::uint32_t j : near.index)
            if (are_friends(near.i, j)) sets.unite(static_cast<std::uint32_t>(near.i), j);
        },
        execution);
    return parent;
  });
}
template KITH_API Array<std::uint32_t> join_to_midpoints<float>(const PointsView&,
                                                                const FofOptions&,
                                                                const RedshiftSpace&,
                                                                const LinkingLengths&,
                                                                const Execution&);
template KITH_API Array<std::uint32_t> join_to_midpoints<double>(const PointsView&,
                                                                 const FofOptions&,
                                                                 const RedshiftSpace&,
                                                                 const LinkingLengths&,
                                                                 const Execution&);

void check_line_of_sight(const PointsView& points, const FofOptions& options,
                         const RedshiftSpace& space) {
  if (!(space.stretch > 0) || !std::isfinite(space.stretch))
    refuse("{}: stretch = {}; give a positive number", kCall, space.stretch);
  if (space.line_of_sight != LineOfSight::midpoint) {
    if (static_cast<int>(space.line_of_sight) >= points.dimension)
      refuse("{}: the line of sight is {}, and the points have {} dimensions", kCall,
             "xyz"[static_cast<int>(space.line_of_sight)], points.dimension);
    return;
  }
  if (options.box.is_periodic())
    refuse(
        "{}: lines of sight from an observer need an open box; choose an axis, or leave the "
        "box out",
        kCall);
  if (!space.observer.empty() &&
      space.observer.size() != static_cast<std::size_t>(points.dimension))
    refuse("{}: an observer of {} numbers for points of dimension {}", kCall, space.observer.size(),
           points.dimension);
  for (const double x : space.observer)
    if (!std::isfinite(x)) refuse("{}: the observer is at {}", kCall, x);
}

void check_redshift_space(const PointsView& points, const FofOptions& options,
                          const RedshiftSpace& space) {
  check_fof_options(options, kCall);
  check_line_of_sight(points, options, space);
}

Groups redshift_fof(PointsView points, const FofOptions& options, const RedshiftSpace& space,
                    const Execution& execution) {
  return public_call(kCall, execution, [&] {
    check_view(kCall, points, options.box);
    check_redshift_space(points, options, space);
    const FofOptions chosen =
        with_length_across(options, live_points(points, options), points.dimension);
    if (space.line_of_sight == LineOfSight::midpoint)
      return with_scalar(points.scalar, [&]<class T>() {
        return to_midpoints<T>(points, chosen, space, {}, execution);
      });
    const CompressedPoints made = compressed_by(points, chosen, space, execution);
    return fof(made.points, made.options, execution);
  });
}

Groups redshift_fof(PointsView points, const LinkingLengths& lengths, const FofOptions& options,
                    const RedshiftSpace& space, const Execution& execution) {
  return public_call(kCall, execution, [&] {
    check_view(kCall, points, options.box);
    check_linking_lengths(lengths, points.size, options, kCall);
    check_line_of_sight(points, options, space);
    if (space.line_of_sight == LineOfSight::midpoint)
      return with_scalar(points.scalar, [&]<class T>() {
        return to_midpoints<T>(points, options, space, lengths, execution);
      });
    const CompressedPoints made = compressed_by(points, options, space, execution);
    return fof(made.points, lengths, made.options, execution);
  });
}

}  // namespace kith
