// The arguments and results of histograms of pairs and correlation functions, with and without
// ranks.
#pragma once

#include <cstdint>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <utility>
#include <vector>

#include <kith/correlation.hpp>

#include "arrays.hpp"
#include "options.hpp"

namespace kith::python {

using Regions = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Points with their columns, from a tuple (points, weight, region, bits).
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

struct CorrelationArguments {
  explicit CorrelationArguments(const nb::dict& given) {
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
  PairHistogramOptions of_histogram() const {
    return {options.bins, options.box, options.regions, options.mean_separation, options.table};
  }
  CorrelationArguments(const CorrelationArguments&) = delete;
  CorrelationArguments& operator=(const CorrelationArguments&) = delete;

  std::vector<double> table;
  CorrelationOptions options;
};

inline nb::typed<nb::dict, nb::str, nb::any> dict_of(PairHistogram&& pairs) {
  nb::dict result;
  result["counts"] = array_of(std::move(pairs.counts));
  result["weight"] = array_of(std::move(pairs.weight));
  result["mean_separation"] = array_of(std::move(pairs.mean_separation));
  result["total"] = pairs.total;
  result["left_out"] = array_of(std::move(pairs.left_out));
  result["left_out_total"] = array_of(std::move(pairs.left_out_total));
  return result;
}

inline nb::typed<nb::dict, nb::str, nb::any> dict_of(Correlation&& answer) {
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

}  // namespace kith::python
