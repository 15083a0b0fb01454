// A few boxes around the points of each rank, which all ranks have.
#include <cstring>
#include <functional>
#include <queue>

#include "mpi/domains/domain.hpp"

namespace kith::mpi {
namespace {

template <class T>
struct CountedBox {
  Bounds<kAnyDimension, T> bounds;
  std::uint64_t points = 0;
};

/// Nodes of the coarsest plane that has enough of them.
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
double diagonal2(const CountedBox<T>& a, const CountedBox<T>& b, int dimension) {
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
class BoxMerger {
 public:
  BoxMerger(std::vector<CountedBox<T>>& boxes, int dimension)
      : boxes_(boxes), dimension_(dimension), cost_(boxes.size(), kMerged) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      before_.push_back(i - 1);
      next_.push_back(i + 1);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) set_cost(i);
  }

  void merge_until(std::size_t most) {
    for (std::size_t left = boxes_.size(); left > most;) {
      const auto [cost, i] = queue_.top();
      queue_.pop();
      if (cost_[i] != cost) continue;  // one of the boxes has been joined since
      join(i);
      --left;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < boxes_.size(); i = next_[i]) boxes_[count++] = boxes_[i];
    boxes_.resize(count);
  }

 private:
  static constexpr double kMerged = -1;  ///< no cost is below 0

  /// Of a box and the next one.
  void set_cost(std::size_t i) {
    cost_[i] = kMerged;
    if (next_[i] == boxes_.size()) return;
    cost_[i] = diagonal2(boxes_[i], boxes_[next_[i]], dimension_);
    queue_.emplace(cost_[i], i);
  }

  void join(std::size_t i) {
    const std::size_t other = next_[i];
    boxes_[i].bounds.add(boxes_[other].bounds, Axes<kAnyDimension>(dimension_));
    boxes_[i].points += boxes_[other].points;
    cost_[other] = kMerged;
    next_[i] = next_[other];
    if (next_[i] < boxes_.size()) before_[next_[i]] = i;
    set_cost(i);
    if (i > 0) set_cost(before_[i]);
  }

  using Pair = std::pair<double, std::size_t>;

  std::vector<CountedBox<T>>& boxes_;
  int dimension_;
  std::vector<double> cost_;
  std::vector<std::size_t> before_, next_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue_;
};

/// The boxes of one rank in a message: their number, the points in each, and their ends.
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
RankBoxes<T> gather_boxes(Call& call, const PlanesView<T>& view) {
  const int dimension = view.dimension;
  const Slot<T> slot{2 * static_cast<std::size_t>(dimension)};
  const auto ranks = static_cast<std::size_t>(call.ranks());
  std::vector<std::byte> mine, all;
  call.phase([&](Workers&) {
    std::vector<CountedBox<T>> boxes = nodes_of(view);
    BoxMerger<T>(boxes, dimension).merge_until(RankBoxes<T>::kMost);
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

template RankBoxes<float> gather_boxes(Call&, const PlanesView<float>&);
template RankBoxes<double> gather_boxes(Call&, const PlanesView<double>&);

}  // namespace kith::mpi
