// `kith correlate POINTS [RANDOMS]`: correlation functions, with jackknife errors.
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include <kith/correlation.hpp>
#include <kith/detail/temporary_files.hpp>
#include <kith/error.hpp>

#include "correlate_output.hpp"
#include "neighbors.hpp"
#include "stored.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith correlate snapshot.hdf5 --xi --log-bins 0.1,20,14 --regions 64 --figure xi.svg
  kith correlate galaxies.hdf5 --wp --bins bins.txt --pi-max 40 --box 420 -o wp.csv
  kith correlate data.csv randoms.csv --sky redshift --multipoles --linear-bins 20,150,26
  kith correlate data.npy randoms.npy --sky angles --theta --log-bins 0.1,10,12

Without randoms the box must be periodic, and the expected number of pairs follows from the volumes of the bins.
--bins takes a file with the lower and the upper end of one bin on each line.)";

struct Request {
  Common common;
  InputOptions input;
  std::string randoms;
  bool is_xi = false, is_wp = false, is_smu = false, is_multipoles = false, is_theta = false;
  std::string bins, log_bins, linear_bins;  ///< the latter as LOW,HIGH,NUMBER
  std::string line_of_sight = "z";
  std::string estimator = "landy-szalay";
  std::string sky;  ///< empty: positions; else the column after right ascension and declination
  double omega_m = 0.31;
  bool is_weighted = false;
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
      refuse(fmt::format("correlate: {}: a bin begins at {}, but the bin before it ends at {}",
                         path, low, edges.back()));
    edges.push_back(high);
  }
  if (!file.eof() || edges.empty())
    refuse(
        fmt::format("correlate: {} is not a list of bins; each line must have two numbers", path));
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
    refuse(fmt::format("correlate: bins '{}'; give LOW,HIGH,NUMBER", text));
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
  if (!request.sky.empty()) options.bins.line_of_sight = LineOfSight::midpoint;
  options.estimator = request.estimator == "natural" ? Estimator::natural : Estimator::landy_szalay;
  return options;
}

/// Positions from the columns of a file on the sky: right ascension and declination in degrees,
/// then nothing ("angles"), a distance, or a redshift.
std::vector<double> from_sky(const Numbers& columns, int dimension, const Request& request) {
  const std::size_t needed = request.sky == "angles" ? 2 : 3;
  const auto width = static_cast<std::size_t>(dimension);
  if (width < needed)
    refuse(fmt::format("correlate: --sky {} needs {} columns; the file has {}", request.sky, needed,
                       width));
  std::vector<double> ra, dec, distance;
  for (std::size_t i = 0; i < columns.count(); i += width) {
    ra.push_back(columns[i]);
    dec.push_back(columns[i + 1]);
    if (needed == 3) distance.push_back(columns[i + 2]);
  }
  if (request.sky == "redshift") distance = comoving_distance(distance, request.omega_m);
  return sky_positions(ra, dec, distance);
}

/// A file, its positions and weights.
class Points {
 public:
  Points(const Request& request, const std::string& path) : request_(request), input(with(path)) {}

  void read(const Execution& execution) {
    positions_ = input.positions(execution);
    if (!request_.sky.empty()) sky_ = from_sky(positions_, input.dimension(), request_);
    if (!request_.is_weighted) return;
    if (!input.has(Field::mass)) refuse("correlate: --weights, but the file has no masses");
    const Numbers masses = input.masses(execution);
    weight_.assign(set().points.size, input.mass_values(masses).same);
    for (std::size_t i = 0; i < masses.count(); ++i) weight_[i] = masses[i];
  }
  PairSet set() const {
    const PointsView rows = request_.sky.empty() ? positions_.rows(input.dimension())
                                                 : view(sky_.data(), sky_.size() / 3, 3);
    return {.points = rows, .weight = weight_};
  }

 private:
  InputOptions with(const std::string& path) const {
    InputOptions options = request_.input;
    options.path = path;
    return options;
  }

  const Request& request_;

 public:
  Input input;

 private:
  Numbers positions_;
  std::vector<double> sky_, weight_;
};

void check_outputs(const Request& request, const Input& input) {
  for (const std::string& path : {request.output, request.figure})
    if (!path.empty()) input.check_output(path);
  if (!request.figure.empty()) check_drawing_path(request.figure);
  if (!request.output.empty() && request.output != "-" && !ends_with(request.output, ".csv"))
    refuse(fmt::format("correlate: {} does not end in .csv", request.output));
}

Correlation compute_stored(const Request& request, const CorrelationOptions& options,
                           const Input& input, Session& session) {
  if (!request.randoms.empty()) refuse_disk("a file with random points needs");
  if (!request.sky.empty()) refuse_disk("--sky needs");
  if (request.is_weighted) refuse_disk("--weights needs");
  if (options.regions > 0) refuse_disk("--regions needs");
  if (options.mean_separation) refuse_disk("--mean-separation needs");
  say_disk(tree_bytes(input), session);
  Correlation result =
      correlation(InputPoints(input), options, disk_options(session), session.execution());
  const Statistics& used = session.statistics();
  report_disk({used.count("slabs"), used.count("bytes written to scratch"),
               used.count("bytes read from scratch")},
              session);
  return result;
}

