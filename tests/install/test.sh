#!/bin/sh
# Installs a build of kith to an empty prefix and builds consumers from it, by find_package and by pkg-config: one of the
# core alone, one of all components. Usage: test.sh BUILD_DIR VERSION [--static]
set -eu

build=$(cd "$1" && pwd)
version=$2
is_static=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {
  "$@" >"$work/log" 2>&1 || { echo "failed: $*"; cat "$work/log"; exit 1; }
}

check() {  # NAME OUTPUT EXPECTED
  if [ "$2" != "$3" ]; then
    echo "the consumer by $1 said \"$2\", not \"$3\""
    exit 1
  fi
  echo "$1: $2"
}

core="kith $version: 4 points, 1 root"
all="kith $version: 100 points read, 100 neighbors"

quietly cmake --install "$build" --prefix "$work/before"
mv "$work/before" "$work/prefix" # an installation may be moved
for secret in tbb hwy fmt png hdf5 zlib xxhash; do
  if grep -rliE "include *[<\"].*$secret" "$work/prefix/include"; then
    echo "an installed header includes $secret"
    exit 1
  fi
done

# The license is always installed; man pages and completions if the program was built.
[ -f "$(find "$work/prefix" -name LICENSE)" ] || { echo "LICENSE is not installed"; exit 1; }
if [ -x "$work/prefix/bin/kith" ] && [ -d "$build/share" ]; then
  for page in man1/kith-fof.1 completions/kith site-functions/_kith vendor_completions.d/kith.fish; do
    find "$work/prefix/share" -path "*/$page" | grep -q . || { echo "$page is not installed"; exit 1; }
  done
fi

# The components together are the whole installation, and no file is in two of them.
(cd "$work/prefix" && find . -type f -o -type l) | sort >"$work/whole"
for component in library development program; do
  quietly cmake --install "$build" --prefix "$work/parts/$component" --component $component
  [ ! -d "$work/parts/$component" ] || (cd "$work/parts/$component" && find . -type f -o -type l)
done | sort >"$work/parts.txt"
if ! cmp -s "$work/whole" "$work/parts.txt"; then
  echo "the components differ from the whole installation:"
  diff "$work/whole" "$work/parts.txt"
  exit 1
fi

quietly cmake -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DKITH_EXPECTED_VERSION="$version"
quietly cmake --build "$work/cmake"
check find_package "$("$work/cmake/core")" "$core"
check "find_package of components" "$("$work/cmake/components" "$work")" "$all"
if cmake -S "$here/consumer" -B "$work/none" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DKITH_EXPECTED_VERSION="$version" -DKITH_COMPONENTS="io;nonsense" >"$work/log" 2>&1; then
  echo "find_package found a component that there is not"
  exit 1
fi

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name kith.pc)")
export PKG_CONFIG_PATH

by_pkg_config() {  # PROGRAM MODULE...
  program=$1
  shift
  for module; do [ "$(pkg-config --modversion "$module")" = "$version" ]; done
  flags=$(pkg-config $is_static --cflags --libs "$@")
  # shellcheck disable=SC2086  # the flags are words
  quietly g++ -std=c++20 "$here/consumer/$program.cpp" $flags -o "$work/$program"
}

LD_LIBRARY_PATH=$(pkg-config --variable=libdir kith)
export LD_LIBRARY_PATH
by_pkg_config core kith
check pkg-config "$("$work/core")" "$core"
by_pkg_config components kith_io kith_sample
check "pkg-config of components" "$("$work/components" "$work")" "$all"

# The example of a simulation, as a project by itself.
if [ -e "$work/prefix/include/kith/mpi.hpp" ] && [ -z "$is_static" ]; then
  quietly cmake -S "$here/../../examples/in_situ" -B "$work/in_situ" -DCMAKE_PREFIX_PATH="$work/prefix"
  quietly cmake --build "$work/in_situ"
  [ -x "$work/in_situ/in_situ" ] || { echo "in_situ was not built"; exit 1; }
fi
