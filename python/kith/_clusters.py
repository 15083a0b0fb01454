"""Clusters by density: DBSCAN, the spanning tree, all linking lengths at once, HDBSCAN*."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _kith
from ._arrays import points as as_points
from ._box import as_box
from ._call import CancelToken, Progress, carry_out
from ._groups import Groups, _at_least_one, _expect_own_box
from ._tree import Tree


class Clusters(Groups):
    """Clusters of DBSCAN, numbered 0, 1, ... by falling size, those of equal size by their lowest member.

    They are groups: ``label``, ``size``, ``members`` and catalogues work as for kith.fof, and ``np.asarray(clusters)``
    gives the labels; ``linking_length`` is eps.

    Attributes
    ----------
    is_core : ndarray of bool
        Whether each point is a core point.
    """

    is_core: np.ndarray

    @classmethod
    def _made_of(cls, core: Any) -> Clusters:
        clusters = cls._of(core.groups)
        assert isinstance(clusters, Clusters)
        clusters.is_core = core.is_core().view(np.bool_)
        return clusters

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"is_core": self.is_core}

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.label < 0))
        return f"<kith.Clusters: {self.count} clusters of {len(self.label)} points, {noise} of them noise>"


def dbscan(points: Any, eps: float, min_samples: int = 5, *, box: Any = None, border: str = "nearest",
           border_links: int = 1, non_finite: str | None = None, threads: int | None = None,
           progress: Progress = None, cancel: CancelToken | None = None) -> Clusters:
    """DBSCAN, exactly: core points within eps of each other are in one cluster, border points join one.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    eps : float
        Points are neighbors if d2 <= eps^2, both in the type of the points.
    min_samples : int
        A core point has so many points within eps, itself included. With 2, clusters are the groups of kith.fof.
    box : float, sequence or Box, optional
        Periods of the axes; a tree knows its own.
    border : {"nearest", "sklearn", "none"}
        Which cluster a border point joins: that of the nearest core point (of the lowest index among equally near
        ones); the one that scikit-learn chooses; or none, then border points are noise (DBSCAN*).
    border_links : int
        A border point joins a cluster only if so many of its core points are within eps.
    non_finite : {"error", "drop"}
        What to do with points that have a NaN or infinite coordinate; a tree has decided already.
    threads, progress, cancel
        See Tree.

    Returns
    -------
    Clusters
    """
    options: dict[str, Any] = {"eps": float(eps), "min_samples": _positive("dbscan: min_samples", min_samples),
                               "border": border, "border_links": _positive("dbscan: border_links", border_links)}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    return Clusters._made_of(_call("dbscan", points, options, box, non_finite, how))


class SpanningTree:
    """A minimum spanning tree; made by kith.spanning_tree.

    Attributes
    ----------
    index : ndarray of int64, (n - 1, 2)
        The two points of every edge, the lower index first.
    length : ndarray of float64
        Of every edge. Edges are sorted by (squared length, lower index, higher index).
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self.index: np.ndarray = core.index()
        self.length: np.ndarray = core.length()

    def __len__(self) -> int:
        return len(self.length)

    def __repr__(self) -> str:
        return f"<kith.SpanningTree: {len(self)} edges, total length {self.length.sum():g}>"


def spanning_tree(points: Any, core_k: int = 1, *, box: Any = None, non_finite: str | None = None,
                  threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None) -> SpanningTree:
    """The minimum spanning tree, exactly. It is unique, also where lengths are equal: of two edges with equal squared
    lengths the one with the lower indices counts as shorter.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    core_k : int
        1: the Euclidean tree. k > 1: the tree by mutual reachability, where no edge is shorter than the distance of
        either point to its k-th nearest point, itself included.
    box, non_finite, threads, progress, cancel
        See dbscan.

    Returns
    -------
    SpanningTree
    """
    options: dict[str, Any] = {"core_k": _positive("spanning_tree: core_k", core_k)}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    return SpanningTree(_call("spanning_tree", points, options, box, non_finite, how))


