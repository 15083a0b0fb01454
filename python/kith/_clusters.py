"""Density-based clusters: DBSCAN, minimum spanning trees, single-linkage hierarchies, HDBSCAN*."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _kith
from ._arrays import number, numbers, points as as_points, whole
from ._box import as_box
from ._call import CancelToken, Progress, carry_out
from ._errors import ArgumentError
from ._groups import Groups, _at_least_one, _expect_own_box
from ._tree import Tree


class Clusters(Groups):
    """Clusters of DBSCAN, numbered 0, 1, ... from the largest to the smallest, equal sizes by lowest member.

    They behave as the groups of kith.fof: ``label``, ``size``, ``members`` and catalogues work,
    ``np.asarray(clusters)`` returns the labels, and ``linking_length`` is eps.

    Attributes
    ----------
    is_core : ndarray of bool
        Whether each point is a core point.
    """

    is_core: np.ndarray
    _word = "clusters"

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
    """Exact DBSCAN: core points within eps of each other share a cluster, and border points join one.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    eps : float
        Points are neighbors if d2 <= eps^2, both in the type of the points.
    min_samples : int
        A core point has at least this many points within eps, itself included. With 2, clusters are the groups of
        kith.fof.
    box : float, sequence or Box, optional
        The periods of the axes. A Tree already has a box.
    border : {"nearest", "sklearn", "none"}
        The cluster that a border point joins: that of the nearest core point (with ties by index), the one that
        scikit-learn chooses, or none, so that border points are noise (DBSCAN*).
    border_links : int
        A border point joins a cluster only if at least this many core points of it are within eps.
    non_finite : {"error", "drop"}
        What to do with points that have a NaN or infinite coordinate. For a Tree, this was decided when it was built.
    threads, progress, cancel
        See Tree.

    Returns
    -------
    Clusters
    """
    options: dict[str, Any] = {"eps": number(eps, "dbscan: eps"), "min_samples": _positive("dbscan: min_samples", min_samples),
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
        The length of every edge. Edges are sorted by (squared length, lower index, higher index).
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self.index: np.ndarray = core.index()
        self.length: np.ndarray = core.length()

    def __reduce__(self) -> Any:
        return _spanning_tree_of, (self._core.bytes(),)

    def __len__(self) -> int:
        return len(self.length)

    def __repr__(self) -> str:
        return f"<kith.SpanningTree: {len(self)} edges, total length {self.length.sum():g}>"


def _spanning_tree_of(data: bytes) -> SpanningTree:
    return SpanningTree(_kith.spanning_tree_from_bytes(data))


def spanning_tree(points: Any, core_k: int = 1, *, box: Any = None, non_finite: str | None = None,
                  threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None) -> SpanningTree:
    """Computes the exact minimum spanning tree. It is unique: of two edges with equal squared lengths, the one with
    the lower indices counts as shorter.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    core_k : int
        1 gives the Euclidean tree. k > 1 gives the tree by mutual reachability: no edge is shorter than the distance
        from either of its points to the k-th nearest point, itself included.
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
    """The merge tree of groups over all linking lengths, sorted by birth; made by Hierarchy.branches."""

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
    """The groups at all linking lengths; made by kith.hierarchy.

    Attributes
    ----------
    tree : SpanningTree
    linkage : ndarray of float64, (n - 1, 4)
        The single-linkage dendrogram in the layout of scipy.cluster.hierarchy.linkage.
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    def __reduce__(self) -> Any:
        return hierarchy, (self.tree,)

    @cached_property
    def tree(self) -> SpanningTree:
        return SpanningTree(self._core.tree)

    @cached_property
    def linkage(self) -> np.ndarray:
        return self._core.linkage()

    def groups(self, linking_length: float | None = None, *, b: float | None = None, min_size: int = 1,
               mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
               keep_roots: bool = False, threads: int | None = None) -> Groups:
        """The groups at one linking length, bit for bit those of kith.fof, without a new search."""
        options = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation, "volume": volume,
                   "min_size": _at_least_one(min_size), "strict": strict, "keep_roots": keep_roots}
        return Groups._of(carry_out(_kith.hierarchy_groups, self._core, options, threads=threads))

    def count(self, linking_length: Any, min_size: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each linking length: the number of groups of at least ``min_size`` points, the number of points in
        them, and the size of the largest group."""
        rows = self._core.count(numbers(linking_length, "linking_length"), _at_least_one(min_size))
        return rows[:, 0], rows[:, 1], rows[:, 2]

    def branches(self, min_size: int) -> Branches:
        """The merge tree of the groups that reach ``min_size`` points. For each of them: the linking length at which
        it reaches that size (``birth``), the one at which it joins a larger group (``death``, infinite for the last
        one), the branch that it joins (``parent``, -1 for the last one), its ``size`` just before, and its ``lowest``
        member."""
        return Branches(**self._core.branches(_at_least_one(min_size)))

    def condense(self, min_cluster_size: int = 5, *, selection: str = "eom", selection_epsilon: float = 0.0,
                 allow_single_cluster: bool = False, max_cluster_size: int | None = None,
                 threads: int | None = None) -> HdbscanClusters:
        """The clusters of HDBSCAN* in this hierarchy; see kith.hdbscan."""
        options = {"min_cluster_size": _positive("hdbscan: min_cluster_size", min_cluster_size),
                   "selection": selection, "selection_epsilon": number(selection_epsilon, "hdbscan: selection_epsilon"),
                   "allow_single_cluster": bool(allow_single_cluster), "max_cluster_size": 0 if max_cluster_size is None else whole(max_cluster_size, "hdbscan: max_cluster_size",
                                                                           0)}
        return HdbscanClusters(self, carry_out(_kith.condense, self._core, options, threads=threads))

    def __len__(self) -> int:
        return len(self.tree)

    def __repr__(self) -> str:
        return f"<kith.Hierarchy: {len(self)} merges>"


