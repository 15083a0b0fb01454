// Systems of atoms in cells of all shapes, drawn at random.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <kith/neighbor_list.hpp>

#include "atoms/lattice.hpp"
#include "support/property.hpp"

namespace kith::test {

/// Systems with their coordinates.
struct Batch {
  std::vector<std::vector<double>> coordinates;
  std::vector<std::vector<float>> rounded;
  std::vector<AtomSystem> systems;
};

/// A cell that is a box, skewed or thin.
inline Lattice any_cell(Draw& draw, int dimension) {
  Lattice lattice;
  const double size = std::exp(draw.uniform() * 3 - 1);
  const double skew = draw.one_of({0.0, 0.3, 1.5, 6.0});
  for (int k = 0; k < dimension; ++k) {
    const double stretch = draw.below(4) == 0 ? 0.2 : 1.0;
    for (int axis = 0; axis < dimension; ++axis) {
      const double part = k == axis ? 0.5 + draw.uniform() : skew * (draw.uniform() - 0.5);
      lattice.vectors[static_cast<std::size_t>(k)][static_cast<std::size_t>(axis)] =
          size * stretch * part;
    }
    lattice.periodic[static_cast<std::size_t>(k)] = draw.below(3) > 0;
  }
  return lattice;
}

/// One that a cutoff of 1.6 does not cross too often.
inline Lattice any_lattice(Draw& draw, int dimension) {
  for (;;) {
    const Lattice lattice = any_cell(draw, dimension);
    try {
      const PreparedLattice prepared("test", lattice, dimension);
      bool is_usable = true;
      for (int axis = 0; axis < 3; ++axis)
        is_usable &= !prepared.is_periodic(axis) || prepared.height(axis) > 0.15;
      if (is_usable) return lattice;
    } catch (const Error&) {  // almost flat
    }
  }
}

inline std::vector<double> any_positions(Draw& draw, const Lattice& lattice, int dimension,
                                         std::size_t atoms) {
  const double spread = draw.one_of({1.0, 1.0, 5.0, 1e4});
  const bool is_crystal = draw.below(4) == 0;
  std::vector<double> x;
  for (std::size_t i = 0; i < atoms; ++i) {
    std::array<double, 3> place = {};
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k) {
      double along = (draw.uniform() - 0.5) * spread;
      if (is_crystal) along = std::round(along * 4) / 4;
      for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += along * lattice.vectors[k][axis];
    }
    x.insert(x.end(), place.begin(), place.begin() + dimension);
  }
  return x;
}

inline void add_system(Draw& draw, int dimension, bool is_float, Batch& batch) {
  const Lattice lattice = any_lattice(draw, dimension);
  auto x = any_positions(draw, lattice, dimension, draw.below(20) == 0 ? 0 : draw.size(25));
  const std::size_t atoms = x.size() / static_cast<std::size_t>(dimension);
  batch.rounded.emplace_back(x.begin(), x.end());
  batch.coordinates.push_back(std::move(x));
  PointsView positions = view(batch.coordinates.back().data(), atoms, dimension);
  if (is_float) positions = view(batch.rounded.back().data(), atoms, dimension);
  batch.systems.push_back({positions, lattice});
}

/// One system, or a few of them.
inline Batch any_batch(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 3, 3});
  const bool is_float = draw.below(4) == 0;
  Batch batch;
  const std::size_t systems = draw.below(4) == 0 ? draw.below(4) : 1;
  for (std::size_t s = 0; s < systems; ++s) add_system(draw, dimension, is_float, batch);
  return batch;
}

}  // namespace kith::test
