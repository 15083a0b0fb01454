"""Point sets that are difficult for trees: kith compared with scipy, in one run.

    bench/peers/shapes.py PROGRAM OUTPUT.json [POINTS]

Prints a table and writes JSON: nanoseconds per point for tree and task on one thread. POINTS (50,000 unless given) in
three dimensions, float and double; scipy works in double. Tasks: k = 1, 16 and 64 nearest neighbors of all points, how
many are within a radius (which holds 16 on average), friends of friends (with a linking length that holds 2). The
sets are in tests/support/shapes.hpp. "uniform" is how many times longer a task takes than on uniform points of the
same type, "scipy" how many times longer scipy takes.
"""

import json
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
SETS = ("uniform", "scales-6", "scales-9", "scales-12", "scales-15", "scales-20", "scales-30", "scales-60",
        "tiny-cube", "axes", "cantor", "fractal", "exponential", "cluster", "sheets", "shells")


def kith_lines(program, *arguments):
    text = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
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


def rows_of(program, folder, n):
    uniform = {}
    for scalar in ("float", "double"):
        for name in SETS:
            if name == "scales-60" and scalar == "float":
                continue  # beyond its exponents
            file = pathlib.Path(folder, "points.npy")
            kith_lines(program, "points", name, n, scalar, file)
            x = numpy.load(file).astype(float)
            for found in kith_lines(program, "time", name, n, scalar, *TASKS):
                task = found["task"]
                uniform.setdefault((scalar, task), found["ns"])
                row = {"scalar": scalar, "set": name, "task": task, "kith": found["ns"],
                       "scipy": scipy_ns(x, task, found["radius"]), "uniform": uniform[scalar, task]}
                print(f"{scalar:7} {name:12} {task:7} {row['kith']:9.0f} {row['scipy']:9.0f} "
                      f"{row['kith'] / row['uniform']:8.1f} {row['scipy'] / row['kith']:8.1f}", flush=True)
                yield row


def main(program, output, n=50000):
    print("type    set          task      kith ns  scipy ns  uniform    scipy")
    with tempfile.TemporaryDirectory() as folder:
        rows = list(rows_of(program, folder, int(float(n))))
    pathlib.Path(output).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
