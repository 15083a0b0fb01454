#!/bin/sh
# Builds kith as part of another project, by add_subdirectory and by FetchContent, and the core without kith's other
# libraries. The core is compiled with the flags of a release build, so that its objects come from ccache.
# Usage: subproject.sh SOURCE_DIR BUILD_DIR CXX VERSION. The new build is beside BUILD_DIR, the
# release build: ccache finds objects only by the same relative paths.
set -eu

source=$1
alone=$2_alone
inside=$2_inside
compiler=$3
version=$4
here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp)
trap 'rm -rf "$alone" "$inside" "$log"' EXIT

quietly() {
  "$@" >"$log" 2>&1 || { echo "failed: $*"; cat "$log"; exit 1; }
}

configure() {  # SOURCE OPTION...
  folder=$1
  shift
  quietly cmake -G Ninja -S "$folder" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DKITH_WERROR=ON \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" "$@"
}

# With only oneTBB, Highway and fmt, the core must build, and nothing else may prevent it.
configure "$source" -B "$alone" -DKITH_IO=OFF -DKITH_SAMPLE=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
echo "KITH_IO=OFF: configured"
for target in kith_io kith_sample kith_program test_files; do
  if ninja -C "$alone" -t query "$target" >/dev/null 2>&1; then
    echo "KITH_IO=OFF still has $target"
    exit 1
  fi
done

configure "$here/subproject" -B "$inside" -DKITH_SOURCE="$source"
quietly ninja -C "$inside"
if [ -e "$inside/kith/src/libkith_io.a" ]; then
  echo "kith_io was compiled, but nothing links it"
  exit 1
fi
for how in OFF ON; do
  configure "$here/subproject" -B "$inside" -DKITH_SOURCE="$source" -DBY_FETCH_CONTENT=$how
  quietly ninja -C "$inside"
  said=$("$inside/core")
  [ "$said" = "kith $version: 4 points, 1 root" ] || { echo "the program inside said \"$said\""; exit 1; }
  echo "FetchContent $how: $said"
done
