#!/bin/sh
# Builds and installs kith as static libraries, and builds the consumers with them.
# Usage: static.sh SOURCE_DIR BUILD_DIR CXX VERSION. BUILD_DIR is beside the release build, whose objects ccache finds then.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$2
log=$(mktemp)
trap 'rm -rf "$build" "$log"' EXIT

quietly() {
  "$@" >"$log" 2>&1 || { echo "failed: $*"; cat "$log"; exit 1; }
}

quietly cmake -G Ninja -S "$1" -B "$build" -DCMAKE_CXX_COMPILER="$3" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  -DBUILD_SHARED_LIBS=OFF -DKITH_WERROR=ON -DKITH_CLI=OFF -DKITH_EXAMPLES=OFF -DKITH_TESTS=OFF
quietly ninja -C "$build"
"$here/test.sh" "$build" "$4" --static
