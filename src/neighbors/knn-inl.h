// k nearest neighbors by "predict, collect, select".
//
// For a group of 64 queries that lie together: guess the radius of the k-th neighbor, list the
// blocks of points in reach of the group, filter the list for each 8 queries, pick from it for each
// query, collect all points within the radius without a branch. If enough came together the answer
// is among them, exactly; if not, the radius grows, and those of the 8 queries that their list does
// not serve get a wider one together. A query without a usable guess or list searches alone, from a
// radius that certainly suffices, nearest nodes first. What is left over (many identical points,
// infinite distances) is walked best first.
//
// Radii and distances are keys of the norm, squares for the Euclidean one, whence their names.
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
class KnnSearch final : public KnnAlone<D, T, Norm> {
 public:
  explicit KnnSearch(const KnnJob<T>& job) : KnnAlone<D, T, Norm>(job) {}

 private:
  using Base = KnnAlone<D, T, Norm>;
  using Base::aim_, Base::collect, Base::counts_, Base::counts_of_, Base::grown, Base::has_nodes_,
      Base::is_complete, Base::is_listed_, Base::is_wrapped_, Base::job_, Base::list_,
      Base::listed2_, Base::max_listed_, Base::max_picked_, Base::most2_, Base::near_, Base::picked,
      Base::queries_, Base::query_, Base::reserve_slots, Base::search_alone, Base::sources_,
      Base::trim;
  using Box = Bounds<D, T>;

  void search_block() override {
    const Box box = this->box_of_block(this->position_ / kLanes);
    this->set_limits();
    if (queries_ > 1 && this->is_point(box)) {
      this->search_equal_queries();
      this->sort_rows();
      return this->deliver_rows();
    }
    const T diagonal2 = this->finite_diagonal2(box);
    const float log_diagonal2 = rough_log2(diagonal2);
    const T most2 =
        this->has_own_limits() ? *std::max_element(most2_, most2_ + queries_) : most2_[0];
    const bool has_guess = job_.is_grouped && predictor_.is_ready();
    T r2 = 0;
    if (has_guess) {
      r2 = std::min(most2, rough_exp2<T>(predictor_.predict(log_diagonal2, aim_)));
      spare_ = rough_exp2<T>(rough_log2(1.0) + predictor_.spare(aim_));
      const T within2 = std::min(most2, r2 * spare_);
      make_list(r2, within2, std::max(within2, diagonal2));
    }
    if (has_guess && is_listed_ && !(r2 == 0 && this->has_ties()))
      search_listed(box, r2);
    else
      this->search_each_alone();
    this->sort_rows();
    if (job_.is_grouped) learn(log_diagonal2);
    this->deliver_rows();
  }

  void learn(float log_diagonal2) {
    Lesson lesson(predictor_.guess());
    for (std::size_t j = 0; j < queries_; ++j)
      lesson.add(rough_log2(std::max(T(0), this->last2(j))));
    predictor_.learn(lesson, log_diagonal2);
  }

  // ---- with the group's list

  /// Lists what is within `within2` of the group, unless a list serves already. Where points near
  /// it are much closer to each other than to the queries, nodes far below `scale2`, the size of
  /// things here, stay whole.
  void make_list(T r2, T within2, T scale2) {
    const bool is_coarse = has_nodes_ && scale2 * kFar < scale2_;
    const bool is_missed = !is_listed_ && r2 * 3 < listed2_;
    if (r2 <= listed2_ && !is_coarse && !is_missed) return;
    this->list_group(within2, max_listed_);
    if (is_listed_) return;
    scale2_ = scale2;
    this->list_group_nodes(within2, scale2 * kSmall, max_listed_);
  }

