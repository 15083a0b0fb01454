#!/bin/sh
# Installs a build of kith to an empty prefix and builds a consumer from it twice: by find_package and by
# pkg-config. Usage: test.sh BUILD_DIR VERSION [--static]
set -eu

build=$(cd "$1" && pwd)
version=$2
is_static=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expected="kith $version: 4 points, 1 root"

quietly() {
  "$@" >"$work/log" 2>&1 || { echo "failed: $*"; cat "$work/log"; exit 1; }
}

check() {  # NAME OUTPUT
  if [ "$2" != "$expected" ]; then
    echo "the consumer by $1 said \"$2\", not \"$expected\""
    exit 1
  fi
  echo "$1: $2"
}

quietly cmake --install "$build" --prefix "$work/before"
mv "$work/before" "$work/prefix" # an installation may be moved
for secret in tbb hwy fmt png kiss hdf5 zlib; do
  if grep -rliE "include *[<\"].*$secret" "$work/prefix/include"; then
    echo "an installed header includes $secret"
    exit 1
  fi
done

quietly cmake -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DKITH_EXPECTED_VERSION="$version"
quietly cmake --build "$work/cmake"
check find_package "$("$work/cmake/consumer")"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name kith.pc)")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion kith)" = "$version" ]
flags=$(pkg-config $is_static --cflags --libs kith)
# shellcheck disable=SC2086  # the flags are words
quietly g++ -std=c++20 "$here/consumer/main.cpp" $flags -o "$work/consumer"
check pkg-config "$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir kith) "$work/consumer")"
