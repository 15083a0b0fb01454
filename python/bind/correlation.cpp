// Histograms of pairs and correlation functions.
#include <optional>

#include <kith/io/stored_neighbors.hpp>

#include "call.hpp"
#include "correlation_arguments.hpp"
#include "module.hpp"
#include "stored.hpp"

namespace kith::python {
namespace {

/// Null: the points are arrays.
const OpenPoints* stored_in(const nb::tuple& given) {
  const OpenPoints* from = nullptr;
  nb::try_cast(given[0], from);
  return from;
}

nb::typed<nb::dict, nb::str, nb::any> histogram_of(const nb::tuple& given,
                                                   const std::optional<nb::tuple>& other,
                                                   const nb::dict& asked, const Call& call) {
  const CorrelationArguments arguments(asked);
  const PairHistogramOptions options = arguments.of_histogram();
  if (const OpenPoints* from = stored_in(given))
    return dict_of(run(call, [&](const Execution& e) {
      return pair_histogram(*from->points, options, from->disk, e);
    }));
  const GivenSet points(given);
  std::optional<GivenSet> others;
  if (other) others.emplace(*other);
  return dict_of(run(call, [&](const Execution& e) {
    return others ? pair_histogram(points.set, others->set, options, e)
                  : pair_histogram(points.set, options, e);
  }));
}

nb::typed<nb::dict, nb::str, nb::any> correlation_of(const nb::tuple& given,
                                                     const std::optional<nb::tuple>& other,
                                                     const nb::dict& asked, const Call& call) {
  const CorrelationArguments arguments(asked);
  if (const OpenPoints* from = stored_in(given))
    return dict_of(run(call, [&](const Execution& e) {
      return correlation(*from->points, arguments.options, from->disk, e);
    }));
  const GivenSet data(given);
  std::optional<GivenSet> randoms;
  if (other) randoms.emplace(*other);
  return dict_of(run(call, [&](const Execution& e) {
    return randoms ? correlation(data.set, randoms->set, arguments.options, e)
                   : correlation(data.set, arguments.options, e);
  }));
}

ArrayOf<double> sky_of(const Numbers& ra, const Numbers& dec,
                       const std::optional<Numbers>& distance) {
  auto rows = sky_positions(span_of(ra), span_of(dec),
                            distance ? span_of(*distance) : std::span<const double>());
  const std::size_t size = rows.size() / 3;
  return array_of(std::move(rows), {size, 3});
}

ArrayOf<double> distance_of(const Numbers& redshift, double omega_m) {
  return array_of(comoving_distance(span_of(redshift), omega_m));
}

ArrayOf<std::int32_t> regions_of(const Array& points, std::size_t regions, const Box& box,
                                 const Call& call) {
  const PointsView view = points_of(points);
  return array_of(
      run(call, [&](const Execution& e) { return jackknife_regions(view, regions, box, e); }));
}

ArrayOf<std::int32_t> nearest_of(const Array& points, const Regions& region, const Array& others,
                                 const Box& box, const Call& call) {
  const PointsView from = points_of(points), to = points_of(others);
  return array_of(run(call, [&](const Execution& e) {
    return nearest_regions(from, {region.data(), region.size()}, to, box, e);
  }));
}

}  // namespace

void bind_correlation(nb::module_& module) {
  module.def("pair_histogram", &histogram_of, nb::arg("points"), nb::arg("others").none(),
             nb::arg("options"), nb::arg("call"));
  module.def("correlation", &correlation_of, nb::arg("data"), nb::arg("randoms").none(),
             nb::arg("options"), nb::arg("call"));
  module.def("sky_positions", &sky_of, nb::arg("ra"), nb::arg("dec"), nb::arg("distance").none());
  module.def("comoving_distance", &distance_of);
  module.def("jackknife_regions", &regions_of);
  module.def("nearest_regions", &nearest_of);
}

}  // namespace kith::python
