// Pairs by a norm other than p = 2: the walk over all pairs with bounds and leaves in plain loops.
#include "neighbors/norm_lanes.hpp"
#include "pairs/tally.hpp"
#include "pairs/walk.hpp"

namespace kith {
namespace {

template <int D, class T, class Norm>
class NormGeometry {
 public:
  using Key = typename Norm::Key;

  NormGeometry(const PairJob<T>& job, const Norm& norm)
      : bins_(job.keys), lanes_(norm, job.receivers->view.dimension, job.side) {}

  void look(const Bounds<D, T>& box, const T* chunk, PairLook<Key>& look) const {
    lanes_.lower(box, chunk, look.lower);
    lanes_.upper(box, chunk, look.upper);
    look.near = look.open = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      look.near |= (look.lower[lane] <= bins_.last() ? 1U : 0U) << lane;
  }
  /// Limit i, which a key can equal: bin i ends with it.
  Key limit(std::size_t i) const { return static_cast<Key>(bins_.limits()[i]); }
  std::size_t bin(Key key) const { return bins_.bin(static_cast<double>(key)); }
  void keys(const T* point, const T* block, Key* keys) const { lanes_.keys(point, block, keys); }

 private:
  const PairBins<double>& bins_;
  NormLanes<D, T, Norm> lanes_;
};

/// Pairs of blocks that do not lie in one bin as a whole are counted pair by pair.
template <int D, class T, class Norm, bool Weighted>
class NormBlocks {
 public:
  using Geometry = NormGeometry<D, T, Norm>;
  using Scalar = T;
  static constexpr int kDimension = D;
  static constexpr bool kIsWeighted = Weighted;

  NormBlocks(const PairJob<T>& job, const Geometry& geometry)
      : job_(job),
        from_(*job.receivers),
        to_(*job.sources),
        geometry_(geometry),
        tally_(job.bins() + 1, false, 0, nullptr) {}

  PairTally<Weighted>& tally() { return tally_; }

  void search(std::size_t group, const std::vector<std::uint32_t>& list) {
    tally_.select(0, 0);
    const std::size_t end = std::min((group + 1) * kLanes, from_.nodes(0));
    for (std::size_t block = group * kLanes; block < end; ++block)
      for (const std::uint32_t other : list) search_group(block, other);
  }

 private:
  using Key = typename Geometry::Key;
  static constexpr std::size_t kGroupsPerCheck = 256;  // of 8 blocks
  /// Up to this many, comparing with each limit is faster than looking for the bin of each key.
  static constexpr std::size_t kFewLimits = 6;

  void search_group(std::size_t receiver, std::size_t group) {
    if (++groups_ % kGroupsPerCheck == 0) (*job_.checkpoint)();
    const Axes<D> axes(from_.view.dimension);
    PairLook<Key> look;
    geometry_.look(from_.view.box(0, receiver, axes), to_.view.chunk(0, group, axes), look);
    const std::size_t count = std::min(kLanes, to_.nodes(0) - group * kLanes);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t source = group * kLanes + lane;
      if ((look.near >> lane & 1) == 0 || (job_.is_own && source < receiver)) continue;
      const bool is_self = job_.is_own && source == receiver;
      const std::size_t first = geometry_.bin(look.lower[lane]),
                        last = geometry_.bin(look.upper[lane]);
      if (is_self)
        count_each(receiver, source, true);
      else if (first == last)
        tally_.add(first, from_.template sum<Weighted>(0, receiver) *
                              to_.template sum<Weighted>(0, source));
      else if (!Weighted && last - first <= kFewLimits && is_full(from_, receiver) &&
               is_full(to_, source))
        count_together(receiver, source, first, last);
      else
        count_each(receiver, source, false);
    }
  }

  static bool is_full(const PairSide<T>& side, std::size_t block) {
    return side.counts[0][block] == kLanes;
  }

  /// All 64 pairs of two full blocks, which are in bins from `first` to `last`: how many are within
  /// each limit.
  void count_together(std::size_t receiver, std::size_t source, std::size_t first,
                      std::size_t last) {
    Key keys[kLanes * kLanes];
    T point[kMaxDimension];
    for (std::size_t r = 0; r < kLanes; ++r) {
      from_.view.load(receiver * kLanes + r, Axes<D>(from_.view.dimension), point);
      geometry_.keys(point, to_.view.block(source, Axes<D>(to_.view.dimension)), keys + r * kLanes);
    }
    int before = 0;
    for (std::size_t i = first; i < last; ++i) {
      const Key limit = geometry_.limit(i);
      int within = 0;
      for (const Key key : keys) within += key <= limit ? 1 : 0;
      tally_.add(i, within - before);
      before = within;
    }
    tally_.add(last, static_cast<int>(kLanes * kLanes) - before);
  }

  /// is_self: those with receiver < source alone.
  void count_each(std::size_t receiver, std::size_t source, bool is_self) {
    const auto receivers = static_cast<std::size_t>(from_.counts[0][receiver]),
               sources = static_cast<std::size_t>(to_.counts[0][source]);
    for (std::size_t r = 0; r < receivers; ++r) {
      T point[kMaxDimension];
      from_.view.load(receiver * kLanes + r, Axes<D>(from_.view.dimension), point);
      Key keys[kLanes];
      geometry_.keys(point, to_.view.block(source, Axes<D>(to_.view.dimension)), keys);
      for (std::size_t s = is_self ? r + 1 : 0; s < sources; ++s)
        tally_.add(geometry_.bin(keys[s]),
                   weight(from_, receiver * kLanes + r) * weight(to_, source * kLanes + s));
    }
  }

  static auto weight(const PairSide<T>& side, std::size_t position) {
    if constexpr (Weighted)
      return side.weight[position];
    else
      return std::int64_t{1};
  }

  const PairJob<T>& job_;
  const PairSide<T>&from_, &to_;
  Geometry geometry_;
  PairTally<Weighted> tally_;
  std::size_t groups_ = 0;
};

template <int D, class T, class Norm>
std::unique_ptr<PairWorker> make_walk_of(const PairJob<T>& job, const Norm& norm) {
  const NormGeometry<D, T, Norm> geometry(job, norm);
  if (job.is_weighted())
    return std::make_unique<PairWalk<NormBlocks<D, T, Norm, true>>>(job, geometry);
  return std::make_unique<PairWalk<NormBlocks<D, T, Norm, false>>>(job, geometry);
}

/// Powers cost far more than loops over axes: only differences have code for three dimensions, and
/// points of fewer come with coordinates 0.
template <class T>
std::unique_ptr<PairWorker> make_norm_walk(const PairJob<T>& job) {
  if (job.p == 1 && job.sources->view.dimension == 3) return make_walk_of<3>(job, SumNorm<T>());
  if (std::isinf(job.p) && job.sources->view.dimension == 3)
    return make_walk_of<3>(job, LargestNorm<T>());
  return with_other_norm<T>(
      job.p, [&](const auto& norm) { return make_walk_of<kAnyDimension>(job, norm); });
}

}  // namespace

std::unique_ptr<PairWorker> make_norm_worker(const PairJob<float>& job) {
  return make_norm_walk(job);
}
std::unique_ptr<PairWorker> make_norm_worker(const PairJob<double>& job) {
  return make_norm_walk(job);
}

}  // namespace kith
