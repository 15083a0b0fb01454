// k nearest neighbours by interaction lists, plane by plane.
#pragma once

#include "neighbors/search_job.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Fills the rows of the job. `source` and `receivers` are trees of either builder; receivers hold
/// the queries.
template <class T>
void walk_knn(KnnJob<T> job, const PlanesView<T>& source, const PlanesView<T>& receivers,
              Workers& workers);

}  // namespace kith
