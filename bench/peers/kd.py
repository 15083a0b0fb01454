"""Building balanced kd-trees in 2-D: kith, nanoflann, scipy and pykdtree, in one run. Prints a table, writes JSON.

    bench/peers/kd.py PROGRAM OUTPUT.json [POINTS ...]
"""

import json
import os
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # pykdtree's

import numpy
import pykdtree.kdtree
import scipy
from scipy.spatial import cKDTree


def best(build, rounds):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        build()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def measure(program, points, rounds):
    lines = subprocess.run([program, str(points), str(rounds)], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in lines.stdout.splitlines()]
    x = numpy.random.default_rng(1).random((points, 2))
    peers = {f"scipy {scipy.__version__} cKDTree, balanced": lambda: cKDTree(x),
             f"scipy {scipy.__version__} cKDTree, sliding midpoint": lambda: cKDTree(x, balanced_tree=False),
             "pykdtree": lambda: pykdtree.kdtree.KDTree(x)}
    return rows + [{"task": name, "points": points, "threads": 1, "best": best(build, min(rounds, 3))}
                   for name, build in peers.items()]


def main():
    program, output, *sizes = sys.argv[1:]
    results = []
    print(f"{'points':>9}  {'':44} {'threads':>7} {'best, ms':>10} {'kith kd is':>11}")
    for points in [int(float(size)) for size in sizes] or [10**6]:
        rows = measure(program, points, 5)
        ours = next(row["best"] for row in rows if row["task"] == "kith kd")
        for row in rows:
            ratio = "" if row["task"].startswith(("kith", "knn")) else f"{row['best'] / ours:8.1f}x"
            print(f"{points:9}  {row['task']:44} {row['threads']:7} {row['best'] * 1e3:10.1f} {ratio:>11}")
        results += rows
    with open(output, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)


main()
