// k nearest neighbors by "predict, collect, select".
//
// For a group of 64 queries that lie together: guess the radius of the k-th neighbor, list the
// blocks of points in reach of the group, filter the list for each 8 queries, pick from it for each
// query, collect all points within the radius without a branch. If enough came together the answer
// is among them, exactly; if not, the radius grows, and those of the 8 queries that their list does
// not serve get a wider one together. A query without a usable guess or list searches alone, from a
// radius that certainly suffices, nearest nodes first. The remaining queries (many identical
// points, infinite distances) are walked best first.
//
// Radii and distances are keys of the norm (squares for p = 2, hence the suffix 2).
#if defined(KITH_NEIGHBORS_KNN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_NEIGHBORS_KNN_INL_H_
#undef KITH_NEIGHBORS_KNN_INL_H_
#else
#define KITH_NEIGHBORS_KNN_INL_H_
#endif

#include <algorithm>
#include <hwy/highway.h>
#include <limits>

#include "neighbors/knn_alone-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T, class Norm = Squares>
class KnnSearch final : public SearchWorker {
 public:
  explicit KnnSearch(const KnnJob<T>& job)
      : job_(job), group_(job, counts_), rows_(job, group_), alone_(job, group_, rows_) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    group_.for_each_block(group_begin, group_end, [&]() HWY_ATTR { search_block(); });
  }

 private:
  using Box = Bounds<D, T>;

  void search_block() {
    const Box box = group_.queries.box_of(group_.queries.block());
    rows_.set_limits();
    if (group_.queries.size() > 1 && group_.queries.is_point(box)) {
      alone_.search_equal_queries();
      rows_.sort();
      return rows_.deliver();
    }
    const T diagonal2 = group_.finite_diagonal2(box);
    const float log_diagonal2 = rough_log2(diagonal2);
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    T r2 = 0;
    if (has_guess) {
      const T most2 = rows_.largest_most2();
      r2 = std::min(most2, rough_exp2<T>(predictor_.predict(log_diagonal2, alone_.aim())));
      spare_ = rough_exp2<T>(rough_log2(1.0) + predictor_.spare(alone_.aim()));
      const T within2 = std::min(most2, r2 * spare_);
      make_list(r2, within2, std::max(within2, diagonal2));
    }
    if (has_guess && group_.list.is_listed && !(r2 == 0 && alone_.has_ties()))
      search_listed(box, r2);
    else
      alone_.search_each();
    rows_.sort();
    if (job_.is_grouped) learn(log_diagonal2);
    rows_.deliver();
  }

  void learn(float log_diagonal2) {
    Lesson lesson(predictor_.guess());
    for (std::size_t j = 0; j < group_.queries.size(); ++j)
      lesson.add(rough_log2(std::max(T(0), rows_.last2(j))));
    predictor_.learn(lesson, log_diagonal2);
  }

  // ---- with the group's list

  /// Lists the blocks within `within2` of the group, unless a list serves already. Where points
  /// near it are much closer to each other than to the queries, nodes far below `scale2`, the size
  /// of things here, stay whole.
  void make_list(T r2, T within2, T scale2) {
    const bool is_coarse = group_.list.has_nodes && scale2 * kFar < scale2_;
    const bool is_missed = !group_.list.is_listed && r2 * 3 < group_.list.reach2;
    if (r2 <= group_.list.reach2 && !is_coarse && !is_missed) return;
    group_.list.make(within2, alone_.max_listed());
    if (group_.list.is_listed) return;
    scale2_ = scale2;
    group_.list.make_with_nodes(within2, scale2 * kSmall, alone_.max_listed());
  }

  void search_listed(const Box& box, T r2) {
    group_.list.is_wrapped ? search_listed<true>(box, r2) : search_listed<false>(box, r2);
  }
  /// The blocks of a list within r2 of a query; more than max_picked() are not distinguished.
  template <bool Wrap>
  HWY_INLINE std::size_t pick(const InteractionList<T>& list, std::size_t j, T r2) {
    std::uint32_t* const picked = group_.list.picked(j);
    const std::size_t count =
        group_.sources.template pick<Wrap>(list, group_.queries.point(j), r2, picked);
    if (HWY_LIKELY(!group_.list.has_nodes)) return count;
    return group_.sources.template expand<Wrap>(group_.queries.point(j), r2, picked, count,
                                                alone_.max_picked());
  }
  template <bool Wrap>
  void search_listed(const Box& box, T r2) {
    const T reach2 = std::min(group_.list.reach2, r2 * spare_);
    const float aimed_blocks = alone_.aim().blocks;
    const std::size_t max_picked = alone_.max_picked();
    group_.sources.template filter<Wrap>(
        group_.list.blocks, BoxProbe<D, T>(box, group_.sources.axes()), reach2, group_.list.near);
    std::size_t blocks[kLanes], most = 0;
    T radius2[kLanes];
    for (std::size_t j = 0; j < group_.queries.size(); ++j) {
      radius2[j] = group_.queries.has_own_limits() ? std::min(r2, rows_.most2(j)) : r2;
      blocks[j] = pick<Wrap>(group_.list.near, j, radius2[j]);
      if (HWY_UNLIKELY(D != kAnyDimension && static_cast<float>(blocks[j]) > 1.6f * aimed_blocks)) {
        // Too many blocks: the points are denser here than the guess knew.
        const float share = aimed_blocks / static_cast<float>(blocks[j]);
        radius2[j] *= static_cast<T>(share);  // squares: other norms have no compiled dimension
        blocks[j] = pick<Wrap>(group_.list.near, j, radius2[j]);
      }
      most = std::max(most, std::min(blocks[j], max_picked));
    }
    group_.candidates.reserve(most * kLanes);
    for (std::size_t j = 0; j < group_.queries.size(); ++j)
      if (blocks[j] <= max_picked)
        group_.candidates.template collect<Wrap>(j, group_.list.picked(j), blocks[j], radius2[j]);
    Unfinished left;
    for (std::size_t j = 0; j < group_.queries.size(); ++j) {
      if (HWY_UNLIKELY(blocks[j] > max_picked))
        alone_.search(j);
      else if (HWY_LIKELY(alone_.is_complete(j, radius2[j])) || grow<Wrap>(j, reach2, radius2[j]))
        alone_.trim(j);
      else
        left.add(j, radius2[j], alone_.grown(j, radius2[j]));
    }
    if (HWY_UNLIKELY(left.count > 0)) search_wider(box, left);
  }

  /// Searches the near blocks, up to reach2, until there are enough points; false if there are not.
  template <bool Wrap>
  HWY_NOINLINE bool grow(std::size_t j, T reach2, T& r2) {
    while (r2 < reach2) {
      const T next2 = std::min(reach2, alone_.grown(j, r2));
      if (!(next2 > r2)) return false;  // the least number does not grow by a factor
      r2 = next2;
      ++counts_.rescanned;
      const std::size_t blocks = pick<Wrap>(group_.list.near, j, r2);
      if (blocks > alone_.max_picked()) return false;
      group_.candidates.reserve(blocks * kLanes);
      group_.candidates.template collect<Wrap>(j, group_.list.picked(j), blocks, r2);
      if (alone_.is_complete(j, r2)) return true;
    }
    return false;
  }

  /// Queries of a block with too few points near, how far they looked, and how far all of them
  /// should look next.
  struct Unfinished {
    std::size_t count = 0, query[kLanes];
    T r2[kLanes], next2 = 0;
    void add(std::size_t j, T last2, T grown2) {
      query[count] = j;
      r2[count++] = last2;
      next2 = std::max(next2, grown2);
    }
  };

  /// One more list serves all of them: where the guess is bad, it is so for several queries of a
  /// block.
  HWY_NOINLINE void search_wider(const Box& box, Unfinished& left) {
    const bool wraps = left.next2 <= group_.list.reach2 ? group_.list.is_wrapped
                                                        : group_.list.leaves_box(box, left.next2);
    const bool has_near =
        wraps ? list_near<true>(box, left.next2) : list_near<false>(box, left.next2);
    for (std::size_t i = 0; i < left.count; ++i) {
      const std::size_t j = left.query[i];
      T& r2 = left.r2[i];
      if (has_near && (wraps ? grow<true>(j, left.next2, r2) : grow<false>(j, left.next2, r2)))
        alone_.trim(j);
      else
        alone_.search(j, alone_.grown(j, r2));
    }
  }
  /// Lists the blocks within r2 of a block: from the group's list if it reaches that far, else from
  /// the root.
  template <bool Wrap>
  bool list_near(const Box& box, T r2) {
    const BoxProbe<D, T> probe(box, group_.sources.axes());
    if (r2 <= group_.list.reach2) {
      group_.sources.template filter<Wrap>(group_.list.blocks, probe, r2, group_.list.near);
      return true;
    }
    if (group_.list.has_nodes ||
        !group_.sources.template list<Wrap>(probe, r2, alone_.max_listed(), group_.list.near))
      return false;
    group_.list.reserve_picked(group_.list.near.size);
    return true;
  }

  /// Nodes are small below this share of the radius, in keys, and lists are of use down to this
  /// share of theirs.
  static constexpr T kSmall = T(Norm::kPower == 2 ? 0.25 : 0.5);
  static constexpr T kFar = T(Norm::kPower == 2 ? 16 : 4);

  const KnnJob<T>& job_;
  GroupSearch<D, T, Norm> group_;
  KnnRows<D, T, Norm> rows_;
  KnnAlone<D, T, Norm> alone_;

  T scale2_ = 0;  ///< of the nodes in the list
  T spare_ = 1;   ///< how much farther than the guess lists reach, so that it may grow
  Predictor predictor_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
