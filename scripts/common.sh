# Sourced by the other scripts: changes to the root of the project, and defines steps that print nothing unless they fail.
# shellcheck shell=bash

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
log_dir=$PWD/build/log
# Folders below build/ share the cache of ccache: paths are relative to each.
export CCACHE_BASEDIR=$PWD
# Python compiles a module once, for any environment of the caller: tests start hundreds of
# interpreters.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/pycache
mkdir -p "$log_dir"
failed_steps=()

# step NAME COMMAND...: runs the command with its output in build/log/NAME.log and prints how long it took. If the
# command fails, prints the end of the log and adds NAME to failed_steps.
step() {
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$log_dir/$name.log" 2>&1; then
    printf '  %-16s ok      %4d s\n' "$name" $((SECONDS - start))
    return 0
  fi
  printf '  %-16s FAILED  %4d s   end of build/log/%s.log:\n' "$name" $((SECONDS - start)) "$name"
  tail -n "${KITH_LOG_LINES:-40}" "$log_dir/$name.log" | sed 's/^/    | /'
  failed_steps+=("$name")
  return 1
}

# configure_and_build PRESET [TARGET...]
configure_and_build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}
}