@dataclass
class Branches:
    """Groups of at least ``min_size`` points through all linking lengths, by birth; see Hierarchy.branches."""

    birth: np.ndarray
    death: np.ndarray
    parent: np.ndarray
    size: np.ndarray
    lowest: np.ndarray

    @property
    def persistence(self) -> np.ndarray:
        return self.death - self.birth

    def __len__(self) -> int:
        return len(self.birth)


class Hierarchy:
    """All linking lengths at once; made by kith.hierarchy.

    Attributes
    ----------
    tree : SpanningTree
    linkage : ndarray of float64, (n - 1, 4)
        The single-linkage dendrogram in the layout of scipy.cluster.hierarchy.linkage.
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    @cached_property
    def tree(self) -> SpanningTree:
        return SpanningTree(self._core.tree)

    @cached_property
    def linkage(self) -> np.ndarray:
        return self._core.linkage()

    def groups(self, linking_length: float | None = None, *, b: float | None = None, min_size: int = 1,
               mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
               keep_roots: bool = False, threads: int | None = None) -> Groups:
        """The groups at one linking length: what kith.fof gives, bit for bit, without a search."""
        options = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation, "volume": volume,
                   "min_size": _at_least_one(min_size), "strict": strict, "keep_roots": keep_roots}
        return Groups._of(carry_out(_kith.hierarchy_groups, self._core, options, threads=threads))

    def count(self, linking_length: Any, min_size: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """At each linking length: the number of groups of at least ``min_size`` points, the number of points in them,
        and the points of the largest group of any size."""
        lengths = np.ascontiguousarray(np.atleast_1d(linking_length), dtype=np.float64)
        rows = self._core.count(lengths, _at_least_one(min_size))
        return rows[:, 0], rows[:, 1], rows[:, 2]

    def branches(self, min_size: int) -> Branches:
        """The merge tree of the groups that reach ``min_size`` points: the linking lengths at which each reaches that
        size (``birth``) and joins a larger group (``death``, infinite for the last), the branch that it joins
        (``parent``, -1 for the last), its ``size`` right before, and its ``lowest`` member."""
        return Branches(**self._core.branches(_at_least_one(min_size)))

    def condense(self, min_cluster_size: int = 5, *, selection: str = "eom", selection_epsilon: float = 0.0,
                 allow_single_cluster: bool = False, max_cluster_size: int | None = None,
                 threads: int | None = None) -> HdbscanClusters:
        """The clusters of HDBSCAN* in this hierarchy; see kith.hdbscan."""
        options = {"min_cluster_size": _positive("hdbscan: min_cluster_size", min_cluster_size),
                   "selection": selection, "selection_epsilon": float(selection_epsilon),
                   "allow_single_cluster": bool(allow_single_cluster), "max_cluster_size": max_cluster_size or 0}
        return HdbscanClusters(self, carry_out(_kith.condense, self._core, options, threads=threads))

    def __len__(self) -> int:
        return len(self.tree)

    def __repr__(self) -> str:
        return f"<kith.Hierarchy: {len(self)} merges>"


def hierarchy(points: Any, core_k: int = 1, *, box: Any = None, non_finite: str | None = None,
              threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None) -> Hierarchy:
    """All linking lengths at once: the single-linkage hierarchy of points, a Tree or a SpanningTree.

    Parameters are those of spanning_tree.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree = points if isinstance(points, SpanningTree) else spanning_tree(points, core_k, box=box,
                                                                         non_finite=non_finite, **how)
    return Hierarchy(carry_out(_kith.hierarchy, tree._core, **how))


@dataclass
class CondensedTree:
    """What leaves each cluster as the density grows. Clusters are numbered from the number of points on, the root
    first; lower numbers are points.

    Attributes
    ----------
    parent, child : ndarray of int64
        ``child``, a point or a cluster, leaves cluster ``parent``
    lambda_ : ndarray of float64
        at the density 1 / length.
    size : ndarray of int64
        Points of the child.
    """

    parent: np.ndarray
    child: np.ndarray
    lambda_: np.ndarray
    size: np.ndarray

    def to_numpy(self) -> np.ndarray:
        """A record array with hdbscan's names: parent, child, lambda_val, child_size."""
        return np.rec.fromarrays([self.parent, self.child, self.lambda_, self.size],
                                 names=["parent", "child", "lambda_val", "child_size"])

    def __len__(self) -> int:
        return len(self.parent)


