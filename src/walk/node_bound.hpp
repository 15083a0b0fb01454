// An upper bound on the key of the k-th neighbor, from the sizes of whole nodes: the distance
// within which nodes hold enough points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "geometry/candidate.hpp"

namespace kith {

template <class Key>
class NodeBound {
 public:
  /// Begins a search for the bound of `points` points, which is at most `limit`.
  void reset(std::size_t points, const Candidate<Key>& limit) {
    need_ = points;
    held_ = 0;
    nodes_.clear();
    last_ = limit;
  }
  /// The bound that the nodes so far give.
  const Candidate<Key>& last() const { return last_; }
  bool wants(const Candidate<Key>& end) const { return !(last_ < end); }

  /// Adds a node whose last point is not after `end`, which is wanted.
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
