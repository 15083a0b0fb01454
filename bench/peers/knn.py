"""k nearest neighbors: kith, nanoflann, scipy, pykdtree and scikit-learn, in one run.

    bench/peers/knn.py PROGRAM OUTPUT.json [quick] [raw float32 files of 3-D points ...]

Prints a table and writes JSON. Times are seconds for building, searching and rows in input order; the best of several.
nanoflann gets points and queries sorted along the z-curve, with which it is fastest; the sort is timed. The Python
packages run with default settings. The tasks are those of the table in docs/neighbors.md.
"""

import json
import subprocess
import sys
import time

import numpy

TASKS = [
    # name, arguments of the program
    ("10^6 uniform, k = 16", "uniform 1e6 16"),
    ("k = 1", "uniform 1e6 1"),
    ("k = 8", "uniform 1e6 8"),
    ("k = 32", "uniform 1e6 32"),
    ("k = 64", "uniform 1e6 64"),
    ("k = 128", "uniform 1e6 128 reps=4"),
    ("10^5 points, k = 512", "uniform 1e5 512 reps=2"),
    ("normal", "normal 1e6 16"),
    ("halo, density r^-2", "halo 1e6 16"),
    ("10^6 other queries, k = 30", "uniform 1e6 30 queries=1e6 reps=3"),
    ("one query at a time", "uniform 1e6 16 queries=1e5 mode=single"),
    ("1,000 queries, 10^7 points", "uniform 1e7 16 queries=1000 mode=few reps=3"),
    ("double", "uniform 1e6 16 double=1"),
    ("d = 2", "uniform 1e6 16 d=2"),
    ("d = 4", "uniform 1e6 16 d=4 reps=2"),
    ("d = 6", "uniform 1e6 16 d=6 reps=2"),
    ("d = 8, 10^5 points", "uniform 1e5 16 d=8 reps=2"),
    ("10^7 uniform, k = 16", "uniform 1e7 16 reps=4"),
]


def program_row(program, name, arguments, threads):
    command = [program, *arguments.split(), f"threads={threads}"]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {"task": name, **json.loads(line)}


def best_time(call, rounds):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def python_peers(x, k, threads, rounds):
    """Each package's time for the k nearest of all points."""
    from pykdtree.kdtree import KDTree
    from scipy.spatial import cKDTree
    from sklearn.neighbors import NearestNeighbors

    times = {
        "scipy": best_time(lambda: cKDTree(x).query(x, k=k, workers=threads), rounds),
        "scikit-learn": best_time(
            lambda: NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=threads).fit(x).kneighbors(x), 1),
    }
    if threads == 1:  # pykdtree takes all threads that OpenMP gives it when it is first loaded
        times["pykdtree"] = best_time(lambda: KDTree(x).query(x, k=k), rounds)
    return times


def main():
    program, output, *rest = sys.argv[1:]
    tasks = TASKS[:5] if "quick" in rest else TASKS
    tasks += [(file, f"{file} 0 16 reps=3") for file in rest if file != "quick"]
    rows = []
    print(f"{'task':28} {'threads':>7} {'kith, s':>9} {'nanoflann, s':>13} {'ratio':>7}")
    for threads in (1, 2):
        for name, arguments in tasks:
            row = program_row(program, name, arguments, threads)
            rows.append(row)
            peer = row.get("nanoflann_sorted", row.get("nanoflann_plain"))
            print(f"{name:28} {threads:7} {row['kith']:9.4f} {peer:13.4f} {peer / row['kith']:6.1f}x", flush=True)
    x = numpy.random.default_rng(1).random((10**6, 3), dtype=numpy.float32)
    for threads in (1, 2):
        ours = next(r["kith"] for r in rows if r["task"] == TASKS[0][0] and r["threads"] == threads)
        for peer, seconds in python_peers(x, 16, threads, 2).items():
            rows.append({"task": TASKS[0][0], "threads": threads, "peer": peer, "seconds": seconds})
            print(f"{TASKS[0][0]:28} {threads:7} {ours:9.4f} {peer:>12} {seconds:.2f} {seconds / ours:6.1f}x", flush=True)
    with open(output, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


main()
