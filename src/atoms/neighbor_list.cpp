#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include <kith/neighbor_list.hpp>

#include "atoms/checks.hpp"
#include "atoms/rows.hpp"
#include "atoms/some_rows.hpp"
#include "base/array.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr const char* kCall = "neighbor_list";
/// Atoms of a task.
constexpr std::size_t kAtomGrain = 512;

/// The search in one system: rows are found first, which counts them, and written once their places
/// are known.
class SystemSearch {
 public:
  SystemSearch(const AtomSystem& system, const AtomRule& rule, double reach, std::size_t first,
               const Workers& workers)
      : bins_(kCall, system, reach, workers),
        rows_(bins_, rule),
        first_(first),
        parts_(range_count(bins_.size(), kAtomGrain)) {}

  /// Finds the rows of all atoms, or of those that are wanted; counts has a place, with 0, for each
  /// atom of all systems.
  void find(std::int64_t* counts, std::span<const std::uint8_t> wanted, const Workers& workers) {
    workers.for_ranges(bins_.size(), kAtomGrain, [&](std::size_t begin, std::size_t end) {
      const Borrowed<Scratch>::Loan loan(scratch_);
      AtomRows::Scratch* scratch = &loan->row;
      scratch->has_runs = false;
      std::vector<NeighborKey>& keys = loan->keys;
      keys.clear();
      WorkMeter meter(workers, std::size_t{1} << 20);
      for (std::size_t at = begin; at < end; ++at) {
        if (!wanted.empty() && wanted[bins_.index(at)] == 0) continue;
        const std::span<const NeighborKey> row = rows_.row(at, *scratch);
        keys.insert(keys.end(), row.begin(), row.end());
        counts[first_ + bins_.index(at)] = static_cast<std::int64_t>(row.size());
        meter.add(scratch->found.size());
      }
      parts_[begin / kAtomGrain] = Array<NeighborKey>(keys.size(), workers.pool());
      std::copy(keys.begin(), keys.end(), parts_[begin / kAtomGrain].begin());
      workers.advance(end - begin);
    });
  }

  /// Where the rows go.
  template <class Index>
  struct Target {
    const std::int64_t* offsets;
    std::size_t dimension;
    Index *i, *j;
    std::int32_t* shift;
    double *distance, *vector;
  };

  template <class Index>
  void write(const Target<Index>& target, const Workers& workers) {
    workers.for_ranges(bins_.size(), kAtomGrain, [&](std::size_t begin, std::size_t end) {
      const Array<NeighborKey> keys = std::move(parts_[begin / kAtomGrain]);
      const NeighborKey* row = keys.data();
      for (std::size_t at = begin; at < end; ++at) {
        const std::uint32_t i = bins_.index(at);
        const std::int64_t* offset = target.offsets + first_ + i;
        const auto size = static_cast<std::size_t>(offset[1] - offset[0]);
        write_row(target, i, {row, size}, static_cast<std::size_t>(offset[0]));
        row += size;
        // Rows lie far apart: each may be the first to touch its pages, and the system clears them.
        workers.check_cancelled();
      }
      workers.advance(end - begin);
    });
  }

 private:
  /// Memory of one task.
  struct Scratch {
    AtomRows::Scratch row;
    std::vector<NeighborKey> keys;
  };

  template <class Index>
  void write_row(const Target<Index>& target, std::uint32_t i, std::span<const NeighborKey> row,
                 std::size_t at) const {
    if (target.i) std::fill_n(target.i + at, row.size(), static_cast<Index>(first_ + i));
    if (target.j)
      for (std::size_t n = 0; n < row.size(); ++n)
        target.j[at + n] = static_cast<Index>(first_ + atom_of(row[n]));
    if (target.dimension == 3) return write_places<3>(target, i, row, at);
    if (target.dimension == 2) return write_places<2>(target, i, row, at);
    return write_places<1>(target, i, row, at);
  }

  /// Shifts, distances and vectors. The width is a constant: with calls to copy so few numbers, the
  /// search takes a third more time.
  template <std::size_t Width, class Index>
  void write_places(const Target<Index>& target, std::uint32_t i, std::span<const NeighborKey> row,
                    std::size_t at) const {
    if (target.shift)
      for (std::size_t n = 0; n < row.size(); ++n) {
        const Shift3 shift = bins_.shift(i, atom_of(row[n]), image_of(row[n]));
        std::int32_t* out = target.shift + (at + n) * Width;
        for (std::size_t axis = 0; axis < Width; ++axis) out[axis] = shift[axis];
      }
    if (!target.distance && !target.vector) return;
    for (std::size_t n = 0; n < row.size(); ++n) {
      const AtomVector found = rows_.to(i, row[n]);
      if (target.distance) target.distance[at + n] = std::sqrt(found.d2);
      if (!target.vector) continue;
      double* out = target.vector + (at + n) * Width;
      for (std::size_t axis = 0; axis < Width; ++axis) out[axis] = found.vector[axis];
    }
  }

