#!/usr/bin/env bash
# Shows what kith does: builds it, makes a universe, finds its halos, and writes a catalogue, a picture and a
# report into demo/. Installs what is missing. Under five minutes on two cores, most of it compiling.
#
# Usage: scripts/demo.sh [N]   a universe of N^3 particles in a box of N Mpc/h; default 128
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

n=${1:-128}
case $n in
  --help) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; exit ;;
  *[!0-9]* | "") echo "demo.sh: $n is no number of particles; see scripts/demo.sh --help"; exit 2 ;;
esac

# say NUMBER TEXT: the head of a part.
say() { printf '\n[%s/5] %s\n' "$1" "$2"; }
# run ARGUMENTS: shows a command of kith, and what it prints, indented.
run() {
  printf '  $ kith %s\n' "$*"
  build/release/cli/kith "$@" | sed 's/^/    /'
}

start=$SECONDS
echo "kith: halos of a small universe"
say 1 "Building (the first time takes about four minutes)"
need_packages build test
step demo-build configure_and_build release kith_program

mkdir -p demo
universe=demo/universe.hdf5
halos=demo/halos.hdf5

say 2 "A universe: $n^3 particles of dark matter in a periodic box, evolved by gravity"
run sample cosmology -n "$n" -o "$universe"

say 3 "Its halos: groups of friends of friends, the ten largest"
run fof "$universe" -b 0.2 --min-size 20 -o "$halos" --picture demo/halos.png

say 4 "Is it right? Points drawn at random, against brute force"
run verify "$universe" "$halos"

say 5 "A report of it all"
run report "$universe" -b 0.2 --min-size 20 -o demo/report.html --figures demo/figures

cat <<END

Done in $((SECONDS - start)) s. Look at:
  demo/report.html      pictures, tables and the mass function beside theory; open it in a browser
  demo/halos.png        the cosmic web, with its halos
  demo/halos.hdf5       the catalogue, as Gadget-4 and IllustrisTNG have it; h5ls or yt read it
  demo/universe.hdf5    the particles
Next: build/release/cli/kith --help, and the README.
END
