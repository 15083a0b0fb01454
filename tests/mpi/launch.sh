#!/bin/sh
# Runs a program on several ranks of this machine, if necessary on more ranks than cores, also as root and in a
# container. All options of launchers are in this file.
# Usage: launch.sh MPIEXEC RANKS PROGRAM [ARGUMENT...]
set -eu

mpiexec=$1
ranks=$2
shift 2

# Open MPI: run as root, on more ranks than cores, without binding ranks to cores; waiting ranks yield to others.
# Messages go through shared memory, without the system call that containers forbid.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_orte_abort_on_non_zero_status=1

exec "$mpiexec" -n "$ranks" "$@"
