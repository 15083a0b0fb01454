"""Spanning tree, DBSCAN and HDBSCAN*: kith and quitefastmst, scikit-learn and fast_hdbscan, in one run. Prints a
table, writes JSON.

    bench/peers/clusters.py PROGRAM OUTPUT.json [N] [quick] [SET] [FILE.raw]

N points, 1000000 by default; quick: the spanning tree alone. Sets: uniform2, uniform3 and clumps, all unless one is
named, and FILE.raw: rows of three float64. The other libraries get float64, kith both types.
Trees are compared edge by edge, clusters of DBSCAN as partitions. On a busy machine, CPU time is more reliable than wall
time.
"""

import json
import os
import subprocess
import sys
import time

import numpy


def kith(program, path, dimension, threads, call, runs=3, output=None):
    command = [program, path, dimension, threads, runs, call] + ([output] if output else [])
    return json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)


def timed(call, rounds=2):
    """Least time that passed, least time of the CPU, and the result."""
    best = cpu = float("inf")
    for _ in range(rounds):
        start, cpu_start = time.perf_counter(), time.process_time()
        result = call()
        best = min(best, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - cpu_start)
    return {"best": best, "cpu": cpu}, result


def clustered(rng, n):
    """Clumps whose sizes and widths differ by factors of a hundred, and a tenth of the points anywhere."""
    weight = rng.pareto(1.0, 2000) + 0.02
    which = rng.choice(2000, n - n // 10, p=weight / weight.sum())
    center, width = rng.random((2000, 3)), 10 ** rng.uniform(-4, -2, 2000)
    return numpy.concatenate([center[which] + width[which, None] * rng.standard_normal((len(which), 3)),
                              rng.random((n // 10, 3))])


def sets(n):
    rng = numpy.random.default_rng(1)
    return {"uniform2": rng.random((n, 2)), "uniform3": rng.random((n, 3)), "clumps": clustered(rng, n)}


def same_partition(a, b):
    both = numpy.unique(numpy.stack([a, b]).astype(numpy.int64), axis=1).shape[1]
    return both == len(numpy.unique(a)) == len(numpy.unique(b)) and bool(((a < 0) == (b < 0)).all())


def edges_of(index):
    index = numpy.sort(numpy.asarray(index).reshape(-1, 2).astype(numpy.int64), axis=1)
    return index[numpy.lexsort((index[:, 1], index[:, 0]))]


def spanning_trees(program, name, x, path):
    import quitefastmst

    rows = []
    for core_k in (1, 5):
        edges = f"{path}.edges"
        for threads in (1, 2):
            for word in ("", "32"):
                ours = kith(program, path, x.shape[1], threads, f"spanning_tree:{core_k}{word}",
                            output=None if word else edges)
                rows.append({"set": name, "task": f"spanning tree, core_k = {core_k}",
                             "who": "kith float" if word else "kith double", **ours})
            os.environ["OMP_NUM_THREADS"] = str(threads)
            quitefastmst.omp_set_num_threads(threads)
            # Its M counts neighbors without the point itself.
            measured, result = timed(lambda: quitefastmst.mst_euclid(x, M=core_k - 1 if core_k > 1 else 0))
            row = {"set": name, "task": f"spanning tree, core_k = {core_k}", "who": "quitefastmst",
                   "threads": threads, **measured}
            if core_k == 1:
                row["equal"] = bool((edges_of(result[1]) == edges_of(numpy.fromfile(edges, numpy.uint32))).all())
            rows.append(row)
    return rows


def densities(program, name, x, path):
    from sklearn.cluster import DBSCAN

    dimension = x.shape[1]
    eps = {2: 1.8, 3: 1.35}[dimension] * len(x) ** (-1 / dimension) * (1 if name.startswith("uniform") else 0.1)
    rows, labels = [], f"{path}.labels"
    for threads in (1, 2):
        for call in ("fof", "dbscan"):
            ours = kith(program, path, dimension, threads, f"{call}:{eps}", output=labels)
            rows.append({"set": name, "task": "dbscan", "who": f"kith {call}", **ours})
        measured, result = timed(lambda: DBSCAN(eps=eps, min_samples=5, n_jobs=threads).fit(x), 1)
        equal = same_partition(numpy.fromfile(labels, numpy.int32), result.labels_)
        rows.append({"set": name, "task": "dbscan", "who": "scikit-learn", "threads": threads, "equal": equal,
                     **measured})
    for threads in (1, 2):
        ours = kith(program, path, dimension, threads, "hdbscan:10")
        rows.append({"set": name, "task": "hdbscan", "who": "kith", **ours})
    if name != "uniform3":
        import fast_hdbscan

        fast_hdbscan.HDBSCAN(min_cluster_size=10).fit(x[:5000])  # compiles
        measured, _ = timed(lambda: fast_hdbscan.HDBSCAN(min_cluster_size=10).fit(x), 1)
        rows.append({"set": name, "task": "hdbscan", "who": "fast_hdbscan", "threads": 2, **measured})
    return rows


def main():
    program, output, *words = sys.argv[1:]
    numbers = [int(word) for word in words if word.isdigit()]
    rows = []
    folder = os.path.dirname(os.path.abspath(output))
    chosen = sets(numbers[0] if numbers else 1000000)
    chosen.update({"file": numpy.fromfile(word).reshape(-1, 3) for word in words if word.endswith(".raw")})
    named = [name for name in chosen if name in words or (name == "file")]
    for name, x in chosen.items():
        if named and name not in named:
            continue
        path = os.path.join(folder, "clusters.raw")
        x.tofile(path)
        rows += spanning_trees(program, name, x, path)
        if "quick" not in words:
            rows += densities(program, name, x, path)
    print(f"{'set':14} {'task':26} {'':14} {'threads':>7} {'best, s':>9} {'CPU, s':>9}")
    for row in rows:
        print(f"{row['set']:14} {row['task']:26} {row['who']:14} {row['threads']:7} {row['best']:9.3f} "
              f"{row['cpu']:9.3f} {'' if 'equal' not in row else 'equal' if row['equal'] else 'DIFFERS'}")
    with open(output, "w") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
