#!/usr/bin/env bash
# Demonstrates kith: builds it, simulates a small universe, finds its halos, and writes a catalogue, a picture and a
# report to demo/. Installs missing packages. Takes about three minutes on two cores, most of it for compiling the
# program for this CPU.
#
# Usage: scripts/demo.sh [N]   a universe of N^3 particles in a box of N Mpc/h; default 128
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

n=${1:-128}
case $n in
  --help) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit ;;
  *[!0-9]* | "") echo "demo.sh: $n is not a number of particles; see scripts/demo.sh --help"; exit 2 ;;
esac

# say NUMBER TEXT: prints the heading of a part.
say() { printf '\n[%s/5] %s\n' "$1" "$2"; }
# run ARGUMENTS: prints and runs a command of kith, with its output indented.
run() {
  printf '  $ kith %s\n' "$*"
  build/demo/cli/kith "$@" | sed 's/^/    /'
}

# Kernels for one kind of CPU take a third of the time to compile.
build_program() {
  local one_target=OFF
  if grep -qw avx2 /proc/cpuinfo; then one_target=ON; fi
  cmake --preset demo -DKITH_ONE_TARGET=$one_target && cmake --build --preset demo
}

start=$SECONDS
echo "kith: the halos of a small universe"
say 1 "Build kith (this takes two to three minutes the first time)"
need_packages build test
step demo-build build_program

mkdir -p demo
universe=demo/universe.hdf5
halos=demo/halos.hdf5

say 2 "Simulate a universe: $n^3 particles of dark matter in a periodic box"
run sample cosmology -n "$n" -o "$universe"

say 3 "Find its halos, which are friends-of-friends groups, and print the ten largest"
run fof "$universe" -b 0.2 --min-size 20 -o "$halos" --picture demo/halos.png

say 4 "Check the result by brute force, for points drawn at random"
run verify "$universe" "$halos"

say 5 "Write a report"
run report "$universe" -b 0.2 --min-size 20 -o demo/report.html --figures demo/figures

cat <<END

Done in $((SECONDS - start)) s. The results:
  demo/report.html      an interactive page with maps, table and mass function; open it in a browser
  demo/halos.png        a picture of the particles and the halos
  demo/halos.hdf5       the catalogue, in the layout of Gadget-4 and IllustrisTNG
  demo/universe.hdf5    the particles
Next: build/demo/cli/kith --help, and README.md.
END
