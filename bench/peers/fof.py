"""Friends of friends: kith, hfof, scipy and scikit-learn, in one run. Prints a table, writes JSON.

    bench/peers/fof.py PROGRAM OUTPUT.json [quick] [N ...]   N^3 particles of the sample universe; 128 by default

Ratios are to one thread of kith with min_size = 20. hfof is timed if it is installed, scikit-learn and scipy up to 128^3
unless `quick`. All labels are compared with kith's. On a busy machine, CPU time is more reliable than wall time; ratios
are of wall times.
"""

import json
import os
import subprocess
import sys
import time

import numpy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

LENGTHS = (0.1, 0.2, 0.3, 1.0)


def kith(program, path, side, length, *words):
    command = [program, f"{path}:{side}", str(length), *map(str, words)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def timed(call, rounds):
    """Least time that passed, least time of the CPU, and the result."""
    best = cpu = float("inf")
    for _ in range(rounds):
        start, cpu_start = time.perf_counter(), time.process_time()
        result = call()
        best = min(best, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - cpu_start)
    return best, cpu, result


def scipy_groups(x, side, length):
    """In float64."""
    pairs = cKDTree(x, boxsize=side).query_pairs(length, output_type="ndarray")
    graph = coo_matrix((numpy.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), (len(x), len(x)))
    return connected_components(graph, directed=False)[1]


def same_partition(a, b):
    both = numpy.unique(numpy.stack([a, b]).astype(numpy.int64), axis=1).shape[1]
    return both == len(numpy.unique(a)) == len(numpy.unique(b))


def doubtful_pairs(x, side, length, label, other):
    """Pairs about the length apart that one of float32 (kith) and float64 puts into one group: rounding decides."""
    pairs = cKDTree(x, boxsize=side).query_pairs(length * (1 + 1e-5), output_type="ndarray")
    i, j = pairs.T
    split = pairs[(label[i] == label[j]) != (other[i] == other[j])]
    dx = numpy.abs(x[split[:, 0]] - x[split[:, 1]])
    distance = numpy.sqrt((numpy.minimum(dx, side - dx) ** 2).sum(axis=1))
    near = numpy.abs(distance - length) < 1e-5 * length
    return [(int(i), int(j), float(d - length)) for (i, j), d in zip(split[near][:5], distance[near])]


def peers(n, x, is_quick):
    """Name, rounds and call(length) -> label."""
    wide = x.astype(numpy.float64)
    result = []
    try:
        from hfof import fof as hfof

        result.append(("hfof", 3, lambda length: hfof(wide, length, boxsize=float(n))))
    except ImportError:
        print("hfof is not installed")
    if n <= 128 and not is_quick:
        result.append(("scipy pairs + components", 1, lambda length: scipy_groups(wide, float(n), length)))
    if n <= 128 and not is_quick:
        from sklearn.cluster import DBSCAN

        result.append(("scikit-learn DBSCAN, open box", 1,
                       lambda length: DBSCAN(eps=length, min_samples=2).fit(x).labels_))
    return result


def measure(program, n, path, is_quick):
    x = numpy.fromfile(path, numpy.float32).reshape(-1, 3)
    rows = []
    for length in LENGTHS:
        labels = f"{path}.labels"
        for threads in (1, 2):
            best = kith(program, path, n, length, threads, 7, "workspace", f"labels={labels}")
            rows.append({"task": "kith", "length": length, **best})
            few = kith(program, path, n, length, threads, 7, "workspace", "min=20")
            rows.append({"task": "kith, min_size = 20", "length": length, **few})
        given = kith(program, path, n, length, 1, 7, "workspace", "tree", "min=20")
        rows.append({"task": "kith, min_size = 20, tree given", "length": length, **given})
        label = numpy.fromfile(labels, numpy.int32)
        for name, rounds, call in peers(n, x, is_quick):
            if name.startswith("scikit") and length != 0.2:
                continue
            if name.startswith("scipy") and length > 0.3:  # too many pairs for the memory
                continue
            seconds, cpu, other = timed(lambda: call(length), rounds)
            row = {"task": name, "length": length, "threads": 1, "best": seconds, "cpu": cpu}
            if "open" not in name:
                row["agrees"] = bool(same_partition(label, numpy.asarray(other)))
                if not row["agrees"]:
                    row["doubtful"] = doubtful_pairs(x.astype(numpy.float64), float(n), length, label, numpy.asarray(other))
            rows.append(row)
    return rows


def main():
    program, output, *sizes = sys.argv[1:]
    is_quick = "quick" in sizes
    sizes = [size for size in sizes if size != "quick"]
    results = []
    for n in [int(size) for size in sizes] or [128]:
        path = os.path.join(os.path.dirname(os.path.abspath(output)), f"universe{n}.raw")
        if not os.path.exists(path):
            subprocess.run([program, "sample", str(n), path], check=True)
        rows = measure(program, n, path, is_quick)
        print(f"{n}^3 particles, periodic, mean separation 1")
        print(f"{'length':>6}  {'':32} {'threads':>7} {'best, s':>9} {'CPU, s':>9} {'kith is':>9}  labels")
        for row in rows:
            ours = next(r["best"] for r in rows if r["task"] == "kith, min_size = 20" and r["length"] == row["length"])
            ratio = "" if row["task"].startswith("kith") else f"{row['best'] / ours:8.1f}x"
            agrees = {True: "equal", False: f"differ: {row.get('doubtful')}", None: ""}[row.get("agrees")]
            print(f"{row['length']:6}  {row['task']:32} {row['threads']:7} {row['best']:9.3f} {row['cpu']:9.3f} {ratio:>9}  {agrees}")
        results += [{"n": n, **row} for row in rows]
    with open(output, "w") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
