"""Density-based clusters: DBSCAN, minimum spanning trees, single-linkage hierarchies, HDBSCAN*."""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Callable, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _kith, mpi
from ._arrays import integers, number, numbers, points as as_points, whole
from ._box import as_box
from ._call import CancelToken, carry_out
from ._errors import ArgumentError
from ._groups import Groups, _at_least_one, _expect_own_box
from ._ranks import refuse
from ._tree import Tree
from .typing import Border, BoxLike, Communicator, NonFinite, PointsLike, Progress, Selection


class Clusters(Groups):
    """Clusters of DBSCAN, numbered 0, 1, ... from the largest to the smallest, equal sizes by lowest member.

    They behave as the groups of kith.fof: ``label``, ``size``, ``members`` and catalogues work,
    ``np.asarray(clusters)`` returns the labels, and ``linking_length`` is eps.

    Attributes
    ----------
    is_core : ndarray of bool
        Whether each point is a core point.
    """

    is_core: NDArray[np.bool_]
    _word = "clusters"

    @classmethod
    def _made_of(cls, core: _kith.CoreClusters) -> Clusters:
        clusters = cls._of(core.groups)
        clusters.is_core = core.is_core().view(np.bool_)
        return clusters

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"is_core": self.is_core}

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.label < 0))
        return f"<kith.Clusters: {self.count} clusters of {len(self.label)} points, {noise} of them noise>"


def dbscan(points: PointsLike, eps: float, min_samples: int = 5, *, sample_weight: ArrayLike | None = None,
           box: BoxLike = None, border: Border = "nearest", border_links: int = 1, non_finite: NonFinite | None = None,
           threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
           comm: Communicator | None = None) -> Clusters:
    """Exact DBSCAN: core points within eps of each other share a cluster, and border points join one.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    eps : float
        Points are neighbors if d2 <= eps^2, both in the type of the points.
    min_samples : int
        A core point has at least this many points within eps, itself included. With 2, clusters are the groups of
        kith.fof.
    sample_weight : array_like, optional
        One weight per point: a core point is one where the weights within eps, its own included, add up to
        min_samples. The sum is not rounded. A weight may be negative.
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
    comm : mpi4py.MPI.Comm, optional
        See kith.fof; the result is a kith.mpi.Clusters, with the labels of this rank's points.

    Returns
    -------
    Clusters
    """
    if comm is not None:
        refuse(comm, "dbscan", progress=bool(progress))
        return mpi.dbscan(comm, points, eps, min_samples, sample_weight=sample_weight, box=box,  # type: ignore[return-value]
                          border=border, border_links=border_links, non_finite=non_finite, threads=threads,
                          cancel=cancel)
    options: dict[str, Any] = {"eps": number(eps, "dbscan: eps"), "min_samples": _positive("dbscan: min_samples", min_samples),
                               "border": border, "border_links": _positive("dbscan: border_links", border_links),
                               "sample_weight": _weights(sample_weight)}
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

    def __init__(self, core: _kith.CoreSpanningTree) -> None:
        self._core = core
        self.index = core.index()
        self.length = core.length()

    def __reduce__(self) -> tuple[Any, ...]:
        return _spanning_tree_of, (self._core.to_bytes(),)

    def __len__(self) -> int:
        return len(self.length)

    def __repr__(self) -> str:
        return f"<kith.SpanningTree: {len(self)} edges, total length {self.length.sum():g}>"


def _spanning_tree_of(data: bytes) -> SpanningTree:
    return SpanningTree(_kith.spanning_tree_from_bytes(data))


def spanning_tree(points: PointsLike, core_k: int = 1, *, sample_weight: ArrayLike | None = None, box: BoxLike = None,
                  non_finite: NonFinite | None = None, threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None, comm: Communicator | None = None) -> SpanningTree:
    """Computes the exact minimum spanning tree. It is unique: of two edges with equal squared lengths, the one with
    the lower indices counts as shorter.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    core_k : int
        1 gives the Euclidean tree. k > 1 gives the tree by mutual reachability: no edge is shorter than the distance
        from either of its points to the k-th nearest point, itself included.
    sample_weight : array_like, optional
        One positive weight per point: instead of the k-th nearest point, the distance within which the weights add up
        to k. The sum is not rounded.
    box, non_finite, threads, progress, cancel
        See dbscan.
    comm : mpi4py.MPI.Comm, optional
        See kith.fof; every rank gets the tree of the points of all ranks, numbered rank by rank.

    Returns
    -------
    SpanningTree
    """
    if comm is not None:
        refuse(comm, "spanning_tree", progress=bool(progress))
        return mpi.spanning_tree(comm, points, core_k, sample_weight=sample_weight, box=box, non_finite=non_finite,
                                 threads=threads, cancel=cancel)
    options: dict[str, Any] = {"core_k": _positive("spanning_tree: core_k", core_k),
                               "sample_weight": _weights(sample_weight)}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    return SpanningTree(_call("spanning_tree", points, options, box, non_finite, how))


