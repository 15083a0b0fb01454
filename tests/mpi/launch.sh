#!/bin/sh
# Runs a program on several ranks of this machine, more than it has cores if need be, also as root and in a container.
# Everything that launchers want to be told stands here. Usage: launch.sh MPIEXEC RANKS PROGRAM [ARGUMENT...]
set -eu

mpiexec=$1
ranks=$2
shift 2

# Open MPI: as root, more ranks than cores, none bound to a core, and ranks that wait let others run. Messages between
# processes go through memory that they share, without the system call that containers forbid.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_orte_abort_on_non_zero_status=1

exec "$mpiexec" -n "$ranks" "$@"
