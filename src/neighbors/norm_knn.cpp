// k nearest neighbours by another norm: depth first, nearest child first, for a block of 8 queries
// at once. A node is left out when (its lower bound, its smallest index) comes after the last
// neighbour of every query; since indices count too, identical points are no special case.
#include <array>

#include "neighbors/norm_search.hpp"
#include "neighbors/norm_walk.hpp"

namespace kith {
namespace {

/// The first k of all candidates that were offered.
template <class Key>
class FirstOf {
 public:
  void reset(std::size_t k, Key limit) {
    k_ = k;
    found_.clear();
    last_ = {limit, kNoIndex};
  }
  /// Only candidates before this one are wanted.
  const Candidate<Key>& last() const { return last_; }
  std::vector<Candidate<Key>>& sorted() {
    if (is_heap()) std::sort_heap(found_.begin(), found_.end());
    return found_;
  }

  /// The candidate comes before last().
  void add(const Candidate<Key>& candidate) {
    is_heap() ? add_to_heap(candidate) : add_in_order(candidate);
  }

 private:
  /// Moving up to 64 neighbours costs less than keeping a heap.
  bool is_heap() const { return k_ > 64; }

  void add_in_order(const Candidate<Key>& candidate) {
    if (found_.size() < k_) found_.push_back(candidate);
    std::size_t i = found_.size() - 1;
    for (; i > 0 && candidate < found_[i - 1]; --i) found_[i] = found_[i - 1];
    found_[i] = candidate;
    if (found_.size() == k_) last_ = found_.back();
  }

  void add_to_heap(const Candidate<Key>& candidate) {
    if (found_.size() == k_) {
      std::pop_heap(found_.begin(), found_.end());
      found_.pop_back();
    }
    found_.push_back(candidate);
    std::push_heap(found_.begin(), found_.end());
    if (found_.size() == k_) last_ = found_.front();
  }

  std::size_t k_ = 0;
  std::vector<Candidate<Key>> found_;
  Candidate<Key> last_{};
};

template <int D, class T, class Norm>
class NormKnn final : public SearchWorker {
 public:
  NormKnn(const KnnJob<T>& job, const Norm& norm) : job_(job), walk_(job.source, job.side, norm) {}

  void run(std::size_t group_begin, std::size_t group_end) override {
    for_each_query<D, T>(job_, group_begin, group_end,
                         [&](const QueryBlock<D, T>& queries, std::size_t begin, std::size_t end) {
                           search(queries, begin, end);
                         });
  }

 private:
  using Walk = NormWalk<D, T, Norm>;
  using Key = typename Walk::Key;

  void search(const QueryBlock<D, T>& queries, std::size_t begin, std::size_t end) {
    queries_ = &queries;
    begin_ = begin;
    end_ = end;
    box_ = queries.box(begin, end);
    for (std::size_t lane = begin; lane < end; ++lane) {
      first_[lane].reset(job_.k, static_cast<Key>(job_.limit));
      queries.load(lane, x_[lane].data());
    }
    update_last();
    open(walk_.top(), 0);
    for (std::size_t lane = begin; lane < end; ++lane) deliver(lane);
  }

  /// What comes after the last neighbour of every query is of no use.
  void update_last() {
    last_ = first_[begin_].last();
    for (std::size_t lane = begin_ + 1; lane < end_; ++lane)
      if (last_ < first_[lane].last()) last_ = first_[lane].last();
  }

  void open(int level, std::size_t parent) {
    const std::size_t count = walk_.children(level, parent);
    Lanes<Key> lower;
    walk_.lower(box_, level, parent, lower);
    Lanes<Candidate<Key>> nearest;
    Lanes<std::size_t> child;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate<Key> node{lower[i], walk_.smallest(level, parent * kLanes + i)};
      if (last_ < node) continue;
      std::size_t at = kept++;
      for (; at > 0 && node < nearest[at - 1]; --at) {
        nearest[at] = nearest[at - 1];
        child[at] = child[at - 1];
      }
      nearest[at] = node;
      child[at] = parent * kLanes + i;
    }
    for (std::size_t i = 0; i < kept; ++i) {
      if (last_ < nearest[i]) break;
      if (level > 0)
        open(level - 1, child[i]);
      else
        search_block(child[i], nearest[i].id);
    }
  }

  void search_block(std::size_t block, std::uint32_t smallest) {
    Lanes<Key> lower;
    walk_.lower(queries_->coordinates(), walk_.box_of_node(0, block), lower);
    bool has_changed = false;
    for (std::size_t lane = begin_; lane < end_; ++lane)
      if (!(first_[lane].last() < Candidate<Key>{lower[lane], smallest}))
        has_changed |= add_block(lane, block);
    if (has_changed) update_last();
  }

  bool add_block(std::size_t lane, std::size_t block) {
    FirstOf<Key>& first = first_[lane];
    Lanes<Key> keys;
    walk_.keys(x_[lane].data(), block, keys);
    const std::uint32_t* ids = walk_.ids(block);
    const std::size_t count = walk_.points_of(0, block);
    bool has_changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (keys[i] > first.last().key) continue;  // most of them; a comparison less for each
      const Candidate<Key> candidate{keys[i], ids[i]};
      if (!(candidate < first.last())) continue;
      if (job_.exclude_self && ids[i] == queries_->id(lane)) continue;
      first.add(candidate);
      has_changed = true;
    }
    return has_changed;
  }

  void deliver(std::size_t lane) {
    const auto& found = first_[lane].sorted();
    const std::size_t row = queries_->row(lane), begin = row * job_.k, end = begin + job_.k;
    rows_.deliver(job_, walk_.norm(), row, found, begin);
    if (job_.visit) return;
    const std::size_t rest = begin + found.size();
    if (job_.distance)
      std::fill(job_.distance + rest, job_.distance + end, std::numeric_limits<T>::infinity());
    if (job_.index32) std::fill(job_.index32 + rest, job_.index32 + end, -1);
    if (job_.index64) std::fill(job_.index64 + rest, job_.index64 + end, -1);
  }

  const KnnJob<T>& job_;
  Walk walk_;
  const QueryBlock<D, T>* queries_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  Bounds<D, T> box_;
  std::array<std::array<T, kAxisRoom<D>>, kLanes> x_;
  std::array<FirstOf<Key>, kLanes> first_;
  Candidate<Key> last_{};
  NormRows<T> rows_;
};

template <class T>
std::unique_ptr<SearchWorker> make(const KnnJob<T>& job) {
  return with_dimension(job.source.dimension, [&]<int D>() {
    return with_norm<T>(job.p, [&]<class Norm>(const Norm& norm) -> std::unique_ptr<SearchWorker> {
      return std::make_unique<NormKnn<D, T, Norm>>(job, norm);
    });
  });
}

}  // namespace

std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<float>& job) { return make(job); }
std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<double>& job) { return make(job); }

}  // namespace kith
