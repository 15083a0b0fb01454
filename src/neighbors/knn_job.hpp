// A kNN search as the kernels see it: plain data, no options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/function_ref.hpp"
#include "kernels/block_view.hpp"

namespace kith {

/// A query's neighbours, in order: `count` of at most k.
template <class T>
struct Found {
  std::size_t row = 0;
  std::size_t count = 0;
  const std::uint32_t* id = nullptr;
  const T* distance = nullptr;
};

template <class T>
struct KnnJob {
  BlockView<T> source;
  BlockView<T> queries;        ///< the same tree for a tree's own points
  const T* side = nullptr;     ///< per axis, 0 = open
  bool is_periodic = false;    ///< on any axis
  std::size_t k = 0;
  bool exclude_self = false;
  T limit2 = 0;                ///< neighbours lie within; may be infinite
  bool is_grouped = true;      ///< queries are dense enough to share lists
  T unscale = 1;               ///< from the tree's lengths to the caller's

  // Rows of k results:
  bool in_tree_order = false;  ///< row = position in `queries`, not the query's index
  T* distance = nullptr;
  std::int32_t* index32 = nullptr;
  std::int64_t* index64 = nullptr;
  /// Instead of rows: called for each query.
  const FunctionRef<void(const Found<T>&)>* visit = nullptr;
};

/// What the searches of a call did.
struct KnnCounts {
  std::uint64_t rescanned = 0;  ///< searches repeated with a larger radius
  std::uint64_t alone = 0;      ///< queries that could not use a shared list
  std::uint64_t best_first = 0; ///< queries answered by the best-first walk
};

/// Searches for groups of queries, one thread at a time; remembers what it learned from one to the next.
class KnnWorker {
 public:
  virtual ~KnnWorker() = default;
  /// Groups of 64 consecutive queries each.
  virtual void run(std::size_t group_begin, std::size_t group_end) = 0;
  const KnnCounts& counts() const { return counts_; }

 protected:
  KnnCounts counts_;
};

/// For the SIMD target in force. The job must outlive the worker.
std::unique_ptr<KnnWorker> make_knn_worker(const KnnJob<float>& job);
std::unique_ptr<KnnWorker> make_knn_worker(const KnnJob<double>& job);

inline constexpr std::size_t kGroupBlocks = 8;
inline constexpr std::size_t kGroupQueries = kGroupBlocks * kLanes;

}  // namespace kith
