// Neighbors by a norm other than p = 1, 2 and infinity, for one query after the other: the nearest
// ones best first, those within a radius depth first. Powers take so much longer than everything
// else that there are no kernels for them.
#include "neighbors/norm_search.hpp"

#include <array>
#include <vector>

#include "base/checked_sort.hpp"
#include "neighbors/empty_rows.hpp"
#include "neighbors/norm_lanes.hpp"
#include "walk/best_first.hpp"
#include "walk/depth_first.hpp"

namespace kith {
namespace {

/// A query as the searches measure it.
template <class T, class Norm>
class NormQuery {
 public:
  using Key = typename Norm::Key;

  NormQuery(const SearchJob<T>& job, const NormLanes<kAnyDimension, T, Norm>& lanes,
            std::size_t position)
      : tree_(job.source), lanes_(lanes), box_(Bounds<kAnyDimension, T>::empty()) {
    T point[kMaxDimension];
    job.queries.load(position, lanes.axes(), point);
    box_.add(point, lanes.axes());
  }
  void lower(int plane, std::size_t chunk, Key* bounds) const {
    lanes_.lower(box_, tree_.chunk(plane, chunk, lanes_.axes()), bounds);
  }
  void upper(int plane, std::size_t chunk, Key* bounds) const {
    lanes_.upper(box_, tree_.chunk(plane, chunk, lanes_.axes()), bounds);
  }
  void keys(std::size_t block, Key* keys) const { lanes_.keys(box_.lo, tree_.block(block), keys); }

 private:
  const PlanesView<T>& tree_;
  const NormLanes<kAnyDimension, T, Norm>& lanes_;
  Bounds<kAnyDimension, T> box_;
};

/// Lists or counts the points within a limit, as the judge of a depth-first walk. Where numbers are
/// all that is wanted, a node that lies within the limit counts as a whole.
template <class T, class Norm>
class WithinLimit {
 public:
  using Key = typename Norm::Key;
  struct Ends {
    std::array<Key, kLanes> lower, upper;
  };

  /// The point with index `but` is left out of the list, but counted.
  WithinLimit(const PlanesView<T>& tree, const NormQuery<T, Norm>& query, Key limit,
              std::uint32_t but, std::vector<Candidate<Key>>* list)
      : tree_(tree), query_(query), limit_(limit), but_(but), list_(list) {}

  std::size_t count() const { return count_; }

  Ends look(int plane, std::size_t chunk) const {
    Ends ends;
    query_.lower(plane, chunk, ends.lower.data());
    if (!list_) query_.upper(plane, chunk, ends.upper.data());
    return ends;
  }
  Verdict verdict(const Ends& ends, std::size_t lane, int, std::size_t) const {
    if (ends.lower[lane] > limit_) return Verdict::drop;
    return !list_ && ends.upper[lane] <= limit_ ? Verdict::settle : Verdict::keep;
  }
  void settle(int plane, std::size_t node) { count_ += tree_.points_of(plane, node).size(); }
  void leaf(std::size_t block, const Ends&, std::size_t) {
    const std::uint32_t* indices = indices_of(tree_.block(block), tree_.any_axes());
    const std::size_t points = tree_.points_of_block(block);
    Key keys[kLanes];
    query_.keys(block, keys);
    for (std::size_t i = 0; i < points; ++i) {
      if (keys[i] > limit_) continue;
      ++count_;
      if (list_ && indices[i] != but_) list_->push_back({keys[i], indices[i]});
    }
  }

 private:
  const PlanesView<T>& tree_;
  const NormQuery<T, Norm>& query_;
  Key limit_;
  std::uint32_t but_;
  std::vector<Candidate<Key>>* list_;  ///< null: only counts
  std::size_t count_ = 0;
};

template <class Job, class T, class Norm>
class NormSearch final : public SearchWorker {
 public:
  NormSearch(const Job& job, const Norm& norm)
      : job_(job), lanes_(norm, job.source.dimension, job.side), best_first_(job.source) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    const std::size_t end = std::min(job_.queries.points, group_end * kGroupQueries);
    for (std::size_t i = group_begin * kGroupQueries; i < end; ++i) {
      checkpoint();
      search(job_, i);
    }
  }

