// The boxes of other ranks near a rank's queries.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// For nodes of some queries, the boxes of other ranks that may be the nearest to one of
/// them. Most nodes lie far inside a domain, where one comparison serves all their queries.
template <class T>
class NearBoxes {
 public:
  NearBoxes() = default;
  /// Boxes of `except` do not count. The part and what the queries view must outlive this.
  NearBoxes(const Part<T>& part, const PlanesView<T>& queries, int except, const Workers& workers);

  /// No box is nearer to the query at this position: infinite without boxes.
  T least2(std::size_t position) const {
    return lists_.empty() ? kFar : least2_[position / near_span_];
  }
  /// Whether a ball around the query touches a box.
  bool reaches_box(std::size_t position, T reach2) const {
    return !lists_.empty() && least2(position) <= reach2 && reaches_listed_box(position, reach2);
  }
  /// A box, and the least squared distance to it from any query of a node.
  struct NearBox {
    T least2;
    std::uint32_t box;
    bool operator<(const NearBox& other) const { return least2 < other.least2; }
  };
  using List = std::vector<NearBox>;

  /// The candidates for the nearest box of each query of a block, by their distance from its node.
  const List& list(std::size_t block) const { return lists_[block * kLanes / span_]; }
  bool empty() const { return lists_.empty(); }

 private:
  static constexpr T kFar = std::numeric_limits<T>::infinity();

  bool reaches_listed_box(std::size_t position, T reach2) const;

  const Part<T>* part_ = nullptr;
  PlanesView<T> queries_;
  std::size_t span_ = 1;       ///< queries of a node with a list
  std::size_t near_span_ = 1;  ///< queries of a node with a least distance
  std::vector<T> least2_;
  std::vector<List> lists_;
};

/// The nearest box to each block of queries.
template <class T>
struct NearestBox {
  T lower2;           ///< no point in any box is nearer; infinite without boxes
  std::uint32_t box;  ///< one that begins there
};

/// Boxes of `except` do not count.
template <class T>
Array<NearestBox<T>> nearest_boxes(const Part<T>& part, const PlanesView<T>& queries, int except,
                                   const Workers& workers);

}  // namespace kith::mpi
