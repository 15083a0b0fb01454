#!/usr/bin/env bash
# Times kith and other libraries on this machine, in one run. Installs missing packages.
#
# Usage: scripts/bench.sh WHAT [POINTS...]
#   tree    building trees: nanoflann, scipy
#   kd      building balanced kd-trees in 2-D: nanoflann, scipy, pykdtree
#   knn     k nearest neighbors: nanoflann, scipy, pykdtree, scikit-learn (POINTS: none, or 'quick' for the first tasks)
#   speed   k nearest neighbors: nanoflann, and another build of kith (POINTS: the folder of its libkith.so, then files of
#           raw float32 positions)
#   shapes  neighbors and groups in point sets that are difficult for trees: scipy (POINTS: one number,
#           and the folder of another libkith.so)
#   norms   other norms, pair counts, saved trees: scipy
#   fof     friends of friends: hfof if it is installed, scipy, scikit-learn (POINTS: particles along an axis)
#   sky     matches, neighbors and HDBSCAN by angle: astropy, scikit-learn (POINTS: one number)
#   clusters  spanning tree, DBSCAN, HDBSCAN*: quitefastmst, scikit-learn, fast_hdbscan (POINTS: one number)
#   atoms   neighbor lists of atoms, from Python: vesin, matscipy, ase (POINTS: the most atoms)
# Prints a table and writes build/bench/WHAT.json. Run nothing else on the machine at the same time.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

what=${1:-}
[ $# -eq 0 ] || shift
case $what in
  tree) need_packages build test && need_python numpy scipy ;;
  kd) need_packages build test && need_python numpy scipy pykdtree ;;
  knn) need_packages build test && need_python numpy scipy pykdtree scikit-learn ;;
  shapes) need_packages build test && need_python numpy scipy ;;
  speed) need_packages build test && need_python ;;
  norms) need_packages build test && need_python numpy scipy ;;
  fof) need_packages build test && need_python numpy scipy scikit-learn ;;
  sky) need_packages build test && need_python numpy scipy astropy scikit-learn ;;
  atoms) need_packages build test python ;;
  clusters) need_packages build test && need_python numpy scikit-learn quitefastmst fast_hdbscan ;;
  *) sed -n '2,/^source/{/^source/d;s/^# \{0,1\}//;p}' "$0"; [ "$what" = --help ]; exit ;;
esac
mkdir -p build/bench
if [ "$what" = atoms ]; then
  step wheel scripts/python.sh wheel
  python3 -m venv build/atoms-env
  build/atoms-env/bin/python -m pip install --quiet --no-compile numpy scipy vesin matscipy ase
  build/atoms-env/bin/python -m pip install --quiet --force-reinstall --no-deps build/dist/kith-*.whl
  exec build/atoms-env/bin/python bench/peers/atoms.py build/bench/atoms.json "$@"
fi
program=bench_${what/speed/knn}_peers
step bench-build configure_and_build release "$program"
"$python" "bench/peers/$what.py" "build/release/bench/$program" "build/bench/$what.json" "$@"
