// Phase space of a halo: positions about the first member and velocities, each about their mean and
// in units of their scale.
#pragma once

#include <cmath>
#include <vector>

#include <kith/subhalos.hpp>

#include "groups/rounds.hpp"

namespace kith {

/// Coordinate `column` of member i of a block: d positions, then d velocities.
inline double phase_coordinate(const MemberBlock& block, std::size_t d, std::size_t i,
                               std::size_t column) {
  return column < d ? block.x[i * d + column] : block.v[i * d + column - d];
}

struct PhaseSums {
  std::vector<double> column;

  explicit PhaseSums(const Source& from) : column(2 * from.d) {}
  template <class F, class... S>
  static void for_each_field(F f, S&... s) {
    f(Added(), s.column...);
  }
};

struct NoQuestion {
  template <class F, class... Q>
  static void for_each_field(F, Q&...) {}
};

class PhaseMean : public OneRound<NoQuestion, PhaseSums> {
 public:
  PhaseMean() : OneRound({}) {}

  template <int D>
  static PhaseSums answer(const Source& from, const NoQuestion&, const MemberBlock& block) {
    PhaseSums sums(from);
    for (std::size_t i = 0; i < block.size(); ++i)
      for (std::size_t column = 0; column < 2 * from.d; ++column)
        sums.column[column] += phase_coordinate(block, from.d, i, column);
    return sums;
  }
};

/// The shift of the 2 d columns, and the units by which positions and velocities are divided.
struct PhaseUnits {
  std::vector<double> mean;
  double position = 0, velocity = 0;

  template <class F, class... U>
  static void for_each_field(F f, U&... u) {
    f(Appended(), u.mean...);
    f(Kept(), u.position...);
    f(Kept(), u.velocity...);
  }
};

struct PhaseSquares {
  double position = 0, velocity = 0;

  explicit PhaseSquares(const Source&) {}
  template <class F, class... S>
  static void for_each_field(F f, S&... s) {
    f(Added(), s.position...);
    f(Added(), s.velocity...);
  }
};

/// Squares of positions and velocities about the mean.
class PhaseSpread : public OneRound<PhaseUnits, PhaseSquares> {
 public:
  using OneRound::OneRound;

  template <int D>
  static PhaseSquares answer(const Source& from, const PhaseUnits& units,
                             const MemberBlock& block) {
    PhaseSquares squares(from);
    for (std::size_t column = 0; column < 2 * from.d; ++column) {
      double& sum = column < from.d ? squares.position : squares.velocity;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const double x = phase_coordinate(block, from.d, i, column) - units.mean[column];
        sum += x * x;
      }
    }
    return squares;
  }
};

/// The units of a halo; scales that are 0 are those of its members. One for each part that the team
/// has here.
template <class Team>
std::vector<PhaseUnits> phase_units(Team& team, double position_scale, double velocity_scale) {
  const auto sums = team.run([] { return PhaseMean(); });
  const auto mean = [&] {
    std::vector<double> column = sums->sum().column;
    for (double& x : column) x /= static_cast<double>(team.size());
    return column;
  };
  const auto spread = team.run([&] { return PhaseSpread({mean()}); });
  return team.share([&] {
    const auto scale = [&](double given, double square) {
      return given == 0 ? std::sqrt(square / static_cast<double>(team.size())) : given;
    };
    return PhaseUnits{mean(), scale(position_scale, spread->sum().position),
                      scale(velocity_scale, spread->sum().velocity)};
  });
}

/// Writes the members of all blocks in these units, `stride` numbers from one to the next.
inline void put_phase_rows(const MemberBlocks& blocks, std::size_t d, const PhaseUnits& units,
                           std::size_t stride, double* rows, const Workers& workers) {
  workers.for_each(blocks.count(), [&](std::size_t b) {
    blocks.with_block(b, [&](const MemberBlock& block) {
      for (std::size_t i = 0; i < block.size(); ++i)
        for (std::size_t column = 0; column < 2 * d; ++column) {
          const double by = column < d ? units.position : units.velocity;
          const double x = phase_coordinate(block, d, i, column) - units.mean[column];
          rows[(b * kSumBlock + i) * stride + column] = by > 0 ? x / by : 0;
        }
    });
  });
}

}  // namespace kith