  void search_listed(const Box& box, T r2) {
    is_wrapped_ ? search_listed<true>(box, r2) : search_listed<false>(box, r2);
  }
  /// The blocks of a list within r2 of a query; more than max_picked_ are not distinguished.
  template <bool Wrap>
  HWY_INLINE std::size_t pick(const InteractionList<T>& list, std::size_t j, T r2) {
    const std::size_t count = sources_.template pick<Wrap>(list, query_ + j, r2, picked(j));
    if (HWY_LIKELY(!has_nodes_)) return count;
    return sources_.template expand<Wrap>(query_ + j, r2, picked(j), count, max_picked_);
  }
  template <bool Wrap>
  void search_listed(const Box& box, T r2) {
    const T reach2 = std::min(listed2_, r2 * spare_);
    sources_.template filter<Wrap>(list_, BoxProbe<D, T>(box, sources_.axes()), reach2, near_);
    std::size_t blocks[kLanes], most = 0;
    T radius2[kLanes];
    for (std::size_t j = 0; j < queries_; ++j) {
      radius2[j] = this->has_own_limits() ? std::min(r2, most2_[j]) : r2;
      blocks[j] = pick<Wrap>(near_, j, radius2[j]);
      if (HWY_UNLIKELY(D != kAnyDimension && static_cast<float>(blocks[j]) > 1.6f * aim_.blocks)) {
        // Too many blocks: the points are denser here than the guess knew.
        const float share = aim_.blocks / static_cast<float>(blocks[j]);
        radius2[j] *= static_cast<T>(share);  // squares: other norms have no compiled dimension
        blocks[j] = pick<Wrap>(near_, j, radius2[j]);
      }
      most = std::max(most, std::min(blocks[j], max_picked_));
    }
    reserve_slots(most * kLanes);
    for (std::size_t j = 0; j < queries_; ++j)
      if (blocks[j] <= max_picked_)
        this->template collect<Wrap>(j, picked(j), blocks[j], radius2[j]);
    Unfinished left;
    for (std::size_t j = 0; j < queries_; ++j) {
      if (HWY_UNLIKELY(blocks[j] > max_picked_))
        search_alone(j);
      else if (HWY_LIKELY(is_complete(j, radius2[j])) || grow<Wrap>(j, reach2, radius2[j]))
        trim(j);
      else
        left.add(j, radius2[j], grown(j, radius2[j]));
    }
    if (HWY_UNLIKELY(left.count > 0)) search_wider(box, left);
  }

  /// Searches among what is near, up to reach2, until there are enough; false if there are not.
  template <bool Wrap>
  HWY_NOINLINE bool grow(std::size_t j, T reach2, T& r2) {
    while (r2 < reach2) {
      const T next2 = std::min(reach2, grown(j, r2));
      if (!(next2 > r2)) return false;  // the least number does not grow by a factor
      r2 = next2;
      ++counts_.rescanned;
      const std::size_t blocks = pick<Wrap>(near_, j, r2);
      if (blocks > max_picked_) return false;
      reserve_slots(blocks * kLanes);
      this->template collect<Wrap>(j, picked(j), blocks, r2);
      if (is_complete(j, r2)) return true;
    }
    return false;
  }

  /// Queries of a block for which there is not enough near, how far they looked, and how far all of
  /// them should look next.
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
    const bool wraps = left.next2 <= listed2_ ? is_wrapped_ : this->leaves_box(box, left.next2);
    const bool has_near =
        wraps ? list_near<true>(box, left.next2) : list_near<false>(box, left.next2);
    for (std::size_t i = 0; i < left.count; ++i) {
      const std::size_t j = left.query[i];
      T& r2 = left.r2[i];
      if (has_near && (wraps ? grow<true>(j, left.next2, r2) : grow<false>(j, left.next2, r2)))
        trim(j);
      else
        search_alone(j, grown(j, r2));
    }
  }
  /// What is within r2 of a block: of the group's list if it reaches that far, else from the root.
  template <bool Wrap>
  bool list_near(const Box& box, T r2) {
    const BoxProbe<D, T> probe(box, sources_.axes());
    if (r2 <= listed2_) {
      sources_.template filter<Wrap>(list_, probe, r2, near_);
      return true;
    }
    if (has_nodes_ || !sources_.template list<Wrap>(probe, r2, max_listed_, near_)) return false;
    this->reserve_picked(near_.size);
    return true;
  }

  /// Nodes are small below this share of the radius, in keys, and lists are of use down to this
  /// share of theirs.
  static constexpr T kSmall = T(Norm::kPower == 2 ? 0.25 : 0.5);
  static constexpr T kFar = T(Norm::kPower == 2 ? 16 : 4);

  T scale2_ = 0;  ///< of the nodes in the list
  T spare_ = 1;   ///< how much farther than the guess lists reach, so that it may grow
  Predictor predictor_;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
