#include "correlate_output.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <kith/error.hpp>

namespace kith::cli {
namespace {

/// The most columns that are shown on a terminal; files have all.
constexpr std::size_t kShownColumns = 10;

/// Values per bin of the first coordinate, and where value j of bin i is.
struct Layout {
  explicit Layout(const Correlation& result)
      : first(result.bins.first()),
        values(result.value.size() / first),
        is_multipoles(result.statistic == Statistic::multipoles) {}
  std::size_t operator()(std::size_t i, std::size_t j) const {
    return is_multipoles ? j * first + i : i * values + j;
  }

  std::size_t first, values;
  bool is_multipoles;
};

std::string name_of(const Correlation& result, const Layout& layout, std::size_t j) {
  if (result.statistic == Statistic::wp) return "wp";
  if (layout.is_multipoles) return fmt::format("xi{}", 2 * j);
  return layout.values == 1 ? "xi" : fmt::format("xi_{}", j);
}

/// The sum of weights, or the number of pairs, of a bin of the first coordinate.
template <class Value>
double sum_of(const std::vector<Value>& values, const Correlation& result, std::size_t i) {
  const std::size_t second = values.size() / result.bins.first();
  double sum = 0;
  for (std::size_t j = 0; j < second; ++j) sum += static_cast<double>(values[i * second + j]);
  return sum;
}

/// The mean of the separations in a bin, if it was asked for: over all bins of pi or mu.
double mean_of(const Correlation& result, std::size_t i) {
  const PairHistogram& pairs = result.data_data;
  const std::size_t second = pairs.weight.size() / result.bins.first();
  double sum = 0;
  for (std::size_t j = i * second; j < (i + 1) * second; ++j)
    if (pairs.weight[j] != 0) sum += pairs.weight[j] * pairs.mean_separation[j];
  return sum / sum_of(pairs.weight, result, i);
}

double middle(const Correlation& result, std::size_t i) {
  const double low = result.bins.edges[i], high = result.bins.edges[i + 1];
  return low > 0 ? std::sqrt(low * high) : high / 2;
}

/// Multipoles are shown times s^2, as is usual: they span too many decades otherwise.
Series series_of(const Correlation& result, const Layout& layout, std::size_t j, double least) {
  Series series{.style = SeriesStyle::points};
  if (layout.is_multipoles) series.name = fmt::format("l = {}", 2 * j);
  for (std::size_t i = 0; i < layout.first; ++i) {
    const double x = middle(result, i), times = layout.is_multipoles ? x * x : 1;
    const double value = times * result.value[layout(i, j)];
    if (!std::isfinite(value)) continue;
    series.x.push_back(x);
    series.y.push_back(value);
    if (result.error.empty()) continue;
    const double error = times * result.error[layout(i, j)];
    series.lower.push_back(std::max(value - error, least));
    series.upper.push_back(value + error);
  }
  return series;
}

}  // namespace

CorrelationTable table_of(const Correlation& result) {
  const Layout layout(result);
  const bool has_errors = !result.error.empty(),
             has_means = !result.data_data.mean_separation.empty();
  CorrelationTable table{{"low", "high"}, {}};
  if (has_means) table.names.emplace_back("mean");
  for (std::size_t j = 0; j < layout.values; ++j) {
    table.names.push_back(name_of(result, layout, j));
    if (has_errors) table.names.push_back(table.names.back() + "_error");
  }
  if (result.data_data.is_weighted) table.names.emplace_back("weight");
  table.names.emplace_back("pairs");
  for (std::size_t i = 0; i < layout.first; ++i) {
    std::vector<double> row{result.bins.edges[i], result.bins.edges[i + 1]};
    if (has_means) row.push_back(mean_of(result, i));
    for (std::size_t j = 0; j < layout.values; ++j) {
      row.push_back(result.value[layout(i, j)]);
      if (has_errors) row.push_back(result.error[layout(i, j)]);
    }
    if (result.data_data.is_weighted) row.push_back(sum_of(result.data_data.weight, result, i));
    row.push_back(sum_of(result.data_data.counts, result, i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string csv_of(const CorrelationTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.names, ","));
  for (const auto& row : table.rows) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

void report_correlation(Session& session, const Correlation& result,
                        const CorrelationTable& table) {
  Report columns;
  for (std::size_t j = 0; j < table.names.size(); ++j) {
    std::vector<double> column;
    for (const auto& row : table.rows) column.push_back(row[j]);
    columns.add(table.names[j], column);
  }
  session.report().add("bins", columns);
  if (!result.covariance.empty()) session.report().add("covariance", result.covariance);
  if (table.names.size() > kShownColumns) {
    session.say(fmt::format("{} columns are too many to print; use -o FILE.csv or --json",
                            table.names.size()));
    return;
  }
  Table shown(table.names);
  for (const auto& row : table.rows) {
    std::vector<std::string> words;
    words.reserve(row.size());
    for (const double value : row) words.push_back(fmt::format("{:.6g}", value));
    words.back() = fmt::format("{}", row.back());  // all digits of a number of pairs
    shown.add(std::move(words));
  }
  session.say(shown.text());
}

Drawing figure_of(const Correlation& result, const std::string& length_unit) {
  const Layout layout(result);
  if (layout.values > 1 && !layout.is_multipoles)
    throw Error(ErrorCode::invalid_argument,
                "correlate: --figure cannot show xi in two coordinates; use --multipoles, or -o");
  double least = std::numeric_limits<double>::infinity();
  for (const double value : result.value)
    if (std::isfinite(value)) least = std::min(least, value);
  const bool is_log = least > 0 && std::isfinite(least) && !layout.is_multipoles;
  const bool is_angle = result.bins.separation == Separation::theta;
  const char* across[] = {"r", "r_{p}", "s", "angle [degrees]"};
  const char* up = result.statistic == Statistic::wp ? "w_{p}"
                   : layout.is_multipoles            ? "s^{2} xi_{l}"
                                                     : "xi";
  Plot options{.x = {across[static_cast<int>(result.bins.separation)] +
                         (is_angle ? std::string() : length_unit),
                     true},
               .y = {up, is_log}};
  // An error bar that reaches 0 ends at a tenth of the least value where the axis is logarithmic.
  const double floor = is_log ? least / 10 : -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < layout.values; ++j)
    options.series.push_back(series_of(result, layout, j, floor));
  return plot(options);
}

}  // namespace kith::cli
