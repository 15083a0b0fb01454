// A correlation function in steps: the counts of pairs that it needs, and the estimator.
#pragma once

#include <optional>
#include <vector>

#include <kith/correlation.hpp>

#include "base/shared.hpp"

namespace kith {

class KITH_SHARED CorrelationJob {
 public:
  /// Throws Error for wrong arguments. `randoms` may be null.
  static void check(const PairSet& data, const PairSet* randoms, const CorrelationOptions& options);
  /// Checks, and makes regions where none are given.
  CorrelationJob(const PairSet& data, const PairSet* randoms, const CorrelationOptions& options,
                 const Execution& execution);
  CorrelationJob(const CorrelationJob&) = delete;
  CorrelationJob& operator=(const CorrelationJob&) = delete;

  /// A histogram that is needed, and its place in the result.
  struct Count {
    const PairSet* points;
    const PairSet* others;  ///< null: a set with itself
    PairHistogramOptions options;
    PairHistogram Correlation::*place;
  };
  const std::vector<Count>& counts() const { return counts_; }

  /// Fills the rest of a result that has the histograms.
  void finish(Correlation& result) const;

 private:
  void make_regions(const Execution& execution);
  void plan();
  void finish_with_randoms(Correlation& result) const;

  CorrelationOptions options_;
  std::vector<std::int32_t> region_, random_region_;
  PairSet data_;
  std::optional<PairSet> randoms_;
  PairSet data_alone_, randoms_alone_;  ///< without bits
  std::vector<Count> counts_;
};

}  // namespace kith
