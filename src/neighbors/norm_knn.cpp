// k nearest neighbors by another norm: depth first, nearest child first, for a block of 8 queries
// at once. A node is left out when (its lower bound, its smallest index) comes after the last
// neighbor of every query; since indices count too, identical points are not a special case.
#include <array>

#include "base/checked_sort.hpp"
#include "neighbors/measured_tree.hpp"
#include "neighbors/norm_search.hpp"
#include "walk/depth_first.hpp"
#include "walk/first.hpp"

namespace kith {
namespace {

template <int D, class T, class Norm>
class NormKnn final : public SearchWorker {
 public:
  NormKnn(const KnnJob<T>& job, const Norm& norm)
      : job_(job), source_(job.source, job.side, norm) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    for_each_query<D, T>(job_, group_begin, group_end,
                         [&](const QueryBlock<D, T>& queries, std::size_t begin, std::size_t end) {
                           search(queries, begin, end);
                         });
  }

  // ---- as the judge of the walk

  using Measured = MeasuredTree<D, T, Norm>;
  using Key = typename Measured::Key;
  /// Where nodes begin.
  using Begins = Lanes<Candidate<Key>>;

  Begins look(int plane, std::size_t chunk) const {
    Lanes<Key> lower;
    source_.lower(box_, plane, chunk, lower);
    Begins begins;
    for (std::size_t i = 0; i < kLanes; ++i)
      begins[i] = {lower[i], source_.smallest(plane, chunk * kLanes + i)};
    return begins;
  }
  Verdict verdict(const Begins& begins, std::size_t lane, int, std::size_t) const {
    return last_ < begins[lane] ? Verdict::drop : Verdict::keep;
  }
  bool comes_before(const Begins& begins, std::size_t lane, std::size_t other) const {
    return begins[lane] < begins[other];
  }
  void settle(int, std::size_t) const {}
  void leaf(std::size_t block, const Begins& begins, std::size_t lane) {
    search_block(block, begins[lane].index);
  }

 private:
  void search(const QueryBlock<D, T>& queries, std::size_t begin, std::size_t end) {
    queries_ = &queries;
    begin_ = begin;
    end_ = end;
    box_ = queries.box(begin, end);
    for (std::size_t lane = begin; lane < end; ++lane) {
      const double limit = job_.limits ? job_.limits[queries.index(lane)] : job_.limit;
      first_[lane].reset(job_.k, {static_cast<Key>(limit), kNoIndex});
      queries.load(lane, x_[lane].data());
    }
    update_last();
    DepthFirst<T, NormKnn>(job_.source, *this).run();
    for (std::size_t lane = begin; lane < end; ++lane) deliver(lane);
  }

  /// What comes after the last neighbor of every query is of no use.
  void update_last() {
    last_ = first_[begin_].last();
    for (std::size_t lane = begin_ + 1; lane < end_; ++lane)
      if (last_ < first_[lane].last()) last_ = first_[lane].last();
  }

  void search_block(std::size_t block, std::uint32_t smallest) {
    if (++blocks_ % kBlocksPerLook == 0) checkpoint();
    Lanes<Key> lower;
    source_.lower(queries_->coordinates(), source_.box_of_node(0, block), lower);
    bool has_changed = false;
    for (std::size_t lane = begin_; lane < end_; ++lane)
      if (!(first_[lane].last() < Candidate<Key>{lower[lane], smallest}))
        has_changed |= add_block(lane, block);
    if (has_changed) update_last();
  }

  bool add_block(std::size_t lane, std::size_t block) {
    First<Key>& first = first_[lane];
    Lanes<Key> keys;
    source_.keys(x_[lane].data(), block, keys);
    const std::uint32_t* indices = source_.indices(block);
    const std::size_t count = source_.points_of(0, block);
    bool has_changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (keys[i] > first.last().key) continue;  // most of them; a comparison less for each
      const Candidate<Key> candidate{keys[i], indices[i]};
      if (!(candidate < first.last())) continue;
      if (job_.exclude_self && indices[i] == queries_->index(lane)) continue;
      first.add(candidate);
      has_changed = true;
    }
    return has_changed;
  }

  void checkpoint() const {
    if (job_.checkpoint) (*job_.checkpoint)();
  }

  void deliver(std::size_t lane) {
    const auto& found = first_[lane].sorted([&] { checkpoint(); });
    const std::size_t row = queries_->row(lane), begin = row * job_.k, end = begin + job_.k;
    rows_.deliver(job_, source_.norm(), row, found, begin);
    if (job_.visit) return;
    const std::size_t rest = begin + found.size();
    if (job_.distance)
      std::fill(job_.distance + rest, job_.distance + end, std::numeric_limits<T>::infinity());
    if (job_.index32) std::fill(job_.index32 + rest, job_.index32 + end, -1);
    if (job_.index64) std::fill(job_.index64 + rest, job_.index64 + end, -1);
  }

  static constexpr std::size_t kBlocksPerLook = 256;  // of 64 pairs

  const KnnJob<T>& job_;
  Measured source_;
  std::size_t blocks_ = 0;
  const QueryBlock<D, T>* queries_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  Bounds<D, T> box_;
  std::array<std::array<T, kAxisRoom<D>>, kLanes> x_;
  std::array<First<Key>, kLanes> first_;
  Candidate<Key> last_{};
  NormRows<T> rows_;
};

template <class T>
std::unique_ptr<SearchWorker> make(const KnnJob<T>& job) {
  if (is_difference_norm(job.p)) return make_difference_worker(job);
  return with_power_norm<T>(
      job.p, [&]<int D, class Norm>(const Norm& norm) -> std::unique_ptr<SearchWorker> {
        return std::make_unique<NormKnn<D, T, Norm>>(job, norm);
      });
}

}  // namespace

std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<float>& job) { return make(job); }
std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<double>& job) { return make(job); }

}  // namespace kith
