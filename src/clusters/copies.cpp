#include "clusters/copies.hpp"

#include <algorithm>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

constexpr std::size_t kMostLeaves = std::size_t{1} << 31;

/// In the order of (length, lower point, higher point), a point before its copies.
template <class T>
struct CopyEdge {
  T length2;
  std::uint32_t low, high;
  bool is_bundle;
  std::uint32_t leaf;  ///< at the higher end

  bool operator<(const CopyEdge& other) const {
    if (length2 != other.length2) return length2 < other.length2;
    if (low != other.low) return low < other.low;
    return high != other.high ? high < other.high : is_bundle < other.is_bundle;
  }
};

template <class T>
class CopyMaker {
 public:
  CopyMaker(const SpanningTree::Impl& tree, const Workers& workers)
      : tree_(tree),
        workers_(workers),
        length2_(std::get<Array<T>>(tree.length2)),
        core2_(std::get<Array<T>>(tree.core2)) {}

  std::vector<std::uint32_t> heavy() const {
    std::vector<std::uint32_t> points;
    for_each_in_order(workers_, tree_.input_size, [&](std::size_t i) {
      if (tree_.weight[i] > 1) points.push_back(static_cast<std::uint32_t>(i));
    });
    return points;
  }

  SpanningTree make(const std::vector<std::uint32_t>& heavy) const {
    const std::vector<std::uint32_t> anchor = anchors();
    std::vector<CopyEdge<T>> bundles;
    bundles.reserve(heavy.size());
    for_each_in_order(workers_, heavy.size(), [&](std::size_t j) {
      bundles.push_back({core2_[heavy[j]], anchor[heavy[j]], heavy[j], true,
                         static_cast<std::uint32_t>(tree_.input_size + j)});
    });
    checked_sort(bundles.begin(), bundles.end(), [&] { workers_.check_cancelled(); });
    return written(merged(bundles), heavy.size());
  }

 private:
  /// The edges of the tree and these; both are sorted.
  std::vector<CopyEdge<T>> merged(const std::vector<CopyEdge<T>>& bundles) const {
    std::vector<CopyEdge<T>> edges;
    edges.reserve(tree_.edges() + bundles.size());
    std::size_t plain = 0, bundle = 0;
    for_each_in_order(workers_, tree_.edges() + bundles.size(), [&](std::size_t) {
      const bool is_bundle =
          plain == tree_.edges() || (bundle < bundles.size() && bundles[bundle] < edge(plain));
      edges.push_back(is_bundle ? bundles[bundle++] : edge(plain++));
    });
    return edges;
  }
  CopyEdge<T> edge(std::size_t e) const {
    const std::uint32_t low = tree_.index[2 * e], high = tree_.index[2 * e + 1];
    return {length2_[e], low, high, false, high};
  }

  /// The lowest point with an edge as long as the core distance, or the point itself.
  std::vector<std::uint32_t> anchors() const {
    std::vector<std::uint32_t> anchor(tree_.input_size);
    for_each_in_order(workers_, anchor.size(),
                      [&](std::size_t i) { anchor[i] = static_cast<std::uint32_t>(i); });
    for_each_in_order(workers_, tree_.edges(), [&](std::size_t e) {
      const std::uint32_t low = tree_.index[2 * e], high = tree_.index[2 * e + 1];
      if (length2_[e] == core2_[high]) anchor[high] = std::min(anchor[high], low);
    });
    return anchor;
  }

  SpanningTree written(const std::vector<CopyEdge<T>>& edges, std::size_t bundles) const {
    auto impl = std::make_shared<SpanningTree::Impl>();
    impl->input_size = tree_.input_size + bundles;
    impl->points = tree_.points + bundles;
    impl->dimension = tree_.dimension;
    impl->core_k = tree_.core_k;
    impl->exponent = tree_.exponent;
    impl->measure = tree_.measure;
    impl->index = Array<std::uint32_t>(2 * edges.size());
    Array<T> length2(edges.size());
    for_each_in_order(workers_, edges.size(), [&](std::size_t e) {
      impl->index[2 * e] = edges[e].low;
      impl->index[2 * e + 1] = edges[e].leaf;
      length2[e] = edges[e].length2;
    });
    impl->length2 = std::move(length2);
    if (!tree_.is_dropped.empty()) {
      impl->is_dropped = Array<std::uint8_t>(impl->input_size);
      std::copy(tree_.is_dropped.begin(), tree_.is_dropped.end(), impl->is_dropped.begin());
      std::fill(impl->is_dropped.begin() + tree_.input_size, impl->is_dropped.end(),
                std::uint8_t{0});
    }
    return wrap_impl<SpanningTree>(std::move(impl));
  }

  const SpanningTree::Impl& tree_;
  const Workers& workers_;
  const Array<T>& length2_;
  const Array<T>& core2_;
};

}  // namespace

WithCopies with_copies(const SpanningTree& tree, const Workers& workers) {
  const SpanningTree::Impl& impl = impl_of(tree);
  return impl.visit([&]<class T>(const Array<T>&) {
    const CopyMaker<T> maker(impl, workers);
    std::vector<std::uint32_t> heavy = maker.heavy();
    if (impl.input_size + heavy.size() >= kMostLeaves)
      fail(ErrorCode::too_large, "hdbscan: {} points and {} of weight over 1; at most {} together",
           impl.input_size, heavy.size(), kMostLeaves - 1);
    WithCopies out(maker.make(heavy));
    out.hierarchy.dendrogram =
        make_dendrogram(impl_of(out.hierarchy.tree).index, out.hierarchy.points(), workers);
    out.weight.reserve(impl.input_size + heavy.size());
    for_each_in_order(workers, impl.input_size,
                      [&](std::size_t i) { out.weight.push_back(std::min(impl.weight[i], 1.0)); });
    for_each_in_order(workers, heavy.size(),
                      [&](std::size_t j) { out.weight.push_back(impl.weight[heavy[j]] - 1); });
    out.point = std::move(heavy);
    return out;
  });
}

}  // namespace kith
