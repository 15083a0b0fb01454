// Searches on the sky: positions become unit vectors, limits become chords, and distances become
// angles.
#include <cmath>

#include <kith/sky.hpp>

#include "base/fail.hpp"
#include "clusters/condense.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "geometry/sphere.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "sky/limits.hpp"

namespace kith::sky {
namespace {

Measure measure_in(AngleUnit unit) {
  return unit == AngleUnit::degrees ? Measure::degrees : Measure::radians;
}

OnCircle at(double angle, AngleUnit unit) {
  return unit == AngleUnit::degrees ? at_degrees(angle) : at_radians(angle);
}

double most_declination(AngleUnit unit) {
  // pi / 2, rounded up to a float: positions may come from an array of these.
  return unit == AngleUnit::degrees ? 90 : 0x1.921fb6p+0;
}

[[noreturn]] void refuse_position(const Positions& positions, std::size_t i) {
  const double ra = positions.ra[i], dec = positions.dec[i];
  if (!std::isfinite(ra) || !std::isfinite(dec))
    fail(ErrorCode::non_finite,
         "sky: position {} is ({}, {}); leave it out, or drop such positions", i, ra, dec);
  if (std::abs(dec) > most_declination(positions.unit))
    refuse("sky: position {} has declination {}; give -90 to 90 degrees, or radians with the unit",
           i, dec);
  refuse("sky: position {} has right ascension {} in radians; give at most {}", i, ra,
         kMostRadians);
}

bool is_finite(const Positions& positions, std::size_t i) {
  return std::isfinite(positions.ra[i]) && std::isfinite(positions.dec[i]);
}

bool is_usable(const Positions& positions, std::size_t i) {
  if (!is_finite(positions, i)) return positions.non_finite == NonFinite::drop;
  return std::abs(positions.dec[i]) <= most_declination(positions.unit) &&
         (positions.unit == AngleUnit::degrees || std::abs(positions.ra[i]) <= kMostRadians);
}

Vector vector_of(const Positions& positions, std::size_t i) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (!is_finite(positions, i)) return {kNan, kNan, kNan};
  const OnCircle across = at(positions.ra[i], positions.unit);
  const OnCircle up = at(positions.dec[i], positions.unit);
  return {up.cosine * across.cosine, up.cosine * across.sine, up.sine};
}

kith::KnnOptions chords(const KnnOptions& options, AngleUnit unit) {
  return {.k = options.k,
          .exclude_self = options.exclude_self,
          .max_radius = limit_of("sky.knn: max_angle", options.max_angle, unit)};
}

Neighbors<double, std::int64_t> with_angles(Neighbors<double, std::int64_t> near, AngleUnit unit,
                                            const Execution& execution) {
  to_angles({near.rows().distance, near.size() * near.k()}, unit, execution);
  return near;
}

NeighborLists<double, std::int64_t> with_angles(NeighborLists<double, std::int64_t> lists,
                                                AngleUnit unit, const Execution& execution) {
  to_angles({lists.distances(), lists.total()}, unit, execution);
  return lists;
}

}  // namespace

double limit_of(const char* what, double angle, AngleUnit unit) {
  if (!(angle >= 0)) refuse("{} = {} {}; give 0 or more", what, angle, name(unit));
  return distance_of(angle, measure_in(unit));
}

double positive_limit_of(const char* what, double angle, AngleUnit unit) {
  if (!(angle > 0)) refuse("{} = {} {}; give a positive angle", what, angle, name(unit));
  return distance_of(angle, measure_in(unit));
}

void expect_unit(const Positions& positions, const Positions& queries) {
  if (positions.unit != queries.unit)
    refuse("sky: positions in {} and queries in {}; give both in one unit", name(positions.unit),
           name(queries.unit));
}

std::vector<Vector> unit_vectors(const Positions& positions, const Execution& execution) {
  return public_call("sky", execution, [&](Workers& workers) {
    if (positions.ra.size() != positions.dec.size())
      refuse("sky: {} right ascensions and {} declinations; give as many of each",
             positions.ra.size(), positions.dec.size());
    std::vector<Vector> vectors(positions.size());
    const Stage stage(workers, "unit vectors", positions.size());
    workers.for_ranges(vectors.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!is_usable(positions, i)) refuse_position(positions, i);
        vectors[i] = vector_of(positions, i);
      }
      workers.advance(end - begin);
    });
    return vectors;
  });
}

Tree<double> tree(const Positions& positions, const Execution& execution) {
  return Tree<double>(unit_vectors(positions, execution), {.non_finite = positions.non_finite},
                      execution);
}

double chord(double angle, AngleUnit unit) {
  return public_call("sky", [&] { return limit_of("sky.chord: angle", angle, unit); });
}

double angle(double chord, AngleUnit unit) {
  return public_call("sky", [&] { return measured(chord, measure_in(unit)); });
}

void to_angles(std::span<double> chords, AngleUnit unit, const Execution& execution) {
  public_call("sky", execution, [&](Workers& workers) {
    const Measure measure = measure_in(unit);
    const Stage stage(workers, "angles", chords.size());
    workers.for_ranges(chords.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) chords[i] = measured(chords[i], measure);
      workers.advance(end - begin);
    });
  });
}

