// Sets of points that change.
#include <cstddef>
#include <mutex>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <shared_mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <kith/forest.hpp>
#include <kith/io/forest_file.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

using PointNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A forest that Python's threads share: searches run at once, a change waits for them and they for
/// it. Locks are taken by the work itself, after the interpreter's lock was released.
template <class T>
class SharedForest {
 public:
  explicit SharedForest(Forest<T> forest) : forest_(std::move(forest)) {}

  std::int64_t insert(const Array& points, const Call& call) {
    const PointsView view = points_of(points);
    return change(call,
                  [&](Forest<T>& forest, const Execution& e) { return forest.insert(view, e); });
  }
  std::size_t remove(const PointNumbers& indices, const Call& call) {
    return change(call, [&](Forest<T>& forest, const Execution& e) {
      forest.remove(std::span(indices.data(), indices.size()), e);
      return forest.size();
    });
  }

  std::pair<ArrayOf<std::int64_t>, Reals> knn(const Array& queries, const nb::dict& given,
                                              const Call& call) const {
    const PointsView view = points_of(queries);
    const KnnOptions options = knn_options(given);
    auto found = look(call, [&](const Forest<T>& forest, const Execution& e) {
      return forest.knn(view, options, e);
    });
    const std::size_t rows = found.size(), k = found.k();
    return {array_over(found.indices(), {rows, k}, found),
            array_over(found.distances(), {rows, k}, found)};
  }
  std::tuple<ArrayOf<std::int64_t>, ArrayOf<std::int64_t>, Reals, std::size_t> radius(
      const Array& queries, const nb::dict& given, const Call& call) const {
    const PointsView view = points_of(queries);
    const RadiusArguments arguments(given);
    auto found = look(call, [&](const Forest<T>& forest, const Execution& e) {
      return forest.radius(view, arguments.options, e);
    });
    const auto offsets = found.offsets();
    const auto& shared = std::as_const(found);
    const std::size_t total = found.total();
    return {array_of(std::vector<std::int64_t>(offsets.begin(), offsets.end())),
            array_over(shared.indices(), {total}, found),
            array_over(shared.distances(), {total}, found), found.truncated()};
  }
  ArrayOf<std::int64_t> radius_count(const Array& queries, const nb::dict& given,
                                     const Call& call) const {
    const PointsView view = points_of(queries);
    const RadiusArguments arguments(given);
    return array_of(look(call, [&](const Forest<T>& forest, const Execution& e) {
      return forest.radius_count(view, arguments.options, e);
    }));
  }

  ArrayOf<std::int64_t> indices() const {
    return array_of(look({}, [](const Forest<T>& f, const Execution&) { return f.indices(); }));
  }
  Reals coordinates() const {
    auto rows = look({}, [](const Forest<T>& f, const Execution&) { return f.coordinates(); });
    const auto width = static_cast<std::size_t>(forest_.dimension());
    const std::size_t count = rows.size() / width;
    return array_of(std::move(rows), {count, width});
  }
  bool contains(std::int64_t index) const {
    return look({.is_short = true},
                [&](const Forest<T>& f, const Execution&) { return f.contains(index); });
  }
  /// Points there, points ever inserted, trees.
  auto counts() const {
    return look({.is_short = true}, [](const Forest<T>& f, const Execution&) {
      return std::tuple(f.size(), f.inserted(), f.trees());
    });
  }
  int dimension() const { return forest_.dimension(); }
  Box box() const { return forest_.box(); }

  nb::bytes bytes(const Call& call) const {
    const std::vector<std::byte> found =
        look(call, [](const Forest<T>& f, const Execution&) { return f.bytes(); });
    return nb::bytes(found.data(), found.size());
  }
  void save(const std::string& path, const Call& call) const {
    look(call, [&](const Forest<T>& forest, const Execution& e) {
      kith::save(forest, path, e);
      return 0;
    });
  }
  SharedForest* copy() const {
    return new SharedForest(
        look({}, [](const Forest<T>& f, const Execution&) { return Forest<T>(f); }));
  }

 private:
  template <class Work>
  auto change(const Call& call, const Work& work) {
    return run(call, [&](const Execution& e) {
      const std::unique_lock lock(mutex_);
      return work(forest_, e);
    });
  }
  template <class Work>
  auto look(const Call& call, const Work& work) const {
    return run(call, [&](const Execution& e) {
      const std::shared_lock lock(mutex_);
      return work(forest_, e);
    });
  }

  Forest<T> forest_;
  mutable std::shared_mutex mutex_;
};

/// A forest of either scalar.
using AnyForest = std::variant<SharedForest<float>*, SharedForest<double>*>;

template <class T>
AnyForest shared(Forest<T>&& forest) {
  return new SharedForest<T>(std::move(forest));
}

template <class T>
void bind_scalar(nb::module_& module, const char* name) {
  using Bound = SharedForest<T>;
  nb::class_<Bound>(module, name)
      .def("insert", &Bound::insert)
      .def("remove", &Bound::remove)
      .def("knn", &Bound::knn)
      .def("radius", &Bound::radius)
      .def("radius_count", &Bound::radius_count)
      .def("indices", &Bound::indices)
      .def("coordinates", &Bound::coordinates)
      .def("contains", &Bound::contains)
      .def("counts", &Bound::counts)
      .def_prop_ro("dimension", &Bound::dimension)
      .def_prop_ro("box", &Bound::box)
      .def_prop_ro("is_double", [](const Bound&) { return sizeof(T) == sizeof(double); })
      .def("to_bytes", &Bound::bytes)
      .def("save", &Bound::save)
      .def("copy", &Bound::copy, nb::rv_policy::take_ownership);
}

AnyForest make(int dimension, bool is_double, const Box& box) {
  if (is_double) return shared(Forest<double>(dimension, {.box = box}));
  return shared(Forest<float>(dimension, {.box = box}));
}

AnyForest from_file(const std::string& path, const Call& call) {
  if (forest_scalar(path) == Scalar::float64)
    return shared(run(call, [&](const Execution& e) { return load_forest<double>(path, e); }));
  return shared(run(call, [&](const Execution& e) { return load_forest<float>(path, e); }));
}

template <class T>
AnyForest from_memory(std::span<const std::byte> memory, const Call& call) {
  return shared(run(call, [&](const Execution& e) { return Forest<T>::from_bytes(memory, e); }));
}

AnyForest from_bytes(const nb::bytes& bytes, const Call& call) {
  const std::span memory(static_cast<const std::byte*>(bytes.data()), bytes.size());
  return forest_scalar(memory) == Scalar::float64 ? from_memory<double>(memory, call)
                                                  : from_memory<float>(memory, call);
}

}  // namespace

void bind_forest(nb::module_& module) {
  bind_scalar<float>(module, "CoreForest32");
  bind_scalar<double>(module, "CoreForest64");
  module.def("make_forest", &make, nb::rv_policy::take_ownership);
  module.def("load_forest", &from_file, nb::rv_policy::take_ownership);
  module.def("forest_from_bytes", &from_bytes, nb::rv_policy::take_ownership);
}

}  // namespace kith::python
