// Groups, counts and nearest neighbors of atoms over ranks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "atoms/checks.hpp"
#include "cells/join.hpp"
#include "mpi/atoms/atom_domains.hpp"
#include "mpi/groups/members.hpp"

namespace kith::mpi::cells {
namespace {

/// The rows of the k nearest, in the order of atoms, by local index.
struct NearestRows {
  std::vector<std::int64_t> index;
  std::vector<std::int32_t> shift;
  std::vector<double> distance;
};

/// Searches among more and more atoms around the own ones. Where all atoms within a cutoff are
/// here, rows that end within it are final.
class NearestAtoms {
 public:
  NearestAtoms(Call& call, const AtomDomains& atoms, const KnnOptions& options)
      : call_(call), atoms_(atoms), options_(options), width_(dimension()) {}

  Neighbors run() {
    double cutoff = first_cutoff();
    while (!search(cutoff)) cutoff *= 2;
    call_.note_traffic("atoms");
    return rows();
  }

 private:
  std::size_t dimension() const {
    return static_cast<std::size_t>(atoms_.system().positions.dimension);
  }

  /// That of a ball with about k atoms, if they are spread evenly.
  double first_cutoff() const {
    const auto total = static_cast<double>(std::max<std::uint64_t>(1, atoms_.impl().total));
    double volume = static_cast<double>(options_.k + 1) / total;
    int axes = 0;
    for (const double side : atoms_.extent()) {
      if (!(side > 0)) continue;
      volume *= side;
      ++axes;
    }
    return axes == 0 ? 1 : std::max(std::pow(volume, 1.0 / axes), 1e-90);
  }

  /// Whether all ranks are done.
  bool search(double cutoff) {
    const AtomsAround around = atoms_.around(call_, cutoff);
    std::int64_t is_done = 1;
    call_.phase([&](Workers& workers) {
      const Neighbors found =
          kith::cells::knn(atoms_.system_of(around), options_, inside(call_, workers));
      const bool has_all = around.size() == atoms_.impl().total;
      if (!has_all && !is_within(found, around, cutoff)) is_done = 0;
      if (is_done) keep(found, around);
    });
    call_.communicator().least(&is_done, 1);
    return is_done == 1;
  }

  bool is_within(const Neighbors& found, const AtomsAround& around, double cutoff) const {
    const std::size_t k = options_.k;
    for (std::size_t i = 0; i < around.size(); ++i)
      if (around.is_own[i] && !(found.distance[i * k + k - 1] <= cutoff)) return false;
    return true;
  }

  void keep(const Neighbors& found, const AtomsAround& around) {
    kept_ = {};
    for (std::size_t i = 0; i < around.size(); ++i) {
      if (!around.is_own[i]) continue;
      for (std::size_t at = i * options_.k; at < (i + 1) * options_.k; ++at) {
        const std::int64_t j = found.index[at];
        kept_.index.push_back(j < 0 ? -1 : around.global[static_cast<std::size_t>(j)]);
        kept_.distance.push_back(found.distance[at]);
        for (std::size_t axis = 0; axis < width_; ++axis)
          kept_.shift.push_back(found.shift[at * width_ + axis]);
      }
    }
  }

  Neighbors rows() {
    Neighbors out{.k = options_.k, .dimension = static_cast<int>(width_)};
    call_.phase([&](Workers& workers) {
      const std::size_t count = atoms_.impl().input_size * options_.k;
      out.index = filled<std::int64_t>(workers, count);
      out.shift = filled<std::int32_t>(workers, count * width_);
      out.distance = filled<double>(workers, count);
    });
    send_back(kept_.index, options_.k, out.index);
    send_back(kept_.shift, options_.k * width_, out.shift);
    send_back(kept_.distance, options_.k, out.distance);
    call_.note_traffic("rows");
    return out;
  }

  template <class Value>
  void send_back(const std::vector<Value>& from, std::size_t width, std::vector<Value>& to) {
    return_values(
        call_, atoms_.impl().route,
        [&](std::size_t local) -> const void* { return &from[local * width]; },
        width * sizeof(Value), to.data());
  }

  Call& call_;
  const AtomDomains& atoms_;
  const KnnOptions& options_;
  std::size_t width_;
  NearestRows kept_;  ///< by local index
};

}  // namespace

Groups fof(MPI_Comm comm, const AtomSystem& system, const FofOptions& options,
           const Execution& execution) {
  constexpr const char* kCall = "cells.fof";
  return public_call(kCall, [&] {
    const AtomDomains atoms(kCall, comm, system, options.linking_lengths, execution,
                            [&] { kith::cells::check_linking(options, system.positions.size); });
    Call call(kCall, *atoms.impl().communicator, execution);
    call.same().add("linking_length", options.linking_length);
    call.same().add("min_size", std::uint64_t{options.min_size});
    call.same().add("strict", std::uint64_t{options.strict});
    call.same().add("keep_roots", std::uint64_t{options.keep_roots});
    const double largest = atoms.has_lengths() ? atoms.largest_length() : options.linking_length;
    const CellHere cell{system, options, atoms.has_lengths(), largest,
                        atoms.reach_of_points(largest)};
    const kith::FofOptions linking{.linking_length = largest,
                                   .min_size = options.min_size,
                                   .strict = options.strict,
                                   .keep_roots = options.keep_roots};
    const LinkingJob job{.options = linking, .values = atoms.values(), .cell = &cell};
    return linked_groups(call, atoms.impl(), job, RowOrder::input);
  });
}

std::vector<std::int64_t> radius_count(MPI_Comm comm, const AtomSystem& system,
                                       const CountOptions& options, const Execution& execution) {
  constexpr const char* kCall = "cells.radius_count";
  return public_call(kCall, [&] {
    const AtomDomains atoms(kCall, comm, system, {}, execution,
                            [&] { check_atom_length(kCall, "radius", options.radius); });
    Call call(kCall, *atoms.impl().communicator, execution);
    call.same().add("radius", options.radius);
    call.same().add("strict", std::uint64_t{options.strict});
    call.same().add("exclude_self", std::uint64_t{options.exclude_self});
    const AtomsAround around = atoms.around(call, options.radius);
    std::vector<std::int64_t> counts;
    call.phase([&](Workers& workers) {
      counts = kith::cells::radius_count(atoms.system_of(around), options, inside(call, workers));
    });
    return atoms.return_own(call, around, counts);
  });
}

Neighbors knn(MPI_Comm comm, const AtomSystem& system, const KnnOptions& options,
              const Execution& execution) {
  constexpr const char* kCall = "cells.knn";
  return public_call(kCall, [&] {
    const AtomDomains atoms(kCall, comm, system, {}, execution, [&] {
      if (options.k == 0) refuse("cells.knn: k = 0; ask for at least 1 neighbor");
    });
    Call call(kCall, *atoms.impl().communicator, execution);
    call.same().add("k", std::uint64_t{options.k});
    call.same().add("exclude_self", std::uint64_t{options.exclude_self});
    return NearestAtoms(call, atoms, options).run();
  });
}

}  // namespace kith::mpi::cells
