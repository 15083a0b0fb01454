#!/bin/sh
# Runs a test program under valgrind on each rank, to find memory errors and leaks. Valgrind does not support AVX-512.
# Uninitialized values are not checked: sorting networks of float candidates (src/kernels/select-inl.h) pad rows with
# a d2 above every real one and do not set the index of the padding. A key is (d2, index) in 64 bits, so the index of
# padding never decides; but for valgrind the lesser of a known and an unknown number is unknown.
# Usage: launch.sh MPIEXEC RANKS valgrind.sh PROGRAM [ARGUMENT...]
export KITH_TARGET=AVX2
exec valgrind -q --error-exitcode=9 --undef-value-errors=no --leak-check=full --show-leak-kinds=definite \
  --errors-for-leak-kinds=definite --num-callers=40 --suppressions="$(dirname "$0")/valgrind.supp" "$@"
