#!/usr/bin/env bash
# Runs every check of the project. Installs missing packages; logs are in build/log.
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

# run_tests PRESET: runs the tests of a preset that is already built and adds their number to the count.
run_tests() {
  local preset=$1 line
  rm -f "build/$preset/exact_cases.txt"
  step "$preset-tests" ctest --preset "$preset" -j "$jobs" || true
  cases=$((cases + $(awk '{ sum += $1 } END { print sum + 0 }' "build/$preset/exact_cases.txt" 2>/dev/null || echo 0)))
  line=$(grep -E 'tests passed, .* failed out of' "$log_dir/$preset-tests.log" || true)
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    tested=$((tested + BASH_REMATCH[2]))
  fi
}

# start_beside: starts the wheel, its tests in clean environments and the count of instructions on one core, while the
# compiler uses the other. Keeps the output for end_beside.
start_beside() {
  rm -f "$log_dir"/{python,numpy1}-tests.log
  {
    result=0
    scripts/python.sh test || result=1
    step instructions scripts/instructions.sh || result=1
    exit $result
  } > "$log_dir/beside.log" 2>&1 &
  beside=$!
}

# end_beside: waits for these, prints their output, and adds the tests of Python to the count.
end_beside() {
  local line name
  wait $beside || failed_steps+=(beside)
  cat "$log_dir/beside.log"
  for name in python-tests numpy1-tests; do
    line=$(tail -n 1 "$log_dir/$name.log" 2>/dev/null || true)
    if [[ $line =~ ([0-9]+)\ failed ]]; then
      failed=$((failed + BASH_REMATCH[1]))
      tested=$((tested + BASH_REMATCH[1]))
    fi
    if [[ $line =~ ([0-9]+)\ passed ]]; then tested=$((tested + BASH_REMATCH[1])); fi
  done
}

build_and_test() {
  if step "$1-build" configure_and_build "$1"; then run_tests "$1"; fi
}

# build_beside PRESET: builds the preset while the tests of Python run.
build_beside() {
  local is_built=yes
  start_beside
  step "$1-build" configure_and_build "$1" || is_built=no
  end_beside
  [ $is_built = no ] || run_tests "$1"
}

echo "kith: testing"
start=$SECONDS
groups=(build mpi test)
[ $is_quick = yes ] || groups+=(python check)
need_packages "${groups[@]}"
want_packages browser
want_packages gpu
need_python numpy h5py yt swiftsimio pynbody illustris_python
# The tests of installations and the wheel reuse objects of the release build.
CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)
export CMAKE_CXX_COMPILER_LAUNCHER
if [ $is_quick = yes ]; then
  build_and_test release
else
  step format scripts/checks/format.sh || true
  step layers python3 scripts/checks/layers.py || true
  step one_text python3 scripts/checks/one_text.py || true
  step words python3 scripts/checks/words.py || true
  # Mostly waits for the network, so it runs beside the compiler.
  mkdir -p "$log_dir"
  { scripts/python.sh environments; want_nvcc; } > "$log_dir/python-environments.log" 2>&1 &
  environments=$!
  build_and_test release
  wait $environments || true # if it failed, the tests of Python say why
  build_beside asan
  build_and_test tsan
  step tidy scripts/checks/tidy.sh $tidy || true
fi

if [ ${#failed_steps[@]} -gt 0 ]; then echo "failed: ${failed_steps[*]}"; fi
echo "$cases exact comparisons with a definition"
percent=$((tested == 0 ? 0 : 100 * (tested - failed) / tested))
echo "$percent% tests passed, $failed tests failed out of $tested, in $((SECONDS - start)) s"
[ ${#failed_steps[@]} = 0 ]
