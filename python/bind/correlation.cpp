// Histograms of pairs and correlation functions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <optional>

#include <kith/correlation.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

using Regions = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Points with what belongs to them, from a tuple (points, weight, region, bits).
struct GivenSet {
  explicit GivenSet(const nb::tuple& given) {
    points = nb::cast<Array>(given[0]);
    set.points = points_of(points);
    if (!given[1].is_none()) weight = nb::cast<Numbers>(given[1]);
    if (!given[2].is_none()) region = nb::cast<Regions>(given[2]);
    if (!given[3].is_none()) bits = nb::cast<Words>(given[3]);
    if (weight) set.weight = span_of(*weight);
    if (region) set.region = {region->data(), region->size()};
    if (bits) set.bits = {bits->data(), bits->size()};
  }
  GivenSet(const GivenSet&) = delete;
  GivenSet& operator=(const GivenSet&) = delete;

  Array points;
  std::optional<Numbers> weight;
  std::optional<Regions> region;
  std::optional<Words> bits;
  PairSet set;
};

struct CorrelationQuestion {
  explicit CorrelationQuestion(const nb::dict& given) {
    Options read(given);
    read.choice("separation", options.bins.separation,
                {{"r", Separation::r},
                 {"rp_pi", Separation::rp_pi},
                 {"s_mu", Separation::s_mu},
                 {"theta", Separation::theta}});
    read.choice("line_of_sight", options.bins.line_of_sight,
                {{"x", LineOfSight::x},
                 {"y", LineOfSight::y},
                 {"z", LineOfSight::z},
                 {"midpoint", LineOfSight::midpoint}});
    read.choice(
        "statistic", options.statistic,
        {{"xi", Statistic::xi}, {"wp", Statistic::wp}, {"multipoles", Statistic::multipoles}});
    read.choice("estimator", options.estimator,
                {{"natural", Estimator::natural}, {"landy_szalay", Estimator::landy_szalay}});
    read("edges", options.bins.edges);
    read("pi_max", options.bins.pi_max);
    read("pi_bins", options.bins.pi_bins);
    read("mu_bins", options.bins.mu_bins);
    read("box", options.box);
    read("regions", options.regions);
    read("mean_separation", options.mean_separation);
    read("words", options.table.words);
    read("table", table);
    read.expect_no_more();
    options.table.weight = table;
  }
  CorrelationQuestion(const CorrelationQuestion&) = delete;
  CorrelationQuestion& operator=(const CorrelationQuestion&) = delete;

  std::vector<double> table;
  CorrelationOptions options;
};

nb::dict dict_of(PairHistogram&& pairs) {
  nb::dict result;
  result["counts"] = array_of(std::move(pairs.counts));
  result["weight"] = array_of(std::move(pairs.weight));
  result["mean_separation"] = array_of(std::move(pairs.mean_separation));
  result["total"] = pairs.total;
  result["left_out"] = array_of(std::move(pairs.left_out));
  result["left_out_total"] = array_of(std::move(pairs.left_out_total));
  return result;
}

nb::dict histogram_of(const nb::tuple& given, const std::optional<nb::tuple>& other,
                      const nb::dict& asked, const Call& call) {
  const GivenSet points(given);
  std::optional<GivenSet> others;
  if (other) others.emplace(*other);
  const CorrelationQuestion question(asked);
  const CorrelationOptions& o = question.options;
  const PairHistogramOptions options{o.bins, o.box, o.regions, o.mean_separation, o.table};
  return dict_of(run(call, [&](const Execution& e) {
    return others ? pair_histogram(points.set, others->set, options, e)
                  : pair_histogram(points.set, options, e);
  }));
}

nb::dict correlation_of(const nb::tuple& given, const std::optional<nb::tuple>& other,
                        const nb::dict& asked, const Call& call) {
  const GivenSet data(given);
  std::optional<GivenSet> randoms;
  if (other) randoms.emplace(*other);
  const CorrelationQuestion question(asked);
  Correlation answer = run(call, [&](const Execution& e) {
    return randoms ? correlation(data.set, randoms->set, question.options, e)
                   : correlation(data.set, question.options, e);
  });
  nb::dict result;
  result["pi_bins"] = answer.bins.pi_bins;
  result["value"] = array_of(std::move(answer.value));
  result["error"] = array_of(std::move(answer.error));
  result["covariance"] = array_of(std::move(answer.covariance));
  result["samples"] = array_of(std::move(answer.samples));
  result["data_data"] = dict_of(std::move(answer.data_data));
  result["data_randoms"] = dict_of(std::move(answer.data_randoms));
  result["randoms_randoms"] = dict_of(std::move(answer.randoms_randoms));
  return result;
}

nb::object sky_of(const Numbers& ra, const Numbers& dec, const std::optional<Numbers>& distance) {
  auto rows = sky_positions(span_of(ra), span_of(dec),
                            distance ? span_of(*distance) : std::span<const double>());
  const std::size_t size = rows.size() / 3;
  return array_of(std::move(rows), {size, 3});
}

nb::object distance_of(const Numbers& redshift, double omega_m) {
  return array_of(comoving_distance(span_of(redshift), omega_m));
}

nb::object regions_of(const Array& points, std::size_t regions, const Box& box, const Call& call) {
  const PointsView view = points_of(points);
  return array_of(
      run(call, [&](const Execution& e) { return jackknife_regions(view, regions, box, e); }));
}

nb::object nearest_of(const Array& points, const Regions& region, const Array& others,
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
