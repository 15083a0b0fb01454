"""Building trees: kith, nanoflann and scipy, in one run. Prints a table, writes JSON.

    bench/peers/tree.py PROGRAM OUTPUT.json [POINTS ...]
"""

import json
import subprocess
import sys
import time

import numpy
import scipy
from scipy.spatial import cKDTree


def times_of(build, rounds):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        build()
        seconds.append(time.perf_counter() - start)
    return {"first": seconds[0], "best": min(seconds)}


def measure(program, points, rounds):
    lines = subprocess.run([program, str(points), str(rounds)], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in lines.stdout.splitlines()]
    x = numpy.random.default_rng(1).random((points, 3), dtype=numpy.float32)
    times = times_of(lambda: cKDTree(x), min(rounds, 3))
    return rows + [{"task": f"scipy {scipy.__version__}", "points": points, "threads": 1, **times}]


def main():
    program, output, *sizes = sys.argv[1:]
    results = []
    print(f"{'points':>9}  {'':34} {'threads':>7} {'first, ms':>10} {'best, ms':>10} {'kith is':>9}")
    for points in [int(float(size)) for size in sizes] or [10**6, 10**7]:
        rows = measure(program, points, 7 if points <= 10**6 else 3)
        ours = next(row["best"] for row in rows if row["task"] == "kith packed")
        for row in rows:
            if "value" in row:
                print(f"{points:9}  {row['task']:34} {row['threads']:7} {'':10} {row['value']:10.1f}")
                continue
            ratio = "" if row["task"].startswith("kith") else f"{row['best'] / ours:8.1f}x"
            print(f"{points:9}  {row['task']:34} {row['threads']:7} {row['first'] * 1e3:10.1f} "
                  f"{row['best'] * 1e3:10.1f} {ratio:>9}")
        results += rows
    with open(output, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)


main()
