// Shared by kNN and radius searches on a device: the trees of sources and queries, and the rows of
// results on the host.
#pragma once

#include <memory>
#include <vector>

#include "gpu/packed_tree.hpp"

namespace kith::gpu {

inline constexpr std::size_t kGroupQueries = 64;

/// The trees of a search, on its device.
template <class T>
struct SearchTrees {
  std::shared_ptr<const PackedTree<T>> sources, queries;
  Buffer<T> sides;

  SearchTrees(OpenDevice& device, const DeviceSearch<T>& search, Workers& workers)
      : sources(tree_on<T>(device, search.tree)), queries(sources) {
    const Frame<T>& frame = std::get<TreeData<T>>(search.tree.data).frame;
    const auto d = static_cast<std::size_t>(search.tree.dimension);
    sides = Buffer<T>(device, d);
    sides.write(frame.side, d);
    if (search.query_tree) queries = tree_on<T>(device, *search.query_tree);
    if (!search.queries) return;
    TreeOptions options{.box = search.tree.options.box};
    options.curve = search.tree.dimension == 1 ? Curve::z : Curve::hilbert;
    options.non_finite = search.tree.options.non_finite;
    TreeData<T> facts;
    queries = build_tree<T>(device, {*search.queries, options, &frame}, facts, workers);
  }
};

/// The queries of the receivers [begin, end).
struct QueryRange {
  std::size_t first, count;
  QueryRange(std::size_t points, std::uint32_t begin, std::uint32_t end)
      : first(begin * kGroupQueries),
        count(std::min(points, end * kGroupQueries) - begin * kGroupQueries) {}
};

/// Rows on the host.
template <class T>
struct HostRows {
  std::vector<std::uint32_t> query, index;
  std::vector<std::uint64_t> offset;
  std::vector<T> d2;

  void read_queries(const PackedTree<T>& tree, std::string_view program, const QueryRange& range) {
    Uints on_device(tree.device(), range.count);
    tree.device().launch(tree.program(program, program == "knn" ? 8 : 0), "query_indices",
                         range.count, tree.blocks(), std::uint64_t{range.first},
                         std::uint64_t{range.count}, on_device);
    query.resize(range.count);
    on_device.read(query.data(), range.count);
  }
  DeviceRows<T> rows(const QueryRange& range) const {
    return {range.count, range.first, query.data(), offset.data(), index.data(), d2.data()};
  }
};

}  // namespace kith::gpu
