#include "slabs/link.hpp"

#include <map>

#include "base/fail.hpp"
#include "neighbors/parts.hpp"
#include "parallel/union_find.hpp"
#include "slabs/ghosts.hpp"
#include "slabs/passes.hpp"
#include "slabs/pieces.hpp"
#include "walk/against_boxes.hpp"

namespace kith::slabs {
namespace {

/// Points near other slabs, with the sets to which they belong.
template <class T>
struct Letters {
  std::vector<T> rows;
  std::vector<std::uint32_t> set;
};

/// Some of them on disk.
struct Stored {
  std::uint64_t place;
  std::size_t count;
};

template <class T>
class SlabLinker {
 public:
  SlabLinker(const SlabStore<T>& store, T reach2, std::size_t min_size, const Budget& budget,
             const Execution& execution, Workers& workers)
      : store_(store),
        reach2_(reach2),
        min_size_(min_size),
        budget_(budget),
        inner_(inside_stage(execution)),
        workers_(workers),
        d_(static_cast<std::size_t>(store.dimension)),
        metric_(store.template metric<kAnyDimension>()),
        arrived_(store.slabs()) {}

  SlabSets run() {
    run_pass(
        *store_.scratch, "link", [&](auto& archive) { sets_.each_state(archive); },
        [&] { link_all(); });
    return std::move(sets_);
  }

 private:
  void link_all() {
    const Stage stage(workers_, "link", store_.total);
    sets_.of_point = store_.scratch->reserve(store_.total * sizeof(std::uint32_t));
    for (std::size_t slab = 0; slab < store_.slabs(); ++slab) {
      workers_.check_cancelled();
      link(slab);
      check_tables("fof", sets_.bytes(), budget_);
      workers_.advance(store_.slab_size(slab));
    }
  }

  void link(std::size_t slab) {
    Workers inside(inner_, "fof");
    const Planes<T> planes = read_slab(store_, slab, inside).planes;
    const Array<std::uint32_t> parent = GroupParts<T>::join(planes, store_.frame, reach2_, inside);
    const CountedSets sets = GroupParts<T>::count(planes, parent.data(), inside);
    number_.assign(planes.points, kNoSet);
    for (std::size_t i = 0; i < planes.points; ++i)
      if (sets.root[i] == i && sets.size[i] >= min_size_) set_at(i, sets);
    meet(exchange(slab, planes, sets), slab, inside);
    sets_.begin.push_back(sets_.parent.size());
    write_sets(slab, planes, sets);
  }

  /// The number of a point's set; a new one if it has none yet.
  std::uint32_t set_at(std::size_t position, const CountedSets& sets) {
    const std::uint32_t root = sets.root[position];
    if (number_[root] != kNoSet) return number_[root];
    if (sets_.parent.size() >= kNoSet)
      fail(ErrorCode::too_large, "fof: 2^32 groups and sets at edges of slabs; raise min_size");
    const auto number = static_cast<std::uint32_t>(sets_.parent.size());
    number_[root] = number;
    sets_.parent.push_back(number);
    sets_.size.push_back(sets.size[root]);
    sets_.lowest.push_back(sets.lowest[root]);
    return number;
  }

  /// Sends the points near later slabs there; returns those near earlier ones.
  Letters<T> exchange(std::size_t slab, const Planes<T>& planes, const CountedSets& sets) {
    Letters<T> here;
    std::map<std::uint32_t, Letters<T>> out;
    const std::vector<std::uint32_t> others = boxes_of_others(store_.boxes.owner, slab);
    const PlanesView<T> view = planes.view();
    const auto add = [&](std::size_t position, Letters<T>& to) {
      T row[kMaxDimension];
      view.load(position, Axes<kAnyDimension>(store_.dimension), row);
      to.rows.insert(to.rows.end(), row, row + d_);
      to.set.push_back(set_at(position, sets));
    };
    const auto visit = [&](std::size_t block, const std::vector<std::uint32_t>& near) {
      const std::size_t begin = block * kLanes, end = begin + view.points_of_block(block);
      for (std::size_t i = begin; i < end; ++i) {
        bool is_here = false;
        each_slab_near(view, i, near, [&](std::uint32_t other) {
          if (other > slab) return add(i, out[other]);
          if (!is_here) add(i, here);
          is_here = true;
        });
      }
    };
    each_block_near(view, metric_, store_.boxes, others, reach2_, visit);
    for (const auto& [other, letters] : out) send(letters, other);
    return here;
  }

