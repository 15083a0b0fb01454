// The first k of all candidates that are offered, by (distance, index).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/checked_sort.hpp"
#include "geometry/candidate.hpp"

namespace kith {

template <class Key>
class First {
 public:
  /// The first k that do not come after `limit`.
  void reset(std::size_t k, const Candidate<Key>& limit) {
    k_ = k;
    found_.clear();
    last_ = limit;
  }
  /// Candidates after this one are of no use: the limit, or the k-th that was found.
  const Candidate<Key>& last() const { return last_; }
  bool wants(const Candidate<Key>& candidate) const { return !(last_ < candidate); }
  std::size_t size() const { return found_.size(); }

  /// Takes a candidate that is wanted, and that was not offered before.
  void add(const Candidate<Key>& candidate) {
    if (k_ == 0) return;
    is_heap() ? add_to_heap(candidate) : add_in_order(candidate);
  }

  /// What was found, in order. Nothing can be added until the next reset.
  std::vector<Candidate<Key>>& sorted() {
    return sorted([] {});
  }
  /// The same, calling `check` now and then, which may throw, while many are sorted.
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

/// The same for nodes of many points each: how far one must go until the nodes before
/// hold enough of them.
template <class Key>
class FirstNodes {
 public:
  void reset(std::size_t points, const Candidate<Key>& limit) {
    need_ = points;
    held_ = 0;
    nodes_.clear();
    last_ = limit;
  }
  const Candidate<Key>& last() const { return last_; }
  bool wants(const Candidate<Key>& end) const { return !(last_ < end); }

  /// A node whose last point is not after `end`, which is wanted.
  void add(const Candidate<Key>& end, std::size_t points) {
    nodes_.push_back({end, points});
    std::push_heap(nodes_.begin(), nodes_.end());
    held_ += points;
    while (!nodes_.empty() && held_ - nodes_.front().points >= need_) {
      held_ -= nodes_.front().points;
      std::pop_heap(nodes_.begin(), nodes_.end());
      nodes_.pop_back();
    }
    if (held_ >= need_ && !nodes_.empty()) last_ = nodes_.front().end;
  }

 private:
  struct Node {
    Candidate<Key> end;
    std::size_t points;
    friend bool operator<(const Node& a, const Node& b) { return a.end < b.end; }
  };
  std::size_t need_ = 0, held_ = 0;
  std::vector<Node> nodes_;
  Candidate<Key> last_{};
};

}  // namespace kith
