#!/usr/bin/env bash
# Shows what kith does today: builds the library and its examples and runs them. Installs what is missing.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in
  "") ;;
  *) echo "Usage: scripts/demo.sh   builds kith and shows what it does"; [ "$1" = --help ]; exit ;;
esac

echo "kith: preparing (the first time takes a minute or two)"
need_packages build test
step demo-build configure_and_build release example_tree

echo
echo "The tree of a million points (examples/tree):"
build/release/examples/tree/tree | sed 's/^/  /'