  /// f(slab) once for each slab with a box, of those in `near`, within reach of a point.
  template <class F>
  void each_slab_near(const PlanesView<T>& view, std::size_t position,
                      const std::vector<std::uint32_t>& near, F f) const {
    const auto point = box_of_point(view, position, metric_.axes);
    std::uint32_t last = kNoSet;
    for (const std::uint32_t i : near) {
      const std::uint32_t owner = store_.boxes.owner[i];
      if (owner == last || metric_.lower2(point, store_.boxes.box(i, metric_.axes)) > reach2_)
        continue;
      last = owner;
      f(owner);
    }
  }

  void send(const Letters<T>& letters, std::uint32_t slab) {
    const std::uint64_t row_bytes = letters.rows.size() * sizeof(T);
    const std::uint64_t place =
        store_.scratch->reserve(row_bytes + letters.set.size() * sizeof(std::uint32_t));
    store_.scratch->write(place, std::span<const T>(letters.rows));
    store_.scratch->write(place + row_bytes, std::span<const std::uint32_t>(letters.set));
    arrived_[slab].push_back({place, letters.set.size()});
  }

  /// Links the sets of points near earlier slabs with those of the points that came from there.
  void meet(Letters<T> all, std::size_t slab, Workers& inside) {
    for (const Stored& each : arrived_[slab]) {
      const std::size_t rows = all.rows.size(), sets = all.set.size();
      all.rows.resize(rows + each.count * d_);
      all.set.resize(sets + each.count);
      store_.scratch->read(each.place, std::span(all.rows).subspan(rows));
      store_.scratch->read(each.place + each.count * d_ * sizeof(T),
                           std::span(all.set).subspan(sets));
    }
    const std::size_t n = all.set.size();
    if (n == 0) return;
    const Array<std::uint32_t> together =
        GroupParts<T>::sets_of_rows(Array<T>::borrowed(all.rows.data(), all.rows.size()), n,
                                    store_.dimension, store_.frame, reach2_, inside);
    const UnionFind<std::uint32_t> linked(sets_.parent.data());
    for (std::size_t i = 0; i < n; ++i) linked.unite_alone(all.set[i], all.set[together[i]]);
  }

  void write_sets(std::size_t slab, const Planes<T>& planes, const CountedSets& sets) {
    std::vector<std::uint32_t> set(planes.points);
    each_point(planes, 0, planes.points,
               [&](std::size_t i, std::uint32_t row) { set[row] = number_[sets.root[i]]; });
    store_.scratch->write(sets_.of_point + store_.begin[slab] * sizeof(std::uint32_t),
                          std::span<const std::uint32_t>(set));
  }

  const SlabStore<T>& store_;
  T reach2_;
  std::size_t min_size_;
  const Budget& budget_;
  Execution inner_;
  Workers& workers_;
  std::size_t d_;
  Metric<kAnyDimension, T> metric_;
  SlabSets sets_;
  std::vector<std::uint32_t> number_;         ///< of the set of each root of this slab
  std::vector<std::vector<Stored>> arrived_;  ///< at each slab
};

}  // namespace

template <class T>
SlabSets link_slabs(const SlabStore<T>& store, T reach2, std::size_t min_size, const Budget& budget,
                    const Execution& execution, Workers& workers) {
  return SlabLinker<T>(store, reach2, min_size, budget, execution, workers).run();
}

template SlabSets link_slabs(const SlabStore<float>&, float, std::size_t, const Budget&,
                             const Execution&, Workers&);
template SlabSets link_slabs(const SlabStore<double>&, double, std::size_t, const Budget&,
                             const Execution&, Workers&);

}  // namespace kith::slabs
