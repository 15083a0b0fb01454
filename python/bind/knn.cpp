// The k nearest neighbors.
#include <algorithm>
#include <cmath>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <kith/neighbors.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {

namespace {

/// The arguments of a search, besides the tree.
struct KnnArguments {
  std::optional<PointsView> queries;  ///< none = the tree's own points
  KnnOptions options;
  std::int64_t missing = -1;  ///< the index where there is no neighbor
};

template <class Index>
void replace_missing(Index* begin, std::size_t count, std::int64_t missing) {
  std::replace(begin, begin + count, Index{-1}, static_cast<Index>(missing));
}

/// An array of the caller for the rows, which kith/_arrays.py has checked.
using Rows = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class V>
V* memory_of(Rows& rows, std::size_t values) {
  if (rows.dtype() != nb::dtype<V>() || rows.size() != values)
    throw nb::type_error("out: the arrays do not fit the result");
  return static_cast<V*>(rows.data());
}

/// The same arguments, with the rows in memory of the caller.
template <class T, class Index>
void search_into(const AnyTree& tree, const KnnArguments& arguments, const Call& call, Rows& index,
                 Rows& distance) {
  const std::size_t k = arguments.options.k;
  const bool is_in_tree_order = arguments.options.order == RowOrder::tree;
  const std::size_t m = arguments.queries  ? arguments.queries->size
                        : is_in_tree_order ? tree.size()
                                           : tree.input_size();
  const NeighborRows<T, Index> rows{memory_of<Index>(index, m * k), memory_of<T>(distance, m * k),
                                    m};
  run_work(call, [&](const Execution& e) {
    if (arguments.queries)
      knn_into<T, Index>(tree, *arguments.queries, arguments.options, rows, e);
    else
      knn_into<T, Index>(tree, arguments.options, rows, e);
    if (arguments.missing != -1) replace_missing(rows.index, m * k, arguments.missing);
  });
}

template <class T, class Index>
std::pair<Indices, Reals> search(const AnyTree& tree, const KnnArguments& arguments,
                                 const Call& call) {
  auto result = run(call, [&](const Execution& e) {
    auto found = arguments.queries ? knn<T, Index>(tree, *arguments.queries, arguments.options, e)
                                   : knn<T, Index>(tree, arguments.options, e);
    if (arguments.missing != -1) {
      replace_missing(found.rows().index, found.size() * found.k(), arguments.missing);
    }
    return found;
  });
  const std::size_t rows = result.size(), k = result.k();
  return {array_over(result.indices(), {rows, k}, result),
          array_over(result.distances(), {rows, k}, result)};
}

std::pair<Indices, Reals> knn_of(const AnyTree& tree, const std::optional<Array>& queries,
                                 const nb::dict& options, bool is_long, std::int64_t missing,
                                 const Call& given_call) {
  KnnArguments arguments{.options = knn_options(options), .missing = missing};
  if (queries) arguments.queries = points_of(*queries);
  const Call call = for_search(given_call, queries ? queries->shape(0) : tree.size(), tree);
  if (tree.scalar() == Scalar::float32) {
    return is_long ? search<float, std::int64_t>(tree, arguments, call)
                   : search<float, std::int32_t>(tree, arguments, call);
  }
  return is_long ? search<double, std::int64_t>(tree, arguments, call)
                 : search<double, std::int32_t>(tree, arguments, call);
}

void knn_into_of(const AnyTree& tree, const std::optional<Array>& queries, const nb::dict& options,
                 Rows index, Rows distance, std::int64_t missing, const Call& given_call) {
  KnnArguments arguments{.options = knn_options(options), .missing = missing};
  if (queries) arguments.queries = points_of(*queries);
  const Call call = for_search(given_call, queries ? queries->shape(0) : tree.size(), tree);
  const bool is_long = index.dtype() == nb::dtype<std::int64_t>();
  if (tree.scalar() == Scalar::float32) {
    is_long ? search_into<float, std::int64_t>(tree, arguments, call, index, distance)
            : search_into<float, std::int32_t>(tree, arguments, call, index, distance);
  } else {
    is_long ? search_into<double, std::int64_t>(tree, arguments, call, index, distance)
            : search_into<double, std::int32_t>(tree, arguments, call, index, distance);
  }
}

/// Searches for one point at a time with little overhead. Searchers are kept, and each is used by
/// one thread at a time: they are taken out under the interpreter's lock.
template <class T>
class OneByOne {
 public:
  explicit OneByOne(const AnyTree& tree) : tree_(tree) {}
  OneByOne(const OneByOne&) = delete;
  OneByOne& operator=(const OneByOne&) = delete;

