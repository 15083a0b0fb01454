// All neighbors within a radius by another norm, counted or listed: depth first for a block of 8
// queries at once. When only numbers are wanted, a node that lies within every query's radius
// counts as a whole.
#include <array>

#include "base/checked_sort.hpp"
#include "neighbors/measured_tree.hpp"
#include "neighbors/norm_search.hpp"
#include "walk/depth_first.hpp"

namespace kith {
namespace {

template <int D, class T, class Norm>
class NormRadius final : public SearchWorker {
 public:
  NormRadius(const RadiusJob<T>& job, const Norm& norm)
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
  struct Ends {
    Lanes<Key> lower, upper;
  };

  Ends look(int plane, std::size_t chunk) const {
    Ends ends;
    source_.lower(box_, plane, chunk, ends.lower);
    if (job_.counts) source_.upper(box_, plane, chunk, ends.upper);
    return ends;
  }
  Verdict verdict(const Ends& ends, std::size_t lane, int, std::size_t) const {
    if (ends.lower[lane] > most_) return Verdict::drop;
    return job_.counts && ends.upper[lane] <= least_ ? Verdict::settle : Verdict::keep;
  }
  void settle(int plane, std::size_t node) { count_all(source_.points_of(plane, node)); }
  void leaf(std::size_t block, const Ends&, std::size_t) { search_block(block); }

 private:
  void search(const QueryBlock<D, T>& queries, std::size_t begin, std::size_t end) {
    queries_ = &queries;
    begin_ = begin;
    end_ = end;
    box_ = queries.box(begin, end);
    for (std::size_t lane = begin; lane < end; ++lane) {
      const double limit = job_.limits ? job_.limits[queries.index(lane)] : job_.limit;
      limit_[lane] = static_cast<Key>(limit);
      found_[lane].clear();
      count_[lane] = 0;
      queries.load(lane, x_[lane].data());
    }
    most_ = *std::max_element(limit_.begin() + begin, limit_.begin() + end);
    least_ = *std::min_element(limit_.begin() + begin, limit_.begin() + end);
    if (most_ >= 0) DepthFirst<T, NormRadius>(job_.source, *this).run();
    for (std::size_t lane = begin; lane < end; ++lane) deliver(lane);
  }

  void checkpoint() const {
    if (job_.checkpoint) (*job_.checkpoint)();
  }

  void count_all(std::size_t points) {
    for (std::size_t lane = begin_; lane < end_; ++lane)
      count_[lane] += static_cast<std::int64_t>(points);
  }

  void search_block(std::size_t block) {
    if (++blocks_ % kBlocksPerLook == 0) checkpoint();
    Lanes<Key> lower, keys;
    source_.lower(queries_->coordinates(), source_.box_of_node(0, block), lower);
    const std::uint32_t* indices = source_.indices(block);
    const std::size_t points = source_.points_of(0, block);
    for (std::size_t lane = begin_; lane < end_; ++lane) {
      if (lower[lane] > limit_[lane]) continue;
      source_.keys(x_[lane].data(), block, keys);
      for (std::size_t i = 0; i < points; ++i) {
        if (keys[i] > limit_[lane]) continue;
        ++count_[lane];
        if (!job_.counts && !(job_.exclude_self && indices[i] == queries_->index(lane)))
          found_[lane].push_back({keys[i], indices[i]});
      }
    }
  }

  void deliver(std::size_t lane) {
    const std::size_t row = queries_->row(lane);
    if (job_.counts) {
      // A point's key to itself is 0, so it was counted if anything could be.
      const bool has_self = job_.exclude_self && limit_[lane] >= 0;
      job_.counts[row] = count_[lane] - (has_self ? 1 : 0);
      return;
    }
    auto& found = found_[lane];
    const bool is_cut = job_.max_neighbors > 0 && found.size() > job_.max_neighbors;
    if (job_.is_sorted || is_cut) checked_sort(found.begin(), found.end(), [&] { checkpoint(); });
    if (is_cut) found.resize(job_.max_neighbors);
    const std::size_t at = job_.offsets ? static_cast<std::size_t>(job_.offsets[row]) : 0;
    rows_.deliver(job_, source_.norm(), row, found, at);
  }

  static constexpr std::size_t kBlocksPerLook = 256;  // of 64 pairs

  const RadiusJob<T>& job_;
  Measured source_;
  std::size_t blocks_ = 0;
  const QueryBlock<D, T>* queries_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  Bounds<D, T> box_;
  std::array<std::array<T, kAxisRoom<D>>, kLanes> x_;
  Lanes<Key> limit_;
  Key most_ = 0, least_ = 0;
  std::array<std::vector<Candidate<Key>>, kLanes> found_;
  Lanes<std::int64_t> count_{};
  NormRows<T> rows_;
};

template <class T>
std::unique_ptr<SearchWorker> make(const RadiusJob<T>& job) {
  if (is_difference_norm(job.p)) return make_difference_worker(job);
  return with_power_norm<T>(
      job.p, [&]<int D, class Norm>(const Norm& norm) -> std::unique_ptr<SearchWorker> {
        return std::make_unique<NormRadius<D, T, Norm>>(job, norm);
      });
}

}  // namespace

std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<float>& job) { return make(job); }
std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<double>& job) { return make(job); }

}  // namespace kith
