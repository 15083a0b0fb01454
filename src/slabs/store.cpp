#include "slabs/store.hpp"

#include <cmath>

#include "base/fail.hpp"
#include "neighbors/parts.hpp"
#include "parallel/caller_code.hpp"
#include "slabs/passes.hpp"
#include "slabs/pieces.hpp"

namespace kith::slabs {
namespace {

template <class T>
class Divider {
 public:
  Divider(const Division& division, const Budget& budget, Workers& workers)
      : division_(division),
        points_(division.points),
        budget_(budget),
        workers_(workers),
        d_(static_cast<std::size_t>(points_.dimension())) {
    store_.dimension = points_.dimension();
    store_.size = points_.size();
  }

  SlabStore<T> run(const DiskOptions& disk) {
    const std::uint64_t more = 8 * (std::uint64_t{division_.with_index} + division_.with_mass);
    const std::uint64_t bytes = d_ * sizeof(T) + more + sizeof(std::uint16_t) + division_.extra;
    store_.scratch = std::make_shared<Scratch>(disk.scratch, store_.size * bytes, task_of(disk));
    run_pass(
        *store_.scratch, "sort", [&](auto& archive) { store_.each_state(archive); },
        [&] { sort(); });
    return std::move(store_);
  }

 private:
  /// Empty: the work is not continued.
  std::string task_of(const DiskOptions& disk) const {
    if (!disk.resume) return {};
    const std::string points = points_.identity();
    if (points.empty())
      refuse("resume: these points cannot say whether they are the same; only files can");
    std::string text =
        formatted("{} {} {} {} {} {} {}", points, points_.size(), store_.dimension, sizeof(T),
                  budget_.bytes, static_cast<int>(division_.non_finite), division_.task);
    for (int axis = 0; axis < store_.dimension; ++axis)
      text += formatted(" {} {} {}", division_.box.side(axis), division_.box.origin(axis),
                        division_.box.is_periodic(axis));
    return text;
  }

  void sort() {
    measure();
    Cells<T> cells(bounds_, store_.dimension);
    do {
      each_input("count", [&](const Input<T>& input, std::uint64_t, std::size_t) {
        cells.count(input, workers_);
      });
    } while (cells.refine(budget_.slab_points));
    cells.make_slabs(budget_.slab_points);
    store_.boxes = cells.boxes();
    store_.begin = {0};
    for (const std::uint64_t size : cells.slab_sizes())
      store_.begin.push_back(store_.begin.back() + size);
    store_.rows = store_.scratch->reserve(store_.total * d_ * sizeof(T));
    store_.numbers = store_.scratch->reserve(store_.size * sizeof(std::uint16_t));
    if (division_.with_index) store_.index = store_.scratch->reserve(store_.total * 8);
    if (division_.with_mass) store_.mass = store_.scratch->reserve(store_.total * 8);
    scatter(cells);
  }

  /// f(rows of the caller, begin, count) for the pieces of the points.
  template <class F>
  void each_piece(const char* stage, F f) {
    const Stage watched(workers_, stage, store_.size);
    Array<T> rows(std::min<std::uint64_t>(budget_.piece_points, store_.size) * d_, nullptr);
    for_pieces(
        store_.size, budget_.piece_points, workers_, [&](std::uint64_t begin, std::size_t count) {
          caller_code(
              [&] { points_.read(Field::position, begin, std::span<T>(rows.data(), count * d_)); });
          f(PointsView{rows.data(), count, store_.dimension, store_.dimension, scalar_of<T>}, begin,
            count);
        });
  }
  /// The same in the frame.
  template <class F>
  void each_input(const char* stage, F f) {
    each_piece(stage, [&](const PointsView& rows, std::uint64_t begin, std::size_t count) {
      f(Parts<T>::input(store_.frame, Parts<T>::measure(rows, NonFinite::drop, workers_)), begin,
        count);
    });
  }

  void measure() {
    Extent<T> extent;
    each_piece("extent", [&](const PointsView& rows, std::uint64_t begin, std::size_t count) {
      const MeasuredRows<T> measured = Parts<T>::measure(rows, NonFinite::drop, workers_);
      if (measured.rows.size < count) note_bad(measured.rows, begin, count);
      store_.total += measured.rows.size;
      extent.add(measured.extent, store_.dimension);
    });
    if (store_.total < store_.size && division_.non_finite == NonFinite::error)
      fail(ErrorCode::non_finite,
           "points: coordinate {} of point {} is {} ({} of {} points are not finite); remove them, "
           "or set non_finite = drop",
           bad_axis_, bad_point_, bad_value_, store_.size - store_.total, store_.size);
    store_.frame = Parts<T>::frame(division_.box, store_.dimension, extent);
    MeasuredRows<T> all;
    all.rows.dimension = store_.dimension;
    all.extent = extent;
    bounds_ = Parts<T>::input(store_.frame, std::move(all)).bounds;
  }