@dataclass
class Branches:
    """The merge tree of groups over all linking lengths, sorted by birth; made by Hierarchy.branches."""

    birth: NDArray[np.float64]
    death: NDArray[np.float64]
    parent: NDArray[np.int64]
    size: NDArray[np.int64]
    lowest: NDArray[np.int64]

    @property
    def persistence(self) -> NDArray[np.float64]:
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

    def __init__(self, core: _kith.CoreHierarchy) -> None:
        self._core = core

    def __reduce__(self) -> tuple[Any, ...]:
        return hierarchy, (self.tree,)

    @cached_property
    def tree(self) -> SpanningTree:
        return SpanningTree(self._core.tree)

    @cached_property
    def linkage(self) -> NDArray[np.float64]:
        return self._core.linkage()

    def groups(self, linking_length: float | None = None, *, b: float | None = None, min_size: int = 1,
               mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
               keep_roots: bool = False, threads: int | None = None) -> Groups:
        """The groups at one linking length, bit for bit those of kith.fof, without a new search."""
        options = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation, "volume": volume,
                   "min_size": _at_least_one(min_size), "strict": strict, "keep_roots": keep_roots}
        return Groups._of(carry_out(_kith.hierarchy_groups, self._core, options, threads=threads))

    def count(self, linking_length: ArrayLike,
              min_size: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
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

    def condense(self, min_cluster_size: int = 5, *, min_cluster_weight: float | None = None,
                 selection: Selection = "eom", selection_epsilon: float = 0.0, allow_single_cluster: bool = False,
                 max_cluster_size: int | None = None, threads: int | None = None) -> HdbscanClusters:
        """The clusters of HDBSCAN* in this hierarchy; see kith.hdbscan."""
        if min_cluster_weight is not None and not number(min_cluster_weight, "hdbscan: min_cluster_weight") > 0:
            raise ArgumentError(f"hdbscan: min_cluster_weight = {min_cluster_weight}; give a positive number")
        epsilon = number(selection_epsilon, "hdbscan: selection_epsilon")
        options = {"min_cluster_size": _positive("hdbscan: min_cluster_size", min_cluster_size),
                   "min_cluster_weight": float(min_cluster_weight or 0),
                   "selection": selection, "selection_epsilon": epsilon,
                   "allow_single_cluster": bool(allow_single_cluster),
                   "max_cluster_size": whole(max_cluster_size or 0, "hdbscan: max_cluster_size", 0)}
        return HdbscanClusters(self, carry_out(_kith.condense, self._core, options, threads=threads),
                               epsilon)

    def __len__(self) -> int:
        return len(self.tree)

    def __repr__(self) -> str:
        return f"<kith.Hierarchy: {len(self)} merges>"


def hierarchy(points: PointsLike | SpanningTree, core_k: int = 1, *, sample_weight: ArrayLike | None = None,
              box: BoxLike = None, non_finite: NonFinite | None = None, threads: int | None = None,
              progress: Progress = None, cancel: CancelToken | None = None,
              comm: Communicator | None = None) -> Hierarchy:
    """The single-linkage hierarchy of points, of a Tree or of a SpanningTree: the groups at all linking lengths.

    The parameters are those of spanning_tree. With ``comm``, every rank gets the hierarchy of the points of all ranks,
    and its methods answer for all of them.
    """
    if comm is not None:
        refuse(comm, "hierarchy", progress=bool(progress))
        return mpi.hierarchy(comm, points, core_k, sample_weight=sample_weight, box=box, non_finite=non_finite,
                             threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree = points if isinstance(points, SpanningTree) else spanning_tree(points, core_k, sample_weight=sample_weight,
                                                                         box=box, non_finite=non_finite, **how)
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
    weight : ndarray of float64
        The weight of the child; empty without weights. A point of weight w > 1 has two rows: one for itself, of weight
        1, and one of size 0 for its other copies, of weight w - 1.
    """

    parent: NDArray[np.int64]
    child: NDArray[np.int64]
    lambda_: NDArray[np.float64]
    size: NDArray[np.int64]
    weight: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def to_numpy(self) -> np.recarray[Any, Any]:
        """A record array with the names that hdbscan uses: parent, child, lambda_val, child_size."""
        rows = np.recarray(len(self), [("parent", np.int64), ("child", np.int64), ("lambda_val", np.float64),
                                       ("child_size", np.int64)])
        for name, column in zip(rows.dtype.names or (), (self.parent, self.child, self.lambda_, self.size)):
            rows[name] = column
        return rows

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

    def __init__(self, made_from: Hierarchy, columns: dict[str, NDArray[Any]], selection_epsilon: float = 0.0) -> None:
        self.hierarchy = made_from
        self._searched: Tree | None = None
        self._selection_epsilon = selection_epsilon
        self.label: NDArray[np.int32] = columns["label"]
        self.probability: NDArray[np.float64] = columns["probability"]
        self.outlier_score: NDArray[np.float64] = columns["outlier_score"]
        self.selected: NDArray[np.int64] = columns["selected"]
        self.stability: NDArray[np.float64] = columns["stability"]
        self.condensed_tree = CondensedTree(columns["parent"], columns["child"], columns["lambda"], columns["size"],
                                            columns["weight"])

    def predict(self, points: ArrayLike, *, tree: Tree | None = None, threads: int | None = None,
                progress: Progress = None,
                cancel: CancelToken | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The clusters in which new points would fall: their labels, -1 for noise, and probabilities. The clusters do
        not change. A point at the place of one of theirs gets the label of the first one there.

        Each new point is tied to the point p for which the largest of three lengths is smallest: the distance to p,
        p's core distance, and its own. It belongs to the cluster that p leaves, or to a cluster around that if p leaves
        it at a larger density. This is approximate_predict of hdbscan, which searches the nearest 2 min_samples
        points only.

        ``tree`` has the points of the clusters, if kith.hdbscan did not make them. For clusters on the sky, points
        are unit vectors; see kith.sky.unit_vectors.
        """
        searched = self._points_of("predict", tree)
        label, probability = carry_out(_kith.hdbscan_predict, searched._core, self.hierarchy._core, self._columns(),
                                       self._selection_epsilon, as_points(points, "points", searched.dtype),
                                       threads=threads, progress=progress, cancel=cancel)
        return label, probability

    def memberships(self, points: ArrayLike | None = None, *, tree: Tree | None = None, threads: int | None = None,
                    progress: Progress = None, cancel: CancelToken | None = None) -> NDArray[np.float64]:
        """The probability that each point belongs to each cluster: an array of shape (n, count), whose rows add up to
        the probability of belonging to any cluster.

        Without ``points``, the rows are those of the clusters' own points, as all_points_membership_vectors of hdbscan
        returns them; with new points, those of membership_vector. The page about clusters has the definition. ``tree``
        is as for predict.
        """
        searched = self._points_of("memberships", tree)
        new = None if points is None else as_points(points, "points", searched.dtype)
        return carry_out(_kith.hdbscan_memberships, searched._core, self.hierarchy._core, self._columns(),
                         self._selection_epsilon, new, threads=threads, progress=progress, cancel=cancel)

    def _points_of(self, call: str, tree: Tree | None) -> Tree:
        searched = self._searched if tree is None else tree
        if searched is None:
            raise ArgumentError(f"{call}: clusters of a hierarchy have no points; give their tree, or use kith.hdbscan")
        return searched

    def _columns(self) -> dict[str, NDArray[Any]]:
        rows = self.condensed_tree
        return {"label": self.label, "selected": self.selected, "parent": rows.parent, "child": rows.child,
                "lambda": rows.lambda_, "size": rows.size, "weight": rows.weight}

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.selected)

    def __len__(self) -> int:
        return self.count

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == self.label.dtype:
            return self.label.copy() if copy else self.label
        if copy is False:
            raise ArgumentError("clusters: labels of another type need a copy")
        return self.label.astype(dtype)

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.label < 0))
        return f"<kith.HdbscanClusters: {self.count} clusters of {len(self.label)} points, {noise} of them noise>"


