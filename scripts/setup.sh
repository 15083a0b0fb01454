#!/usr/bin/env bash
# Installs the Debian 12 packages that kith needs and that are missing. Returns at once if none is missing.
# The other scripts source this file and call need_packages.
#
# Usage: scripts/setup.sh [GROUP...]; groups: build mpi mpich gpu test browser python torch arm check; default: all of them.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

declare -A packages=(
  # For the library, the program and the examples.
  [build]="g++ cmake ninja-build pkg-config
           libtbb-dev libfmt-dev libhwy-dev libxxhash-dev libpng-dev libcli11-dev
           libhdf5-dev zlib1g-dev"
  # For kith_mpi; gfortran for an example that uses it from Fortran.
  [mpi]="libopenmpi-dev openmpi-bin gfortran"
  # The other MPI, for scripts/ranks.sh mpich.
  [mpich]="mpich libmpich-dev"
  # For kith_gpu: the headers and the loader of OpenCL, and a device that runs on the CPU.
  [gpu]="opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd oclgrind"
  # For tests and benchmarks. With ccache, the wheel and the installation tests reuse objects of the release build.
  [test]="ccache libgtest-dev libbenchmark-dev libnanoflann-dev python3 valgrind"
  # For the browser tests of `kith report`: 100 MB to download, 300 MB on disk.
  [browser]="chromium-headless-shell"
  # For the Python package.
  [python]="python3-dev python3-venv ccache"
  # For the tests of kith.torch: a small build of PyTorch without CUDA, for Python 3.11.
  [torch]="python3-torch"
  # For scripts/arm.sh: a compiler for 64-bit ARM, and what runs its programs here.
  [arm]="g++-aarch64-linux-gnu qemu-user-static"
  # The second compiler, clang-format and clang-tidy.
  [check]="clang libclang-rt-14-dev clang-format clang-tidy"
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# missing NAME...: prints the packages that are not installed.
missing() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

# Updates the package lists only if the first attempt fails.
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
    echo "  apt-get not found; make sure that you have the equivalents of these packages: ${names[*]}"
    return
  fi
  mapfile -t absent < <(missing "${names[@]}")
  [ ${#absent[@]} = 0 ] || step packages install_packages "${absent[@]}"
}

# want_packages GROUP...: like need_packages, but continues without packages that cannot be installed.
want_packages() {
  need_packages "$@" && return
  echo "  continuing without: $*"
  unset 'failed_steps[-1]'
}

# missing_python NAME...: prints those of the Python packages that .venv does not have, in any version.
missing_python() {
  "$python" - "$@" <<'END'
import importlib.metadata, re, sys
have = {re.sub("[-_.]+", "-", each.metadata["Name"]).lower() for each in importlib.metadata.distributions()}
print("\n".join(name for name in sys.argv[1:] if re.sub("[-_.]+", "-", re.split("[<>=]", name)[0]).lower() not in have))
END
}

# need_python NAME...: installs the missing ones of these Python packages in the virtual environment .venv; sets $python.
# Not compiled in advance: most modules are never imported.
need_python() {
  local absent
  python=$PWD/.venv/bin/python
  [ -x "$python" ] || { need_venv && python3 -m venv .venv; }
  mapfile -t absent < <(missing_python "$@" | grep .)
  [ ${#absent[@]} = 0 ] || step python "$python" -m pip install --no-compile "${absent[@]}"
}

# want_nvcc: installs NVIDIA's compiler from PyPI in .venv (350 MB) if the machine has none; without it, its tests are
# skipped.
want_nvcc() {
  command -v nvcc >/dev/null || "$python" -m pip install --quiet nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm \
    nvidia-cuda-runtime || echo "  going on without nvcc"
}

# want_intel_opencl: installs Intel's OpenCL driver for CPUs from PyPI in an environment by itself (830 MB), a second driver
# for the tests of devices. Its package names a folder that does not exist, so build/intel-opencl/vendors says where it is.
# Without it (other processors, no network), its tests are skipped.
want_intel_opencl() {
  local folder=$PWD/build/intel-opencl
  [ ! -s "$folder/vendors/intel.icd" ] || return 0
  [ "$(uname -m)" = x86_64 ] && need_venv && python3 -m venv "$folder/env" &&
    "$folder/env/bin/pip" install --quiet --no-compile intel-opencl-rt intel-cmplr-lib-rt && mkdir -p "$folder/vendors" &&
    echo "$folder/env/lib/libintelocl.so" >"$folder/vendors/intel.icd" || echo "  going on without Intel's OpenCL driver"
}

need_venv() {
  python3 -c 'import ensurepip' 2>/dev/null || step venv install_packages python3-venv
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  [ $# -gt 0 ] || set -- build mpi mpich gpu test browser python torch arm check
  for group in "$@"; do
    [ -n "${packages[$group]:-}" ] || { echo "setup.sh: no group $group; there are: ${!packages[*]}"; exit 2; }
  done
  need_packages "$@"
fi
