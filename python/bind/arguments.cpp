#include "arguments.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "options.hpp"

namespace kith::python {

KnnOptions knn_options(const nb::dict& given) {
  KnnOptions options;
  Options read(given);
  read("k", options.k);
  read("exclude_self", options.exclude_self);
  read("max_radius", options.max_radius);
  read("strict", options.strict);
  read.choice("order", options.order, {{"input", RowOrder::input}, {"tree", RowOrder::tree}});
  read.choice("method", options.method,
              {{"automatic", KnnMethod::automatic},
               {"predict", KnnMethod::predict},
               {"walk", KnnMethod::walk}});
  read("p", options.p);
  read.expect_no_more();
  return options;
}

void read_linking(Options& read, FofOptions& options) {
  read("linking_length", options.linking_length);
  read("b", options.b);
  read("mean_separation", options.mean_separation);
  read("volume", options.volume);
  read("min_size", options.min_size);
  read("strict", options.strict);
  read("keep_roots", options.keep_roots);
}

FofOptions fof_options(const nb::dict& given) {
  FofOptions options;
  Options read(given);
  read("box", options.box);
  read_linking(read, options);
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read.expect_no_more();
  return options;
}

DbscanArguments::DbscanArguments(const nb::dict& given) {
  Options read(given);
  read("box", options.box);
  read("eps", options.eps);
  read("min_samples", options.min_samples);
  read.choice("border", options.border,
              {{"nearest", Border::nearest}, {"sklearn", Border::sklearn}, {"none", Border::none}});
  read("border_links", options.border_links);
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read("sample_weight", weight);
  read.expect_no_more();
  if (weight.is_valid()) options.sample_weight = span_of(weight);
}

SpanningArguments::SpanningArguments(const nb::dict& given) {
  Options read(given);
  read("box", options.box);
  read("core_k", options.core_k);
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read("sample_weight", weight);
  read.expect_no_more();
  if (weight.is_valid()) options.sample_weight = span_of(weight);
}

void read_unit(Options& read, sky::AngleUnit& unit) {
  read.choice("unit", unit,
              {{"degrees", sky::AngleUnit::degrees}, {"radians", sky::AngleUnit::radians}});
}

void read_condensing(Options& read, CondenseOptions& options) {
  read("min_cluster_size", options.min_cluster_size);
  read("min_cluster_weight", options.min_cluster_weight);
  read.choice("selection", options.selection,
              {{"eom", ClusterSelection::eom}, {"leaf", ClusterSelection::leaf}});
  read("selection_epsilon", options.selection_epsilon);
  read("allow_single_cluster", options.allow_single_cluster);
  read("max_cluster_size", options.max_cluster_size);
}

RadiusArguments::RadiusArguments(const nb::dict& given) {
  Options read(given);
  read("radius", options.radius);
  std::optional<Numbers> several;
  read("radii", several);
  read("strict", options.strict);
  read("exclude_self", options.exclude_self);
  read("sorted", options.sorted);
  read("max_neighbors", options.max_neighbors);
  read("p", options.p);
  read.expect_no_more();
  if (!several) return;
  radii = *several;
  options.radii = span_of(radii);
}

LinkingLengths linking_lengths(const Numbers& length, const nb::dict& rule) {
  LinkingLengths lengths{span_of(length)};
  Options read(rule);
  read.choice(
      "rule", lengths.rule,
      {{"mean", LengthRule::mean}, {"least", LengthRule::least}, {"largest", LengthRule::largest}});
  read.expect_no_more();
  return lengths;
}

RedshiftSpace redshift_space(const nb::dict& sight) {
  RedshiftSpace space;
  Options read(sight);
  read.choice("line_of_sight", space.line_of_sight,
              {{"x", LineOfSight::x},
               {"y", LineOfSight::y},
               {"z", LineOfSight::z},
               {"midpoint", LineOfSight::midpoint}});
  read("stretch", space.stretch);
  read("observer", space.observer);
  read.expect_no_more();
  return space;
}

DensityOptions density_options(const nb::dict& given) {
  DensityOptions options;
  Options read(given);
  read("k", options.k);
  read.choice("kernel", options.kernel, {SphKernel::cubic_spline, SphKernel::wendland_c2});
  read.expect_no_more();
  return options;
}

CatalogueArguments::CatalogueArguments(const nb::dict& given) {
  Options read(given);
  read("mass", mass);
  read("velocity", velocity);
  read("type", type);
  for_each_option(options, read);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (velocity) options.velocity = points_of(*velocity);
  if (type) options.type = {type->data(), type->size()};
}

CenterArguments::CenterArguments(const nb::dict& given) {
  Options read(given);
  read("box", options.box);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("type", type);
  read("types", options.types);
  read("softening", options.softening);
  read.choice("kind", options.kind,
              {{"mass", CenterKind::mass},
               {"shrinking", CenterKind::shrinking},
               {"potential", CenterKind::potential}});
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (type) options.type = {type->data(), type->size()};
}

OverdensityArguments::OverdensityArguments(const nb::dict& given) {
  Options read(given);
  read("density", options.density);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("within", within);
  read("mass_guess", guess);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (within) options.within = values_of(*within);
  if (guess) options.mass_guess = values_of(*guess);
}

SubhaloArguments::SubhaloArguments(const nb::dict& given) {
  Options read(given);
  read("box", options.box);
  read("velocity", velocity);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("type", type);
  read("types", options.types);
  read.choice("method", options.method,
              {SubhaloMethod::automatic, SubhaloMethod::phase_fof, SubhaloMethod::subfind,
               SubhaloMethod::phase});
  read("linking_length", options.linking_length);
  read("position_scale", options.position_scale);
  read("velocity_scale", options.velocity_scale);
  read("min_size", options.min_size);
  read("gravity", options.gravity);
  read("softening", options.softening);
  read("hubble_flow", options.hubble_flow);
  read("thermal_energy", thermal_energy);
  read("density_neighbors", options.density_neighbors);
  read("link_neighbors", options.link_neighbors);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (velocity) options.velocity = points_of(*velocity);
  if (type) options.type = {type->data(), type->size()};
  if (thermal_energy) options.thermal_energy = values_of(*thermal_energy);
}

}  // namespace kith::python
