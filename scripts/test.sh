#!/usr/bin/env bash
# Every check of the project. Installs what is missing; logs are in build/log.
#
# Usage: scripts/test.sh [--quick] [--all] [--help]
#   --quick   only the release build and its tests
#   --all     clang-tidy on all files, not only on those that changed
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

is_quick=no
tidy=changed
for argument in "$@"; do
  case $argument in
    --quick) is_quick=yes ;;
    --all) tidy=all ;;
    --help) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit ;;
    *) echo "test.sh: no option $argument; see scripts/test.sh --help"; exit 2 ;;
  esac
done

jobs=$(nproc)
tested=0 # over all presets, as ctest counts them
failed=0
cases=0 # exact comparisons with a definition, over all presets

# run_tests NAME PRESET [OPTION...]: the tests of a preset that is built, added to the count. The options are ctest's.
run_tests() {
  local name=$1 preset=$2 line
  shift 2
  rm -f "build/$preset/exact_cases.txt"
  step "$name-tests" ctest --preset "$preset" -j "$jobs" "$@" || true
  cases=$((cases + $(awk '{ sum += $1 } END { print sum + 0 }' "build/$preset/exact_cases.txt" 2>/dev/null || echo 0)))
  line=$(grep -E 'tests passed, .* failed out of' "$log_dir/$name-tests.log" || true)
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    tested=$((tested + BASH_REMATCH[2]))
  fi
}

# run_python_tests: builds the wheel and tests it in clean environments; added to the count.
run_python_tests() {
  local line name
  rm -f "$log_dir"/{python,numpy1}-tests.log
  scripts/python.sh test || failed_steps+=(python)
  for name in python-tests numpy1-tests; do
    line=$(tail -n 1 "$log_dir/$name.log" 2>/dev/null || true)
    if [[ $line =~ ([0-9]+)\ failed ]]; then
      failed=$((failed + BASH_REMATCH[1]))
      tested=$((tested + BASH_REMATCH[1]))
    fi
    if [[ $line =~ ([0-9]+)\ passed ]]; then tested=$((tested + BASH_REMATCH[1])); fi
  done
}

# beside NAME COMMAND...: starts it in the background. Tests often wait for one thread and installations for the network;
# something else should use the cores then. Its output is kept for end_beside.
declare -A beside=()
beside() {
  local name=$1
  shift
  "$@" > "$log_dir/beside-$name.log" 2>&1 &
  beside[$name]=$!
}

# end_beside NAME: waits for it and prints its output. Fails if it failed.
end_beside() {
  local name=$1 result=0
  wait "${beside[$name]}" || result=1
  cat "$log_dir/beside-$name.log"
  [ $result = 0 ] || failed_steps+=("$name")
  return $result
}

# fetch_python: the Python packages that the tests need.
fetch_python() {
  need_python numpy h5py yt swiftsimio pynbody illustris_python pandas astropy || return 1
  [ $is_quick = no ] || return 0
  need_packages torch
  step environments scripts/python.sh environments || true # if it failed, the tests of Python say why
  want_nvcc
  want_intel_opencl
}

# build_beside PRESET [PROCESS]: builds it once that process has ended, with the processor time that
# the tests leave over. A high nice value does not suffice: ranks that wait yield, and a compiler
# would then run for whole time slices.
build_beside() {
  chrt --idle --pid 0 $BASHPID || true
  [ -z "${2:-}" ] || tail --pid="$2" -f /dev/null
  step "$1-build" configure_and_build "$1"
}

echo "kith: testing"
start=$SECONDS
groups=(build mpi test)
[ $is_quick = yes ] || groups+=(python check)
need_packages "${groups[@]}"
want_packages browser
want_packages gpu
need_python # makes .venv: some tests exist only if it does
beside packages fetch_python
# The tests of installations and the wheel reuse files that the release build has compiled.
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER
is_built=yes
if [ $is_quick = yes ]; then
  step release-build configure_and_build release || is_built=no
  end_beside packages || true
  [ $is_built = no ] || run_tests release release
else
  step format scripts/checks/format.sh || true
  step layers python3 scripts/checks/layers.py || true
  step one_text python3 scripts/checks/one_text.py || true
  step words python3 scripts/checks/words.py || true
  step release-build configure_and_build release || is_built=no
  end_beside packages || true
  beside asan build_beside asan
  beside tsan build_beside tsan "${beside[asan]}"
  [ $is_built = no ] || run_tests release release
  run_python_tests
  step instructions scripts/instructions.sh || true
  beside arm scripts/arm.sh quick
  if end_beside asan; then run_tests asan asan; fi
  end_beside arm || true
  if end_beside tsan; then run_tests tsan tsan; fi
  step tidy scripts/checks/tidy.sh $tidy || true
fi

if [ ${#failed_steps[@]} -gt 0 ]; then echo "failed: ${failed_steps[*]}"; fi
echo "$cases exact comparisons with a definition"
percent=$((tested == 0 ? 0 : 100 * (tested - failed) / tested))
echo "$percent% tests passed, $failed tests failed out of $tested, in $((SECONDS - start)) s"
[ ${#failed_steps[@]} = 0 ]
