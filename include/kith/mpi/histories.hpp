// Halos through time over MPI ranks: matching and links.
#pragma once

#include <mpi.h>

#include <kith/export.hpp>
#include <kith/match.hpp>
#include <kith/merger_trees.hpp>

namespace kith::mpi {

/// As kith::match, bit for bit. Each rank passes its part of both sets, or none; the members of an
/// object come in order of binding, those of rank 0 first. Every rank gets the rows of all objects.
///
/// Members are spread over the ranks by their IDs: a rank takes about 40 bytes for each of its
/// share of them, and 80 bytes for each object. Errors: as kith::match; too_large for 2^32 members
/// that meet on one rank.
KITH_API Match match(MPI_Comm comm, const LabeledIds& a, const LabeledIds& b,
                     const MatchOptions& options = {}, const Execution& execution = {});

/// A linker to which each rank adds its part of every snapshot. add() and resume() are collective;
/// links are the same on every rank, and those of one process. Collective.
KITH_API HaloLinker halo_linker(MPI_Comm comm, const LinkOptions& options = {});

}  // namespace kith::mpi
