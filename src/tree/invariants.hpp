// The invariants of planes.hpp, stated once: for trees that were built here and for trees that came
// from elsewhere.
#pragma once

#include <cstddef>
#include <string>

#include "parallel/workers.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

/// Verifies every invariant of a tree that was built with these options, its order and the sizes of
/// its nodes included. Errors: internal, naming the first one broken.
template <class T>
void check_planes(const TreeData<T>& data, std::size_t input_size, const TreeOptions& options,
                  const Workers& workers);

/// Checks every count, index, coordinate and box of planes that came from elsewhere, so that no
/// search reads beyond them or gives a wrong answer; the sizes of the arrays must be right. Errors:
/// io, beginning with `name`. Cost: one pass over the tree by all threads.
template <class T>
void verify_planes(const TreeData<T>& data, std::size_t input_size, const std::string& name,
                   Workers& workers);

}  // namespace kith