  nb::object operator()(const T* point, std::size_t k, double bound) {
    Kept searcher = take(k, bound);
    std::vector<std::int64_t> index(k);
    std::vector<T> distance(k);
    {
      const Unlocked unlocked;
      (*searcher.search)(point, index.data(), distance.data());
      replace_missing(index.data(), k, static_cast<std::int64_t>(tree_.input_size()));
    }
    put_back(std::move(searcher));
    if (k == 1) return nb::make_tuple(static_cast<double>(distance[0]), index[0]);
    return nb::make_tuple(array_of(std::move(distance)), array_of(std::move(index)));
  }

 private:
  struct Kept {
    std::size_t k;
    double bound;
    std::unique_ptr<KnnSearcher<T, std::int64_t>> search;
  };
  static constexpr std::size_t kMostKept = 8;

  Kept take(std::size_t k, double bound) {
    for (Kept& kept : kept_) {
      if (kept.k != k || kept.bound != bound) continue;
      std::swap(kept, kept_.back());
      Kept found = std::move(kept_.back());
      kept_.pop_back();
      return found;
    }
    const KnnOptions options{.k = k, .max_radius = bound, .strict = std::isfinite(bound)};
    return {k, bound, std::make_unique<KnnSearcher<T, std::int64_t>>(tree_, options)};
  }
  void put_back(Kept&& searcher) {
    if (kept_.size() == kMostKept) kept_.erase(kept_.begin());
    kept_.push_back(std::move(searcher));
  }

  AnyTree tree_;
  std::vector<Kept> kept_;
};

/// The same for either scalar.
class PointSearch {
 public:
  explicit PointSearch(const AnyTree& tree)
      : dimension_(static_cast<std::size_t>(tree.dimension())),
        is_double_(tree.scalar() == Scalar::float64),
        float_(tree),
        double_(tree) {}

  nb::object operator()(const Array& point, std::size_t k, double bound) {
    if (point.ndim() != 1 || point.shape(0) != dimension_) {
      throw nb::value_error("one point has as many numbers as the tree has dimensions");
    }
    if (point.dtype() != (is_double_ ? nb::dtype<double>() : nb::dtype<float>())) {
      throw nb::type_error("the point must be of the tree's type");
    }
    if (point.stride(0) != 1 && dimension_ > 1) {
      throw nb::value_error("the coordinates of a point must be adjacent in memory");
    }
    return is_double_ ? double_(static_cast<const double*>(point.data()), k, bound)
                      : float_(static_cast<const float*>(point.data()), k, bound);
  }

 private:
  std::size_t dimension_;
  bool is_double_;
  OneByOne<float> float_;
  OneByOne<double> double_;
};

}  // namespace

void bind_knn(nb::module_& module) {
  module.def("knn", &knn_of, nb::arg("tree"), nb::arg("queries").none(), nb::arg("options"),
             nb::arg("is_long"), nb::arg("missing"), nb::arg("call"));
  module.def("knn_into", &knn_into_of, nb::arg("tree"), nb::arg("queries").none(),
             nb::arg("options"), nb::arg("index").noconvert(), nb::arg("distance").noconvert(),
             nb::arg("missing"), nb::arg("call"));
  nb::class_<PointSearch>(module, "PointSearch")
      .def(nb::init<const AnyTree&>())
      .def("__call__", &PointSearch::operator());
}

}  // namespace kith::python
