"""Calls that type checkers must refuse, each on a line that says so."""
from __future__ import annotations

import numpy as np

import kith
import kith.sklearn

x = np.zeros((100, 3))


def progress(stage: str) -> None:
    print(stage)


kith.knn(x)  # wrong: how many
kith.knn(x, 3)  # wrong: k has no position
kith.knn(None, k=3)  # wrong: no points
kith.knn(x, k="3")  # wrong: a word
kith.knn(x, k=3, box="periodic")  # wrong: a word
kith.knn(x, k=3, order="sorted")  # wrong: no such order
kith.knn(x, k=3, method="fast")  # wrong: no such method
kith.knn(x, k=3, index_dtype=np.float32)  # wrong: no type of indices
kith.knn(x, k=3, workers=4)  # wrong: threads
kith.knn(x, k=3, progress=progress)  # wrong: three arguments
kith.knn(x, k=3, cancel=True)  # wrong: a CancelToken
kith.knn(x, k=3, comm=4)  # wrong: a communicator
kith.Tree(x, builder="kd")  # wrong: no such builder
kith.Tree(x, curve="peano")  # wrong: no such curve
kith.Tree(x, non_finite="ignore")  # wrong: error or drop
kith.Tree(kith.Tree(x))  # wrong: points
kith.radius(x, radius=None)  # wrong: a number
kith.density(x, kernel="gauss")  # wrong: no such kernel
kith.fof(x, linking_length="0.2")  # wrong: a word
kith.fof(x, b=0.2, non_finite="keep")  # wrong: error or drop
kith.dbscan(x, 0.1, border="foo")  # wrong: no such border
kith.hdbscan(x, selection="best")  # wrong: eom or leaf
kith.centers(x, x, kind="median")  # wrong: no such center
kith.edge_density("mean300")  # wrong: no such edge
kith.estimate_memory(10, leaf=3)  # wrong: no such option
kith.write_snapshot("s.hdf5", x, style="tipsy")  # wrong: gadget or swift
kith.fof(x, b=0.2).labels  # wrong: label
kith.knn(x, k=3).distances  # wrong: distance
kith.catalogue(x, x)[1.5]  # wrong: a column, a row or rows
kith.KDTree(x).query_radius(x, 0.1, format="list")  # wrong: csr or lists
kith.KDTree(x).query_pairs(0.1, output_type="list")  # wrong: set or ndarray
kith.correlation.xi(x, edges=[0.1, 0.2], estimator="dd")  # wrong: no such estimator
kith.correlation.count(x, edges=[0.1, 0.2], line_of_sight="w")  # wrong: no such line
kith.gradients.score_weights([1.0], baseline="mean")  # wrong: no such baseline
kith.sample.cosmology(8, transfer="camb")  # wrong: no such function
kith.sklearn.DBSCAN(0.1, border="foo")  # wrong: no such border
neighbors: tuple[str, str] = kith.knn(x, k=3)  # wrong: arrays
count: str = kith.fof(x, b=0.2).count  # wrong: a number