def hdbscan(points: PointsLike, min_cluster_size: int = 5, min_samples: int | None = None, *,
            sample_weight: ArrayLike | None = None, min_cluster_weight: float | None = None, box: BoxLike = None,
            selection: Selection = "eom", selection_epsilon: float = 0.0, allow_single_cluster: bool = False,
            max_cluster_size: int | None = None, non_finite: NonFinite | None = None, threads: int | None = None,
            progress: Progress = None, cancel: CancelToken | None = None,
            comm: Communicator | None = None) -> HdbscanClusters:
    """Finds clusters of varying density with HDBSCAN*.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    min_cluster_size : int
        Parts that split off with fewer points are not clusters: their points leave the cluster.
    min_samples : int, optional
        The core distance of a point is the distance to this neighbor, counting the point itself as the first, as
        scikit-learn does (hdbscan counts one fewer). Default: min_cluster_size.
    sample_weight : array_like, optional
        One positive weight per point. A point of weight w counts w times, in core distances and in the sizes of
        clusters: with whole weights, the result is that of points that are repeated as often.
    min_cluster_weight : float, optional
        The weight of the smallest cluster, instead of min_cluster_size.
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
    comm : mpi4py.MPI.Comm, optional
        See kith.fof; the result is a kith.mpi.HdbscanClusters, with the rows of this rank's points.

    Returns
    -------
    HdbscanClusters
    """
    if comm is not None:
        refuse(comm, "hdbscan", progress=bool(progress))
        return mpi.hdbscan(comm, points, min_cluster_size, min_samples,  # type: ignore[return-value]
                           sample_weight=sample_weight, min_cluster_weight=min_cluster_weight, box=box,
                           selection=selection, selection_epsilon=selection_epsilon,
                           allow_single_cluster=allow_single_cluster, max_cluster_size=max_cluster_size,
                           non_finite=non_finite, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
    tree = points if isinstance(points, Tree) else Tree(points, box=box, non_finite=non_finite or "error", **how)
    core_k = neighbor_of_core(tree, min_cluster_size, min_samples, sample_weight)
    all_lengths = hierarchy(tree, core_k, sample_weight=sample_weight, **how)
    clusters = all_lengths.condense(min_cluster_size, min_cluster_weight=min_cluster_weight, selection=selection,
                                    selection_epsilon=selection_epsilon, allow_single_cluster=allow_single_cluster,
                                    max_cluster_size=max_cluster_size, threads=threads)
    clusters._searched = tree
    return clusters


def dbcv(points: ArrayLike, labels: ArrayLike, *, per_cluster_scores: bool = False, threads: int | None = None,
         progress: Progress = None, cancel: CancelToken | None = None) -> Any:
    """Density-based cluster validation (DBCV): how dense clusters of any origin are inside, compared with the gaps
    between them. From -1 to 1, higher is better. As hdbscan.validity.validity_index; the page about clusters has the
    definition. The time grows with the square of the number of points.

    Parameters
    ----------
    points : array_like, (n, dimension)
        In open space; computed with in float64.
    labels : array_like of int
        The cluster of each point, 0 or more; negative for noise.
    per_cluster_scores : bool
        Also return the score of each cluster.
    threads, progress, cancel
        See Tree.

    Returns
    -------
    float, or tuple of float and ndarray
        The mean of the scores of clusters, weighted with their share of all points. NaN for a single cluster.
    """
    x = as_points(points, "points")
    label = integers(labels, "dbcv: labels", np.int32)
    if label.ndim != 1:
        raise ArgumentError(f"dbcv: labels of shape {label.shape}; give one label per point")
    index, scores = carry_out(_kith.dbcv, x, label, threads=threads, progress=progress, cancel=cancel)
    return (index, scores) if per_cluster_scores else index


def neighbor_of_core(tree: Tree, min_cluster_size: int, min_samples: int | None, sample_weight: ArrayLike | None) -> int:
    """The neighbor whose distance is the core distance in HDBSCAN*."""
    name, given = ("min_cluster_size", min_cluster_size) if min_samples is None else ("min_samples", min_samples)
    core_k = _positive(f"hdbscan: {name}", given)
    if sample_weight is None and core_k > tree.size > 0:
        raise ArgumentError(f"hdbscan: min_samples = {core_k} of {tree.size} points; give at most their number")
    return core_k if tree.size else 1


def _weights(sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
    """One number per point; the library checks how many there are."""
    return None if sample_weight is None else np.ascontiguousarray(numbers(sample_weight, "sample_weight"))


def _positive(name: str, value: int) -> int:
    return whole(value, name)


def _call(name: str, points: Any, options: dict[str, Any], box: BoxLike, non_finite: NonFinite | None,
          how: dict[str, Any]) -> Any:
    """The call for points or for a tree."""
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
        return carry_out(getattr(_kith, name + "_tree"), points._core, options, **how)
    options = options | {"box": as_box(box)._core, "non_finite": non_finite}
    return carry_out(getattr(_kith, name + "_points"), as_points(points, "points"), options, **how)