  AtomBins bins_;
  AtomRows rows_;
  std::size_t first_;
  std::vector<Array<NeighborKey>> parts_;  ///< rows of atoms that are adjacent in the order of bins
  Borrowed<Scratch> scratch_;
};

template <class Index>
class ListSearch {
 public:
  ListSearch(std::span<const AtomSystem> systems, const NeighborListOptions& options,
             std::span<const std::uint8_t> wanted, const Execution& execution, Workers& workers)
      : systems_(systems),
        options_(options),
        wanted_(wanted),
        execution_(execution),
        workers_(workers) {
    std::size_t atoms = 0;
    for (const AtomSystem& system : systems) {
      first_.push_back(atoms);
      atoms += system.positions.size;
    }
    counts_ = filled<std::int64_t>(workers, atoms + 1);
    searches_.resize(systems.size());
  }

  NeighborList<Index> run() {
    find();
    const auto total =
        static_cast<std::size_t>(exclusive_scan(workers_, counts_.data(), counts_.size()));
    const int dimension = systems_.empty() ? 3 : systems_[0].positions.dimension;
    NeighborList<Index> list(total, dimension, options_.quantities, execution_);
    write(list);
    return list;
  }

 private:
  void find() {
    const Stage stage(workers_, "find", counts_.size() - 1);
    workers_.for_each(systems_.size(), [&](std::size_t s) {
      const AtomRule rule = rule_of(options_, first_[s]);
      const double reach = reach_of(options_, first_[s], systems_[s].positions.size);
      searches_[s] = std::make_unique<SystemSearch>(systems_[s], rule, reach, first_[s], workers_);
      searches_[s]->find(counts_.data(), wanted_, workers_);
    });
  }

  void write(NeighborList<Index>& list) {
    const Stage stage(workers_, "write", counts_.size() - 1);
    const auto into = [](auto values) {
      using Value = std::remove_const_t<std::remove_pointer_t<decltype(values.data())>>;
      return const_cast<Value*>(values.data());  // the list is new
    };
    const SystemSearch::Target<Index> target{
        counts_.data(),      static_cast<std::size_t>(list.dimension()),
        into(list.i()),      into(list.j()),
        into(list.shifts()), into(list.distances()),
        into(list.vectors())};
    workers_.for_each(systems_.size(), [&](std::size_t s) {
      searches_[s]->write(target, workers_);
      searches_[s].reset();
    });
  }

  std::span<const AtomSystem> systems_;
  const NeighborListOptions& options_;
  std::span<const std::uint8_t> wanted_;  ///< of the atoms of one system; empty: all are
  const Execution& execution_;
  Workers& workers_;
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> counts_;
  std::vector<std::unique_ptr<SystemSearch>> searches_;
};

}  // namespace

double detail::most_pairs(std::span<const AtomSystem> systems, double cutoff) {
  return public_call(kCall, [&] {
    check_systems(kCall, systems, std::numeric_limits<std::int64_t>::max());
    double pairs = 0;
    for (const AtomSystem& system : systems) {
      const PreparedLattice lattice(kCall, system.lattice, system.positions.dimension);
      const auto atoms = static_cast<double>(system.positions.size);
      double images = 1;
      for (int axis = 0; axis < 3; ++axis)
        if (lattice.is_periodic(axis)) images *= 2 * cutoff / lattice.height(axis) + 3;
      pairs += atoms * atoms * images;
    }
    return pairs;
  });
}

template <ResultIndex Index>
NeighborList<Index> neighbor_list(std::span<const AtomSystem> systems,
                                  const NeighborListOptions& options, const Execution& execution) {
  return public_call(kCall, execution, [&](Workers& workers) {
    check_systems(kCall, systems, std::numeric_limits<Index>::max());
    check_cutoffs(kCall, systems, options);
    return ListSearch<Index>(systems, options, {}, execution, workers).run();
  });
}

NeighborList<std::int64_t> neighbor_list_of(const AtomSystem& system,
                                            const NeighborListOptions& options,
                                            std::span<const std::uint8_t> wanted,
                                            const Execution& execution) {
  return public_call(kCall, execution, [&](Workers& workers) {
    return ListSearch<std::int64_t>(std::span(&system, 1), options, wanted, execution, workers)
        .run();
  });
}

template KITH_API NeighborList<std::int32_t> neighbor_list(std::span<const AtomSystem>,
                                                           const NeighborListOptions&,
                                                           const Execution&);
template KITH_API NeighborList<std::int64_t> neighbor_list(std::span<const AtomSystem>,
                                                           const NeighborListOptions&,
                                                           const Execution&);

}  // namespace kith
