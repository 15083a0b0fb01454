#!/usr/bin/env bash
# Runs clang-tidy on the files that changed since the main branch, or on all files.
# Usage: tidy.sh changed|all
set -euo pipefail
cd "$(dirname "$0")/../.."
scope=$1

# All translation units except those of the tests: GoogleTest's macros violate many rules.
units() { git ls-files --cached --others --exclude-standard 'src/*.cpp' 'cli/*.cpp' 'examples/*.cpp'; }

# Files that changed since the common ancestor with origin/main, or else in the last commit, and uncommitted changes.
changes() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || git hash-object -t tree /dev/null)
  fi
  git diff --name-only "$base"
  git ls-files --others --exclude-standard
}

# The units to check: those that changed, and all units of a folder in which a header changed.
chosen() {
  local changed folders
  changed=$(changes)
  if [ "$scope" = all ] || grep -qxE '\.clang-tidy|include/.*' <<<"$changed"; then
    units
    return
  fi
  folders=$(grep -E '\.(hpp|h)$' <<<"$changed" | xargs -r -n 1 dirname | sort -u || true)
  units | while read -r unit; do
    if grep -qxF "$unit" <<<"$changed" || grep -qxF "$(dirname "$unit")" <<<"$folders"; then echo "$unit"; fi
  done
}

mapfile -t files < <(chosen)
echo "${#files[@]} files"
[ ${#files[@]} -gt 0 ] || exit 0

# How each file is compiled by itself: the presets compile several at once. Nothing is built here.
build=build/tidy
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DKITH_UNITY=OFF >/dev/null
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 2 clang-tidy --quiet -p "$build"
