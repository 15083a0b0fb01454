"""Point sets that are difficult for trees: kith compared with scipy and with another build of kith, in one run.

    bench/peers/shapes.py PROGRAM OUTPUT.json [POINTS [FOLDER]]

Prints the table of docs/speed.md and writes JSON: nanoseconds per point for tree and task on one thread. POINTS (50,000
unless given) in three dimensions, float and double; scipy works in double. FOLDER contains another libkith.so, which the
same program loads ("before"). Tasks: k = 1, 16 and 64 nearest neighbors of all points, how many are within a radius
(which holds 16 on average), friends of friends (with a linking length that holds 2). The sets are in
tests/support/shapes.hpp.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

TASKS = ("1", "16", "64", "radius", "fof")
SETS = {"uniform": "uniform", "scales-6": "directions x 10^U(-6, 0)", "scales-9": "10^U(-9, 0)",
        "scales-12": "10^U(-12, 0)", "scales-15": "10^U(-15, 0)", "scales-20": "10^U(-20, 0)",
        "scales-30": "10^U(-30, 0)", "scales-60": "10^U(-60, 0)", "tiny-cube": "cube of 10^-21, 4 far points",
        "axes": "each axis +-2^U(-100, 20)", "cantor": "Cantor set", "fractal": "Soneira-Peebles fractal",
        "exponential": "exponential spacing on a line", "cluster": "dense cluster, 1 % far",
        "sheets": "two close planes", "shells": "two spheres"}


def kith_lines(library, program, *arguments):
    """The output of the program, with the library in a folder, or with its own."""
    environment = {**os.environ, "LD_LIBRARY_PATH": library} if library else None
    text = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True,
                          env=environment).stdout
    return [json.loads(line) for line in text.splitlines()]


def scipy_task(x, task, radius):
    tree = cKDTree(x)
    if task == "radius":
        return tree.query_ball_point(x, radius, return_length=True).sum()
    if task == "fof":
        pairs = tree.query_pairs(radius, output_type="ndarray")
        links = coo_matrix((numpy.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(len(x), len(x)))
        return connected_components(links, directed=False)[0]
    return tree.query(x, k=[int(task)])[0].sum()


def scipy_ns(x, task, radius):
    start = time.perf_counter()
    scipy_task(x, task, radius)
    return 1e9 * (time.perf_counter() - start) / len(x)


def row_of(program, scalar, name, n, before):
    """For each task: nanoseconds before (if there is a library to compare with), now, and of scipy."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "points.npy")
        kith_lines("", program, "points", name, n, scalar, file)
        x = numpy.load(file).astype(float)
    old = kith_lines(before, program, "time", name, n, scalar, *TASKS) if before else []
    now = kith_lines("", program, "time", name, n, scalar, *TASKS)
    assert all(a["check"] == b["check"] for a, b in zip(old, now)), (name, old, now)
    times = [[found["ns"] for found in run] for run in (old, now) if run]
    return list(zip(*times, (scipy_ns(x, found["task"], found["radius"]) for found in now)))


def main(program, output, n=50000, before=""):
    print("| points | type | k = 1 | k = 16 | k = 64 | count in radius | friends of friends |\n|---|---|---|---|---|---|---|")
    rows = []
    for scalar in ("float", "double"):
        for name, words in SETS.items():
            if name == "scales-60" and scalar == "float":
                continue  # beyond its exponents
            row = row_of(program, scalar, name, int(float(n)), before)
            rows.append({"scalar": scalar, "set": name, "ns": dict(zip(TASKS, row))})
            print(f"| {words} | {scalar} |", " | ".join(" / ".join(f"{ns:.0f}" for ns in task) for task in row), "|", flush=True)
    pathlib.Path(output).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
