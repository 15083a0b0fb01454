// From sets of points in tree order to numbered groups of points in input order.
#pragma once

#include <cstdint>

#include "groups/groups_impl.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Fills everything but the linking length. `parent` is a union-find over the points in tree order,
/// as parallel/ union_find.hpp has it; it is flattened on the way. Errors: too_large.
template <class T>
void number_groups(const Planes<T>& planes, const FofOptions& options, std::uint32_t* parent,
                   Workers& workers, Groups::Impl& groups);

}  // namespace kith
