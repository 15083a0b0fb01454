#!/bin/sh
# Runs a program of tests under valgrind, on each rank: errors of memory and leaks. Values that are not initialized are
# left out: vector code computes with lanes that it does not use. Valgrind knows no AVX-512.
# Usage: launch.sh MPIEXEC RANKS valgrind.sh PROGRAM [ARGUMENT...]
export KITH_TARGET=AVX2
exec valgrind -q --error-exitcode=9 --undef-value-errors=no --leak-check=full --show-leak-kinds=definite \
  --errors-for-leak-kinds=definite --num-callers=40 --suppressions="$(dirname "$0")/valgrind.supp" "$@"
