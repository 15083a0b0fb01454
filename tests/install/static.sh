#!/bin/sh
# Builds and installs kith as static libraries, and builds the consumers with them.
# Usage: static.sh SOURCE_DIR CXX VERSION
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {
  "$@" >"$work/log" 2>&1 || { echo "failed: $*"; cat "$work/log"; exit 1; }
}

quietly cmake -G Ninja -S "$1" -B "$work/build" -DCMAKE_CXX_COMPILER="$2" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  -DBUILD_SHARED_LIBS=OFF -DKITH_UNITY=OFF -DKITH_WERROR=ON -DKITH_CLI=OFF -DKITH_EXAMPLES=OFF -DKITH_TESTS=OFF
quietly ninja -C "$work/build"
"$here/test.sh" "$work/build" "$3" --static