  /// The first point that is not finite, for the message.
  void note_bad(const InputRows<T>& rows, std::uint64_t begin, std::size_t count) {
    if (bad_axis_ >= 0) return;
    for (std::size_t i = 0; i < count * d_; ++i) {
      if (std::isfinite(rows.data[i])) continue;
      bad_axis_ = static_cast<std::ptrdiff_t>(i % d_);
      bad_point_ = begin + i / d_;
      bad_value_ = rows.data[i];
      return;
    }
  }

  /// Rows of a piece by slab, then each slab's part behind what it has.
  void scatter(Cells<T>& cells) {
    end_.assign(store_.begin.begin(), store_.begin.end() - 1);
    std::vector<std::uint16_t> slab, live;
    std::vector<std::uint32_t> at;
    std::vector<double> mass;
    const Axes<kAnyDimension> axes(store_.dimension);
    each_input("sort", [&](const Input<T>& input, std::uint64_t begin, std::size_t count) {
      live.resize(input.size);
      cells.assign(input, live.data(), workers_);
      slab.assign(count, kNoSlab);
      for (std::size_t i = 0; i < input.size; ++i) slab[input.index(i)] = live[i];
      store_.scratch->write(store_.numbers + begin * sizeof(std::uint16_t),
                            std::span<const std::uint16_t>(slab));
      place_.assign(end_.size() + 1, 0);
      for (const std::uint16_t s : live) ++place_[s + std::size_t{1}];
      for (std::size_t s = 0; s < end_.size(); ++s) place_[s + 1] += place_[s];
      at.resize(input.size);
      std::vector<std::size_t> next(place_.begin(), place_.end() - 1);
      for (std::size_t i = 0; i < at.size(); ++i)
        at[i] = static_cast<std::uint32_t>(next[live[i]]++);
      append<T>(store_.rows, d_, at, [&](std::size_t i, T* to) { input.load(i, axes, to); });
      if (division_.with_index)
        append<std::uint64_t>(store_.index, 1, at, [&](std::size_t i, std::uint64_t* to) {
          *to = first_index + begin + input.index(i);
        });
      if (division_.with_mass) {
        mass.resize(count);
        caller_code([&] { points_.read_mass(begin, mass); });
        check_masses(mass, begin);
        append<double>(store_.mass, 1, at,
                       [&](std::size_t i, double* to) { *to = mass[input.index(i)]; });
      }
      for (std::size_t s = 0; s < end_.size(); ++s) end_[s] += place_[s + 1] - place_[s];
    });
    if (!std::equal(end_.begin(), end_.end(), store_.begin.begin() + 1))
      refuse("the stored points have changed while they were read");
  }

  void check_masses(const std::vector<double>& mass, std::uint64_t begin) const {
    for (std::size_t i = 0; i < mass.size(); ++i)
      if (!std::isfinite(mass[i]) || mass[i] < division_.least_mass)
        refuse("points: mass {} of point {}; it must be finite{}", mass[i], begin + i,
               division_.least_mass < 0 ? "" : " and not negative");
  }

  /// One column of a piece: fill(i, values) of point i, which goes to at[i] among those of all
  /// slabs.
  template <class Value, class Fill>
  void append(std::uint64_t column, std::size_t width, const std::vector<std::uint32_t>& at,
              Fill fill) {
    std::vector<Value> sorted(at.size() * width);
    for (std::size_t i = 0; i < at.size(); ++i) fill(i, sorted.data() + at[i] * width);
    for (std::size_t s = 0; s < end_.size(); ++s)
      if (place_[s + 1] > place_[s])
        store_.scratch->write(column + end_[s] * width * sizeof(Value),
                              std::span<const Value>(sorted).subspan(
                                  place_[s] * width, (place_[s + 1] - place_[s]) * width));
  }

  const Division& division_;
  const StoredPoints& points_;
  const Budget& budget_;
  Workers& workers_;
  std::size_t d_;
  SlabStore<T> store_;
  Bounds<kAnyDimension, T> bounds_;
  std::vector<std::uint64_t> end_;  ///< of what each slab has
  std::vector<std::size_t> place_;  ///< of each slab's part of a piece; and the end
  std::ptrdiff_t bad_axis_ = -1;
  std::uint64_t bad_point_ = 0;
  T bad_value_ = 0;
};

}  // namespace

template <class T>
SlabStore<T> divide(const Division& division, const DiskOptions& disk, const Budget& budget,
                    Workers& workers) {
  return Divider<T>(division, budget, workers).run(disk);
}

template SlabStore<float> divide(const Division&, const DiskOptions&, const Budget&, Workers&);
template SlabStore<double> divide(const Division&, const DiskOptions&, const Budget&, Workers&);

}  // namespace kith::slabs
