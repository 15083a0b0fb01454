#include "slabs/cells.hpp"

#include <algorithm>
#include <limits>

#include "neighbors/parts.hpp"
#include "parallel/grains.hpp"

namespace kith::slabs {
namespace {

/// Every pass divides a box into thousands of cells; points that are still together are cut in the
/// order of the input.
constexpr int kMostPasses = 8;

}  // namespace

template <class T>
Cells<T>::Cells(const Bounds<kAnyDimension, T>& bounds, int dimension) : dimension_(dimension) {
  add_node(bounds);
}

template <class T>
void Cells<T>::add_node(const Bounds<kAnyDimension, T>& bounds) {
  const int bits =
      Parts<T>::top_keys(bounds, dimension_, Curve::hilbert, nullptr, 0, nullptr).count;
  nodes_.push_back({bounds, bits > 0, cells_.size()});
  cells_.resize(cells_.size() + (std::size_t{1} << bits));
  const auto d = static_cast<std::size_t>(dimension_);
  const std::size_t old = ends_.size();
  ends_.resize(cells_.size() * 2 * d);
  for (std::size_t i = old; i < ends_.size(); ++i)
    ends_[i] = (i / d % 2 == 0 ? 1 : -1) * std::numeric_limits<T>::infinity();
}

template <class T>
Bounds<kAnyDimension, T> Cells<T>::box_of(std::size_t cell) const {
  auto box = Bounds<kAnyDimension, T>::empty();
  const T* ends = ends_.data() + cell * 2 * static_cast<std::size_t>(dimension_);
  box.add(ends, ends + dimension_, Axes<kAnyDimension>(dimension_));
  return box;
}

/// `key`: among the cells of the first node.
template <class T>
std::size_t Cells<T>::cell_of(const T* row, std::size_t key) const {
  std::size_t cell = key;
  while (cells_[cell].node > 0) {
    const Node& node = nodes_[cells_[cell].node];
    std::uint16_t next = 0;
    if (node.is_divided) Parts<T>::top_keys(node.bounds, dimension_, Curve::hilbert, row, 1, &next);
    cell = node.first + next;
  }
  return cell;
}

template <class T>
void Cells<T>::locate(const Input<T>& input, const Workers& workers) {
  constexpr std::size_t kRoom = 2048;
  const auto d = static_cast<std::size_t>(dimension_);
  const std::size_t step = kRoom / d;
  cell_.resize(input.size);
  workers.for_ranges(input.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
    T rows[kRoom];
    std::uint16_t keys[kRoom] = {};
    for (std::size_t i = begin; i < end; i += step) {
      const std::size_t n = std::min(step, end - i);
      with_dimension(dimension_, [&]<int D>() {
        const Axes<D> axes(dimension_);
        for (std::size_t j = 0; j < n; ++j) input.load(i + j, axes, rows + j * d);
      });
      if (nodes_[0].is_divided)
        Parts<T>::top_keys(nodes_[0].bounds, dimension_, Curve::hilbert, rows, n, keys);
      for (std::size_t j = 0; j < n; ++j)
        cell_[i + j] = static_cast<std::uint32_t>(cell_of(rows + j * d, keys[j]));
    }
  });
}

template <class T>
void Cells<T>::count(const Input<T>& input, const Workers& workers) {
  locate(input, workers);
  const Axes<kAnyDimension> axes(dimension_);
  T row[kMaxDimension];
  for (std::size_t i = 0; i < input.size; ++i) {
    const std::size_t cell = cell_[i];
    if (cell < new_cells_) continue;  // a pass before has counted it
    ++cells_[cell].count;
    input.load(i, axes, row);
    T* lower = ends_.data() + cell * 2 * static_cast<std::size_t>(dimension_);
    T* upper = lower + dimension_;
    for (int axis = 0; axis < dimension_; ++axis) {
      lower[axis] = std::min(lower[axis], row[axis]);
      upper[axis] = std::max(upper[axis], row[axis]);
    }
  }
}

template <class T>
bool Cells<T>::refine(std::size_t most) {
  const std::size_t counted = new_cells_;
  new_cells_ = cells_.size();
  if (++passes_ >= kMostPasses) return false;
  for (std::size_t cell = counted; cell < new_cells_; ++cell) {
    if (cells_[cell].count <= most) continue;
    const Bounds<kAnyDimension, T> box = box_of(cell);
    if (Parts<T>::top_keys(box, dimension_, Curve::hilbert, nullptr, 0, nullptr).count == 0)
      continue;
    cells_[cell].node = static_cast<std::uint32_t>(nodes_.size());
    add_node(box);
  }
  return cells_.size() > new_cells_;
}

/// visit(cell) for the cells that have points and are not divided, along the curve.
template <class T>
template <class Visit>
void Cells<T>::each_cell(std::size_t node, Visit visit) const {
  const std::size_t first = nodes_[node].first;
  const std::size_t end = node + 1 < nodes_.size() ? nodes_[node + 1].first : cells_.size();
  for (std::size_t cell = first; cell < end; ++cell) {
    if (cells_[cell].node > 0)
      each_cell(cells_[cell].node, visit);
    else if (cells_[cell].count > 0)
      visit(cell);
  }
}

template <class T>
void Cells<T>::make_slabs(std::size_t most) {
  std::uint64_t total = 0;
  each_cell(0, [&](std::size_t cell) { total += cells_[cell].count; });
  const std::uint64_t wanted = (total + most - 1) / most;
  const std::uint64_t share = wanted == 0 ? 0 : (total + wanted - 1) / wanted;
  const auto add_box = [&](std::size_t cell, std::size_t slab) {
    const T* ends = ends_.data() + cell * 2 * static_cast<std::size_t>(dimension_);
    boxes_.ends.insert(boxes_.ends.end(), ends, ends + 2 * dimension_);
    boxes_.owner.push_back(static_cast<std::uint32_t>(slab));
  };
  bool is_open = false;  // the last slab takes more cells
  each_cell(0, [&](std::size_t number) {
    Cell& cell = cells_[number];
    if (cell.count > most) {
      const std::uint64_t cuts = (cell.count + most - 1) / most;
      cell.per_slab = (cell.count + cuts - 1) / cuts;
      cell.slab = static_cast<std::uint32_t>(slab_size_.size());
      for (std::uint64_t left = cell.count; left > 0; left -= slab_size_.back()) {
        add_box(number, slab_size_.size());
        slab_size_.push_back(std::min(left, cell.per_slab));
      }
      is_open = false;
      return;
    }
    if (!is_open || slab_size_.back() + cell.count > most || slab_size_.back() >= share)
      slab_size_.push_back(0);
    is_open = true;
    cell.slab = static_cast<std::uint32_t>(slab_size_.size() - 1);
    add_box(number, cell.slab);
    slab_size_.back() += cell.count;
  });
  for (Cell& cell : cells_) cell.count = 0;  // now: points that have been assigned
}

template <class T>
void Cells<T>::assign(const Input<T>& input, std::uint16_t* slab, const Workers& workers) {
  if (slab_size_.empty()) return;
  locate(input, workers);
  for (std::size_t i = 0; i < input.size; ++i) {
    Cell& cell = cells_[cell_[i]];
    const std::uint64_t cut = cell.per_slab > 0 ? cell.count++ / cell.per_slab : 0;
    // Points that have changed since they were counted must not lead beyond the last slab.
    slab[i] =
        static_cast<std::uint16_t>(std::min<std::uint64_t>(cell.slab + cut, slab_size_.size() - 1));
  }
}

template class Cells<float>;
template class Cells<double>;

}  // namespace kith::slabs
