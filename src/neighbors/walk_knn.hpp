// k nearest neighbors by interaction lists, plane by plane.
#pragma once

#include "neighbors/search_job.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Fills the rows of the search. `sources` and `receivers` are trees of either builder; receivers
/// hold the queries.
template <class T>
void walk_knn(const KnnJob<T>& search, const PlanesView<T>& sources, const PlanesView<T>& receivers,
              Workers& workers);

}  // namespace kith
