// Pictures of groups.
#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/figure.hpp>

#include "groups.hpp"
#include "shared_input.hpp"

namespace kith::cli {
namespace {

/// Along each axis, among the points of all ranks.
std::vector<double> lowest_of_all(const Numbers& positions, std::size_t dimension, double sign) {
  std::vector<double> lowest(dimension, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < positions.count(); ++i)
    if (const double x = sign * positions[i]; std::isfinite(x))
      lowest[i % dimension] = std::min(lowest[i % dimension], x);
  ranks()->least(lowest);
  for (double& x : lowest) x *= sign;
  return lowest;
}

/// What rank 0 decided.
void take_from_first(PictureOptions& view, std::size_t dimension) {
  std::vector<double> numbers{view.center, view.thickness, view.width};
  view.around.resize(dimension);
  numbers.insert(numbers.end(), view.around.begin(), view.around.end());
  ranks()->take_first(numbers);
  view.center = numbers[0];
  view.thickness = numbers[1];
  view.width = numbers[2];
  view.around.assign(numbers.begin() + 3, numbers.end());
}

std::vector<std::uint32_t> sum_over_ranks(const std::vector<std::uint32_t>& own) {
  std::vector<std::int64_t> counts;
  std::vector<std::uint32_t> all;
  together([&] {
    counts.assign(own.begin(), own.end());
    all.resize(own.size());
  });
  ranks()->sum(counts);
  std::copy(counts.begin(), counts.end(), all.begin());
  return all;
}

}  // namespace

void GroupRun::draw() const {
  if (request_.picture.empty()) return;
  if (ranks()) return draw_together();
  const PointsView linked = linked_points();
  const PictureOptions view = picture_view(rows_.catalogue, sampled_rows(linked, 0, linked.size));
  write_picture(figure(points(), figure_options(rows_.catalogue, view), session_.execution()));
}

/// Each rank counts its own particles in the pixels; rank 0 gets the circles of all groups.
void GroupRun::draw_together() const {
  const auto dimension = static_cast<std::size_t>(input_.dimension());
  const std::vector<double> own = own_sample();
  Catalogue groups;
  FirstRows circles(found_.count);
  circles.add(rows_.catalogue.size, rows_.catalogue.count(), groups.size);
  circles.add(rows_.catalogue.center, rows_.catalogue.count(), groups.center);
  circles.add(rows_.catalogue.radius, rows_.catalogue.count(), groups.radius);
  circles.take(session_.execution());
  const SharedRows rows[] = {{own.data(), own.size(), sizeof(double)}};
  PictureOptions view;
  std::uint64_t count = sum_of_all(own.size());
  const auto choose = [&](std::span<const RowAccess> access) {
    std::vector<double> sample;
    for_all_rows<double>(access[0].read, count, [&](double x) { sample.push_back(x); });
    view = picture_view(groups, sample);
  };
  ranks()->collect(rows, choose, session_.execution());
  if (!is_first_rank())
    view = {.box = input_.box(),
            .size = request_.picture_size,
            .axis = input_.dimension() < 3 ? 2 : request_.view.axis};
  take_from_first(view, dimension);
  view.lowest = lowest_of_all(positions_, dimension, 1);
  view.highest = lowest_of_all(positions_, dimension, -1);
  std::vector<std::uint32_t> counts;
  together([&] { counts = pixel_counts(points(), view, session_.execution()); });
  counts = sum_over_ranks(counts);
  together([&] {
    if (is_first_rank())
      write_picture(
          figure(counts, input_.dimension(), figure_options(groups, view), session_.execution()));
  });
}

PictureOptions GroupRun::picture_view(const Catalogue& groups,
                                      const std::vector<double>& sample) const {
  const ResultAbout facts = about(ResultKind::fof);
  PictureOptions view = slice_view(facts, groups, request_.view);
  view.size = request_.picture_size;
  if (request_.view.thickness > 0) return view;
  if (groups.count() == 0) {
    crop_to_points(view, sample, facts.dimension);
    return view;
  }
  const auto row = request_.view.row() * static_cast<std::size_t>(facts.dimension);
  crop_to_points(view, sample,
                 std::span(groups.center).subspan(row, static_cast<std::size_t>(facts.dimension)));
  return view;
}

FigureOptions GroupRun::figure_options(const Catalogue& groups, const PictureOptions& view) const {
  const ResultAbout facts = about(ResultKind::fof);
  return {.view = view,
          .title = groups_title(facts),
          .note = slice_text(view, facts),
          .length_unit = unit_name(units(), {.length = 1}),
          .circles = {.center = groups.center, .radius = groups.radius, .legend = "groups"}};
}

void GroupRun::write_picture(const Drawing& drawing) const {
  write_drawing(request_.picture, drawing, 2, session_.execution());
  session_.report().add("picture", request_.picture);
  session_.say(request_.picture);
}

/// Of the first linked type, or all.
PointsView GroupRun::linked_points() const {
  for (const TypedPoints& part : typed())
    if (part.role == Role::linked) return part.points;
  return points();
}

/// Those of this rank in the sample of the first linked type.
std::vector<double> GroupRun::own_sample() const {
  std::uint64_t first = 0;  // of the type, among all points
  for (const int type : input_.types()) {
    if (is_linked(type)) {
      const std::uint64_t begin = share_of(input_.size()).begin;
      return sampled_rows(linked_points(), begin > first ? begin - first : 0, input_.size_of(type));
    }
    first += input_.size_of(type);
  }
  return {};
}

}  // namespace kith::cli
