"""Exact nearest neighbors and friends-of-friends groups in huge point sets.

>>> import kith
>>> x = kith.sample.uniform(1000, 3)
>>> index, distance = kith.knn(x, k=16, box=1.0)
>>> groups = kith.fof(x, b=0.8, box=1.0, min_size=5)
>>> tree = kith.KDTree(x, boxsize=1.0)   # the interface of scipy.spatial.KDTree
>>> d, i = tree.query(x, k=16)

Results are exact, and the same for any number of threads.

kith.sample makes sample points, kith.correlation counts pairs, kith.gradients computes derivatives, and
kith.mpi works on points that are spread over MPI ranks. Four more modules are imported when you first use them:
kith.jax and kith.torch (differentiable functions), kith.sklearn (estimators for scikit-learn) and kith.plot (pictures).
"""
from __future__ import annotations

import importlib
from typing import Any

from . import correlation, gradients, mpi, sample
from ._box import Box
from ._call import CancelToken, TqdmProgress
from ._catalogue import Catalogue, MassFunction, mass_function, read_catalogue
from ._clusters import (Branches, Clusters, CondensedTree, HdbscanClusters, Hierarchy, SpanningTree, dbscan,
                        hdbscan, hierarchy, spanning_tree)
from ._devices import Device, devices
from ._errors import (ArgumentError, ArgumentTypeError, Cancelled, Error, FileError, InternalError, OutOfMemoryError,
                      UnavailableError)
from ._forest import Forest
from ._groups import Groups, fof, redshift_fof
from ._halos import (Overdensities, Subhalos, catalogue, centers, edge_density, halos, overdensities, peak_members,
                     subhalos)
from ._kdtree import KDTree, cKDTree
from ._kith import version as __version__
from ._neighbors import (NeighborLists, Neighbors, Pairs, density, kth_distance, knn, mean_distance, radius,
                         radius_count, radius_pairs)
from ._program import report, verify
from ._snapshot import Snapshot, read_snapshot, write_snapshot
from ._tree import Cells, LeftBalanced, Plane, Splits, Tree, estimate_memory, left_balanced
from ._yt import YtParticles, from_yt

__all__ = [
    "ArgumentError", "ArgumentTypeError", "Box", "Branches", "CancelToken", "Cancelled", "Catalogue", "Cells", "Clusters",
    "CondensedTree", "Device", "Error", "FileError", "Forest", "Groups", "HdbscanClusters", "Hierarchy", "InternalError",
    "KDTree", "LeftBalanced", "MassFunction", "NeighborLists", "Neighbors", "OutOfMemoryError", "Overdensities", "Pairs",
    "Plane", "Snapshot", "SpanningTree", "Splits", "Subhalos", "TqdmProgress", "Tree", "UnavailableError", "YtParticles",
    "cKDTree", "catalogue", "centers", "correlation", "dbscan", "density", "devices", "edge_density", "estimate_memory",
    "fof", "from_yt",
    "gradients", "halos", "hdbscan", "hierarchy", "knn", "kth_distance", "left_balanced", "mass_function",
    "mean_distance", "mpi", "overdensities", "peak_members", "plot", "radius", "radius_count", "radius_pairs",
    "read_catalogue", "read_snapshot", "redshift_fof", "report", "sample", "sklearn", "spanning_tree", "subhalos",
    "verify", "write_snapshot",
]


def __getattr__(name: str) -> Any:
    if name in ("jax", "plot", "sklearn", "torch"):
        return importlib.import_module(f"kith.{name}")
    raise AttributeError(f"module 'kith' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
