#!/bin/sh
# Runs a program of tests under valgrind, on each rank: errors of memory and leaks. Valgrind knows no AVX-512.
# Values that are not initialized are left out. Sorting networks of float candidates (src/kernels/select-inl.h) pad rows
# with a d2 above every real one and leave the index below it as it is. A key is (d2, index) in 64 bits, so the index of
# padding never decides against a candidate; but to valgrind the lesser of a known and an unknown number is unknown.
# Usage: launch.sh MPIEXEC RANKS valgrind.sh PROGRAM [ARGUMENT...]
export KITH_TARGET=AVX2
exec valgrind -q --error-exitcode=9 --undef-value-errors=no --leak-check=full --show-leak-kinds=definite \
  --errors-for-leak-kinds=definite --num-callers=40 --suppressions="$(dirname "$0")/valgrind.supp" "$@"
