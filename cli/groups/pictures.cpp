// Pictures of groups.
#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/io/figure.hpp>

#include "groups/groups.hpp"

namespace kith::cli {
namespace {

/// Along each axis, among the points of all ranks.
std::vector<double> lowest_of_all(const Numbers& positions, std::size_t dimension, double sign) {
  std::vector<double> lowest(dimension, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < positions.count(); ++i)
    if (const double x = sign * positions[i]; std::isfinite(x))
      lowest[i % dimension] = std::min(lowest[i % dimension], x);
  least_of_all(lowest);
  for (double& x : lowest) x *= sign;
  return lowest;
}

void copy_view_from_first(PictureOptions& view, std::size_t dimension) {
  std::vector<double> numbers{view.center, view.thickness, view.width};
  view.around.resize(dimension);
  numbers.insert(numbers.end(), view.around.begin(), view.around.end());
  copy_from_first(numbers);
  view.center = numbers[0];
  view.thickness = numbers[1];
  view.width = numbers[2];
  view.around.assign(numbers.begin() + 3, numbers.end());
}

std::vector<std::uint32_t> sum_over_ranks(const std::vector<std::uint32_t>& own) {
  std::vector<std::int64_t> counts;
  std::vector<std::uint32_t> all;
  on_all_ranks([&] {
    counts.assign(own.begin(), own.end());
    all.resize(own.size());
  });
  ranks().sum(counts);
  std::copy(counts.begin(), counts.end(), all.begin());
  return all;
}

/// Of the first linked type, or all.
PointsView first_linked(const GroupTask& task, const Particles& particles) {
  for (const TypedPoints& part : typed_points(task, particles))
    if (part.role == Role::linked) return part.points;
  return particles.points();
}

/// The rows of this rank in the sample of the first linked type.
std::vector<double> own_sample(const GroupTask& task, const Particles& particles) {
  const Input& input = task.input;
  std::uint64_t first = 0;  // of the type, among all points
  for (const int type : input.types()) {
    if (task.roles.is_linked(type)) {
      const std::uint64_t begin = share_of(input.size()).begin;
      return sampled_rows(first_linked(task, particles), begin > first ? begin - first : 0,
                          input.size_of(type));
    }
    first += input.size_of(type);
  }
  return {};
}

PictureOptions picture_view(const GroupTask& task, const ResultAbout& facts,
                            const Catalogue& groups, const std::vector<double>& sample) {
  PictureOptions view = slice_view(facts, groups, task.request.view);
  view.size = task.request.picture_size;
  if (task.request.view.thickness > 0) return view;
  if (groups.count() == 0) {
    crop_to_points(view, sample, facts.dimension);
    return view;
  }
  const auto row = task.request.view.row() * static_cast<std::size_t>(facts.dimension);
  crop_to_points(view, sample,
                 std::span(groups.center).subspan(row, static_cast<std::size_t>(facts.dimension)));
  return view;
}

/// The view that rank 0 chooses from a sample of all points.
PictureOptions agreed_view(const GroupTask& task, const Particles& particles,
                           const ResultAbout& facts, const Catalogue& groups, Session& session) {
  const Input& input = task.input;
  const std::vector<double> own = own_sample(task, particles);
  PictureOptions view{.box = input.box(),
                      .size = task.request.picture_size,
                      .axis = input.dimension() < 3 ? 2 : task.request.view.axis};
  const auto choose = [&](std::span<const ResultRows> all) {
    std::vector<double> sample;
    for_each_value<double>(all[0], [&](double x) { sample.push_back(x); });
    view = picture_view(task, facts, groups, sample);
  };
  const ResultArray rows[] = {result_array("", own.data(), own.size())};
  ranks().collect(rows, choose, session.execution());
  const auto dimension = static_cast<std::size_t>(input.dimension());
  copy_view_from_first(view, dimension);
  view.lowest = lowest_of_all(particles.positions, dimension, 1);
  view.highest = lowest_of_all(particles.positions, dimension, -1);
  return view;
}

/// The circles of the groups of all ranks, on rank 0.
Catalogue circles_of_all(const Found& found, const Catalogue& own, const Execution& execution) {
  Catalogue groups;
  FirstRows circles(found.count);
  circles.add(own.size, own.count(), groups.size);
  circles.add(own.center, own.count(), groups.center);
  circles.add(own.radius, own.count(), groups.radius);
  circles.take(execution);
  return groups;
}

}  // namespace

/// Each rank counts its own particles in the pixels.
void draw_groups(const GroupTask& task, const Particles& particles, const Found& found,
                 const Measured& measured, Session& session) {
  const std::string& path = task.request.picture;
  if (path.empty()) return;
  const Execution& execution = session.execution();
  const ResultAbout facts = facts_of(task, found, ResultKind::fof);
  const Catalogue groups = circles_of_all(found, measured.own.catalogue, execution);
  const PictureOptions view = agreed_view(task, particles, facts, groups, session);
  std::vector<std::uint32_t> counts;
  on_all_ranks([&] { counts = pixel_counts(particles.points(), view, execution); });
  counts = sum_over_ranks(counts);
  const FigureOptions options{
      .view = view,
      .title = groups_title(facts),
      .note = slice_text(view, facts),
      .length_unit = unit_name(task.units(), {.length = 1}),
      .circles = {.center = groups.center, .radius = groups.radius, .legend = "groups"}};
  on_all_ranks([&] {
    if (is_first_rank())
      write_drawing(path, figure(counts, facts.dimension, options, execution), 2, execution);
  });
  session.report().add("picture", path);
  session.say(path);
}

}  // namespace kith::cli
