"""Long runs that are no part of the tests: python tests/python/campaigns.py calls | threads | fork | large | indices NUMBER.

The results are in docs/development/campaigns.md.
"""
import argparse
import gc
import multiprocessing
import os
import threading
import time

import numpy as np

import kith

RNG = np.random.default_rng(1)
X = RNG.random((64, 3))
V = RNG.normal(size=(64, 3))
TREE = kith.Tree(X)
GROUPS = kith.fof(X, linking_length=0.2)
SPANNING = kith.spanning_tree(X)
CALLS = {
    "Tree": lambda: kith.Tree(X),
    "knn": lambda: kith.knn(TREE, k=4),
    "knn points": lambda: kith.knn(X, k=4),
    "knn error": lambda: failing(lambda: kith.knn(X, k=0)),
    "radius": lambda: kith.radius(TREE, radius=0.1),
    "radius_count": lambda: kith.radius_count(TREE, radius=0.1),
    "radius_pairs": lambda: kith.radius_pairs(TREE, radius=0.1),
    "density": lambda: kith.density(TREE, k=8),
    "KDTree.query": lambda: kith.KDTree(X).query(X[0]),
    "fof": lambda: kith.fof(TREE, linking_length=0.1),
    "catalogue": lambda: kith.catalogue(X, GROUPS, velocity=V),
    "centers": lambda: kith.centers(X, GROUPS, kind="shrinking"),
    "subhalos": lambda: kith.subhalos(X, GROUPS, velocity=V, linking_length=0.5, min_size=2),
    "overdensities": lambda: kith.overdensities(TREE, X[:2], density=10.0),
    "dbscan": lambda: kith.dbscan(TREE, 0.1),
    "spanning_tree": lambda: kith.spanning_tree(TREE),
    "hierarchy": lambda: kith.hierarchy(SPANNING),
    "hdbscan": lambda: kith.hdbscan(TREE),
    "count": lambda: kith.correlation.count(X, edges=[0, 0.1]),
    "cancelled": lambda: failing(cancelled),
}


def failing(call):
    try:
        call()
    except kith.Error:
        return
    raise AssertionError("no error")


def cancelled():
    token = kith.CancelToken()
    token.cancel()
    kith.knn(TREE, k=4, cancel=token)


def resident():
    """Kilobytes."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def calls(number):
    """Each kind of call many times: how much the process grows after a tenth of them."""
    for name, call in CALLS.items():
        for _ in range(max(1, number // 10)):
            call()
        before, start = resident(), time.perf_counter()
        for _ in range(number):
            call()
        seconds = time.perf_counter() - start
        print(f"{name:15} {number} calls, {1e6 * seconds / number:7.1f} us each, resident {before} -> {resident()} kB",
              flush=True)


def threads(seconds):
    """Many threads call everything at once on shared objects; results are those of one thread."""
    expected = kith.knn(TREE, k=4).index, kith.fof(TREE, linking_length=0.1).label
    done, failures, end = [0] * 16, [], time.monotonic() + seconds

    def work(number):
        names = list(CALLS)
        try:
            while time.monotonic() < end:
                CALLS[names[(number + done[number]) % len(names)]]()
                np.testing.assert_array_equal(kith.knn(TREE, k=4).index, expected[0])
                np.testing.assert_array_equal(kith.fof(TREE, linking_length=0.1).label, expected[1])
                done[number] += 1
        except BaseException as error:
            failures.append(repr(error))
            raise

    every = [threading.Thread(target=work, args=(number,)) for number in range(len(done))]
    for each in every:
        each.start()
    for each in every:
        each.join()
    print(f"{len(every)} threads, {3 * sum(done)} calls in {seconds} s, {len(failures)} failures")
    assert not failures, failures


def child(_):
    return int(kith.knn(X, k=4).index.sum()), int(kith.fof(X, linking_length=0.1).count)


def fork(number):
    """Processes forked while the parent's threads call; each child calls, too."""
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            kith.knn(np.random.default_rng(0).random((20000, 3)), k=4)

    thread = threading.Thread(target=work)
    thread.start()
    expected, context, equal = child(0), multiprocessing.get_context("fork"), 0
    for _ in range(number):
        with context.Pool(2) as pool:
            equal += sum(found == expected for found in pool.map(child, range(2)))
    is_over.set()
    thread.join()
    print(f"{number} forks of 2 children, {equal} of {2 * number} results equal")
    assert equal == 2 * number


def large(number):
    """One set of many points: neighbors and groups."""
    x = np.random.default_rng(1).random((number, 3), dtype=np.float32)
    for name, call in (("Tree", lambda: kith.Tree(x, box=1.0)),
                       ("knn k=1", lambda: kith.kth_distance(tree, k=2)),
                       ("fof b=0.2", lambda: kith.fof(tree, b=0.2))):
        start = time.perf_counter()
        found = call()
        if name == "Tree":
            tree = found
        print(f"{name:10} {number} points, {time.perf_counter() - start:.1f} s, resident {resident()} kB", flush=True)


def indices(number):
    """More points than an int32 can number, all but a few dropped: 2^31 + 8 of them take 8.6 GB."""
    rng = np.random.default_rng(1)
    x = np.full((number, 1), np.nan, np.float32)
    where = np.unique(np.concatenate([rng.integers(number, size=2000), np.arange(number - 14, number), [0, 1]]))
    x[where, 0] = rng.random(len(where), dtype=np.float32)
    tree, queries = kith.Tree(x, non_finite="drop"), x[where]
    found = kith.knn(tree, queries, k=3)
    d2 = (queries - queries.T) ** 2
    order = np.lexsort((np.broadcast_to(where, d2.shape), d2), axis=1)[:, :3]
    np.testing.assert_array_equal(found.index, where[order])
    failing(lambda: kith.knn(tree, queries, k=3, index_dtype=np.int32))
    print(f"{tree.size} of {number} points, indices up to {found.index.max()} equal brute force, {resident()} kB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["calls", "threads", "fork", "large", "indices"])
    parser.add_argument("number", type=int)
    given = parser.parse_args()
    {"calls": calls, "threads": threads, "fork": fork, "large": large, "indices": indices}[given.what](given.number)


if __name__ == "__main__":
    main()
