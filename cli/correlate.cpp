// `kith correlate POINTS [RANDOMS]`: correlation functions, with jackknife errors.
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>

#include <kith/correlation.hpp>
#include <kith/error.hpp>
#include <kith/figure.hpp>
#include <kith/page.hpp>

#include "input.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith correlate snapshot.hdf5 --xi --log-bins 0.1,20,14 --regions 64 --figure xi.svg
  kith correlate galaxies.hdf5 --wp --bins bins.txt --pi-max 40 --box 420 -o wp.csv
  kith correlate data.npy randoms.npy --multipoles --linear-bins 20,150,26 --line-of-sight midpoint
  kith correlate data.npy randoms.npy --theta --log-bins 0.1,10,12

Without randoms the box must be periodic, and the pairs expected follow from the volumes of the bins.
--bins takes a file with the lower and the upper end of one bin on each line.)";

struct Request {
  Common common;
  InputOptions input;
  std::string randoms;
  bool is_xi = false, is_wp = false, is_smu = false, is_multipoles = false, is_theta = false;
  std::string bins, log_bins, linear_bins;  ///< the latter as LOW,HIGH,NUMBER
  std::string line_of_sight = "z";
  std::string estimator = "landy-szalay";
  CorrelationOptions options;
  std::string output, figure;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::invalid_argument, sentence);
}

/// A line for each bin: where it begins and ends.
std::vector<double> edges_from(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> edges;
  double low = 0, high = 0;
  while (file >> low >> high) {
    if (edges.empty()) edges.push_back(low);
    if (low != edges.back())
      refuse(
          fmt::format("correlate: {} has a bin that begins at {}, not at {} where the one before "
                      "ends",
                      path, low, edges.back()));
    edges.push_back(high);
  }
  if (!file.eof() || edges.empty())
    refuse(fmt::format("correlate: {} is no list of bins; each line has two numbers", path));
  return edges;
}

struct Range {
  double low = 0, high = 0;
  std::size_t count = 0;
};

/// "LOW,HIGH,NUMBER".
Range range_from(const std::string& text) {
  Range range;
  char comma = 0, other = 0;
  std::istringstream words(text);
  words >> range.low >> comma >> range.high >> other >> range.count;
  if (!words || comma != ',' || other != ',' ||
      words.peek() != std::istringstream::traits_type::eof())
    refuse(fmt::format("correlate: bins '{}'; they are given as LOW,HIGH,NUMBER", text));
  return range;
}

std::vector<double> edges_of(const Request& request) {
  if (!request.bins.empty()) return edges_from(request.bins);
  if (!request.log_bins.empty()) {
    const Range range = range_from(request.log_bins);
    return log_edges(range.low, range.high, range.count);
  }
  if (request.linear_bins.empty())
    refuse("correlate: no bins; give --bins, --log-bins or --linear-bins");
  const Range range = range_from(request.linear_bins);
  return linear_edges(range.low, range.high, range.count);
}

CorrelationOptions options_of(const Request& request, const Box& box) {
  if (request.is_xi + request.is_wp + request.is_smu + request.is_multipoles + request.is_theta !=
      1)
    refuse("correlate: ask for one of --xi, --wp, --smu, --multipoles, --theta");
  CorrelationOptions options = request.options;
  options.box = box;
  options.bins.edges = edges_of(request);
  if (request.is_wp) options.bins.separation = Separation::rp_pi;
  if (request.is_smu || request.is_multipoles) options.bins.separation = Separation::s_mu;
  if (request.is_theta) options.bins.separation = Separation::theta;
  if (request.is_wp) options.statistic = Statistic::wp;
  if (request.is_multipoles) options.statistic = Statistic::multipoles;
  const std::string& sight = request.line_of_sight;
  options.bins.line_of_sight = sight == "x"   ? LineOfSight::x
                               : sight == "y" ? LineOfSight::y
                               : sight == "z" ? LineOfSight::z
                                              : LineOfSight::midpoint;
  options.estimator = request.estimator == "natural" ? Estimator::natural : Estimator::landy_szalay;
  return options;
}

