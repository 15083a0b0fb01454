// A histogram of pairs in steps, so that ranks can share its work.
#pragma once

#include <memory>
#include <vector>

#include <kith/correlation.hpp>

#include "base/shared.hpp"
#include "pairs/run.hpp"

namespace kith {

/// The trees and columns of a count. Its passes over the pairs follow one after the other: with
/// weights, the numbers of pairs take a second one.
class KITH_SHARED HistogramCount {
 public:
  virtual ~HistogramCount() = default;

  virtual std::size_t passes() const = 0;
  virtual TaskParts run(std::size_t pass, const PairShare& share, Workers& workers) = 0;
  virtual PairTotals no_pairs(std::size_t pass) const = 0;
  virtual PairHistogram result(std::vector<PairTotals> of_passes) const = 0;
};

/// The sets and the table must outlive the count. `others`: null for a set with itself.
KITH_SHARED std::unique_ptr<HistogramCount> make_histogram_count(
    const PairSet& points, const PairSet* others, const PairHistogramOptions& options,
    const Execution& execution, Workers& workers);

}  // namespace kith
