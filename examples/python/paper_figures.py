"""Draws figures 2, 4, 6, 7a, 8a and 9 of the jz-tree paper with kith and other libraries for Python, on this machine.

    python paper_figures.py [2] [4] [6] [7a] [8a] [9] [--points 1000000] [--particles 128] [--folder .]

Without a number, all figures are drawn. --points is the size of the largest set of points, --particles the number of
particles along each axis of the largest universe. Each figure is written as paper_NAME.png, and its numbers are printed.
Times are CPU times of one thread, because other programs disturb these least, and include building the tree. Each is the
best of several calls that take at least half a second in all. scipy, scikit-learn, pykdtree and hfof are timed if they
are installed.
"""
import argparse
import importlib
import math
import os
import pathlib
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import matplotlib
import numpy as np

import kith

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

PATIENCE = 2.0  # seconds: if a library takes longer, larger sets are skipped


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds_of(call):
    """The best of several calls, at least half a second of them."""
    best, total = math.inf, 0.0
    while total < 0.5:
        start = time.process_time()
        call()
        took = time.process_time() - start
        best, total = min(best, took), total + took
    return best


def knn(points, k, queries=None, box=None):
    return kith.knn(points, queries, k=k, box=box, threads=1)


def knn_libraries():
    """Name and search(points, queries, k) of each library."""
    found = {"kith": lambda x, q, k: knn(x, k, q)}
    if spatial := optional("scipy.spatial"):
        found["scipy cKDTree"] = lambda x, q, k: spatial.cKDTree(x).query(q, k)
    if pykdtree := optional("pykdtree.kdtree"):
        found["pykdtree"] = lambda x, q, k: pykdtree.KDTree(x).query(q, k)
    if neighbors := optional("sklearn.neighbors"):
        found["scikit-learn"] = lambda x, q, k: neighbors.KDTree(x).query(q, k)
    return found


def fof_libraries():
    """Name and groups(points, linking length, side) of each library."""
    found = {"kith": lambda x, length, side: kith.fof(x, linking_length=length, box=side, threads=1).count}
    if hfof := optional("hfof"):
        found["hfof"] = lambda x, length, side: hfof.fof(x, length, side)
    if (spatial := optional("scipy.spatial")) and (graphs := optional("scipy.sparse.csgraph")):
        def pairs_and_components(x, length, side):
            tree = spatial.cKDTree(x % side, boxsize=side)
            return graphs.connected_components(tree.sparse_distance_matrix(tree, length))[0]
        found["scipy"] = pairs_and_components
    return found


def scaling(ax, libraries, sizes, call):
    """Times of all libraries over sizes; `call(search, size)` returns what to time."""
    for name, search in libraries.items():
        done, times = [], []
        for size in sizes:
            times.append(seconds_of(call(search, size)))
            done.append(size)
            print(f"  {name:14} {size:>9,}  {times[-1]:8.4f} s")
            if times[-1] > PATIENCE:
                break
        ax.loglog(done, times, "o-", label=name)
    ax.set(ylabel="seconds")
    ax.legend()


def order(folder, **_):
    """Figure 2: z-order, and the Hilbert order that kith uses by default."""
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.6))
    sets = [(kith.sample.grid(8, 2), "z", "z-order of a grid"), (kith.sample.uniform(200, 2), "z", "z-order of random points"),
            (kith.sample.uniform(200, 2), "hilbert", "Hilbert order of random points")]
    for ax, (points, curve, title) in zip(axes, sets):
        x, y = points[kith.Tree(points, curve=curve).order()].T
        ax.plot(x, y, "-", color="0.75", lw=0.8)
        ax.scatter(x, y, c=np.arange(len(x)), cmap="plasma", s=14)
        ax.set(title=title, xticks=[], yticks=[], aspect="equal")
    figure.savefig(folder / "paper_order.png", dpi=120, bbox_inches="tight")


def planes(folder, **_):
    """Figure 4: the largest Morton cells of at most 4 and 8 points."""
    points = 2 * kith.sample.uniform(100, 2).astype(float) - 1
    figure, axes = plt.subplots(1, 2, figsize=(8, 4))
    for ax, size in zip(axes, (4, 8)):
        plane = kith.Tree(points, builder="cells", max_leaf_size=size).plane(0)
        for low, high in zip(plane.lower, plane.upper):
            is_single = not np.any(high > low)
            place = dict(color="tab:red", marker="s", ms=4) if is_single else None
            if place:
                ax.plot(*low, **place)
            else:
                ax.add_patch(plt.Rectangle(low, *(high - low), fill=False, ec="tab:blue"))
        ax.plot(*points.T, "k.", ms=3)
        ax.set(title=f"at most {size} points: {len(plane.lower)} nodes", xticks=[], yticks=[], aspect="equal")
    figure.savefig(folder / "paper_planes.png", dpi=120, bbox_inches="tight")


