// The checks behind `kith verify`, one file for each family of results.
#pragma once

#include <random>
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

/// One verification: what it looks at, and what it has found in order so far.
class Verification {
 public:
  Verification(Session& the_session, const Input& the_input, const ResultFile& the_result,
               std::size_t samples, std::uint64_t seed)
      : session(the_session),
        input(the_input),
        result(the_result),
        random(seed),
        samples_(samples) {}

  Session& session;
  const Input& input;
  const ResultFile& result;
  std::mt19937_64 random;

  const ResultAbout& about() const { return result.about(); }
  /// How many points to look at, when each takes `cost` distances.
  std::size_t sample_size(double cost) const;
  /// Notes what was checked and found in order; throws Mismatch if there is a complaint.
  void settle(const std::string& what, const std::string& complaint);
  const std::vector<std::string>& checked() const { return checked_; }

 private:
  std::size_t samples_;  ///< 0 = as many as take some seconds
  std::vector<std::string> checked_;
};

void verify_groups(Verification& verification);
void verify_knn(Verification& verification);
void verify_radius(Verification& verification);
void verify_density(Verification& verification);

}  // namespace kith::cli
