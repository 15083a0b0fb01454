#!/usr/bin/env python3
"""Neighbor lists of atoms: kith, vesin, matscipy and ase, in one run. The pairs must agree; times are the best of several.

    python bench/peers/atoms.py [OUTPUT.json] [MOST_ATOMS] [--threads N]

Atoms at random in a skewed periodic cell, with about 50 neighbors each; i, j, S, d and D are returned. vesin and
matscipy use one thread, kith as many as --threads says (default: 1). Needs an environment with kith and the peers.
"""
import argparse
import json
import time

import numpy as np

import kith

CLOCK = time.perf_counter
DENSITY = 0.1  # per cubed length, about that of atoms in water and angstroms
NEIGHBORS = 50
CUTOFF = (NEIGHBORS / DENSITY / (4 / 3 * np.pi))**(1 / 3)


def system(n):
    rng = np.random.default_rng(n)
    side = (n / DENSITY)**(1 / 3)
    cell = side * np.array([[1, 0, 0], [0.3, 1, 0], [-0.2, 0.1, 1]])
    return rng.random((n, 3)) @ cell, cell


def best(call, seconds=1.0):
    times, end = [], CLOCK() + seconds
    while len(times) < 2 or CLOCK() < end:
        start = CLOCK()
        found = call()
        times.append(CLOCK() - start)
        del found
    return min(times)


def calls(x, cell, threads):
    """For each library, a call that returns i, j, S, d, D."""
    found = {"kith": lambda: kith.neighbor_list("ijSdD", x, CUTOFF, cell, True, threads=threads)}
    try:
        import vesin
        search = vesin.NeighborList(cutoff=CUTOFF, full_list=True)
        found["vesin"] = lambda: search.compute(points=x, box=cell, periodic=True, quantities="ijSdD")
    except ImportError:
        pass
    try:
        from matscipy.neighbours import neighbour_list
        found["matscipy"] = lambda: neighbour_list("ijSdD", positions=x, cell=cell, pbc=np.ones(3, dtype=bool),
                                                   cutoff=CUTOFF)
    except ImportError:
        pass
    try:
        from ase.neighborlist import primitive_neighbor_list
        if len(x) <= 10000:
            found["ase"] = lambda: primitive_neighbor_list("ijSdD", [True] * 3, cell, x, CUTOFF)
    except ImportError:
        pass
    return found


def sorted_pairs(found):
    i, j, shift = (np.asarray(each).astype(np.int64) for each in found[:3])
    return np.column_stack([i, j, shift])[np.lexsort((*shift.T[::-1], j, i))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?")
    parser.add_argument("most", nargs="?", type=float, default=1e6)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    rows = []
    for n in (10, 30, 100, 300, 1000, 10000, 100000, 1000000):
        if n > options.most:
            break
        x, cell = system(n)
        each = calls(x, cell, options.threads)
        if n <= 10000:
            expected = sorted_pairs(each["kith"]())
            assert all(np.array_equal(sorted_pairs(call()), expected) for call in each.values()), n
        row = {"atoms": n, **{name: best(call) for name, call in each.items()}}
        rows.append(row)
        print(f"{n:8} atoms:", ", ".join(f"{name} {seconds * 1e6:.0f} us ({seconds / row['kith']:.2f})"
                                         for name, seconds in row.items() if name != "atoms"), flush=True)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
