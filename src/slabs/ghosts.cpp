#include "slabs/ghosts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "geometry/distance.hpp"
#include "slabs/pieces.hpp"
#include "walk/against_boxes.hpp"

namespace kith::slabs {
namespace {

using List = std::vector<std::uint32_t>;
constexpr std::size_t kRowsBetweenLooks = std::size_t{1} << 16;

/// Rows as boxes.
template <class T>
struct RowBoxes {
  const T* rows;

  template <int D>
  Bounds<D, T> box(std::size_t i, Axes<D> axes) const {
    Bounds<D, T> bounds;
    std::copy_n(rows + i * static_cast<std::size_t>(axes.count()), axes.count(), bounds.lo);
    std::copy_n(bounds.lo, axes.count(), bounds.hi);
    return bounds;
  }
};

/// Collects the points of other slabs that far queries reach.
template <class T>
class Collector {
 public:
  Collector(const SlabStore<T>& store, std::size_t slab, const FarQueries<T>& far,
            const Budget& budget, Workers& workers, FunctionRef<void(const Ghosts<T>&)> found)
      : store_(store),
        slab_(slab),
        far_(far),
        budget_(budget),
        workers_(workers),
        found_(found),
        view_(far.queries.planes.view()),
        reach_(view_, far.reach2.data()),
        d_(static_cast<std::size_t>(store.dimension)) {}

  void run() {
    for (const auto& [distance2, other] : others()) {
      if (distance2 > reach_.most()) break;
      if (!is_near(other)) continue;
      const std::size_t size = store_.slab_size(other);
      for (std::size_t begin = 0; begin < size; begin += budget_.piece_points) {
        workers_.check_cancelled();
        take(store_.begin[other] + begin, std::min(budget_.piece_points, size - begin));
        if (index_.size() >= budget_.ghosts) hand_over();
      }
    }
    hand_over();
  }

 private:
  IndexRange boxes_of(std::size_t slab) const {
    const auto& owner = store_.boxes.owner;
    const auto range = std::equal_range(owner.begin(), owner.end(), slab);
    return {static_cast<std::size_t>(range.first - owner.begin()),
            static_cast<std::size_t>(range.second - owner.begin())};
  }

  /// The other slabs, the nearest first.
  std::vector<std::pair<T, std::size_t>> others() const {
    const Metric<kAnyDimension, T> metric = store_.template metric<kAnyDimension>();
    const auto all = view_.box(view_.top(), 0, metric.axes);
    std::vector<std::pair<T, std::size_t>> others;
    for (std::size_t slab = 0; slab < store_.slabs(); ++slab) {
      if (slab == slab_) continue;
      T least2 = std::numeric_limits<T>::infinity();
      const IndexRange boxes = boxes_of(slab);
      for (std::size_t i = boxes.begin; i < boxes.end; ++i)
        least2 = std::min(least2, metric.lower2(all, store_.boxes.box(i, metric.axes)));
      others.emplace_back(least2, slab);
    }
    std::sort(others.begin(), others.end());
    return others;
  }

  bool is_near(std::size_t slab) const {
    const IndexRange boxes = boxes_of(slab);
    List list(boxes.size());
    std::iota(list.begin(), list.end(), static_cast<std::uint32_t>(boxes.begin));
    bool is_near = false;
    each_block_near(view_, store_.template metric<kAnyDimension>(), store_.boxes, list, reach_,
                    [&](std::size_t, const List&) { is_near = true; });
    return is_near;
  }

  /// A piece of the points of all slabs.
  void take(std::uint64_t begin, std::size_t n) {
    piece_.resize(n * d_);
    store_.scratch->read(store_.rows + begin * d_ * sizeof(T), std::span(piece_));
    mark(n);
    const auto marked = static_cast<std::size_t>(std::count(mark_.begin(), mark_.end(), 1));
    if (marked == 0) return;
    keep(store_.index, begin, index_);
    if (store_.mass > 0) keep(store_.mass, begin, mass_);
    for (std::size_t i = 0; i < n; ++i)
      if (mark_[i])
        rows_.insert(rows_.end(), piece_.begin() + static_cast<std::ptrdiff_t>(i * d_),
                     piece_.begin() + static_cast<std::ptrdiff_t>((i + 1) * d_));
  }

  void mark(std::size_t n) {
    // A query without enough neighbors reaches everything.
    const bool takes_all = reach_.most() == std::numeric_limits<T>::infinity();
    mark_.assign(n, takes_all ? 1 : 0);
    if (takes_all) return;
    const RowBoxes<T> points{piece_.data()};
    with_dimension(store_.dimension, [&]<int D>() {
      const Metric<D, T> metric = store_.template metric<D>();
      workers_.for_ranges(n, 1024, [&](std::size_t first, std::size_t last) {
        List list(last - first);
        std::iota(list.begin(), list.end(), static_cast<std::uint32_t>(first));
        each_block_near(view_, metric, points, list, reach_, [&](std::size_t, const List& near) {
          for (const std::uint32_t i : near) mark_[i] = 1;
        });
      });
    });
  }

