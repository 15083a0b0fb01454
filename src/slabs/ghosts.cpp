#include "slabs/ghosts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "geometry/distance.hpp"
#include "slabs/passes.hpp"
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
            const Budget& budget, Workers& workers, FunctionRef<void(const Ghosts<T>&)> found,
            std::size_t first)
      : store_(store),
        slab_(slab),
        first_(first),
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
      for (const IndexRange& range : near_points(other))
        for (std::size_t begin = range.begin; begin < range.end; begin += budget_.piece_points) {
          workers_.check_cancelled();
          take(store_.begin[other] + begin, std::min(budget_.piece_points, range.end - begin));
          if (index_.size() >= budget_.ghosts) hand_over();
        }
    }
    hand_over();
  }

 private:
  static IndexRange boxes_of(const SlabBoxes<T>& boxes, std::size_t slab) {
    const auto& owner = boxes.owner;
    const auto range = std::equal_range(owner.begin(), owner.end(), slab);
    return {static_cast<std::size_t>(range.first - owner.begin()),
            static_cast<std::size_t>(range.second - owner.begin())};
  }

  /// The other slabs, the nearest first.
  std::vector<std::pair<T, std::size_t>> others() const {
    const Metric<kAnyDimension, T> metric = store_.template metric<kAnyDimension>();
    const auto all = view_.box(view_.top(), 0, metric.axes);
    std::vector<std::pair<T, std::size_t>> others;
    for (std::size_t slab = first_; slab < store_.slabs(); ++slab) {
      if (slab == slab_) continue;
      T least2 = std::numeric_limits<T>::infinity();
      const IndexRange boxes = boxes_of(store_.boxes, slab);
      for (std::size_t i = boxes.begin; i < boxes.end; ++i)
        least2 = std::min(least2, metric.lower2(all, store_.boxes.box(i, metric.axes)));
      others.emplace_back(least2, slab);
    }
    std::sort(others.begin(), others.end());
    return others;
  }

  /// Which boxes of a slab the queries reach.
  std::vector<std::uint8_t> near_boxes(const SlabBoxes<T>& boxes, std::size_t slab) const {
    const IndexRange all = boxes_of(boxes, slab);
    List list(all.size());
    std::iota(list.begin(), list.end(), static_cast<std::uint32_t>(all.begin));
    std::vector<std::uint8_t> is_near(all.size());
    with_dimension(store_.dimension, [&]<int D>() {
      each_block_near(view_, store_.template metric<D>(), boxes, list, reach_,
                      [&](std::size_t, const List& near) {
                        for (const std::uint32_t i : near) is_near[i - all.begin] = 1;
                      });
    });
    return is_near;
  }

  /// Ranges of the points of a slab that queries may reach.
  std::vector<IndexRange> near_points(std::size_t slab) const {
    const std::vector<std::uint8_t> boxes = near_boxes(store_.boxes, slab);
    const std::size_t size = store_.slab_size(slab);
    if (std::find(boxes.begin(), boxes.end(), 1) == boxes.end()) return {};
    if (store_.run_points == 0) return {{0, size}};
    const std::vector<std::uint8_t> runs = near_boxes(store_.runs, slab);
    std::vector<IndexRange> ranges;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      if (!runs[run]) continue;
      const std::size_t begin = run * store_.run_points;
      const std::size_t end = std::min(size, begin + store_.run_points);
      if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
      else
        ranges.push_back({begin, end});
    }
    return ranges;
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
  std::size_t slab_, first_;
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

namespace {

/// Writes the points of a slab along the curve, and boxes of runs of them.
template <class T>
class SlabSorter {
 public:
  SlabSorter(SlabStore<T>& store, const Budget& budget, Workers& workers)
      : store_(store), workers_(workers), d_(static_cast<std::size_t>(store.dimension)) {
    // Boxes of all runs take 1/64 of the memory at most.
    constexpr std::size_t kLeastRun = 1024;
    const std::uint64_t box = 2 * d_ * sizeof(T) + sizeof(std::uint32_t);
    const std::uint64_t run = store.total * box * 64 / budget.bytes;
    run_points_ = std::min<std::size_t>(std::max<std::size_t>(run, kLeastRun), most_piece_points);
  }

  void run() {
    const SlabStore<T> from = store_;
    // A pass that may be continued must not overwrite its input.
    const auto move = [&](std::uint64_t& place, std::uint64_t bytes) {
      if (store_.scratch->has_name()) place = store_.scratch->reserve(store_.total * bytes);
    };
    move(store_.rows, d_ * sizeof(T));
    if (from.index > 0) move(store_.index, 8);
    if (from.mass > 0) move(store_.mass, 8);
    store_.run_points = run_points_;
    for (std::size_t slab = 0; slab < store_.slabs(); ++slab) {
      workers_.check_cancelled();
      write(read_slab(from, slab, workers_));
      workers_.advance(store_.slab_size(slab));
    }
  }

