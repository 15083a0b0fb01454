"""Exact nearest neighbors and friends-of-friends groups in huge point sets.

>>> import kith
>>> x = kith.sample.uniform(1000, 3)
>>> index, distance = kith.knn(x, k=16, box=1.0)
>>> groups = kith.fof(x, b=0.8, box=1.0, min_size=5)
>>> tree = kith.KDTree(x, boxsize=1.0)   # the interface of scipy.spatial.KDTree
>>> d, i = tree.query(x, k=16)

Results are exact, and the same for any number of threads.

kith.sample makes sample points, kith.correlation counts pairs, kith.sky works with angles,
kith.cells with periodic cells of any shape, kith.gradients computes derivatives, and
kith.mpi works on points that are spread over MPI ranks. Four more modules are imported when you first use them:
kith.jax and kith.torch (differentiable functions), kith.sklearn (estimators for scikit-learn) and kith.plot (pictures).
kith.typing has names for the types of arguments and results.
"""
from __future__ import annotations

import importlib
from typing import Any

from . import cells, correlation, gradients, mpi, sample, sky
from ._atoms import neighbor_list
from ._box import Box
from ._call import CancelToken, TqdmProgress
from ._catalogue import Catalogue, MassFunction, mass_function, read_catalogue
from ._clusters import (Branches, Clusters, CondensedTree, HdbscanClusters, Hierarchy, SpanningTree, dbcv, dbscan,
                        hdbscan, hierarchy, spanning_tree)
from ._device_arrays import DeviceArray, to_device
from ._devices import Device, devices
from ._errors import (ArgumentError, ArgumentTypeError, Cancelled, Error, FileError, InternalError, OutOfMemoryError,
                      ProgramError, UnavailableError)
from ._forest import Forest
from ._groups import Groups, fof, redshift_fof
from ._halos import (Overdensities, Subhalos, catalogue, centers, edge_density, halos, overdensities, peak_members,
                     subhalos)
from ._histories import Matches, match
from ._kdtree import KDTree, cKDTree
from ._kith import version as __version__
from ._neighbors import (NeighborLists, Neighbors, Pairs, density, kth_distance, knn, mean_distance, radius,
                         radius_count, radius_pairs)
from ._program import report, verify
from ._snapshot import Snapshot, read_snapshot, write_snapshot
from ._stored import StoredGroups, StoredPoints, StoredSubhalos, open_points
from ._tree import Cells, LeftBalanced, Plane, Splits, Tree, estimate_memory, left_balanced
from ._trees import MergerTrees, read_trees, trees
from ._yt import YtParticles, from_yt

__all__ = [
    "ArgumentError", "ArgumentTypeError", "Box", "Branches", "CancelToken", "Cancelled", "Catalogue", "Cells", "Clusters",
    "CondensedTree", "Device", "DeviceArray", "Error", "FileError", "Forest", "Groups", "HdbscanClusters", "Hierarchy", "InternalError",
    "KDTree", "LeftBalanced", "MassFunction", "Matches", "MergerTrees", "NeighborLists", "Neighbors", "OutOfMemoryError", "Overdensities", "Pairs",
    "Plane", "ProgramError", "Snapshot", "SpanningTree", "Splits", "StoredGroups", "StoredPoints", "StoredSubhalos", "Subhalos", "TqdmProgress", "Tree", "UnavailableError", "YtParticles",
    "cKDTree", "catalogue", "cells", "centers", "correlation", "dbcv", "dbscan", "density", "devices", "edge_density", "estimate_memory",
    "fof", "from_yt",
    "gradients", "halos", "hdbscan", "hierarchy", "knn", "kth_distance", "left_balanced", "mass_function", "match",
    "mean_distance", "mpi", "neighbor_list", "open_points", "overdensities", "peak_members", "plot", "radius", "radius_count",
    "radius_pairs", "read_catalogue", "read_snapshot", "read_trees", "redshift_fof", "report", "sample", "sklearn", "sky",
    "spanning_tree", "subhalos", "to_device", "trees", "verify", "write_snapshot",
]


def __getattr__(name: str) -> Any:
    if name in ("jax", "plot", "sklearn", "torch"):
        return importlib.import_module(f"kith.{name}")
    raise AttributeError(f"module 'kith' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
