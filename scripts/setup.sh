#!/usr/bin/env bash
# Installs what kith needs and this machine (Debian 12) does not have yet, by the names of the packages.
# Does nothing, quickly, when nothing is missing. demo.sh and test.sh source it and call need_packages.
#
# Usage: scripts/setup.sh [GROUP...]; groups: build mpi gpu test browser python torch check; without one, all of them.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

declare -A packages=(
  # The library, its examples and its program.
  [build]="g++ cmake ninja-build pkg-config
           libtbb-dev libfmt-dev libhwy-dev libxxhash-dev libpng-dev libkissfft-dev libcli11-dev
           libhdf5-dev zlib1g-dev"
  # Many machines.
  [mpi]="libopenmpi-dev openmpi-bin"
  # Devices: the headers of OpenCL, and one that runs on the CPU with its loader.
  [gpu]="opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd oclgrind"
  # The tests and the benchmarks with their peers; ccache spares the tests of installations and the wheel what the
  # release build has compiled.
  [test]="ccache libgtest-dev libbenchmark-dev libnanoflann-dev python3 valgrind"
  # For the test of the pages that `kith report` writes: 100 MB to download, 300 MB on disk.
  [browser]="chromium-headless-shell"
  # The Python package.
  [python]="python3-dev python3-venv ccache"
  # For the tests of kith.torch: a small build without CUDA, for the system's Python and others of its version.
  [torch]="python3-torch"
  # The second compiler, format and tidy.
  [check]="clang libclang-rt-14-dev clang-format clang-tidy"
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# missing NAME...: those of the packages that are not installed.
missing() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

# The list of packages is brought up to date only where it does not lead to the packages.
install_packages() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y)
  as_root "${apt[@]}" install --no-install-recommends "$@" && return
  as_root "${apt[@]}" update && as_root "${apt[@]}" install --no-install-recommends "$@"
}

# need_packages GROUP...
need_packages() {
  local group names=() absent
  for group in "$@"; do
    # shellcheck disable=SC2206  # words
    names+=(${packages[$group]})
  done
  if ! command -v apt-get >/dev/null; then
    echo "  no apt-get here: taking for granted what these packages hold: ${names[*]}"
    return
  fi
  mapfile -t absent < <(missing "${names[@]}")
  [ ${#absent[@]} = 0 ] || step packages install_packages "${absent[@]}"
}

# want_packages GROUP...: as need_packages, but what needs them is skipped where they cannot be had.
want_packages() {
  need_packages "$@" && return
  echo "  going on without: $*"
  unset 'failed_steps[-1]'
}

# need_python NAME...: packages for Python in .venv, which the project has for itself; sets $python.
need_python() {
  python=$PWD/.venv/bin/python
  [ -x "$python" ] || { need_venv && python3 -m venv .venv; }
  "$python" -m pip show --quiet "$@" >/dev/null 2>&1 || step python "$python" -m pip install "$@"
}

need_venv() {
  python3 -c 'import ensurepip' 2>/dev/null || step venv install_packages python3-venv
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  [ $# -gt 0 ] || set -- build mpi gpu test browser python torch check
  for group in "$@"; do
    [ -n "${packages[$group]:-}" ] || { echo "setup.sh: no group $group; there are: ${!packages[*]}"; exit 2; }
  done
  need_packages "$@"
fi
