// Candidates for subhalos in phase space (Behroozi et al. 2013): the sets of phase_sets.hpp that
// have none inside are seeds, and all other members join a seed.
#pragma once

#include <cstddef>

#include <kith/execution.hpp>

#include "parallel/workers.hpp"
#include "subhalos/candidates.hpp"
#include "subhalos/phase_sets.hpp"

namespace kith {

/// A seed and its region. Candidates are a seed's region with those of the seeds around it that
/// belong to it.
Candidates find_phase_candidates(const PhaseRows& rows, std::size_t min_size,
                                 const Workers& workers, const Execution& execution);

}  // namespace kith
