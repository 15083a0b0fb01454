// The spanning tree of a tree of points, as callers see it.
#include <kith/spanning_tree.hpp>

#include "base/fail.hpp"
#include "clusters/core_distance.hpp"
#include "clusters/sample_weights.hpp"
#include "clusters/spanning_parts.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "clusters/weighted_core.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "tree/input.hpp"
#include "tree/tree_impl.hpp"
#include "walk/source.hpp"

namespace kith {
namespace {

template <class T>
class Spanning {
 public:
  Spanning(const AnyTree& tree, const SpanningTreeOptions& options, Workers& workers)
      : tree_(tree),
        data_(impl_of(tree).as<T>()),
        workers_(workers),
        core2_(core_distances(tree, options, workers)) {}

  void run(SpanningTree::Impl& out, std::span<const double> weight) {
    if (data_.planes.points < out.input_size) note_dropped(out);
    if (!weight.empty()) note_weights(out, weight);
    const PlanesView<T> view = implicit_view<T>(impl_of(tree_));
    const Array<IndexEdge<T>> edges =
        SpanningParts<T>::edges(data_.planes, view, data_.frame.side, core2_, workers_);
    SpanningParts<T>::deliver(edges, out, workers_);
  }

 private:
  static Array<T> core_distances(const AnyTree& tree, const SpanningTreeOptions& options,
                                 Workers& workers) {
    if (!options.sample_weight.empty())
      return weighted_core_distances2<T>(tree, options.sample_weight, options.core_k, workers);
    return options.core_k > 1 ? core_distances2<T>(tree, options.core_k, workers) : Array<T>();
  }

  void note_weights(SpanningTree::Impl& out, std::span<const double> weight) const {
    out.weight = Array<double>(out.input_size, workers_.pool());
    Array<T> core2(out.input_size, workers_.pool());
    std::fill(out.weight.begin(), out.weight.end(), 0.0);
    std::fill(core2.begin(), core2.end(), T(0));
    each(data_.planes.points, [&](std::size_t i) {
      const std::uint32_t index = data_.planes.index(i);
      out.weight[index] = weight[index];
      core2[index] = core2_[i];
    });
    out.core2 = std::move(core2);
  }

  void note_dropped(SpanningTree::Impl& out) const {
    out.is_dropped = Array<std::uint8_t>(out.input_size, workers_.pool());
    std::fill(out.is_dropped.begin(), out.is_dropped.end(), std::uint8_t{1});
    each(data_.planes.points, [&](std::size_t i) { out.is_dropped[data_.planes.index(i)] = 0; });
  }

  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  const AnyTree& tree_;
  const TreeData<T>& data_;
  Workers& workers_;
  Array<T> core2_;  // by position, or empty
};

}  // namespace

std::size_t SpanningTree::size() const { return impl_->edges(); }
std::size_t SpanningTree::input_size() const { return impl_->input_size; }
std::span<const std::uint32_t> SpanningTree::index() const {
  return {impl_->index.data(), impl_->index.size()};
}
std::vector<double> SpanningTree::length() const {
  return public_call("spanning_tree", [&] {
    std::vector<double> length(size());
    impl_->visit([&](const auto& length2) {
      for (std::size_t i = 0; i < length.size(); ++i) length[i] = impl_->length(length2[i]);
    });
    return length;
  });
}

SpanningTree spanning_tree(const AnyTree& tree, const SpanningTreeOptions& options,
                           const Execution& execution) {
  return public_call("spanning_tree", execution, [&](Workers& workers) {
    check_spanning_options(options);
    if (options.box != Box() && options.box != tree.box())
      refuse("spanning_tree: the box of the options is not that of the tree; leave it out");
    if (!options.sample_weight.empty())
      check_sample_weights("spanning_tree", options.sample_weight, tree.input_size(),
                           Negative::refused);
    if (options.sample_weight.empty() && options.core_k > std::max<std::size_t>(1, tree.size()))
      refuse("spanning_tree: core_k = {} of {} points; give at most their number", options.core_k,
             tree.size());
    auto out = std::make_shared<SpanningTree::Impl>();
    out->input_size = tree.input_size();
    out->points = tree.size();
    out->dimension = tree.dimension();
    out->box = tree.box();
    out->core_k = options.core_k;
    out->exponent = tree.scale_exponent();
    with_scalar(tree.scalar(), [&]<class T>() {
      Spanning<T>(tree, options, workers).run(*out, options.sample_weight);
    });
    return wrap_impl<SpanningTree>(std::move(out));
  });
}

SpanningTree spanning_tree(PointsView points, const SpanningTreeOptions& options,
                           const Execution& execution) {
  return public_call("spanning_tree", execution, [&] {
    check_view("spanning_tree", points, options.box);
    check_spanning_options(options);
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return spanning_tree(tree, options, execution);
  });
}

}  // namespace kith
