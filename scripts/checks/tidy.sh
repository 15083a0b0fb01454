#!/usr/bin/env bash
# clang-tidy on the files that changed since the main branch, or on all.
# Usage: tidy.sh changed|all BUILD_DIR   (a build directory of clang with compile_commands.json)
set -euo pipefail
cd "$(dirname "$0")/../.."
scope=$1
build=$2

# All translation units of the library and its users; the tests lean on GoogleTest's macros, which no rule fits.
units() { git ls-files --cached --others --exclude-standard 'src/*.cpp' 'cli/*.cpp' 'examples/*.cpp'; }

# What changed since the common ancestor with origin/main, or else since the commit before, and is not
# committed yet.
changes() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || git hash-object -t tree /dev/null)
  fi
  git diff --name-only "$base"
  git ls-files --others --exclude-standard
}

# The units to look at: those that changed, and all of a folder in which a header changed.
chosen() {
  if [ "$scope" = all ] || changes | grep -qxE '\.clang-tidy|include/.*'; then
    units
    return
  fi
  local folders
  folders=$(changes | grep -E '\.(hpp|h)$' | xargs -r -n 1 dirname | sort -u || true)
  units | while read -r unit; do
    if changes | grep -qxF "$unit" || grep -qxF "$(dirname "$unit")" <<<"$folders"; then echo "$unit"; fi
  done
}

mapfile -t files < <(chosen)
echo "${#files[@]} files"
[ ${#files[@]} = 0 ] || printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 2 clang-tidy --quiet -p "$build"
