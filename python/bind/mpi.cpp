// The extension module kith._mpi: calls over the ranks of communicators of mpi4py, ready for
// ../kith/mpi.py. Each function reads its arguments, which may fail on one rank alone, and returns
// the collective call itself, so that ranks can agree in between.
#include <exception>
#include <memory>
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kith/mpi.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "atom_arguments.hpp"
#include "call.hpp"
#include "collective.hpp"
#include "correlation_arguments.hpp"
#include "hdbscan_columns.hpp"
#include "match_arguments.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

// ---- points

/// `comm`: where mpi4py has its communicator (MPI._addressof).
nb::object domains_of(std::size_t comm, const Array& points, const nb::dict& given) {
  mpi::DomainOptions options;
  std::optional<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>> ids;
  std::optional<nb::ndarray<const double, nb::ndim<1>, nb::c_contig>> weight;
  std::string distribution = "curve";
  Options read(given);
  read("box", options.tree.box);
  read("ids", ids);
  read("weight", weight);
  read("distribution", distribution);
  read.choice("non_finite", options.tree.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read.expect_no_more();
  auto* const make = distribution == "keep" ? &mpi::Domains::keep
                     : distribution == "kd" ? &mpi::Domains::kd
                                            : &mpi::Domains::curve;
  const PointsView view = points_of(points);
  return nb::cpp_function([=](const Call& call) {
    mpi::DomainOptions own = options;
    if (ids) own.ids = {ids->data(), ids->size()};
    if (weight) own.weight = {weight->data(), weight->size()};
    return run_collective(call, [&](const Execution& e) {
      return make(*reinterpret_cast<const MPI_Comm*>(comm), view, own, e);
    });
  });
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::optional<PointsView> view_of(const std::optional<Array>& array) {
  return array ? std::optional(points_of(*array)) : std::nullopt;
}

// ---- neighbors

template <class T>
nb::object nearest(const mpi::Domains& domains, const std::optional<PointsView>& queries,
                   const KnnOptions& options, const Call& call) {
  auto found = run_collective(call, [&](const Execution& e) {
    return queries ? mpi::knn<T>(domains, *queries, options, e) : mpi::knn<T>(domains, options, e);
  });
  const std::size_t rows = found.size(), k = found.k();
  return nb::make_tuple(array_over(found.indices(), {rows, k}, found),
                        array_over(found.distances(), {rows, k}, found));
}

nb::object knn_of(const std::optional<Array>& queries, const nb::dict& given) {
  return nb::cpp_function([options = knn_options(given), queries, view = view_of(queries)](
                              const mpi::Domains& domains, const Call& call) {
    return domains.scalar() == Scalar::float32 ? nearest<float>(domains, view, options, call)
                                               : nearest<double>(domains, view, options, call);
  });
}

template <class T>
nb::object lists(const mpi::Domains& domains, const std::optional<PointsView>& queries,
                 const RadiusOptions& options, const Call& call) {
  auto found = run_collective(call, [&](const Execution& e) {
    return queries ? mpi::radius<T>(domains, *queries, options, e)
                   : mpi::radius<T>(domains, options, RowOrder::input, e);
  });
  const auto offsets = found.offsets();
  const std::size_t total = found.total();
  const auto& shared = std::as_const(found);
  return nb::make_tuple(array_of(std::vector<std::int64_t>(offsets.begin(), offsets.end())),
                        array_over(shared.indices(), {total}, found),
                        array_over(shared.distances(), {total}, found), found.truncated());
}

nb::object radius_of(const std::optional<Array>& queries, const nb::dict& given) {
  return nb::cpp_function([arguments = RadiusArguments(given), queries, view = view_of(queries)](
                              const mpi::Domains& domains, const Call& call) {
    return domains.scalar() == Scalar::float32
               ? lists<float>(domains, view, arguments.options, call)
               : lists<double>(domains, view, arguments.options, call);
  });
}

nb::object radius_count_of(const std::optional<Array>& queries, const nb::dict& given) {
  return nb::cpp_function([arguments = RadiusArguments(given), queries, view = view_of(queries)](
                              const mpi::Domains& domains, const Call& call) {
    return array_of(run_collective(call, [&](const Execution& e) {
      return view ? mpi::radius_count(domains, *view, arguments.options, e)
                  : mpi::radius_count(domains, arguments.options, RowOrder::input, e);
    }));
  });
}

nb::object density_of(const std::optional<Numbers>& mass, const nb::dict& given) {
  DensityOptions options = density_options(given);
  if (mass) options.mass = span_of(*mass);
  return nb::cpp_function([options, mass](const mpi::Domains& domains, const Call& call) {
    return array_of(run_collective(call, [&](const Execution& e) {
      return mpi::sph_density(domains, options, RowOrder::input, e);
    }));
  });
}

using Reduction = std::vector<double> (*)(const mpi::Domains&, const KnnOptions&, const Execution&);

template <Reduction kReduce>
nb::object reduced(const nb::dict& given) {
  return nb::cpp_function(
      [options = knn_options(given)](const mpi::Domains& domains, const Call& call) {
        return array_of(
            run_collective(call, [&](const Execution& e) { return kReduce(domains, options, e); }));
      });
}

// ---- groups

nb::object fof_of(const nb::dict& given) {
  return nb::cpp_function([options = fof_options(given)](const mpi::Domains& domains,
                                                         const Call& call) {
    return run_collective(
        call, [&](const Execution& e) { return mpi::fof(domains, options, RowOrder::input, e); });
  });
}

nb::object fof_by_lengths_of(const Numbers& length, const nb::dict& rule, const nb::dict& given) {
  return nb::cpp_function(
      [lengths = linking_lengths(length, rule), length, options = fof_options(given)](
          const mpi::Domains& domains, const Call& call) {
        return run_collective(call, [&](const Execution& e) {
          return mpi::fof(domains, lengths, options, RowOrder::input, e);
        });
      });
}

/// `length`: one for each point of this rank, or none.
nb::object redshift_fof_of(std::size_t comm, const Array& points,
                           const std::optional<Numbers>& length, const nb::dict& rule,
                           const nb::dict& given, const nb::dict& sight) {
  const LinkingLengths lengths = length ? linking_lengths(*length, rule) : LinkingLengths();
  return nb::cpp_function(
      [=, options = fof_options(given), space = redshift_space(sight)](const Call& call) {
        return run_collective(call, [&](const Execution& e) {
          const MPI_Comm ranks = *reinterpret_cast<const MPI_Comm*>(comm);
          return length ? mpi::redshift_fof(ranks, points_of(points), lengths, options, space, e)
                        : mpi::redshift_fof(ranks, points_of(points), options, space, e);
        });
      });
}

nb::object dbscan_of(const nb::dict& given) {
  return nb::cpp_function(
      [arguments = DbscanArguments(given)](const mpi::Domains& domains, const Call& call) {
        mpi::Clusters found = run_collective(call, [&](const Execution& e) {
          return mpi::dbscan(domains, arguments.options, RowOrder::input, e);
        });
        return nb::make_tuple(std::move(found.groups), array_of(std::move(found.is_core)));
      });
}

nb::object spanning_tree_of(const nb::dict& given) {
  return nb::cpp_function(
      [arguments = SpanningArguments(given)](const mpi::Domains& domains, const Call& call) {
        return run_collective(call, [&](const Execution& e) {
          return mpi::spanning_tree(domains, arguments.options, e);
        });
      });
}

nb::object hierarchy_of(const nb::dict& given) {
  return nb::cpp_function([arguments = SpanningArguments(given)](const mpi::Domains& domains,
                                                                 const Call& call) {
    return run_collective(
        call, [&](const Execution& e) { return mpi::hierarchy(domains, arguments.options, e); });
  });
}

nb::object hdbscan_of(const nb::dict& given) {
  HdbscanOptions options;
  Numbers weight;
  Options read(given);
  std::optional<kith::sky::AngleUnit> unit;  // of positions on the sky
  if (given.contains("unit")) read_unit(read, unit.emplace());
  read("min_samples", options.min_samples);
  read("sample_weight", weight);
  read_condensing(read, options.condense);
  read.expect_no_more();
  if (weight.is_valid()) options.sample_weight = span_of(weight);
  return nb::cpp_function([options, weight, unit](const mpi::Domains& domains, const Call& call) {
    return columns_of(run_collective(call, [&](const Execution& e) {
      return unit ? mpi::sky::hdbscan(domains, *unit, options, RowOrder::input, e)
                  : mpi::hdbscan(domains, options, RowOrder::input, e);
    }));
  });
}

nb::object catalogue_of(const Array& points, const mpi::Groups& groups, const nb::dict& given) {
  return nb::cpp_function([arguments = CatalogueArguments(given), points, groups](
                              const mpi::Domains& domains, const Call& call) {
    return run_collective(call, [&](const Execution& e) {
      return mpi::catalogue(domains, points_of(points), groups, arguments.options, e);
    });
  });
}

nb::object centers_of(const Array& points, const mpi::Groups& groups, const nb::dict& given) {
  return nb::cpp_function([arguments = CenterArguments(given), points, groups](
                              const mpi::Domains& domains, const Call& call) {
    auto found = run_collective(call, [&](const Execution& e) {
      return mpi::centers(domains, points_of(points), groups, arguments.options, e);
    });
    const auto width = static_cast<std::size_t>(domains.dimension());
    const std::size_t rows = found.size() / width;
    return array_of(std::move(found), {rows, width});
  });
}

nb::object overdensities_of(const Numbers& centers, const nb::dict& given) {
  return nb::cpp_function([arguments = OverdensityArguments(given), centers](
                              const mpi::Domains& domains, const Call& call) {
    auto found = run_collective(call, [&](const Execution& e) {
      return mpi::overdensities(domains, span_of(centers), arguments.options, e);
    });
    const std::size_t densities = arguments.options.density.size();
    const std::size_t rows = densities == 0 ? 0 : found.mass.size() / densities;
    return nb::make_tuple(array_of(std::move(found.mass), {rows, densities}),
                          array_of(std::move(found.radius), {rows, densities}),
                          array_of(std::move(found.size), {rows, densities}));
  });
}

nb::object subhalos_of(const Array& points, const mpi::Groups& groups, const nb::dict& given) {
  return nb::cpp_function([arguments = SubhaloArguments(given), points, groups](
                              const mpi::Domains& domains, const Call& call) {
    mpi::Subhalos found = run_collective(call, [&](const Execution& e) {
      return mpi::subhalos(domains, points_of(points), groups, arguments.options, e);
    });
    const std::size_t bound = found.most_bound.size();
    const std::size_t d = static_cast<std::size_t>(found.catalogue.dimension);
    return nb::make_tuple(
        array_of(std::move(found.parent)), array_of(std::move(found.index)),
        array_of(std::vector<std::int64_t>(found.offset.begin(), found.offset.end())),
        std::move(found.catalogue), array_of(std::move(found.host)),
        array_of(std::move(found.most_bound)), array_of(std::move(found.peak), {bound, d}),
        array_of(std::move(found.by_binding)));
  });
}

nb::object match_of(std::size_t comm, const Ids& id_a, const Labels& label_a, const Ids& id_b,
                    const Labels& label_b, const nb::dict& given) {
  return nb::cpp_function([=, options = match_options(given)](const Call& call) {
    return columns_of(run_collective(call, [&](const Execution& e) {
      return mpi::match(*reinterpret_cast<const MPI_Comm*>(comm), labeled(id_a, label_a),
                        labeled(id_b, label_b), options, e);
    }));
  });
}

// ---- atoms

/// The atoms of this rank, and what keeps them in memory until the collective call.
struct AtomsGiven {
  std::size_t comm;
  Array positions;
  Cells cells;
  Periodic periodic;

  MPI_Comm ranks() const { return *reinterpret_cast<const MPI_Comm*>(comm); }
  AtomSystem system() const {
    return systems_of(points_of(positions), cells, periodic, std::nullopt)[0];
  }
};

nb::object neighbor_list_of(std::size_t comm, const std::string& quantities, const Array& positions,
                            const Cells& cells, const Periodic& periodic, const nb::dict& given) {
  const auto arguments = std::make_shared<const ListArguments>(quantities, given);
  return nb::cpp_function(
      [arguments, atoms = AtomsGiven{comm, positions, cells, periodic}](const Call& call) {
        return arrays_of(run_collective(call,
                                        [&](const Execution& e) {
                                          return mpi::neighbor_list(atoms.ranks(), atoms.system(),
                                                                    arguments->options, e);
                                        }),
                         arguments->quantities);
      });
}

nb::object cells_fof_of(std::size_t comm, const Array& positions, const Cells& cells,
                        const Periodic& periodic, const nb::dict& given) {
  return nb::cpp_function([arguments = CellFofArguments(given),
                           atoms = AtomsGiven{comm, positions, cells, periodic}](const Call& call) {
    return run_collective(call, [&](const Execution& e) {
      return mpi::cells::fof(atoms.ranks(), atoms.system(), arguments.options, e);
    });
  });
}

nb::object cells_knn_of(std::size_t comm, const Array& positions, const Cells& cells,
                        const Periodic& periodic, const nb::dict& given) {
  return nb::cpp_function([options = cell_knn_options(given),
                           atoms = AtomsGiven{comm, positions, cells, periodic}](const Call& call) {
    return arrays_of(run_collective(call, [&](const Execution& e) {
      return mpi::cells::knn(atoms.ranks(), atoms.system(), options, e);
    }));
  });
}

nb::object cells_radius_count_of(std::size_t comm, const Array& positions, const Cells& cells,
                                 const Periodic& periodic, const nb::dict& given) {
  return nb::cpp_function([options = cell_count_options(given),
                           atoms = AtomsGiven{comm, positions, cells, periodic}](const Call& call) {
    return array_of(run_collective(call, [&](const Execution& e) {
      return mpi::cells::radius_count(atoms.ranks(), atoms.system(), options, e);
    }));
  });
}

// ---- pairs

/// The sets and options of a count, which live until the collective call.
struct PairsGiven {
  PairsGiven(const nb::tuple& given, const std::optional<nb::tuple>& other, const nb::dict& asked)
      : points(given), arguments(asked) {
    if (other) others.emplace(*other);
  }
  GivenSet points;
  std::optional<GivenSet> others;
  CorrelationArguments arguments;
};

nb::object pair_histogram_of(std::size_t comm, const nb::tuple& given,
                             const std::optional<nb::tuple>& other, const nb::dict& asked) {
  const auto all = std::make_shared<const PairsGiven>(given, other, asked);
  return nb::cpp_function([comm, all](const Call& call) {
    return dict_of(run_collective(call, [&](const Execution& e) {
      const MPI_Comm ranks = *reinterpret_cast<const MPI_Comm*>(comm);
      const PairHistogramOptions options = all->arguments.of_histogram();
      return all->others ? mpi::pair_histogram(ranks, all->points.set, all->others->set, options, e)
                         : mpi::pair_histogram(ranks, all->points.set, options, e);
    }));
  });
}

nb::object correlation_of(std::size_t comm, const nb::tuple& given,
                          const std::optional<nb::tuple>& other, const nb::dict& asked) {
  const auto all = std::make_shared<const PairsGiven>(given, other, asked);
  return nb::cpp_function([comm, all](const Call& call) {
    return dict_of(run_collective(call, [&](const Execution& e) {
      const MPI_Comm ranks = *reinterpret_cast<const MPI_Comm*>(comm);
      const CorrelationOptions& options = all->arguments.options;
      return all->others ? mpi::correlation(ranks, all->points.set, all->others->set, options, e)
                         : mpi::correlation(ranks, all->points.set, options, e);
    }));
  });
}

nb::object jackknife_regions_of(std::size_t comm, const Array& points, std::size_t regions,
                                const Box& box) {
  return nb::cpp_function([=](const Call& call) {
    return array_of(run_collective(call, [&](const Execution& e) {
      return mpi::jackknife_regions(*reinterpret_cast<const MPI_Comm*>(comm), points_of(points),
                                    regions, box, e);
    }));
  });
}

nb::object nearest_regions_of(std::size_t comm, const Array& points, const Regions& region,
                              const Array& others, const Box& box) {
  return nb::cpp_function([=](const Call& call) {
    return array_of(run_collective(call, [&](const Execution& e) {
      return mpi::nearest_regions(*reinterpret_cast<const MPI_Comm*>(comm), points_of(points),
                                  {region.data(), region.size()}, points_of(others), box, e);
    }));
  });
}

nb::object copy_of(std::span<const std::int64_t> values) {
  return array_of(std::vector<std::int64_t>(values.begin(), values.end()));
}

}  // namespace
}  // namespace kith::python

