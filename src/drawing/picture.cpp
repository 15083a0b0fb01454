#include <kith/io/picture.hpp>

#include "drawing/density_map.hpp"
#include "parallel/public_call.hpp"

namespace kith {

std::vector<std::uint32_t> pixel_counts(PointsView points, const PictureOptions& options,
                                        const Execution& execution) {
  return public_call("pixel_counts", execution,
                     [&](Workers& workers) { return io::counts_of(points, options, workers); });
}

Picture picture(PointsView points, const PictureOptions& options, const Execution& execution) {
  return public_call("picture", execution, [&](Workers& workers) {
    return io::colored(io::density_map(points, options, workers), workers);
  });
}

}  // namespace kith