  /// A column of the marked points.
  template <class Value>
  void keep(std::uint64_t column, std::uint64_t begin, std::vector<Value>& kept) const {
    std::vector<Value> piece(mark_.size());
    store_.scratch->read(column + begin * sizeof(Value), std::span(piece));
    for (std::size_t i = 0; i < piece.size(); ++i)
      if (mark_[i]) kept.push_back(piece[i]);
  }

  /// In the order of the indices.
  void hand_over() {
    const std::size_t n = index_.size();
    if (n == 0) return;
    Array<KeyIndex> order(n, workers_.pool());
    for (std::size_t i = 0; i < n; ++i) order[i] = {index_[i], static_cast<std::uint32_t>(i)};
    Parts<T>::sort(order.data(), n, workers_);
    Ghosts<T> ghosts;
    std::vector<T> rows;
    rows.reserve(rows_.size());
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kRowsBetweenLooks == 0) workers_.check_cancelled();
      const KeyIndex key = order[i];
      ghosts.index.push_back(index_[key.index]);
      if (!mass_.empty()) ghosts.mass.push_back(mass_[key.index]);
      const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(key.index * d_);
      rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(d_));
    }
    ghosts.planes =
        Parts<T>::planes_of_rows(rows.data(), n, store_.dimension, TreeOptions{}, workers_);
    found_(ghosts);
    index_.clear();
    mass_.clear();
    rows_.clear();
    reach_ = ReachOfNodes<T>(view_, far_.reach2.data());
  }

  const SlabStore<T>& store_;
  std::size_t slab_;
  const FarQueries<T>& far_;
  const Budget& budget_;
  Workers& workers_;
  FunctionRef<void(const Ghosts<T>&)> found_;
  PlanesView<T> view_;
  ReachOfNodes<T> reach_;
  std::size_t d_;
  std::vector<T> piece_, rows_;
  std::vector<std::uint8_t> mark_;
  std::vector<std::uint64_t> index_;
  std::vector<double> mass_;
};

}  // namespace

template <class T>
SlabPart<T> read_slab(const SlabStore<T>& store, std::size_t slab, Workers& workers) {
  const std::size_t n = store.slab_size(slab), d = static_cast<std::size_t>(store.dimension);
  SlabPart<T> part{.slab = slab};
  Array<T> rows(n * d, workers.pool());
  const auto read = [&](std::uint64_t place, auto values) {
    using Value = typename decltype(values)::value_type;
    in_pieces(values, workers, [&](std::size_t first, std::span<Value> piece) {
      store.scratch->read(place + first * sizeof(Value), piece);
    });
  };
  read(store.rows + store.begin[slab] * d * sizeof(T), std::span<T>(rows.data(), n * d));
  if (store.index > 0) part.index = filled<std::uint64_t>(workers, n);
  if (store.mass > 0) part.mass = filled<double>(workers, n);
  read(store.index + store.begin[slab] * 8, std::span(part.index));
  read(store.mass + store.begin[slab] * 8, std::span(part.mass));
  part.planes = Parts<T>::planes_of_rows(rows.data(), n, store.dimension, TreeOptions{}, workers);
  return part;
}

template <class T>
FarQueries<T> far_queries(const SlabStore<T>& store, const SlabPart<T>& part,
                          const Array<T>& reach2, const Workers& workers) {
  const PlanesView<T> view = part.planes.view();
  const List others = boxes_of_others(store.boxes.owner, part.slab);
  Array<T> far2(view.points, workers.pool());
  std::fill(far2.begin(), far2.end(), T(-1));
  const Metric<kAnyDimension, T> metric = store.template metric<kAnyDimension>();
  const ReachOfNodes<T> reach(view, reach2.data());
  std::size_t visited = 0;
  const auto visit = [&](std::size_t block, const List& near) {
    if (++visited % 512 == 0) workers.check_cancelled();
    for (std::size_t j = 0; j < view.points_of_block(block); ++j) {
      const std::size_t i = block * kLanes + j;
      const auto point = box_of_point(view, i, metric.axes);
      const bool is_far = std::any_of(near.begin(), near.end(), [&](std::uint32_t box) {
        return metric.lower2(point, store.boxes.box(box, metric.axes)) <= reach2[i];
      });
      if (is_far) far2[i] = reach2[i];
    }
  };
  each_block_near(view, metric, store.boxes, others, reach, visit);
  return select_far(part.planes, far2, workers);
}

template <class T>
void each_ghosts(const SlabStore<T>& store, std::size_t slab, const FarQueries<T>& far,
                 const Budget& budget, Workers& workers,
                 FunctionRef<void(const Ghosts<T>&)> found) {
  if (far.queries.planes.points == 0) return;
  Collector<T>(store, slab, far, budget, workers, found).run();
}

#define KITH_INSTANTIATE(T)                                                                        \
  template SlabPart<T> read_slab(const SlabStore<T>&, std::size_t, Workers&);                      \
  template FarQueries<T> far_queries(const SlabStore<T>&, const SlabPart<T>&, const Array<T>&,     \
                                     const Workers&);                                              \
  template void each_ghosts(const SlabStore<T>&, std::size_t, const FarQueries<T>&, const Budget&, \
                            Workers&, FunctionRef<void(const Ghosts<T>&)>);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::slabs