 private:
  using Key = typename Norm::Key;
  using Found = std::vector<Candidate<Key>>;

  void checkpoint() const {
    if (job_.checkpoint) (*job_.checkpoint)();
  }

  void search(const KnnJob<T>& job, std::size_t position) {
    const Found& found =
        best_first_.search(NormQuery<T, Norm>(job, lanes_, position), job.k, limit_of(position),
                           left_out(position), [&] { checkpoint(); });
    const std::size_t row = job.row_of(position, job.queries.index(position)), begin = row * job.k;
    deliver(row, found, begin);
    if (!job.visit) pad_row(job, begin + found.size(), begin + job.k);
  }

  void search(const RadiusJob<T>& job, std::size_t position) {
    const NormQuery<T, Norm> query(job, lanes_, position);
    const Key limit = limit_of(position);
    const std::size_t row = job.row_of(position, job.queries.index(position));
    list_.clear();
    WithinLimit<T, Norm> within(job.source, query, limit, left_out(position),
                                job.counts ? nullptr : &list_);
    if (limit >= 0) DepthFirst<T, WithinLimit<T, Norm>>(job.source, within).run();
    if (job.counts) {
      // A point's key to itself is 0, so it was counted if anything could be.
      const std::size_t self = job.exclude_self && limit >= 0 ? 1 : 0;
      job.counts[row] = static_cast<std::int64_t>(within.count() - self);
      return;
    }
    const bool is_cut = job.max_neighbors > 0 && list_.size() > job.max_neighbors;
    if (job.is_sorted || is_cut) checked_sort(list_.begin(), list_.end(), [&] { checkpoint(); });
    if (is_cut) list_.resize(job.max_neighbors);
    deliver(row, list_, job.offsets ? static_cast<std::size_t>(job.offsets[row]) : 0);
  }

  // ---- the query at a position

  std::uint32_t left_out(std::size_t position) const {
    return job_.exclude_self ? job_.queries.index(position) : kNoIndex;
  }
  Key limit_of(std::size_t position) const {
    return static_cast<Key>(job_.limits ? job_.limits[job_.queries.index(position)] : job_.limit);
  }
  /// To the visitor, or to the caller's arrays from `at` on.
  void deliver(std::size_t row, const Found& found, std::size_t at) {
    constexpr std::size_t kRootsPerCheck = std::size_t{1} << 16;
    indices_.resize(found.size());
    distances_.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i % kRootsPerCheck == kRootsPerCheck - 1) checkpoint();
      indices_[i] = found[i].index;
      distances_[i] = lanes_.norm().length_of(found[i].key) * job_.unscale;
    }
    if (job_.visit) return (*job_.visit)({row, found.size(), indices_.data(), distances_.data()});
    if (job_.distance) std::copy(distances_.begin(), distances_.end(), job_.distance + at);
    if (job_.index32) std::copy(indices_.begin(), indices_.end(), job_.index32 + at);
    if (job_.index64) std::copy(indices_.begin(), indices_.end(), job_.index64 + at);
  }

  const Job& job_;
  NormLanes<kAnyDimension, T, Norm> lanes_;
  BestFirst<T, Key> best_first_;
  Found list_;
  std::vector<std::uint32_t> indices_;
  std::vector<T> distances_;
};

template <class T, class Job>
std::unique_ptr<SearchWorker> make(const Job& job) {
  if (is_difference_norm(job.p)) return make_difference_worker(job);
  return with_power_norm<T>(job.p,
                            [&]<class Norm>(const Norm& norm) -> std::unique_ptr<SearchWorker> {
                              return std::make_unique<NormSearch<Job, T, Norm>>(job, norm);
                            });
}

}  // namespace

std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<float>& job) {
  return make<float>(job);
}
std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<double>& job) {
  return make<double>(job);
}
std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<float>& job) {
  return make<float>(job);
}
std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<double>& job) {
  return make<double>(job);
}

}  // namespace kith
