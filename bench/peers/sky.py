"""The sky: kith, astropy and scikit-learn, in one run.

    bench/peers/sky.py PROGRAM OUTPUT.json [POINTS]

Prints a table of CPU seconds on one thread and writes JSON. POINTS positions (default 10^6), half of them uniform, half
in clumps. Match: the nearest of a second catalogue, trees included. scikit-learn's BallTree answers every 21st of the
queries of knn, and its time is taken times 21. HDBSCAN: kith alone, and scikit-learn with 20,000 positions.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from astropy import units
from astropy.coordinates import SkyCoord
from sklearn.cluster import HDBSCAN
from sklearn.neighbors import BallTree

SHARE = 21
K = 8


def run(program, *arguments):
    line = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return json.loads(line) if line else None


def timed(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def read(path):
    ra, dec = numpy.fromfile(path).reshape(2, -1)
    return ra, dec


def report(task, kith, peer, seconds, agrees):
    print(f"{task:32} {kith['cpu']:9.3f} {peer:>14} {seconds:9.3f} {seconds / kith['cpu']:8.1f}"
          f"  {'' if agrees else 'RESULTS DIFFER'}", flush=True)
    return {"task": task, "kith": kith, "peer": peer, "seconds": seconds, "agree": bool(agrees)}


def match_row(program, n, first, second):
    kith = run(program, "match", first, second, 1)
    coordinates = [SkyCoord(*(angle * units.deg for angle in read(path))) for path in (first, second)]
    seconds, (_, apart, _) = timed(lambda: coordinates[0].match_to_catalog_sky(coordinates[1]))
    return report(f"match {n} to {n}", kith, "astropy", seconds, numpy.isclose(apart.deg.sum(), kith["check"], rtol=1e-6))


def knn_row(program, n, path):
    kith = run(program, "knn", path, K, 1)
    ra, dec = read(path)
    rows = numpy.radians(numpy.column_stack([dec, ra]))
    build, tree = timed(lambda: BallTree(rows, metric="haversine"))
    search, (distance, _) = timed(lambda: tree.query(rows[::SHARE], k=K))
    estimate = numpy.degrees(distance[:, -1].sum()) * SHARE
    return report(f"{K} neighbors of {n}", kith, "BallTree", build + SHARE * search,
                  numpy.isclose(estimate, kith["check"], rtol=0.1))


def hdbscan_rows(program, folder, n):
    for count, peers in ((20000, True), (n, False), (10 * n, False)):
        path = folder / f"clusters-{count}"
        run(program, "points", count, path, 3)
        kith = run(program, "hdbscan", path, 2)
        if peers:
            ra, dec = read(path)
            model = HDBSCAN(min_cluster_size=20, min_samples=5, metric="haversine", copy=True)
            seconds, _ = timed(lambda m=model, r=ra, d=dec: m.fit(numpy.radians(numpy.column_stack([d, r]))))
            yield report(f"HDBSCAN of {count}", kith, "scikit-learn", seconds, True)
        else:
            print(f"HDBSCAN of {count}: {kith['seconds']:.2f} s on two threads, {kith['cpu']:.2f} s of CPU, "
                  f"{kith['memory'] / 1e9:.2f} GB, {kith['check']:.0f} clusters", flush=True)
            yield {"task": f"HDBSCAN of {count}", "kith": kith, "agree": True}


def main(program, output, n=1000000):
    n = int(float(n))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first, second = folder / "first", folder / "second"
        run(program, "points", n, first, 1)
        run(program, "points", n, second, 2)
        print("task                                  kith           peer   seconds    ratio (CPU, one thread)")
        rows = [match_row(program, n, first, second), knn_row(program, n, first), *hdbscan_rows(program, folder, n)]
    pathlib.Path(output).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if all(row["agree"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
