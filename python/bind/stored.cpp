// Points larger than memory: read from snapshots, or from whatever Python can slice.
#include "stored.hpp"

#include <cstring>
#include <memory>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

#include <kith/error.hpp>
#include <kith/io/stored_neighbors.hpp>
#include <kith/io/stored_subhalos.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

/// Rows that read(begin, end) returns, as arrays of the scalar type. Calls come from any thread.
class PointsOfPython : public StoredPoints {
 public:
  PointsOfPython(nb::object read, std::uint64_t size, int dimension, bool is_double)
      : read_(std::move(read)), size_(size), dimension_(dimension), is_double_(is_double) {}
  ~PointsOfPython() override {
    const nb::gil_scoped_acquire lock;
    read_.reset();
  }
  PointsOfPython(const PointsOfPython&) = delete;
  PointsOfPython& operator=(const PointsOfPython&) = delete;

  std::uint64_t size() const override { return size_; }
  int dimension() const override { return dimension_; }
  Scalar scalar() const override { return is_double_ ? Scalar::float64 : Scalar::float32; }
  void read(Field, std::uint64_t begin, std::span<float> out) const override { copy(begin, out); }
  void read(Field, std::uint64_t begin, std::span<double> out) const override { copy(begin, out); }

 private:
  template <class T>
  void copy(std::uint64_t begin, std::span<T> out) const {
    const nb::gil_scoped_acquire lock;
    const std::uint64_t rows = out.size() / static_cast<std::size_t>(dimension_);
    const auto array =
        nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(read_(begin, begin + rows));
    if (array.size() != out.size())
      throw Error(ErrorCode::invalid_argument, "open_points: a slice of another size than asked");
    std::memcpy(out.data(), array.data(), out.size_bytes());
  }

  nb::object read_;
  std::uint64_t size_;
  int dimension_;
  bool is_double_;
};

OpenPoints points_of_snapshot(const Snapshot& snapshot, const std::vector<int>& types,
                              std::uint64_t max_memory, const std::string& scratch, bool resume) {
  return {stored_points(snapshot, types), {max_memory, scratch, resume}};
}

OpenPoints points_of_python(const nb::object& read, std::uint64_t size, int dimension,
                            bool is_double, std::uint64_t max_memory, const std::string& scratch,
                            bool resume) {
  return {std::make_shared<const PointsOfPython>(read, size, dimension, is_double),
          {max_memory, scratch, resume}};
}

std::uint64_t parse_memory_in(const std::string& text, const Call& call) {
  return run(call, [&](const Execution&) { return parse_memory(text, "open_points: max_memory"); });
}

StoredGroups fof_of_stored(const OpenPoints& from, const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  return run(call, [&](const Execution& e) { return fof(*from.points, options, from.disk, e); });
}

StoredCatalogue catalogue_of_stored(const OpenPoints& from, const StoredGroups& groups,
                                    const nb::dict& given, const std::vector<int>& types,
                                    const Call& call) {
  const CatalogueArguments arguments(given);
  return run(call, [&](const Execution& e) {
    return catalogue(*from.points, groups, arguments.options, types, from.disk, e);
  });
}

StoredSubhalos subhalos_of_stored(const OpenPoints& from, const StoredGroups& groups,
                                  const nb::dict& given, const std::vector<int>& types,
                                  const Call& call) {
  const SubhaloArguments arguments(given);
  return run(call, [&](const Execution& e) {
    return subhalos(*from.points, groups, arguments.options, types, from.disk, e);
  });
}

/// Of groups or subhalos.
template <class Labeled>
ArrayOf<std::int32_t> labels_in(const Labeled& sets, std::uint64_t begin, std::uint64_t end,
                                const Call& call) {
  return array_of(run(call, [&](const Execution&) {
    std::vector<std::int32_t> label(end - begin);
    sets.read_labels(begin, label);
    return label;
  }));
}

/// As a dictionary: its parts become attributes of a class of Python.
nb::dict parts_of(const StoredSubhalos& found) {
  const Subhalos& rows = found.rows();
  const auto width = static_cast<std::size_t>(rows.catalogue.dimension);
  nb::dict parts;
  parts["parent"] = array_of(std::vector(rows.parent));
  parts["host"] = array_of(std::vector(rows.host));
  parts["most_bound"] = array_of(std::vector(rows.most_bound));
  parts["peak"] = array_of(std::vector(rows.peak), {rows.most_bound.size(), width});
  parts["catalogue"] = rows.catalogue;
  return parts;
}

ArrayOf<std::uint64_t> order_in(const StoredCatalogue& catalogue, std::size_t part,
                                std::uint64_t begin, std::uint64_t end, const Call& call) {
  return array_of(run(call, [&](const Execution&) {
    std::vector<std::uint64_t> order(end - begin);
    catalogue.read_order(part, begin, order);
    return order;
  }));
}

StoredNeighbors knn_of_stored(const OpenPoints& from, const nb::dict& given, const Box& box,
                              const Call& call) {
  const KnnOptions options = knn_options(given);
  return run(call, [&](const Execution& e) {
    return knn(*from.points, options, {.box = box}, from.disk, e);
  });
}

StoredNumbers<double> kth_distance_of_stored(const OpenPoints& from, const nb::dict& given,
                                             const Box& box, const Call& call) {
  const KnnOptions options = knn_options(given);
  return run(call, [&](const Execution& e) {
    return kth_distance(*from.points, options, {.box = box}, from.disk, e);
  });
}

