#include <new>

#include <kith/picture.hpp>

#include "base/fail.hpp"
#include "base/float_environment.hpp"
#include "drawing/density_map.hpp"

namespace kith {

Picture picture(PointsView points, const PictureOptions& options, const Execution& execution) try {
  const FloatEnvironment environment;
  Workers workers(execution);
  return io::colored(io::density_map(points, options, workers), workers);
} catch (const std::bad_alloc&) {
  fail(ErrorCode::out_of_memory, "picture: no memory for {} pixels a side; use a smaller size",
       options.size);
}

}  // namespace kith
