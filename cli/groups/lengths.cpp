// `kith fof --all-lengths`: catalogues and counts at many linking lengths from one hierarchy.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/io/figure.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

FofOptions searched_options(const GroupTask& task) {
  return {.box = task.input.box(),
          .min_size = task.request.fof.min_size,
          .non_finite = task.input.non_finite()};
}

void draw_counts(const GroupTask& task, const Found& found, Session& session) {
  constexpr int kSteps = 240;
  const FofOptions options = searched_options(task);
  const auto [least, most] =
      std::minmax_element(task.request.all_lengths.begin(), task.request.all_lengths.end());
  // Around b = 1 most points are in one group.
  const double low = *least / 2, high = std::max(*most * 2, 1.0),
               separation = found.linking_length / found.b;
  Series groups{.name = fmt::format("groups of at least {} / most", options.min_size)};
  Series largest{.name = "largest group / all points", .style = SeriesStyle::dashed};
  std::vector<double> lengths;
  for (int i = 0; i <= kSteps; ++i) {
    groups.x.push_back(low * std::pow(high / low, static_cast<double>(i) / kSteps));
    lengths.push_back(groups.x.back() * separation);
  }
  largest.x = groups.x;
  double peak = 1;
  const std::vector<GroupCount> counts =
      ranks().count_groups(lengths, options, session.execution());
  for (const GroupCount& count : counts) {
    groups.y.push_back(static_cast<double>(count.groups));
    largest.y.push_back(static_cast<double>(count.largest) /
                        static_cast<double>(task.input.size()));
    peak = std::max(peak, groups.y.back());
  }
  for (double& y : groups.y) y /= peak;
  Plot plot{.title = fmt::format("Number of groups by linking length: at most {}",
                                 grouped(static_cast<std::uint64_t>(peak)))};
  plot.x = {.label = "b = linking length / mean separation", .is_log = true};
  plot.y = {.label = "fraction", .low = 0, .high = 1.05};
  plot.series = {std::move(groups), std::move(largest)};
  on_all_ranks([&] {
    if (is_first_rank())
      write_drawing(task.request.picture, kith::plot(plot), 2, session.execution());
  });
  session.report().add("picture", task.request.picture);
  session.say(task.request.picture);
}

/// The task at one of the lengths, with a separate file.
GroupTask task_at(const GroupTask& task, double b) {
  GroupTask one = task;
  one.request.output = task.request.output.empty() ? "" : with_b(task.request.output, b);
  return one;
}

Found find_at(const GroupTask& task, const Particles& particles, double b, Report& report,
              Session& session) {
  FofOptions options;
  on_all_ranks([&] { options = linking_options(task, b, session); });
  Found found{ranks().fof(options, session.on_device())};
  found.b = b;
  found.are_searchable = true;
  report_found(task, particles, found, report, session);
  return found;
}

}  // namespace

std::string with_b(const std::string& path, double b) {
  const std::size_t folder = path.find_last_of('/') + 1;  // 0 if there is none
  const std::size_t dot = path.find('.', folder + 1);
  const std::size_t end = dot == std::string::npos ? path.size() : dot;
  return fmt::format("{}_b{:g}{}", path.substr(0, end), b, path.substr(end));
}

void run_all_lengths(const GroupTask& task, Session& session) {
  if (task.has_types())
    throw Error(ErrorCode::invalid_argument,
                "--all-lengths links one type of particles; choose it with --link-types, and "
                "--attach-types none");
  Particles particles = read_positions(task, session);
  take_points(task.input, particles.positions, session);
  ranks().expect_lengths(session.execution());
  read_fields(task, particles, session);
  std::vector<Report> reports;
  Found found;
  for (const double b : task.request.all_lengths) {
    const GroupTask one = task_at(task, b);
    Report& report = reports.emplace_back();
    found = find_at(one, particles, b, report, session);
    const Measured measured = measure_groups(one, particles, found, session);
    report_written(write_groups(one, found, measured, {}, session), report, session);
  }
  session.report().add("lengths", reports);
  if (!task.request.picture.empty()) draw_counts(task, found, session);
  session.finish();
}

}  // namespace kith::cli