def hierarchy(points: Any, core_k: int = 1, *, box: Any = None, non_finite: str | None = None,
              threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None) -> Hierarchy:
    """The single-linkage hierarchy of points, of a Tree or of a SpanningTree: the groups at all linking lengths.

    The parameters are those of spanning_tree.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree = points if isinstance(points, SpanningTree) else spanning_tree(points, core_k, box=box,
                                                                         non_finite=non_finite, **how)
    return Hierarchy(carry_out(_kith.hierarchy, tree._core, **how))


@dataclass
class CondensedTree:
    """The condensed tree of HDBSCAN*: which points and clusters leave each cluster as the density grows. With n points,
    numbers below n are points; clusters have the numbers n (the root), n + 1, ...

    Attributes
    ----------
    parent, child : ndarray of int64
        ``child``, a point or a cluster, leaves cluster ``parent``.
    lambda_ : ndarray of float64
        The density at which it leaves, 1 / length.
    size : ndarray of int64
        The number of points of the child.
    """

    parent: np.ndarray
    child: np.ndarray
    lambda_: np.ndarray
    size: np.ndarray

    def to_numpy(self) -> np.ndarray:
        """A record array with the names that hdbscan uses: parent, child, lambda_val, child_size."""
        return np.rec.fromarrays([self.parent, self.child, self.lambda_, self.size],
                                 names=["parent", "child", "lambda_val", "child_size"])

    def __len__(self) -> int:
        return len(self.parent)


class HdbscanClusters:
    """Clusters of HDBSCAN*, numbered as by scikit-learn's HDBSCAN: from the root of the condensed tree down, level by
    level, and of two parts of a cluster first the one that Prim's algorithm, started at the first point, reaches first.

    Attributes
    ----------
    label : ndarray of int32
        The cluster of every point, -1 for noise; also ``np.asarray(clusters)``.
    probability : ndarray of float64
        The strength of each point's membership, from 0 (noise) to 1.
    outlier_score : ndarray of float64
        GLOSH: 1 - lambda of the point / largest lambda inside its cluster.
    stability : ndarray of float64
        The stability (excess of mass) of each cluster.
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
            raise ArgumentError("clusters: labels of another type need a copy")
        return self.label.astype(dtype)

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.label < 0))
        return f"<kith.HdbscanClusters: {self.count} clusters of {len(self.label)} points, {noise} of them noise>"


def hdbscan(points: Any, min_cluster_size: int = 5, min_samples: int | None = None, *, box: Any = None,
            selection: str = "eom", selection_epsilon: float = 0.0, allow_single_cluster: bool = False,
            max_cluster_size: int | None = None, non_finite: str | None = None, threads: int | None = None,
            progress: Progress = None, cancel: CancelToken | None = None) -> HdbscanClusters:
    """Finds clusters of varying density with HDBSCAN*.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    min_cluster_size : int
        Parts that split off with fewer points are not clusters: their points leave the cluster.
    min_samples : int, optional
        The core distance of a point is the distance to this neighbor, counting the point itself as the first, as
        scikit-learn does (hdbscan counts one fewer). Default: min_cluster_size.
    selection : {"eom", "leaf"}
        Select the clusters with the largest total stability, or those that do not split further.
    selection_epsilon : float
        Do not split clusters at distances below this.
    allow_single_cluster : bool
        Whether all points may form a single cluster.
    max_cluster_size : int, optional
        "eom" does not select clusters larger than this.
    box, non_finite, threads, progress, cancel
        See dbscan.

    Returns
    -------
    HdbscanClusters
    """
    core_k = _positive("hdbscan: min_samples", min_cluster_size if min_samples is None else min_samples)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
    tree = points if isinstance(points, Tree) else Tree(points, box=box, non_finite=non_finite or "error", **how)
    if core_k > tree.size > 0:
        raise ArgumentError(f"hdbscan: min_samples = {core_k} of {tree.size} points; give at most their number")
    all_lengths = hierarchy(tree, core_k if tree.size else 1, **how)
    return all_lengths.condense(min_cluster_size, selection=selection, selection_epsilon=selection_epsilon,
                                allow_single_cluster=allow_single_cluster, max_cluster_size=max_cluster_size,
                                threads=threads)


def _positive(name: str, value: int) -> int:
    return whole(value, name)


def _call(name: str, points: Any, options: dict[str, Any], box: Any, non_finite: str | None,
          how: dict[str, Any]) -> Any:
    """The call for points or for a tree."""
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
        return carry_out(getattr(_kith, name + "_tree"), points._core, options, **how)
    options = options | {"box": as_box(box)._core, "non_finite": non_finite}
    return carry_out(getattr(_kith, name + "_points"), as_points(points, "points"), options, **how)
