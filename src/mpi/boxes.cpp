// The few boxes by which every rank knows the points of every other.
#include <cstring>

#include "mpi/domain.hpp"

namespace kith::mpi {
namespace {

template <class T>
struct CountedBox {
  Bounds<kAnyDimension, T> bounds;
  std::uint64_t points = 0;
};

/// Nodes of the finest plane that is not too long to go through again and again.
template <class T>
std::vector<CountedBox<T>> nodes_of(const PlanesView<T>& view) {
  constexpr std::size_t kEnough = 512;
  std::vector<CountedBox<T>> nodes;
  if (view.plane_count == 0) return nodes;
  int p = view.top();
  while (p > 0 && view.plane(p).nodes < kEnough) --p;
  for (std::size_t i = 0; i < view.plane(p).nodes; ++i)
    nodes.push_back({view.box(p, i, view.any_axes()), view.points_of(p, i).size()});
  return nodes;
}

template <class T>
double spread(const CountedBox<T>& a, const CountedBox<T>& b, int dimension) {
  double sum = 0;
  for (int axis = 0; axis < dimension; ++axis) {
    const double side = static_cast<double>(std::max(a.bounds.hi[axis], b.bounds.hi[axis])) -
                        static_cast<double>(std::min(a.bounds.lo[axis], b.bounds.lo[axis]));
    sum += side * side;
  }
  return sum;
}

/// Joins neighbors along the curve, those with the smallest box first, until few are left.
template <class T>
void join_until(std::vector<CountedBox<T>>& boxes, std::size_t most, int dimension) {
  const Axes<kAnyDimension> axes(dimension);
  std::vector<double> cost;
  for (std::size_t i = 0; i + 1 < boxes.size(); ++i)
    cost.push_back(spread(boxes[i], boxes[i + 1], dimension));
  while (boxes.size() > most) {
    const auto i = std::min_element(cost.begin(), cost.end()) - cost.begin();
    const auto at = static_cast<std::size_t>(i);
    boxes[at].bounds.add(boxes[at + 1].bounds, axes);
    boxes[at].points += boxes[at + 1].points;
    boxes.erase(boxes.begin() + i + 1);
    cost.erase(cost.begin() + i);
    if (at < cost.size()) cost[at] = spread(boxes[at], boxes[at + 1], dimension);
    if (at > 0) cost[at - 1] = spread(boxes[at - 1], boxes[at], dimension);
  }
}

/// The boxes of one rank as they travel: their number, the points in each, and their ends.
template <class T>
struct Slot {
  std::size_t ends;  ///< scalars of one box
  std::size_t bytes() const {
    return sizeof(std::uint64_t) * (1 + RankBoxes<T>::kMost) +
           RankBoxes<T>::kMost * ends * sizeof(T);
  }

  void write(const std::vector<CountedBox<T>>& boxes, std::byte* to) const {
    const std::uint64_t count = boxes.size();
    std::memcpy(to, &count, sizeof count);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      std::memcpy(to + sizeof count * (1 + i), &boxes[i].points, sizeof count);
      std::byte* at = box(to, i);
      std::memcpy(at, boxes[i].bounds.lo, ends / 2 * sizeof(T));
      std::memcpy(at + ends / 2 * sizeof(T), boxes[i].bounds.hi, ends / 2 * sizeof(T));
    }
  }
  static std::uint64_t number(const std::byte* from, std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    return value;
  }
  template <class Byte>
  Byte* box(Byte* slot, std::size_t i) const {
    return slot + sizeof(std::uint64_t) * (1 + RankBoxes<T>::kMost) + i * ends * sizeof(T);
  }
};

}  // namespace

template <class T>
RankBoxes<T> gathered_boxes(Call& call, const PlanesView<T>& view) {
  const int dimension = view.dimension;
  const Slot<T> slot{2 * static_cast<std::size_t>(dimension)};
  const auto ranks = static_cast<std::size_t>(call.ranks());
  std::vector<std::byte> mine, all;
  call.phase([&](Workers&) {
    std::vector<CountedBox<T>> boxes = nodes_of(view);
    join_until(boxes, RankBoxes<T>::kMost, dimension);
    mine.resize(slot.bytes());
    slot.write(boxes, mine.data());
    all.resize(ranks * slot.bytes());
  });
  call.communicator().gather_all(mine.data(), mine.size(), all.data());
  RankBoxes<T> result;
  call.phase([&](Workers&) {
    std::size_t total = 0;
    for (std::size_t r = 0; r < ranks; ++r) total += slot.number(&all[r * slot.bytes()], 0);
    result.dimension = dimension;
    result.ends = Array<T>(total * slot.ends);
    result.owner = Array<std::uint32_t>(total);
    result.points = Array<std::uint64_t>(total);
    std::size_t at = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::byte* from = &all[r * slot.bytes()];
      const std::size_t count = slot.number(from, 0);
      for (std::size_t i = 0; i < count; ++i, ++at) {
        result.owner[at] = static_cast<std::uint32_t>(r);
        result.points[at] = slot.number(from, 1 + i);
        std::memcpy(result.ends.data() + at * slot.ends, slot.box(from, i), slot.ends * sizeof(T));
      }
    }
  });
  return result;
}

template RankBoxes<float> gathered_boxes(Call&, const PlanesView<float>&);
template RankBoxes<double> gathered_boxes(Call&, const PlanesView<double>&);

}  // namespace kith::mpi
