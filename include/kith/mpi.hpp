// All of kith over MPI ranks. Every call is collective: all ranks of the communicator make it, with
// the same options. Errors are the same on all ranks, and results are those of one process.
#pragma once

#include <kith/mpi/atoms.hpp>
#include <kith/mpi/clusters.hpp>
#include <kith/mpi/correlation.hpp>
#include <kith/mpi/domains.hpp>
#include <kith/mpi/gradients.hpp>
#include <kith/mpi/groups.hpp>
#include <kith/mpi/halos.hpp>
#include <kith/mpi/histories.hpp>
#include <kith/mpi/linking_lengths.hpp>
#include <kith/mpi/neighbors.hpp>
#include <kith/mpi/sky.hpp>