namespace kith::python {
void bind_mpi_gradients(nb::module_& module);
}

NB_MODULE(_mpi, module) {
  using namespace kith::python;
  namespace mpi = kith::mpi;
  nb::set_leak_warnings(false);
  module.def("library_version", &library_version);
  nb::class_<mpi::Domains>(module, "Domains")
      .def_prop_ro("size", &mpi::Domains::size)
      .def_prop_ro("total", &mpi::Domains::total)
      .def_prop_ro("box", [](const mpi::Domains& domains) { return domains.box(); });
  nb::class_<mpi::Groups>(module, "Groups")
      .def_prop_ro("count", &mpi::Groups::count)
      .def_prop_ro("first", &mpi::Groups::first)
      .def_prop_ro("linking_length", &mpi::Groups::linking_length)
      .def("label",
           [](const mpi::Groups& groups) {
             return array_over(groups.label().data(), {groups.label().size()}, groups);
           })
      .def("root",
           [](const mpi::Groups& groups) {
             return array_over(groups.root().data(), {groups.root().size()}, groups);
           })
      .def("size", [](const mpi::Groups& groups) { return copy_of(groups.sizes()); })
      .def("lowest", [](const mpi::Groups& groups) { return copy_of(groups.lowest()); });
  module.def("domains", &domains_of);
  module.def("knn", &knn_of, nb::arg("queries").none(), nb::arg("options"));
  module.def("radius", &radius_of, nb::arg("queries").none(), nb::arg("options"));
  module.def("radius_count", &radius_count_of, nb::arg("queries").none(), nb::arg("options"));
  module.def("density", &density_of, nb::arg("mass").none(), nb::arg("options"));
  module.def("kth_distance", &reduced<&mpi::kth_distance>);
  module.def("mean_distance", &reduced<&mpi::mean_distance>);
  module.def("fof", &fof_of);
  module.def("fof_by_lengths", &fof_by_lengths_of);
  module.def("redshift_fof", &redshift_fof_of, nb::arg("comm"), nb::arg("points"),
             nb::arg("length").none(), nb::arg("rule"), nb::arg("options"), nb::arg("sight"));
  module.def("dbscan", &dbscan_of);
  module.def("spanning_tree", &spanning_tree_of);
  module.def("hierarchy", &hierarchy_of);
  module.def("hdbscan", &hdbscan_of);
  module.def("catalogue", &catalogue_of);
  module.def("centers", &centers_of);
  module.def("overdensities", &overdensities_of);
  module.def("subhalos", &subhalos_of);
  module.def("match", &match_of);
  module.def("neighbor_list", &neighbor_list_of);
  module.def("cells_fof", &cells_fof_of);
  module.def("cells_knn", &cells_knn_of);
  module.def("cells_radius_count", &cells_radius_count_of);
  module.def("pair_histogram", &pair_histogram_of, nb::arg("comm"), nb::arg("points"),
             nb::arg("others").none(), nb::arg("options"));
  module.def("correlation", &correlation_of, nb::arg("comm"), nb::arg("data"),
             nb::arg("randoms").none(), nb::arg("options"));
  module.def("jackknife_regions", &jackknife_regions_of);
  module.def("nearest_regions", &nearest_regions_of);
  bind_mpi_gradients(module);
}
