// The number of neighbors of the points of slabs within a radius, one slab after the other.
#pragma once

#include "slabs/column.hpp"
#include "slabs/ghosts.hpp"

namespace kith::slabs {

template <class T>
void count_slabs(const SlabStore<T>& store, const RadiusOptions& options, const Column& to,
                 const Budget& budget, const Execution& execution, Workers& workers);

}  // namespace kith::slabs
