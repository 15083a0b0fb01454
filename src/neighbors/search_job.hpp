// Searches as the kernels see them: plain data, no options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/function_ref.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Queries that share a list of blocks.
inline constexpr std::size_t kGroupBlocks = 8;
inline constexpr std::size_t kGroupQueries = kGroupBlocks * kLanes;

/// A query's neighbors.
template <class T>
struct Found {
  std::size_t row = 0;
  std::size_t count = 0;
  const std::uint32_t* index = nullptr;
  const T* distance = nullptr;  ///< or d2, see SearchJob::wants_d2
};

/// The members of all search jobs.
template <class T>
struct SearchJob {
  PlanesView<T> source;      ///< implicit, as are the queries
  PlanesView<T> queries;     ///< the same tree for a tree's own points
  bool is_hilbert = true;    ///< sources follow a Hilbert curve: fewer blocks in reach than along z
  const T* side = nullptr;   ///< per axis, 0 = open
  bool is_periodic = false;  ///< on any axis
  bool is_grouped = true;    ///< queries are dense enough to share lists
  bool exclude_self = false;
  bool in_tree_order = false;  ///< row = position in `queries`, not the query's index
  /// The row of each query index, if it is not the index itself: on a rank, points are numbered in
  /// the order of their global indices, not in that of the output.
  const std::uint64_t* rows = nullptr;
  /// Deliver d2 in the tree's units instead of the distance (p = 2): results of several trees are
  /// merged exactly by (d2, index), while different d2 may have the same root.
  bool wants_d2 = false;
  T limit2 = 0;  ///< neighbors lie within; may be infinite
  /// One limit per query index instead; for knn, no larger than limit2.
  const T* limits2 = nullptr;
  T unscale = 1;                   ///< from the tree's lengths to the caller's
  double p = 2;                    ///< the norm; limit2 and limits2 are for 2, limit for all others
  double limit = 0;                ///< neighbors' keys lie within
  const double* limits = nullptr;  ///< one per query index instead, for p other than 2

  // Where neighbors go; any of these may be null.
  T* distance = nullptr;
  std::int32_t* index32 = nullptr;
  std::int64_t* index64 = nullptr;
  /// Instead of the arrays: called for each query.
  const FunctionRef<void(const Found<T>&)>* visit = nullptr;
  /// One key for each group of queries: rows that end before it go to the arrays, with distances,
  /// and only the others to the visitor. Of knn with p = 2, in tree order.
  const T* edges2 = nullptr;
  /// Called every few queries; throws when the caller wants to stop.
  const FunctionRef<void()>* checkpoint = nullptr;

  /// Of the query with this index at this position.
  std::size_t row_of(std::size_t position, std::uint32_t index) const {
    if (in_tree_order) return position;
    return rows ? rows[index] : index;
  }
};

/// Rows of k.
template <class T>
struct KnnJob : SearchJob<T> {
  std::size_t k = 0;
};

/// Rows of k by interaction lists: the planes that are walked, of either builder. Groups are nodes
/// of `task_plane` of the receivers.
template <class T>
struct WalkJob : KnnJob<T> {
  PlanesView<T> receivers, sources;
  int task_plane = 0;
};

/// Lists of any length.
template <class T>
struct RadiusJob : SearchJob<T> {
  bool is_sorted = true;
  std::size_t max_neighbors = 0;  ///< keep the nearest of them; 0 = all
  std::int64_t* counts =
      nullptr;  ///< first pass: the number of neighbors of each row, nothing else
  const std::int64_t* offsets = nullptr;  ///< second pass: where each row starts
};

/// The work of the searches of a call.
struct SearchCounts {
  std::uint64_t rescanned = 0;   ///< searches repeated with a larger radius
  std::uint64_t alone = 0;       ///< queries that could not use a shared list
  std::uint64_t best_first = 0;  ///< queries answered by the best-first walk
};

/// Searches for groups of queries, one thread at a time; remembers what it learned from one to the
/// next.
class SearchWorker {
 public:
  virtual ~SearchWorker() = default;
  /// Groups of 64 consecutive queries each; of a WalkJob, receiving nodes.
  virtual void run(std::size_t group_begin, std::size_t group_end) = 0;
  const SearchCounts& counts() const { return counts_; }

 protected:
  SearchCounts counts_;
};

/// For the SIMD target in force. The job must outlive the worker.
std::unique_ptr<SearchWorker> make_worker(const KnnJob<float>& job);
std::unique_ptr<SearchWorker> make_worker(const KnnJob<double>& job);
std::unique_ptr<SearchWorker> make_worker(const WalkJob<float>& job);
std::unique_ptr<SearchWorker> make_worker(const WalkJob<double>& job);
std::unique_ptr<SearchWorker> make_worker(const RadiusJob<float>& job);
std::unique_ptr<SearchWorker> make_worker(const RadiusJob<double>& job);

}  // namespace kith
