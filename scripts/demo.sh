#!/usr/bin/env bash
# Shows what kith does today: builds the library and its examples and runs them. Installs what is missing.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in
  "") ;;
  *) echo "Usage: scripts/demo.sh   builds kith and shows what it does"; [ "$1" = --help ]; exit ;;
esac

echo "kith: preparing (the first time takes a minute or two)"
need_packages build test
step demo-build configure_and_build release example_tree example_halos kith_program

echo
echo "The tree of a million points (examples/tree):"
build/release/examples/tree/tree | sed 's/^/  /'

echo
echo "A universe of 128^3 particles, evolved by gravity (half a minute of processor time):"
mkdir -p demo
build/release/cli/kith sample cosmology -n 128 -o demo/universe.npy --velocity demo/velocity.npy \
  --picture demo/universe.png | sed 's/^/  /'
echo "  Look at demo/universe.png: filaments, knots and voids."

echo
echo "The halos of a smaller one, found as friends of friends (examples/halos):"
build/release/examples/halos/halos | sed 's/^/  /'