/// A file and its positions.
struct Points {
  explicit Points(const InputOptions& options) : input(options) {}
  void read(const Execution& execution) { positions = input.positions(execution); }
  PairSet set() const { return {positions.rows(input.dimension())}; }

  Input input;
  Numbers positions;
};

/// One row of the table for each bin: its ends, values and errors.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

Columns columns_of(const Correlation& result) {
  const std::size_t first = result.bins.first();
  const std::size_t values = result.value.size() / first;
  const bool is_multipoles = result.statistic == Statistic::multipoles;
  Columns columns{{"low", "high"}, {}};
  for (std::size_t j = 0; j < values; ++j) {
    std::string name = result.statistic == Statistic::wp ? "wp" : "xi";
    if (is_multipoles)
      name += std::to_string(2 * j);
    else if (values > 1)
      name += "_" + std::to_string(j);
    columns.names.push_back(name);
    if (!result.error.empty()) columns.names.push_back(name + "_error");
  }
  columns.names.emplace_back("pairs");
  const std::size_t second = result.data_data.weight.size() / first;
  for (std::size_t i = 0; i < first; ++i) {
    std::vector<double> row{result.bins.edges[i], result.bins.edges[i + 1]};
    for (std::size_t j = 0; j < values; ++j) {
      const std::size_t at = is_multipoles ? j * first + i : i * values + j;
      row.push_back(result.value[at]);
      if (!result.error.empty()) row.push_back(result.error[at]);
    }
    double pairs = 0;
    for (std::size_t j = 0; j < second; ++j) pairs += result.data_data.weight[i * second + j];
    row.push_back(pairs);
    columns.rows.push_back(std::move(row));
  }
  return columns;
}

std::string csv_of(const Columns& columns) {
  std::string text;
  for (std::size_t j = 0; j < columns.names.size(); ++j)
    text += (j == 0 ? "" : ",") + columns.names[j];
  text += "\n";
  for (const auto& row : columns.rows) {
    for (std::size_t j = 0; j < row.size(); ++j)
      text += fmt::format("{}{}", j == 0 ? "" : ",", row[j]);
    text += "\n";
  }
  return text;
}

/// At most so many columns are shown on a terminal; files have all.
constexpr std::size_t kShownColumns = 10;

void tell(Session& session, const Columns& columns) {
  Report table;
  for (std::size_t j = 0; j < columns.names.size(); ++j) {
    std::vector<double> column;
    for (const auto& row : columns.rows) column.push_back(row[j]);
    table.add(columns.names[j], column);
  }
  session.report().add("bins", table);
  if (columns.names.size() > kShownColumns) return;
  Table shown(columns.names);
  for (const auto& row : columns.rows) {
    std::vector<std::string> words;
    for (const double value : row) words.push_back(fmt::format("{:.6g}", value));
    shown.add(std::move(words));
  }
  session.say(shown.text());
}

void draw(const Correlation& result, const std::string& path, const Execution& execution) {
  const std::size_t first = result.bins.first();
  const bool is_multipoles = result.statistic == Statistic::multipoles;
  if (result.value.size() != first && !is_multipoles)
    refuse("correlate: a figure of xi in two coordinates; ask for --multipoles, or for -o");
  const char* across[] = {"r", "r_{p}", "s", "angle [degrees]"};
  Plot plot_of{.x = {across[static_cast<int>(result.bins.separation)], true},
               .y = {result.statistic == Statistic::wp ? "w_{p}" : "\u03be", !is_multipoles}};
  for (std::size_t j = 0; j < result.value.size() / first; ++j) {
    Series series{.style = SeriesStyle::points};
    if (is_multipoles) series.name = fmt::format("l = {}", 2 * j);
    for (std::size_t i = 0; i < first; ++i) {
      const double low = result.bins.edges[i], high = result.bins.edges[i + 1];
      const std::size_t at = j * first + i;
      series.x.push_back(low > 0 ? std::sqrt(low * high) : high / 2);
      series.y.push_back(result.value[at]);
      if (result.error.empty()) continue;
      series.lower.push_back(result.value[at] - result.error[at]);
      series.upper.push_back(result.value[at] + result.error[at]);
    }
    plot_of.series.push_back(std::move(series));
  }
  write_drawing(path, plot(plot_of), 2, execution);
}