def libraries(folder, points, **_):
    """Figure 6: the 30 nearest of other points, uniform in three dimensions, float32."""
    figure, ax = plt.subplots(figsize=(5.5, 4))
    sizes = [n for n in (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 10**7) if n <= points]
    sets = {n: (kith.sample.uniform(n, seed=1), kith.sample.uniform(n, seed=2)) for n in sizes}
    scaling(ax, knn_libraries(), sizes, lambda search, n: lambda: search(*sets[n], 30))
    ax.set(xlabel="points and queries", title="30 nearest neighbors, one thread")
    figure.savefig(folder / "paper_knn.png", dpi=120, bbox_inches="tight")


def distributions(folder, points, particles, **_):
    """Figure 7a: the 16 nearest of the points themselves, for several distributions."""
    figure, ax = plt.subplots(figsize=(5.5, 4))
    sides = [n for n in (22, 32, 46, 64, 100, 128, 215) if n**3 <= points]
    universes = {n: kith.sample.cosmology(n, side=n, steps=10, threads=None) for n in sides if n <= particles}
    kinds = {"grid": lambda n: (kith.sample.grid(n), None), "uniform": lambda n: (kith.sample.uniform(n**3), None),
             "normal": lambda n: (kith.sample.normal(n**3), None),
             "universe, open": lambda n: (universes[n].position, None),
             "universe, periodic": lambda n: (universes[n].position, float(n))}
    for name, make in kinds.items():
        done = [n for n in sides if "universe" not in name or n in universes]
        times = []
        for n in done:
            x, box = make(n)
            times.append(seconds_of(lambda: knn(x, 16, box=box)) / n**3 * 1e9)
            print(f"  {name:18} {n**3:>9,}  {times[-1]:7.0f} ns per point")
        ax.semilogx([n**3 for n in done], times, "o-", label=name)
    ax.set(xlabel="points", ylabel="ns per point", title="16 nearest neighbors, one thread", ylim=(0, None))
    ax.legend()
    figure.savefig(folder / "paper_distributions.png", dpi=120, bbox_inches="tight")


def groups(folder, particles, **_):
    """Figure 8a: friends of friends at b = 0.2 in periodic universes of 1 Mpc/h per particle."""
    figure, ax = plt.subplots(figsize=(5.5, 4))
    sides = [n for n in (16, 32, 64, 128, 256) if n <= particles]
    universes = {n**3: (kith.sample.cosmology(n, side=n, steps=20).position, float(n)) for n in sides}
    scaling(ax, fof_libraries(), list(universes),
            lambda search, n: lambda: search(universes[n][0], 0.2, universes[n][1]))
    ax.set(xlabel="particles", title="friends of friends, b = 0.2, one thread")
    figure.savefig(folder / "paper_fof.png", dpi=120, bbox_inches="tight")


def scalings(folder, points, **_):
    """Figure 9: dimension, number of neighbors, number of queries."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6))
    n = min(points, 10**5)
    found = knn_libraries()
    print(f" {n:,} points, 16 neighbors, over the dimension")
    scaling(axes[0], found, [2, 3, 4, 6, 8],
            lambda search, d: (lambda x: lambda: search(x, x, 16))(kith.sample.uniform(n, d)))
    print(f" {n:,} points, 3 dimensions, over k")
    x = kith.sample.uniform(n)
    scaling(axes[1], found, [1, 4, 16, 64, 128], lambda search, k: lambda: search(x, x, k))
    print(f" {n:,} points, 3 dimensions, 16 neighbors, over the number of queries")
    queries = kith.sample.uniform(10 * n, seed=2)
    scaling(axes[2], found, [n // 100, n // 10, n, 10 * n], lambda search, m: lambda: search(x, queries[:m], 16))
    for ax, label in zip(axes, ["dimension", "k", "queries"]):
        ax.set(xlabel=label)
    axes[0].set(title=f"{n:,} points, one thread")
    axes[0].set_xticks([2, 3, 4, 6, 8], ["2", "3", "4", "6", "8"])
    axes[0].minorticks_off()
    figure.subplots_adjust(wspace=0.3)
    figure.savefig(folder / "paper_scalings.png", dpi=120, bbox_inches="tight")


FIGURES = {"2": order, "4": planes, "6": libraries, "7a": distributions, "8a": groups, "9": scalings}


def main():
    parser = argparse.ArgumentParser(description="Draws figures of the jz-tree paper.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="2, 4, 6, 7a, 8a or 9; default: all")
    parser.add_argument("--points", type=int, default=1_000_000, help="size of the largest set of points")
    parser.add_argument("--particles", type=int, default=128, help="particles along each axis of the largest universe")
    parser.add_argument("--folder", type=pathlib.Path, default=".", help="folder for the pictures")
    given = parser.parse_args()
    for name in given.figures or FIGURES:
        if name not in FIGURES:
            parser.error(f"there is no figure {name}; choose from {', '.join(FIGURES)}")
        print(FIGURES[name].__doc__)
        FIGURES[name](folder=given.folder, points=given.points, particles=given.particles)


if __name__ == "__main__":
    main()
