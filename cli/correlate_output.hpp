// What `kith correlate` hands out: a table, JSON, CSV and a figure.
#pragma once

#include <string>
#include <vector>

#include <kith/correlation.hpp>
#include <kith/io/figure.hpp>

#include "command.hpp"

namespace kith::cli {

/// One row for each bin of the first coordinate: its ends, values, errors and pairs.
struct CorrelationTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
CorrelationTable table_of(const Correlation& result);

std::string csv_of(const CorrelationTable& table);

/// To the report all of it, to the terminal as many columns as are readable there.
void report_correlation(Session& session, const Correlation& result, const CorrelationTable& table);

/// Points with error bars; `length_unit` is " [Mpc/h]" or empty. Throws Error (invalid_argument)
/// for xi in two coordinates.
Drawing figure_of(const Correlation& result, const std::string& length_unit);

}  // namespace kith::cli
