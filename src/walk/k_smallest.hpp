// The first k of some candidates, by (key, index).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/checked_sort.hpp"
#include "geometry/candidate.hpp"

namespace kith {

template <class Key>
class KSmallest {
 public:
  /// The first k that do not come after `limit`.
  void reset(std::size_t k, const Candidate<Key>& limit) {
    k_ = k;
    found_.clear();
    last_ = limit;
  }
  /// The limit, or the k-th candidate once there are k: later candidates are not wanted.
  const Candidate<Key>& last() const { return last_; }
  bool wants(const Candidate<Key>& candidate) const { return !(last_ < candidate); }
  std::size_t size() const { return found_.size(); }

  /// Adds a candidate that is wanted, and that was not added before.
  void add(const Candidate<Key>& candidate) {
    if (k_ == 0) return;
    is_heap() ? add_to_heap(candidate) : add_in_order(candidate);
  }

  std::vector<Candidate<Key>>& sorted() {
    return sorted([] {});
  }
  /// The candidates that were kept, in order. Nothing can be added until the next reset. `check`,
  /// which may throw, is called now and then while many are sorted.
  template <class Check>
  std::vector<Candidate<Key>>& sorted(Check check) {
    if (is_heap()) checked_sort(found_.begin(), found_.end(), check);
    return found_;
  }

 private:
  /// Moving up to 64 neighbors costs less than keeping a heap.
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

}  // namespace kith
