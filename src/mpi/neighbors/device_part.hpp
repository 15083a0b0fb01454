// The own points of a rank on its device: they are joined and searched there; ghosts are searched
// on the host.
#pragma once

#include "mpi/neighbors/ghosts.hpp"
#include "neighbors/search_job.hpp"

namespace kith::mpi {

/// Sets of linked own points, as GroupParts::join makes them.
template <class T>
Array<std::uint32_t> join_on_device(const Call& call, const Part<T>& part, T reach2,
                                    Workers& workers);

/// The job over the own points, as Parts::search runs it. `finished` may be null.
template <class T>
void search_on_device(const Call& call, const Part<T>& part, const Queries<T>& asked,
                      const KnnJob<T>& job,
                      const FunctionRef<void(std::size_t, std::size_t)>* finished,
                      Workers& workers);

}  // namespace kith::mpi
