// The checks behind `kith verify`, one file for each family of results. They share no code with
// what they check: searches, groups and catalogues are done once more from their definitions.
#pragma once

#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <kith/results.hpp>

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
  /// Notes what was checked and found in order, in which arrays; throws Mismatch if there is a
  /// complaint.
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

/// What the particles have, read once.
struct ParticleData {
  explicit ParticleData(const Verification& v);
  double mass_of(std::size_t i) const { return mass.data ? masses[i] : mass.same; }
  int type_of(std::size_t i) const { return type.empty() ? only_type : type[i]; }

  Numbers positions, velocities, masses;
  ValuesView mass;
  std::vector<std::uint8_t> type;
  int only_type = 0;
};

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

}  // namespace kith::cli
