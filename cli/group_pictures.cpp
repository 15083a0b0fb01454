// Pictures of groups.
#include <kith/figure.hpp>

#include "groups.hpp"

namespace kith::cli {

void GroupRun::draw() const {
  if (request_.picture.empty()) return;
  const ResultAbout facts = about(ResultKind::fof);
  PictureOptions view = slice_view(facts, catalogue_, request_.view);
  view.size = request_.picture_size;
  if (catalogue_.count() > 0 && !(request_.view.thickness > 0)) {
    const auto row = request_.view.row() * static_cast<std::size_t>(facts.dimension);
    crop_to_points(
        view, linked_points(),
        std::span(catalogue_.center).subspan(row, static_cast<std::size_t>(facts.dimension)));
  }
  const Drawing drawing = figure(
      points(),
      {.view = view,
       .title = groups_title(facts),
       .note = slice_text(view, facts),
       .length_unit = unit_name(units(), {.length = 1}),
       .circles = {.center = catalogue_.center, .radius = catalogue_.radius, .legend = "groups"}},
      session_.execution());
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

}  // namespace kith::cli
