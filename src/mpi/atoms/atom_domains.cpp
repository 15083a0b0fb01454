#include "mpi/atoms/atom_domains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "atoms/bins.hpp"
#include "atoms/checks.hpp"
#include "groups/parts.hpp"
#include "mpi/groups/edge_points.hpp"

namespace kith::mpi {

/// The points of the atoms of this rank, and the numbers that are sent along.
struct AtomDomains::Places {
  std::vector<double> point, values;  ///< `dimension` and kWidth numbers for each atom
  std::vector<double> side;           ///< 0 on open axes
  double error = 0;                   ///< of a coordinate of a point, at most
};

namespace {

void agree_on_cell(Call& call, const AtomSystem& system) {
  call.same().add("dimension", static_cast<std::uint64_t>(system.positions.dimension));
  for (std::size_t k = 0; k < 3; ++k) {
    call.same().add("periodic", std::uint64_t{system.lattice.periodic[k]});
    call.same().add_unshown("lattice vectors", system.lattice.vectors[k]);
  }
}

/// The largest over all ranks.
double largest_of_all(Call& call, double value) {
  double minus = -value;
  call.communicator().least(&minus, 1);
  return -minus;
}

}  // namespace

AtomDomains::AtomDomains(const char* name, MPI_Comm comm, const AtomSystem& system,
                         std::span<const double> length, const Execution& execution,
                         FunctionRef<void()> check)
    : system_(system) {
  Communicator communicator(comm);
  Places places;
  {
    Call call(name, communicator, execution);
    agree_on_cell(call, system);
    std::int64_t has_none = length.empty() ? 1 : 0;  // ranks without atoms do not know
    communicator.least(&has_none, 1);
    has_lengths_ = has_none == 0;
    const auto d = static_cast<std::size_t>(system.positions.dimension);
    std::vector<double> low, high;  // of all ranks, as least values
    call.phase([&](Workers& workers) {
      check_systems(name, std::span(&system, 1), std::numeric_limits<std::int64_t>::max());
      check();
      if (has_lengths_ && length.empty() && system.positions.size > 0)
        refuse(
            "{}: other ranks gave a length for each atom; give one for each of the {} atoms here",
            name, system.positions.size);
      const AtomBins bins(name, system, 0, workers);
      const PreparedLattice& lattice = bins.lattice();
      places.point.resize(bins.size() * d);
      places.values.resize(bins.size() * kWidth);
      low.assign(d, 0);
      high.assign(d, 0);
      for (std::size_t at = 0; at < bins.size(); ++at) {
        const std::size_t i = bins.index(at);
        const Vector3 inside = bins.columns()[at];
        for (std::size_t k = 0; k < d; ++k) {
          const auto axis = static_cast<int>(k);
          const double x = lattice.along(axis, inside) * lattice.height(axis);
          places.point[i * d + k] = x;
          low[k] = std::min(low[k], x);
          high[k] = std::min(high[k], -x);
          places.error = std::max(places.error, 1e-12 * std::abs(x));
        }
        std::copy_n(bins.given(i), 3, &places.values[i * kWidth]);
        if (!length.empty()) places.values[i * kWidth + 3] = length[i];
      }
      for (std::size_t k = 0; k < d; ++k) {
        const auto axis = static_cast<int>(k);
        places.side.push_back(lattice.is_periodic(axis) ? lattice.height(axis) : 0);
        places.error += 1e-7 * places.side[k];
      }
      extent_.assign(d, 0);
    });
    communicator.least(low.data(), d);
    communicator.least(high.data(), d);
    for (std::size_t k = 0; k < d; ++k)
      extent_[k] = places.side[k] > 0 ? places.side[k] : -high[k] - low[k];
    slack_ = 2 * largest_of_all(call, places.error);
    largest_length_ = largest_of_all(
        call, length.empty() ? 0.0 : *std::max_element(length.begin(), length.end()));
  }
  const bool is_open =
      std::all_of(places.side.begin(), places.side.end(), [](double side) { return side == 0; });
  const Box box = is_open ? Box::open() : Box::periodic(places.side);
  domains_.emplace(Domains::curve(
      comm, kith::view(places.point.data(), system.positions.size, system.positions.dimension),
      {.tree = {.box = box}}, execution));
  Call call(name, *impl().communicator, execution);
  values_ = send_values(call, impl().route, places.values.data(), kWidth * sizeof(double));
}

const Domains::Impl& AtomDomains::impl() const { return impl_of(*domains_); }

AtomSystem AtomDomains::system_of(const AtomsAround& atoms) const {
  return {kith::view(atoms.place.data(), atoms.size(), system_.positions.dimension, 3),
          system_.lattice};
}

PointValues AtomDomains::values() const {
  return {kWidth, {reinterpret_cast<const double*>(values_.data()), kWidth * part().global.size()}};
}

double AtomDomains::reach_of_points(double reach) const {
  const double dimension = impl().dimension;
  return std::max((1 + 1e-6) * std::sqrt(dimension) * (reach + slack_),
                  std::numeric_limits<double>::denorm_min());
}

AtomsAround AtomDomains::around(Call& call, double reach) const {
  const PointValues values = this->values();
  const Part<double>& part = this->part();
  FarQueries<double> far;
  call.work([&](Workers& workers) {
    const double reach2 = GroupParts<double>::reach({.linking_length = reach_of_points(reach)},
                                                    impl().options.tree.box, impl().total,
                                                    impl().dimension, part.frame)
                              .reach2;
    far = points_near_others(part, reach2, call.rank(), workers);
  });
  const auto write = [&](std::size_t position, double* to) {
    std::copy_n(values.of(part.planes.index(position)), kWidth, to);
  };
  const Ghosts<double> ghosts = import_ghosts(call, part, far, {kWidth, write});
  AtomsAround atoms;
  call.phase([&](Workers&) {
    const std::size_t own = part.global.size(), others = ghosts.global.size();
    const auto add = [&](std::uint64_t global, const double* value, bool is_own) {
      atoms.place.insert(atoms.place.end(), value, value + 3);
      if (has_lengths_) atoms.length.push_back(value[3]);
      atoms.global.push_back(static_cast<std::int64_t>(global));
      atoms.is_own.push_back(is_own ? 1 : 0);
    };
    for (std::size_t i = 0, j = 0; i < own || j < others;) {
      const bool is_own = j == others || (i < own && part.global[i] < ghosts.global[j]);
      if (is_own)
        add(part.global[i], values.of(i), true), ++i;
      else
        add(ghosts.global[j], ghosts.value.data() + j * kWidth, false), ++j;
    }
  });
  return atoms;
}

std::vector<std::int64_t> AtomDomains::return_own(Call& call, const AtomsAround& atoms,
                                                  const std::vector<std::int64_t>& of_atom) const {
  std::vector<std::int64_t> of_local, rows;
  call.phase([&](Workers& workers) {
    for (std::size_t i = 0; i < atoms.size(); ++i)
      if (atoms.is_own[i]) of_local.push_back(of_atom[i]);
    rows = filled<std::int64_t>(workers, impl().input_size);
  });
  return_values(
      call, impl().route, [&](std::size_t local) -> const void* { return &of_local[local]; },
      sizeof(std::int64_t), rows.data());
  return rows;
}

}  // namespace kith::mpi