class HdbscanClusters:
    """Clusters of HDBSCAN*, numbered in the order of the condensed tree, as hdbscan and scikit-learn do.

    Attributes
    ----------
    label : ndarray of int32
        The cluster of every point, -1 for noise; also ``np.asarray(clusters)``.
    probability : ndarray of float64
        How long each point stays in its cluster, 0 to 1; 0 for noise.
    outlier_score : ndarray of float64
        GLOSH: 1 - lambda of the point / largest lambda inside its cluster.
    stability : ndarray of float64
        Excess of mass of each cluster.
    selected : ndarray of int64
        The number of each cluster in the condensed tree.
    condensed_tree : CondensedTree
    hierarchy : Hierarchy
    """

    def __init__(self, made_from: Hierarchy, columns: dict[str, np.ndarray]) -> None:
        self.hierarchy = made_from
        self.label = columns["label"]
        self.probability = columns["probability"]
        self.outlier_score = columns["outlier_score"]
        self.selected = columns["selected"]
        self.stability = columns["stability"]
        self.condensed_tree = CondensedTree(columns["parent"], columns["child"], columns["lambda"], columns["size"])

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.selected)

    def __len__(self) -> int:
        return self.count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if dtype is None or np.dtype(dtype) == self.label.dtype:
            return self.label.copy() if copy else self.label
        if copy is False:
            raise ValueError("clusters: labels of another type need a copy")
        return self.label.astype(dtype)

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.label < 0))
        return f"<kith.HdbscanClusters: {self.count} clusters of {len(self.label)} points, {noise} of them noise>"


def hdbscan(points: Any, min_cluster_size: int = 5, min_samples: int | None = None, *, box: Any = None,
            selection: str = "eom", selection_epsilon: float = 0.0, allow_single_cluster: bool = False,
            max_cluster_size: int | None = None, non_finite: str | None = None, threads: int | None = None,
            progress: Progress = None, cancel: CancelToken | None = None) -> HdbscanClusters:
    """HDBSCAN*: clusters of varying density.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    min_cluster_size : int
        Smaller parts are points that fall out of a cluster.
    min_samples : int, optional
        Core distances are to this neighbor, the point itself the first (as in scikit-learn; hdbscan counts one
        fewer); min_cluster_size if not given.
    selection : {"eom", "leaf"}
        The clusters of the largest total stability, or those that split no further.
    selection_epsilon : float
        Clusters that split off at a shorter distance than this are not taken apart.
    allow_single_cluster : bool
        All points may be one cluster.
    max_cluster_size : int, optional
        Larger clusters are not taken by "eom".
    box, non_finite, threads, progress, cancel
        See dbscan.

    Returns
    -------
    HdbscanClusters
    """
    core_k = min_cluster_size if min_samples is None else min_samples
    all_lengths = hierarchy(points, _positive("hdbscan: min_samples", core_k), box=box, non_finite=non_finite,
                            threads=threads, progress=progress, cancel=cancel)
    return all_lengths.condense(min_cluster_size, selection=selection, selection_epsilon=selection_epsilon,
                                allow_single_cluster=allow_single_cluster, max_cluster_size=max_cluster_size,
                                threads=threads)


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} = {value}; give at least 1")
    return int(value)


def _call(name: str, points: Any, options: dict[str, Any], box: Any, non_finite: str | None,
          how: dict[str, Any]) -> Any:
    """The call for points or for a tree."""
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
        return carry_out(getattr(_kith, name + "_tree"), points._core, options, **how)
    options = options | {"box": as_box(box)._core, "non_finite": non_finite}
    return carry_out(getattr(_kith, name + "_points"), as_points(points, "points"), options, **how)
