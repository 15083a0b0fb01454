"""Other norms, pair counts and saved trees: kith and scipy, in one run.

    bench/peers/norms.py PROGRAM OUTPUT.json [POINTS]

Prints a table and writes JSON. Points are uniform in a cube, in double; POINTS of them for neighbors (default
10^6), a tenth for pairs. Neighbors: building the tree and k = 8 of all points. Pairs: a tree with itself at the radii
0.01, 0.02, ... 0.1, with the tree already built. scipy's count_neighbors runs on one thread only.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.spatial import cKDTree


def run(program, *arguments):
    line = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return json.loads(line) if line else None


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def row(task, threads, kith, scipy_seconds, scipy_check):
    agrees = numpy.allclose(kith["check"], scipy_check, rtol=1e-6)
    print(f"{task:34} {threads} {kith['seconds']:9.3f} {scipy_seconds:9.3f} {scipy_seconds / kith['seconds']:8.1f}"
          f"  {'' if agrees else 'RESULTS DIFFER'}", flush=True)
    return {"task": task, "threads": threads, "kith": kith["seconds"], "scipy": scipy_seconds, "agree": bool(agrees)}


def knn_rows(program, n, x):
    for p in (1, numpy.inf, 3):
        for threads in (1, 2):
            kith = run(program, "knn", n, 8, p, threads)
            seconds, (distance, _) = timed(lambda p=p, t=threads: cKDTree(x).query(x, k=8, p=p, workers=t))
            yield row(f"{n} points, k = 8, p = {p}", threads, kith, seconds, [distance[:, -1].sum()])


def pair_rows(program, n, x):
    radii = 0.01 * numpy.arange(1, 11)
    tree, weights = cKDTree(x), numpy.full(n, 0.5)
    for p, is_weighted in ((2, 0), (2, 1), (1, 0)):
        kwargs = {"p": p, "weights": (weights, weights) if is_weighted else None}
        seconds, counts = timed(lambda kwargs=kwargs: tree.count_neighbors(tree, radii, **kwargs))
        for threads in (1, 2):
            kith = run(program, "pairs", n, p, threads, is_weighted)
            name = f"{n} x {n} pairs, p = {p}" + (", weights" if is_weighted else "")
            yield row(name, threads, kith, seconds, counts)


def main(program, output, n=1000000):
    n = int(float(n))
    with tempfile.TemporaryDirectory() as folder:
        def points(count):
            file = pathlib.Path(folder, f"{count}.npy")
            run(program, "points", count, file)
            return numpy.load(file)

        print("task                               threads  kith     scipy    ratio (seconds)")
        rows = list(knn_rows(program, n, points(n))) + list(pair_rows(program, n // 10, points(n // 10)))
        file = run(program, "file", n, pathlib.Path(folder, "tree.kith"))
        print(f"saved tree of {n} points: {file}")
    pathlib.Path(output).write_text(json.dumps({"rows": rows, "file": file}, indent=1), encoding="utf-8")
    return 0 if all(r["agree"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
