#!/usr/bin/env bash
# Builds kith for 64-bit ARM with Debian's cross compiler, runs its tests under qemu, and compares answers with those of
# the release build of this machine, byte by byte. Nothing but the compiler and qemu is installed in the system: the
# libraries for ARM are unpacked in build/arm/sysroot.
#
# Usage: scripts/arm.sh [all | quick | test PATTERN | compare PATTERN | sysroot]   (default: all)
#   all       the library, the program and all tests; the tests run with a tenth of the random cases
#   quick     the program and the tests of the numerical contract: a part that scripts/test.sh also runs
#   test      the tests whose names match PATTERN, a regular expression of ctest
#   compare   files that the program writes on both machines; PATTERN selects commands of tests/cli/same_files.py
#   sysroot   only the libraries in build/arm/sysroot
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

build=$PWD/build/arm
sysroot=$build/sysroot
libraries=(libc6-dev libstdc++-12-dev libtbb-dev libfmt-dev libhwy-dev libxxhash-dev libpng-dev
  libhdf5-dev zlib1g-dev libgtest-dev libcli11-dev python3.11-minimal libpython3.11-stdlib)

# arm_apt ARGUMENT...: apt-get for another machine, whose state is in build/arm/apt.
arm_apt() {
  apt-get -y -o Dir::State="$build/apt" -o Dir::State::status="$build/apt/status" -o Dir::Cache="$build/apt/cache" \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
    -o Debug::NoLocking=1 --no-install-recommends "$@"
}

make_sysroot() {
  local wanted="${libraries[*]}" package
  [ "$(cat "$sysroot/packages" 2>/dev/null)" != "$wanted" ] || return 0
  mkdir -p "$build"/apt/{lists/partial,cache/archives/partial} "$sysroot"
  : >"$build/apt/status"
  arm_apt update && arm_apt install --download-only "${libraries[@]}" || return 1
  for package in "$build"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$sysroot" || return 1; done
  echo "$wanted" >"$sysroot/packages"
}

# build_arm [TARGET...]
build_arm() {
  cmake -G Ninja -B "$build/kith" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm.cmake" -DKITH_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DKITH_TESTS=ON -DKITH_EXAMPLES=OFF -DKITH_MPI=OFF -DKITH_GPU=OFF -DKITH_WERROR=ON &&
    cmake --build "$build/kith" ${1:+--target "$@"}
}

# Scripts that start compilers, or load libraries of this machine into the program, cannot run under qemu.
left_out='^(install|documents|examples|checks|gpu)\.|cli\.(full_disk|interrupt|devices|report_browser)|fuzz\.'

# test_arm PATTERN
test_arm() {
  KITH_CASES=${KITH_CASES:-0.1} ctest --test-dir "$build/kith" -j "$(nproc)" --timeout 3600 --output-on-failure \
    -R "$1" -E "$left_out"
}

# compare PATTERN: all files of both programs have the same bytes.
compare() {
  configure_and_build release kith_program || return 1
  python3 tests/cli/same_files.py build/release/cli/kith "$build/kith/tests/cli/kith" "$1"
}

echo "kith for 64-bit ARM"
need_packages build arm
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER
step arm-libraries make_sysroot || exit 1
contract=(base geometry kernels)
case ${1:-all} in
  all)
    step arm-build build_arm && step arm-tests test_arm . && step arm-compare compare .
    ;;
  quick)
    step arm-build build_arm kith_program "${contract[@]/#/test_}" &&
      step arm-tests test_arm "^($(IFS='|' && echo "${contract[*]}"))\." && step arm-compare compare .
    ;;
  test) step arm-build build_arm && step arm-tests test_arm "${2:-.}" ;;
  sysroot) ;;
  compare) step arm-build build_arm kith_program && step arm-compare compare "${2:-.}" ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
[ ${#failed_steps[@]} = 0 ]
