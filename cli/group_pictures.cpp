// Pictures of groups.
#include <kith/figure.hpp>

#include "groups.hpp"

namespace kith::cli {

void GroupRun::draw() const {
  if (request_.picture.empty()) return;
  PictureOptions view{.box = input_.box(), .size = request_.picture_size};
  if (input_.dimension() > 2 && input_.box().is_periodic(2)) {
    // A tenth of the box: through all of it, filaments lie over each other and fade.
    view.thickness = input_.box().side(2) / 10;
    view.center = input_.box().side(2) / 2;
  }
  const Drawing drawing = figure(
      points(),
      {.view = view,
       .length_unit = unit_name(units(), {.length = 1}),
       .circles = {.center = catalogue_.center, .radius = catalogue_.radius, .legend = "groups"}},
      session_.execution());
  write_drawing(request_.picture, drawing, 2, session_.execution());
  session_.report().add("picture", request_.picture);
  session_.say(request_.picture);
}

}  // namespace kith::cli
