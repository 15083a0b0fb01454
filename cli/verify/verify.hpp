// The checks behind `kith verify`, one file for each family of results. They share no code with
// what they check: searches, groups and catalogues are done once more from their definitions.
#pragma once

#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kith/io/halo_histories.hpp>
#include <kith/io/halo_members.hpp>
#include <kith/io/results.hpp>

#include "input.hpp"

namespace kith::cli {

/// A result that is not what brute force says.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Indices = std::vector<std::size_t>;

/// One verification: what it looks at, and what it has found in order so far.
class Verification {
 public:
  Verification(Session& the_session, const Input& the_input, const ResultFile& the_result,
               std::size_t samples, std::uint64_t seed);

  Session& session;
  const Input& input;
  const ResultFile& result;
  std::mt19937_64 random;

  const ResultAbout& about() const { return result.about(); }
  const Execution& execution() const { return session.execution(); }
  /// How many points to look at, when each takes `cost` distances.
  std::size_t sample_size(double cost) const;
  /// Notes a check that passed, and its arrays; throws Mismatch if there is a complaint.
  void settle(const std::string& what, const std::string& complaint,
              const std::vector<std::string>& arrays = {});
  /// Arrays of the file that nothing has looked at.
  const std::set<std::string>& unchecked() const { return unchecked_; }
  const std::vector<std::string>& checked() const { return checked_; }

 private:
  std::size_t samples_;  ///< 0 = as many as take some seconds
  std::vector<std::string> checked_;
  std::set<std::string> unchecked_;
};

/// Whose members are known: groups, or subhalos inside them.
struct Sets {
  std::string prefix;  ///< of the names of their columns: "" or "subhalo_"
  const char* noun;    ///< "group"
  Indices order;       ///< points, set after set, ascending in each
  Indices offset;      ///< of each set in the order; one more than there are sets

  std::size_t count() const { return offset.size() - 1; }
  std::span<const std::size_t> of(std::size_t set) const {
    return std::span(order).subspan(offset[set], offset[set + 1] - offset[set]);
  }
};

/// The columns of the particles, read once.
struct ParticleData {
  explicit ParticleData(const Verification& v);
  double mass_of(std::size_t i) const { return mass.data ? masses[i] : mass.same; }
  int type_of(std::size_t i) const { return type.empty() ? only_type : type[i]; }

  Numbers positions, velocities, masses;
  ValuesView mass;
  std::vector<std::uint8_t> type;
  int only_type = 0;
};

/// Checks merger trees; returns the names of the checks, throws Mismatch.
std::vector<std::string> verify_trees(const HaloHistories& histories, const Execution& execution);

/// Checks matches; returns the names of the checks, throws Mismatch.
std::vector<std::string> verify_match(const ResultFile& file, const HaloMembers& a,
                                      const HaloMembers& b);
void verify_groups(Verification& verification);
void verify_knn(Verification& verification);
void verify_radius(Verification& verification);
void verify_density(Verification& verification);
void verify_clusters(Verification& verification);

/// All columns that follow from the members of each set.
void verify_columns(Verification& verification, const ParticleData& data, const Sets& sets);
/// Peaks of any kind.
void verify_centers(Verification& verification, ParticleData& data, const Sets& groups);
/// Peaks, and masses and radii within given densities.
void verify_spheres(Verification& verification, ParticleData& data, const Sets& groups);
/// Subhalos: which points they have, and their columns.
void verify_subhalos(Verification& verification, const ParticleData& data, const Sets& groups);

/// Which of them are bound, and what only bound subhalos have. `by_binding`: members as in the
/// order of the file, type after type.
void verify_bound_subhalos(Verification& verification, const ParticleData& data, const Sets& groups,
                           const Sets& subhalos, const Indices& by_binding);

/// The rotation curve of some members, from their squared distances and masses.
class RotationCheck {
 public:
  RotationCheck(std::vector<std::pair<long double, long double>> members, double gravity);
  long double largest() const { return largest_; }
  /// Whether the largest velocity is reached at this radius, and nearly at no smaller one.
  bool is_radius(double radius) const;
  /// Whether half of the mass is within this radius, and less within a smaller one.
  bool is_half_mass_radius(double radius) const;

 private:
  std::vector<std::pair<long double, long double>> inside_;  ///< distance, mass within it
  double gravity_;
  long double largest_ = 0;
};

}  // namespace kith::cli