 private:
  void write(const SlabPart<T>& part) {
    const PlanesView<T> view = part.planes.view();
    const Axes<kAnyDimension> axes(store_.dimension);
    const std::uint64_t begin = store_.begin[part.slab];
    std::vector<T> rows(view.points * d_);
    std::vector<std::uint32_t> order(view.points);
    for (std::size_t i = 0; i < view.points; ++i) {
      view.load(i, axes, rows.data() + i * d_);
      order[i] = part.planes.index(i);
    }
    add_runs(rows, part.slab);
    write_column<T>(store_.rows + begin * d_ * sizeof(T), rows);
    write_column<std::uint64_t>(store_.index + begin * 8, in_order(part.index, order));
    write_column<double>(store_.mass + begin * 8, in_order(part.mass, order));
  }

  void add_runs(const std::vector<T>& rows, std::size_t slab) {
    for (std::size_t begin = 0; begin < rows.size(); begin += run_points_ * d_) {
      const std::size_t end = std::min(rows.size(), begin + run_points_ * d_);
      std::vector<T> lo(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                        rows.begin() + static_cast<std::ptrdiff_t>(begin + d_));
      std::vector<T> hi = lo;
      for (std::size_t i = begin; i < end; ++i) {
        lo[i % d_] = std::min(lo[i % d_], rows[i]);
        hi[i % d_] = std::max(hi[i % d_], rows[i]);
      }
      store_.runs.ends.insert(store_.runs.ends.end(), lo.begin(), lo.end());
      store_.runs.ends.insert(store_.runs.ends.end(), hi.begin(), hi.end());
      store_.runs.owner.push_back(static_cast<std::uint32_t>(slab));
    }
  }

  template <class Value>
  static std::vector<Value> in_order(const std::vector<Value>& column,
                                     const std::vector<std::uint32_t>& order) {
    std::vector<Value> sorted;
    if (column.empty()) return sorted;
    sorted.reserve(column.size());
    for (const std::uint32_t i : order) sorted.push_back(column[i]);
    return sorted;
  }
  template <class Value>
  void write_column(std::uint64_t place, const std::vector<Value>& values) {
    in_pieces(std::span<const Value>(values), workers_,
              [&](std::size_t first, std::span<const Value> piece) {
                store_.scratch->write(place + first * sizeof(Value), piece);
              });
  }

  SlabStore<T>& store_;
  Workers& workers_;
  std::size_t d_, run_points_ = 0;
};

}  // namespace

template <class T>
void sort_slabs(SlabStore<T>& store, const Budget& budget, Workers& workers) {
  if (store.slabs() < 2) return;
  const Stage stage(workers, "sort slabs", store.total);
  run_pass(
      *store.scratch, "sorted slabs",
      [&](auto& archive) {
        archive(store.rows);
        archive(store.index);
        archive(store.mass);
        archive(store.runs.ends);
        archive(store.runs.owner);
        archive(store.run_points);
      },
      [&] { SlabSorter<T>(store, budget, workers).run(); });
}

template <class T>
FarQueries<T> far_queries(const SlabStore<T>& store, const SlabPart<T>& part,
                          const Array<T>& reach2, const Workers& workers, std::size_t first) {
  const PlanesView<T> view = part.planes.view();
  List others = boxes_of_others(store.boxes.owner, part.slab);
  std::erase_if(others, [&](std::uint32_t box) { return store.boxes.owner[box] < first; });
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
                 const Budget& budget, Workers& workers, FunctionRef<void(const Ghosts<T>&)> found,
                 std::size_t first) {
  if (far.queries.planes.points == 0) return;
  Collector<T>(store, slab, far, budget, workers, found, first).run();
}

#define KITH_INSTANTIATE(T)                                                                        \
  template SlabPart<T> read_slab(const SlabStore<T>&, std::size_t, Workers&);                      \
  template FarQueries<T> far_queries(const SlabStore<T>&, const SlabPart<T>&, const Array<T>&,     \
                                     const Workers&, std::size_t);                                 \
  template void sort_slabs(SlabStore<T>&, const Budget&, Workers&);                                \
  template void each_ghosts(const SlabStore<T>&, std::size_t, const FarQueries<T>&, const Budget&, \
                            Workers&, FunctionRef<void(const Ghosts<T>&)>, std::size_t);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::slabs