StoredNumbers<double> mean_distance_of_stored(const OpenPoints& from, const nb::dict& given,
                                              const Box& box, const Call& call) {
  const KnnOptions options = knn_options(given);
  return run(call, [&](const Execution& e) {
    return mean_distance(*from.points, options, {.box = box}, from.disk, e);
  });
}

StoredNumbers<double> density_of_stored(const OpenPoints& from, const nb::dict& given,
                                        const Box& box, const Call& call) {
  const DensityOptions options = density_options(given);
  return run(call, [&](const Execution& e) {
    return sph_density(*from.points, options, {.box = box}, from.disk, e).density;
  });
}

StoredNumbers<std::int64_t> counts_of_stored(const OpenPoints& from, const nb::dict& given,
                                             const Box& box, const Call& call) {
  const RadiusArguments arguments(given);
  return run(call, [&](const Execution& e) {
    return radius_count(*from.points, arguments.options, {.box = box}, from.disk, e);
  });
}

/// Rows from `begin` to `end`, one after the other.
template <class Value, class Read>
ArrayOf<Value> rows_in(std::uint64_t begin, std::uint64_t end, std::size_t width, const Call& call,
                       Read read) {
  return array_of(run(call, [&](const Execution&) {
    std::vector<Value> values((end - begin) * width);
    read(std::span<Value>(values));
    return values;
  }));
}

Indices index_in(const StoredNeighbors& near, std::uint64_t begin, std::uint64_t end, bool is_long,
                 const Call& call) {
  const auto read = [&](auto out) { near.read_index(begin, out); };
  if (is_long) return rows_in<std::int64_t>(begin, end, near.k(), call, read);
  return rows_in<std::int32_t>(begin, end, near.k(), call, read);
}

Reals distance_in(const StoredNeighbors& near, std::uint64_t begin, std::uint64_t end,
                  const Call& call) {
  const auto read = [&](auto out) { near.read_distance(begin, out); };
  if (near.scalar() == Scalar::float32) return rows_in<float>(begin, end, near.k(), call, read);
  return rows_in<double>(begin, end, near.k(), call, read);
}

template <class Value>
void bind_numbers(nb::module_& module, const char* name) {
  using Stored = StoredNumbers<Value>;
  nb::class_<Stored>(module, name)
      .def_prop_ro("slabs", [](const Stored& numbers) { return numbers.disk().slabs; })
      .def("values",
           [](const Stored& numbers, std::uint64_t begin, std::uint64_t end, const Call& call) {
             return rows_in<Value>(begin, end, 1, call,
                                   [&](std::span<Value> out) { numbers.read(begin, out); });
           });
}

}  // namespace

void bind_stored(nb::module_& module) {
  nb::class_<OpenPoints>(module, "CoreStoredPoints")
      .def_static("of_snapshot", &points_of_snapshot)
      .def_static("of_python", &points_of_python)
      .def_prop_ro("size", [](const OpenPoints& from) { return from.points->size(); })
      .def_prop_ro("counts", [](const OpenPoints& from) { return from.points->counts(); })
      .def_prop_ro("dimension", [](const OpenPoints& from) { return from.points->dimension(); })
      .def_prop_ro("is_double",
                   [](const OpenPoints& from) { return from.points->scalar() == Scalar::float64; });
  nb::class_<StoredGroups>(module, "CoreStoredGroups")
      .def_prop_ro("points", &StoredGroups::size)
      .def_prop_ro("linking_length", &StoredGroups::linking_length)
      .def_prop_ro("slabs", &StoredGroups::slabs)
      .def("size",
           [](const StoredGroups& groups) {
             return array_of(std::vector(groups.sizes().begin(), groups.sizes().end()));
           })
      .def("lowest",
           [](const StoredGroups& groups) {
             return array_of(
                 std::vector(groups.lowest_members().begin(), groups.lowest_members().end()));
           })
      .def("label", &labels_in<StoredGroups>);
  nb::class_<StoredSubhalos>(module, "CoreStoredSubhalos")
      .def("parts", &parts_of)
      .def("label", &labels_in<StoredSubhalos>);
  nb::class_<StoredCatalogue>(module, "CoreStoredCatalogue")
      .def("rows", [](const StoredCatalogue& catalogue) { return catalogue.rows(); })
      .def("order", &order_in);
  nb::class_<StoredNeighbors>(module, "CoreStoredNeighbors")
      .def_prop_ro("slabs", [](const StoredNeighbors& near) { return near.disk().slabs; })
      .def("index", &index_in)
      .def("distance", &distance_in);
  bind_numbers<double>(module, "CoreStoredNumbers");
  bind_numbers<std::int64_t>(module, "CoreStoredCounts");
  module.def("parse_memory", &parse_memory_in);
  module.def("knn_stored", &knn_of_stored);
  module.def("kth_distance_stored", &kth_distance_of_stored);
  module.def("mean_distance_stored", &mean_distance_of_stored);
  module.def("density_stored", &density_of_stored);
  module.def("radius_count_stored", &counts_of_stored);
  module.def("fof_stored", &fof_of_stored);
  module.def("catalogue_stored", &catalogue_of_stored);
  module.def("subhalos_stored", &subhalos_of_stored);
}

}  // namespace kith::python