Neighbors<double, std::int64_t> knn(const Positions& positions, const KnnOptions& options,
                                    const Execution& execution) {
  return public_call("sky", execution, [&] {
    const kith::KnnOptions in_chords = chords(options, positions.unit);
    return with_angles(kith::knn<std::int64_t>(tree(positions, execution), in_chords, execution),
                       positions.unit, execution);
  });
}

Neighbors<double, std::int64_t> knn(const Positions& positions, const Positions& queries,
                                    const KnnOptions& options, const Execution& execution) {
  return public_call("sky", execution, [&] {
    expect_unit(positions, queries);
    const kith::KnnOptions in_chords = chords(options, positions.unit);
    return with_angles(
        kith::knn<std::int64_t>(tree(positions, execution), unit_vectors(queries, execution),
                                in_chords, execution),
        positions.unit, execution);
  });
}

Matches match(const Positions& positions, const Positions& others, double max_angle,
              const Execution& execution) {
  return public_call("sky", execution, [&] {
    (void)limit_of("sky.match: max_angle", max_angle, positions.unit);
    const auto near = knn(others, positions, {.max_angle = max_angle}, execution);
    return Matches{{near.indices(), near.indices() + near.size()},
                   {near.distances(), near.distances() + near.size()}};
  });
}

NeighborLists<double, std::int64_t> radius(const Positions& positions, double angle,
                                           const Execution& execution) {
  return public_call("sky", execution, [&] {
    const double limit = limit_of("sky.radius: angle", angle, positions.unit);
    return with_angles(
        kith::radius<std::int64_t>(tree(positions, execution), {.radius = limit}, execution),
        positions.unit, execution);
  });
}

NeighborLists<double, std::int64_t> radius(const Positions& positions, const Positions& queries,
                                           double angle, const Execution& execution) {
  return public_call("sky", execution, [&] {
    expect_unit(positions, queries);
    const double limit = limit_of("sky.radius: angle", angle, positions.unit);
    return with_angles(
        kith::radius<std::int64_t>(tree(positions, execution), unit_vectors(queries, execution),
                                   {.radius = limit}, execution),
        positions.unit, execution);
  });
}

Pairs<double, std::int64_t> pairs(const Positions& positions, double angle,
                                  const Execution& execution) {
  return public_call("sky", execution, [&] {
    const double limit = limit_of("sky.pairs: angle", angle, positions.unit);
    auto found =
        kith::radius_pairs<std::int64_t>(tree(positions, execution), {.radius = limit}, execution);
    to_angles(found.distance, positions.unit, execution);
    return found;
  });
}

Groups fof(const Positions& positions, double angle, std::size_t min_size,
           const Execution& execution) {
  return public_call("sky", execution, [&] {
    const double limit = positive_limit_of("sky.fof: angle", angle, positions.unit);
    return kith::fof(tree(positions, execution), {.linking_length = limit, .min_size = min_size},
                     execution);
  });
}

Clusters dbscan(const Positions& positions, const DbscanOptions& options,
                const Execution& execution) {
  return public_call("sky", execution, [&] {
    DbscanOptions in_chords = options;
    in_chords.box = {};
    in_chords.eps = positive_limit_of("sky.dbscan: eps", options.eps, positions.unit);
    return kith::dbscan(tree(positions, execution), in_chords, execution);
  });
}

SpanningTree in_angles(const SpanningTree& tree, AngleUnit unit) {
  return public_call("sky", [&] {
    const SpanningTree::Impl& plain = impl_of(tree);
    const auto* length2 = std::get_if<Array<double>>(&plain.length2);
    if (plain.measure != Measure::length || plain.dimension != 3 || plain.box != Box() || !length2)
      refuse(
          "sky: a spanning tree that is not one of unit vectors; give points in three open "
          "dimensions, in double");
    auto impl = std::make_shared<SpanningTree::Impl>();
    impl->input_size = plain.input_size;
    impl->points = plain.points;
    impl->dimension = plain.dimension;
    impl->core_k = plain.core_k;
    impl->exponent = plain.exponent;
    impl->measure = measure_in(unit);
    impl->storage = shared_impl_of(tree);
    impl->is_dropped =
        Array<std::uint8_t>::borrowed(plain.is_dropped.data(), plain.is_dropped.size());
    impl->index = Array<std::uint32_t>::borrowed(plain.index.data(), plain.index.size());
    impl->length2 = Array<double>::borrowed(length2->data(), length2->size());
    impl->weight = Array<double>::borrowed(plain.weight.data(), plain.weight.size());
    if (const auto* core2 = std::get_if<Array<double>>(&plain.core2))
      impl->core2 = Array<double>::borrowed(core2->data(), core2->size());
    return wrap_impl<SpanningTree>(std::move(impl));
  });
}

SpanningTree spanning_tree(const Positions& positions, std::size_t core_k,
                           const Execution& execution) {
  return public_call("sky", execution, [&] {
    return in_angles(kith::spanning_tree(tree(positions, execution), {.core_k = core_k}, execution),
                     positions.unit);
  });
}

HdbscanClusters hdbscan(const Positions& positions, const HdbscanOptions& options,
                        const Execution& execution) {
  return public_call("sky", execution, [&] {
    const Tree<double> searched = tree(positions, execution);
    HdbscanOptions in_chords = options;
    in_chords.box = {};
    const SpanningTree chords =
        kith::spanning_tree(searched, spanning_options(in_chords, searched.size()), execution);
    return condense(hierarchy(in_angles(chords, positions.unit), execution), options.condense,
                    execution);
  });
}

}  // namespace kith::sky
