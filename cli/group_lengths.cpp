// `kith fof --all-lengths`: catalogues and counts at many linking lengths from one hierarchy.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/figure.hpp>

#include "groups.hpp"
#include "shared_input.hpp"

namespace kith::cli {

std::string with_b(const std::string& path, double b) {
  const std::size_t folder = path.find_last_of('/') + 1;  // 0 if there is none
  const std::size_t dot = path.find('.', folder + 1);
  const std::size_t end = dot == std::string::npos ? path.size() : dot;
  return fmt::format("{}_b{:g}{}", path.substr(0, end), b, path.substr(end));
}

void GroupRun::find_all_lengths() {
  if (input_.types().size() > 1)
    throw Error(ErrorCode::invalid_argument,
                "--all-lengths links one type of particles; choose it with --link-types, and "
                "--attach-types none");
  together([&] { positions_ = input_.positions(session_.execution()); });
  if (ranks())
    share_points(input_, positions_, session_.execution());
  else
    hierarchy_ = hierarchy(tree(), {}, session_.execution());
}

void GroupRun::take_length(double b) {
  FofOptions options = request_.fof;
  options.b = b;
  together([&] { choose_separation(options); });
  length_reports_.emplace_back();
  if (ranks()) {
    options.box = input_.box();
    options.non_finite = input_.non_finite();
    found_ = ranks()->fof(options, session_.on_device());
    tell_found(b);
  } else {
    take(hierarchy_->groups(options, session_.execution()), b);
  }
  output_ = request_.output.empty() ? "" : with_b(request_.output, b);
}

Report& GroupRun::report_of_groups() {
  return request_.all_lengths.empty() ? session_.report() : length_reports_.back();
}

/// As Hierarchy::count, which ranks do not have: they link the particles once for each length, and
/// twice where no group is large enough to count.
std::vector<GroupCount> GroupRun::counts_together(const std::vector<double>& lengths) const {
  const auto found = [&](double length, std::size_t min_size) {
    return ranks()->fof({.box = input_.box(),
                         .linking_length = length,
                         .min_size = min_size,
                         .non_finite = input_.non_finite()},
                        session_.execution());
  };
  std::vector<GroupCount> counts;
  for (const double length : lengths) {
    const SharedGroups groups = found(length, request_.fof.min_size);
    const std::uint64_t largest = groups.count > 0 ? groups.largest : found(length, 1).largest;
    together([&] { counts.push_back({.groups = groups.count, .largest = largest}); });
  }
  return counts;
}

void GroupRun::draw_all_lengths() const {
  constexpr int kSteps = 240;
  const auto [least, most] =
      std::minmax_element(request_.all_lengths.begin(), request_.all_lengths.end());
  // Around b = 1 most points are in one group.
  const double low = *least / 2, high = std::max(*most * 2, 1.0),
               separation = found_.linking_length / b_;
  Series groups{.name = fmt::format("groups of at least {} / most", request_.fof.min_size)};
  Series largest{.name = "largest group / all points", .style = SeriesStyle::dashed};
  std::vector<double> lengths;
  for (int i = 0; i <= kSteps; ++i) {
    groups.x.push_back(low * std::pow(high / low, static_cast<double>(i) / kSteps));
    lengths.push_back(groups.x.back() * separation);
  }
  largest.x = groups.x;
  double peak = 1;
  const std::vector<GroupCount> counts =
      ranks() ? counts_together(lengths) : hierarchy_->count(lengths, request_.fof.min_size);
  for (const GroupCount& count : counts) {
    groups.y.push_back(static_cast<double>(count.groups));
    largest.y.push_back(static_cast<double>(count.largest) / static_cast<double>(input_.size()));
    peak = std::max(peak, groups.y.back());
  }
  for (double& y : groups.y) y /= peak;
  Plot plot{.title = fmt::format("Number of groups by linking length: at most {}",
                                 grouped(static_cast<std::uint64_t>(peak)))};
  plot.x = {.label = "b = linking length / mean separation", .is_log = true};
  plot.y = {.label = "fraction", .low = 0, .high = 1.05};
  plot.series = {std::move(groups), std::move(largest)};
  together([&] {
    if (is_first_rank()) write_drawing(request_.picture, kith::plot(plot), 2, session_.execution());
  });
  session_.report().add("picture", request_.picture);
  session_.say(request_.picture);
}

void GroupRun::report_all_lengths() const { session_.report().add("lengths", length_reports_); }

}  // namespace kith::cli