void run(const Request& request) {
  Session session(request.common);
  Points data(request.input);
  const CorrelationOptions options = options_of(request, data.input.box());
  for (const std::string& path : {request.output, request.figure})
    if (!path.empty()) data.input.check_output(path);
  if (!request.figure.empty()) check_drawing_path(request.figure);
  if (!request.output.empty() && !ends_with(request.output, ".csv"))
    refuse(fmt::format("correlate: {} does not end in .csv", request.output));
  session.say(data.input.describe());
  data.input.report(session.report());
  data.read(session.execution());
  Correlation result;
  if (request.randoms.empty()) {
    result = correlation(data.set(), options, session.execution());
  } else {
    InputOptions other = request.input;
    other.path = request.randoms;
    Points randoms(other);
    session.say(randoms.input.describe());
    randoms.read(session.execution());
    result = correlation(data.set(), randoms.set(), options, session.execution());
  }
  const Columns columns = columns_of(result);
  session.report().add_count("regions", options.regions);
  tell(session, columns);
  if (!request.output.empty()) {
    write_page(request.output, csv_of(columns));
    session.report().add("output", request.output);
    session.say(request.output);
  }
  if (!request.figure.empty()) {
    draw(result, request.figure, session.execution());
    session.report().add("figure", request.figure);
    session.say(request.figure);
  }
  session.finish();
}

void add_bins(Command command, Request& request) {
  command.add_option("--bins", request.bins, "file of bins, as Corrfunc reads them");
  command.add_option("--log-bins", request.log_bins, "LOW,HIGH,NUMBER: equal in the logarithm");
  command.add_option("--linear-bins", request.linear_bins, "LOW,HIGH,NUMBER: of equal width");
  PairBinning& bins = request.options.bins;
  command.add_option("--pi-max", bins.pi_max, "end of the bins along the line of sight")
      .shows_default();
  command.add_option("--pi-bins", bins.pi_bins, "number of them").shows_default();
  command.add_option("--mu-bins", bins.mu_bins, "bins of mu from 0 to 1").shows_default();
  command.add_option("--line-of-sight", request.line_of_sight, "x, y, z or midpoint")
      .shows_default()
      .one_of({"x", "y", "z", "midpoint"});
}

}  // namespace

void add_correlate(Command program) {
  Command command = program.add_subcommand("correlate", "computes correlation functions");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_input(command, request->input);
  command.add_option("randoms", request->randoms, "file with random points in the same space");
  add_types(command, request->input);
  command.add_flag("--xi", request->is_xi, "xi(r)");
  command.add_flag("--wp", request->is_wp, "wp(rp): projected along the line of sight");
  command.add_flag("--smu", request->is_smu, "xi(s, mu)");
  command.add_flag("--multipoles", request->is_multipoles, "l = 0, 2, 4 of xi(s, mu)");
  command.add_flag("--theta", request->is_theta, "w(theta) of unit vectors, in degrees");
  add_bins(command, *request);
  command.add_option("--regions", request->options.regions, "jackknife regions; 0 = no errors")
      .shows_default();
  command.add_option("--estimator", request->estimator, "landy-szalay or natural")
      .shows_default()
      .one_of({"landy-szalay", "natural"});
  command.add_option("-o,--output", request->output, "table: .csv");
  command.add_option("--figure", request->figure, "figure with error bars: .svg or .png");
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
