// A count of pairs as the kernels see it: plain data, no options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/function_ref.hpp"
#include "pairs/bins.hpp"
#include "pairs/kind.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// How boxes are compared: by distance, across and along an axis, or across and along the direction
/// to the middle.
enum class PairMeasure { distance, projected, survey };

/// Points in blocks under implicit planes, with the sums of the nodes.
template <class T>
struct PairSide {
  PlanesView<T> view;
  std::vector<std::vector<std::int64_t>> counts;  ///< points of each node, by plane
  std::vector<double> weight;                     ///< 8 per block, 0 in unused lanes; or empty
  std::vector<std::vector<double>> weights;       ///< of each node, by plane; or empty
  std::vector<std::vector<std::int32_t>> region;  ///< of each node, -1 = several; or empty
  std::vector<std::uint64_t> words;               ///< bits of each point: [block][word][lane]

  /// Planes from the blocks to the one whose nodes fill one chunk; above it is the root, which
  /// needs no box.
  int planes() const { return view.plane_count == 0 ? 0 : view.entry() + 1; }
  std::size_t nodes(int plane) const { return plane < planes() ? view.plane(plane).nodes : 1; }

  /// Points of a node, or their weights.
  template <bool Weighted>
  auto sum(int plane, std::size_t node) const {
    if constexpr (Weighted)
      return weights[static_cast<std::size_t>(plane)][node];
    else
      return counts[static_cast<std::size_t>(plane)][node];
  }
  /// -1 = several.
  std::int32_t region_of(int plane, std::size_t node) const {
    if (region.empty()) return 0;
    if (plane >= planes()) return plane == 1 ? region[1][0] : -1;
    return region[static_cast<std::size_t>(plane)][node];
  }
};

template <class T>
struct PairJob {
  PairKind kind = PairKind::distance;
  const PairSide<T>* receivers = nullptr;
  const PairSide<T>* sources = nullptr;
  bool is_own = false;  ///< one set with itself: every pair once, no point with itself
  bool with_lengths = false;
  const T* side = nullptr;     ///< per axis, 0 = open
  const int* order = nullptr;  ///< the axes in the order in which squares are added
  double p = 2;                ///< the norm; others than 2 are for PairKind::distance
  PairBins<T> first;           ///< limits of d2, rp2 or s2
  PairBins<double> keys;       ///< instead of `first`, for p other than 2: limits of keys
  T reach2 = 0;                ///< surveys by rp and pi: pairs with a larger s2 never count
  /// Linear bins of pi or mu: bin i holds the values from i end / second on, up to the next such
  /// edge.
  std::size_t second = 1;
  T second_end = 0;
  bool second_is_closed = false;  ///< values at the far end belong to the last bin
  /// Pairwise weights: by the number of bits that two points share.
  std::size_t words = 0;
  const double* table = nullptr;
  const FunctionRef<void()>* checkpoint = nullptr;

  bool is_weighted() const { return !receivers->weight.empty(); }
  bool is_angular() const { return kind == PairKind::angle || kind == PairKind::survey_angle; }
  /// Every pair must be visited: no pair of nodes is settled as a whole.
  bool is_pairwise() const {
    return second > 1 || is_angular() || with_lengths || words > 0 ||
           kind == PairKind::survey_projected;
  }
  /// Whether the second coordinate may lie beyond its last bin.
  bool second_may_end() const {
    return kind == PairKind::projected || kind == PairKind::survey_projected;
  }
  /// The last edge, by the formula of all edges.
  T second_limit() const { return static_cast<T>(second) * second_end / static_cast<T>(second); }
  std::size_t bins() const { return p == 2 ? first.size() * second : keys.size(); }
};

/// The counts of one task for a pair of regions. bin = (bin of the first) * second + bin of the
/// second; one more slot at the end is for pairs outside.
struct PairPart {
  std::int32_t receiver_region = 0, source_region = 0;
  std::vector<std::int64_t> counts;
  std::vector<double> sums;     ///< if weighted
  std::vector<double> lengths;  ///< sums of (weight x) separation, on request
};

/// Counts for nodes of the receivers, one thread at a time.
class PairWorker {
 public:
  virtual ~PairWorker() = default;
  /// A node of plane >= 1 with all sources (is_own: those that follow in tree order).
  virtual std::vector<PairPart> run(int plane, std::size_t node) = 0;
};

/// For p = 2 and the SIMD target in force. The job must outlive the worker.
std::unique_ptr<PairWorker> make_worker(const PairJob<float>& job);
std::unique_ptr<PairWorker> make_worker(const PairJob<double>& job);
/// For any other p.
std::unique_ptr<PairWorker> make_norm_worker(const PairJob<float>& job);
std::unique_ptr<PairWorker> make_norm_worker(const PairJob<double>& job);

}  // namespace kith
