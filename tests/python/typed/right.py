"""Calls that type checkers accept, with the types of their results."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import assert_type

import kith
import kith.sklearn
from kith.typing import Border, BoxLike, Floats, Indices, Memory

x = np.random.default_rng(1).random((100, 3))
v = x.astype(np.float32)
as_list = [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]


def progress(stage: str, done: int, total: int) -> None:
    print(stage, done / total)


def contacts(atoms: ArrayLike, box: BoxLike = None) -> kith.Pairs:
    return kith.radius_pairs(atoms, radius=0.1, box=box)


def neighbors() -> None:
    tree = kith.Tree(x, box=1.0, builder="cells", curve="z", non_finite="drop", progress=progress)
    assert_type(tree.dtype, np.dtype[np.floating[Any]])
    index, distance = kith.knn(tree, as_list, k=16, order="input", method="walk", index_dtype=np.int64)
    assert_type(index, Indices)
    assert_type(distance, Floats)
    again: NDArray[np.floating[Any]] = kith.knn(v, k=3, box=[1.0, 1.0, 0.0], out=(index, distance)).distance
    kith.knn(x, k=3, box=np.array([1, 1, 1]), progress=True, cancel=kith.CancelToken(), index_dtype="int32")
    kith.knn(x, k=3, box=kith.Box(1.0, -0.5), progress=lambda stage, done, total: None)
    kith.knn(x, k=3, progress=kith.TqdmProgress(leave=False), device="gpu:1")
    lists = kith.radius(x, radius=np.full(len(x), 0.1))
    assert_type(lists[0], kith.Neighbors)
    assert_type(lists.count, NDArray[np.int64])
    assert_type(kith.radius_count(x, radius=0.1), NDArray[np.int64])
    assert_type(kith.density(x, k=8, kernel="wendland_c2", mass=2.0), NDArray[np.float64])
    assert_type(kith.estimate_memory(1000, curve="hilbert", box=1.0), Memory)
    print(again + 1.0, contacts(as_list, box=(1.0, 2.0, 3.0)).i, kith.Forest(3, dtype=np.float32).insert(x))


def groups_and_clusters(border: Border) -> None:
    groups = kith.fof(x, b=0.2, box=1.0, min_size=20)
    assert_type(groups, kith.Groups)
    assert_type(groups.label, NDArray[np.int32])
    found = kith.catalogue(x, groups, velocity=x, mass=1.0)
    assert_type(found["mass"], NDArray[Any])
    assert_type(found[0], dict[str, Any])
    assert_type(found[:3], kith.Catalogue)
    kith.centers(x, groups.label, kind="shrinking")
    kith.overdensities(kith.Tree(x), found.center, density=[kith.edge_density("virial"), 100.0])
    assert_type(kith.dbscan(x, 0.1, border=border), kith.Clusters)
    assert_type(kith.hdbscan(x, selection="leaf").condensed_tree.lambda_, NDArray[np.float64])
    kith.halos(kith.read_snapshot("s.hdf5", dtype=np.float32), b=0.2).save("h.hdf5", style="swift")


def as_in_scipy() -> None:
    tree = kith.KDTree(x, boxsize=1.0)
    distance, index = tree.query(x, k=[1, 3], workers=-1)
    assert_type(tree.query_pairs(0.1), set[tuple[int, int]])
    assert_type(tree.query_pairs(0.1, output_type="ndarray"), NDArray[np.intp])
    assert_type(tree.query_radius(x, 0.1), kith.NeighborLists)
    assert_type(tree.query_radius(x, 0.1, format="lists"), tuple[list[Indices], list[Floats]])
    print(distance, index)


def as_in_scikit_learn() -> None:
    model = kith.sklearn.NearestNeighbors(5).fit(x)
    assert_type(model.kneighbors(x), tuple[Floats, Indices])
    assert_type(model.kneighbors(x, return_distance=False), Indices)
    print(kith.sklearn.DBSCAN(0.1, border="nearest").fit(x).labels_)


def derivatives() -> None:
    index, _ = kith.knn(x, k=3)
    assert_type(kith.gradients.distances_vjp(x, index, np.ones((100, 3))), Floats)
    assert_type(kith.gradients.distances_vjp(x, index, np.ones((100, 3)), queries=x), tuple[Floats, Floats])
    xi = kith.correlation.xi(x, edges=kith.correlation.logspace(0.01, 0.1, 5), box=1.0).xi
    if xi is not None:
        assert_type(xi, NDArray[np.float64])


def errors() -> None:
    try:
        kith.fof(x, linking_length=-1.0)
    except kith.Error as error:
        assert_type(error.code, str)
    except ValueError as error:  # pragma: no cover
        print(error)
