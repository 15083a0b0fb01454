// Checks of the arguments of subhalos, for one process and for ranks.
#pragma once

#include <kith/subhalos.hpp>

#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

KITH_SHARED void check_subhalos(const PointsView& points, const SubhaloOptions& options,
                                const Workers& workers);

}  // namespace kith
