// The arguments of calls: options read from dictionaries, and the arrays that they view.
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>

#include <kith/catalogue.hpp>
#include <kith/centers.hpp>
#include <kith/clusters.hpp>
#include <kith/density.hpp>
#include <kith/groups.hpp>
#include <kith/halos.hpp>
#include <kith/hdbscan.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/neighbors.hpp>
#include <kith/radius.hpp>
#include <kith/redshift_space.hpp>
#include <kith/sky.hpp>
#include <kith/spanning_tree.hpp>

#include "arrays.hpp"
#include "options.hpp"

namespace kith::python {

KnnOptions knn_options(const nb::dict& given);
FofOptions fof_options(const nb::dict& given);
LinkingLengths linking_lengths(const Numbers& length, const nb::dict& rule);
RedshiftSpace redshift_space(const nb::dict& sight);
DensityOptions density_options(const nb::dict& given);

/// A type from 0 to 255 for each point.
using TypeNumbers = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>;

struct RadiusArguments {
  explicit RadiusArguments(const nb::dict& given);
  Numbers radii;
  RadiusOptions options;
};

struct DbscanArguments {
  explicit DbscanArguments(const nb::dict& given);
  Numbers weight;
  DbscanOptions options;
};

struct SpanningArguments {
  explicit SpanningArguments(const nb::dict& given);
  Numbers weight;
  SpanningTreeOptions options;
};

/// Reads which points are friends, and which groups count; other options stay for the caller.
void read_linking(Options& read, FofOptions& options);

/// Reads the unit of angles; other options stay for the caller.
void read_unit(Options& read, sky::AngleUnit& unit);

/// Reads the options of condensing; others stay for the caller.
void read_condensing(Options& read, CondenseOptions& options);

struct CatalogueArguments {
  explicit CatalogueArguments(const nb::dict& given);
  std::optional<Array> mass, velocity;
  std::optional<TypeNumbers> type;
  CatalogueOptions options;
};

struct CenterArguments {
  explicit CenterArguments(const nb::dict& given);
  std::optional<Array> mass;
  std::optional<TypeNumbers> type;
  CenterOptions options;
};

struct OverdensityArguments {
  explicit OverdensityArguments(const nb::dict& given);
  std::optional<Array> mass, within, guess;
  OverdensityOptions options;
};

struct SubhaloArguments {
  explicit SubhaloArguments(const nb::dict& given);
  std::optional<Array> mass, velocity, thermal_energy;
  std::optional<TypeNumbers> type;
  SubhaloOptions options;
};

}  // namespace kith::python
