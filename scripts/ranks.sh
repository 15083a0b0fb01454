#!/usr/bin/env bash
# Runs the tests of kith_mpi with MPICH instead of Open MPI, or with a sanitizer for kith_mpi, its tests and the loops
# (the presets sanitize the rest). Objects of the release build come from ccache; about 60 files are compiled again.
#
# Usage: scripts/ranks.sh mpich|asan|tsan
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# build_and_run NAME CMAKE-ARGUMENT...
build_and_run() {
  cmake --preset release -B "build/$1" -DKITH_MPI=ON -DKITH_CLI=OFF -DKITH_EXAMPLES=OFF -DKITH_BENCH=OFF -DKITH_GPU=OFF \
    "${@:2}" && cmake --build "build/$1" --target test_mpi &&
    ctest --test-dir "build/$1" -R '^mpi\.ranks$' --output-on-failure
}

CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER
case ${1:-} in
  mpich)
    need_packages build mpich test
    step ranks-mpich build_and_run ranks_mpich -DMPI_CXX_COMPILER=mpicxx.mpich \
      -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)"
    ;;
  asan)
    need_packages build mpi test
    step ranks-asan build_and_run ranks_asan -DKITH_SANITIZE_RANKS=address
    ;;
  tsan)
    need_packages build mpi test
    step ranks-tsan build_and_run ranks_tsan -DKITH_SANITIZE_RANKS=thread
    ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