/// All ranks get the result, each from its share of the points; then each holds all of them.
Correlation compute(const Request& request, Points& data, std::optional<Points>& randoms,
                    Session& session) {
  CorrelationOptions options;
  bool is_stored = false;
  on_all_ranks([&] {
    options = options_of(request, data.input.box());
    session.say(data.input.describe());
    const double bytes = ranks().size() * tree_bytes(data.input);
    is_stored = goes_to_disk(bytes, session);
    if (is_stored) return;
    session.check_memory(bytes);
    data.read(session.execution());
    if (request.randoms.empty()) return;
    randoms.emplace(request, request.randoms);
    session.say(randoms->input.describe());
    session.check_memory(bytes + ranks().size() * tree_bytes(randoms->input));
    randoms->read(session.execution());
  });
  if (is_stored) return compute_stored(request, options, data.input, session);
  const PairSet set = data.set(), others = randoms ? randoms->set() : PairSet();
  return ranks().correlation(set, randoms ? &others : nullptr, options, session.execution());
}

void write(const Request& request, const Correlation& result, const CorrelationTable& table,
           const std::string& length_unit, Session& session) {
  if (!request.output.empty()) {
    write_file(request.output, csv_of(table));
    session.report().add("output", request.output);
    session.say_written(request.output);
  }
  if (!request.figure.empty()) {
    write_drawing(request.figure, figure_of(result, length_unit), 2, session.execution());
    session.report().add("figure", request.figure);
    session.say(request.figure);
  }
}

void run(const Request& request) {
  if (!share_work()) return;
  Session session(request.common, request.output);
  std::optional<Points> data, randoms;
  on_all_ranks([&] {
    data.emplace(request, request.input.path);
    check_outputs(request, data->input);
    data->input.report(session.report());
  });
  const Correlation result = compute(request, *data, randoms, session);
  session.report().add_count("regions", request.options.regions);
  const CorrelationTable table = table_of(result);
  report_correlation(session, result, table);
  const std::string unit = unit_note(data->input.info().units, {.length = 1});
  on_all_ranks([&] {
    if (is_first_rank())
      write(request, result, table, request.sky.empty() ? unit : " [Mpc/h]", session);
  });
  session.finish();
}

void add_bins(Command command, Request& request) {
  command.add_option("--bins", request.bins, "file with the bins, in Corrfunc's format");
  command.add_option("--log-bins", request.log_bins,
                     "LOW,HIGH,NUMBER: bins of equal width in the logarithm");
  command.add_option("--linear-bins", request.linear_bins, "LOW,HIGH,NUMBER: bins of equal width");
  PairBinning& bins = request.options.bins;
  command.add_option("--pi-max", bins.pi_max, "largest separation along the line of sight")
      .shows_default();
  command.add_option("--pi-bins", bins.pi_bins, "number of bins along the line of sight")
      .shows_default();
  command.add_option("--mu-bins", bins.mu_bins, "number of bins of mu from 0 to 1").shows_default();
  command.add_option("--line-of-sight", request.line_of_sight, "line of sight: x, y, z or midpoint")
      .shows_default()
      .one_of({"x", "y", "z", "midpoint"});
}

}  // namespace

void add_correlate(Command program) {
  Command command = program.add_subcommand("correlate", "computes correlation functions");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_input(command, request->input);
  command.add_option("randoms", request->randoms, "file with random points in the same volume");
  add_types(command, request->input);
  command.add_flag("--xi", request->is_xi, "xi(r)");
  command.add_flag("--wp", request->is_wp, "wp(rp): projected along the line of sight");
  command.add_flag("--smu", request->is_smu, "xi(s, mu)");
  command.add_flag("--multipoles", request->is_multipoles, "multipoles l = 0, 2, 4 of xi(s, mu)");
  command.add_flag("--theta", request->is_theta, "w(theta) of unit vectors, in degrees");
  add_bins(command, *request);
  command
      .add_option("--regions", request->options.regions,
                  "number of jackknife regions; 0: no errors")
      .shows_default();
  command.add_option("--estimator", request->estimator, "estimator: landy-szalay or natural")
      .shows_default()
      .one_of({"landy-szalay", "natural"});
  command.add_flag("--weights", request->is_weighted,
                   "weight each pair by the product of the masses");
  command.add_flag("--mean-separation", request->options.mean_separation,
                   "also compute the mean separation of the pairs in each bin");
  command
      .add_option(
          "--sky", request->sky,
          "columns are right ascension and declination in degrees, and a distance or redshift")
      .one_of({"angles", "distance", "redshift"});
  command
      .add_option("--omega-m", request->omega_m,
                  "matter density Omega_m, to turn redshifts into distances")
      .shows_default();
  command.add_option("-o,--output", request->output, "table: .csv; -: standard output");
  command.add_option("--figure", request->figure, "figure with error bars: .svg, .pdf or .png");
  add_disk(command, request->common);
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli
