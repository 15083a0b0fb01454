"""Spanning trees, hierarchies and HDBSCAN* over MPI ranks; the functions of kith.mpi."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from ._arrays import FLOAT64, number, values, whole
from ._call import CancelToken
from ._errors import ArgumentError
from .mpi import Rows, _Space

if TYPE_CHECKING:
    from ._clusters import CondensedTree, Hierarchy, SpanningTree


def _spanning(call: str, comm: Any, points: Any, core_k: int, sample_weight: Any, box: Any, keep: bool,
              non_finite: str | None, threads: int | None, cancel: CancelToken | None) -> Any:
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        options = {"core_k": whole(core_k, "spanning_tree: core_k", 1), "sample_weight": _weights(sample_weight, x)}
        return getattr(module, call)(options)  # type: ignore[no-any-return]

    space = _Space(comm, points, box=box, keep=keep, non_finite=non_finite)
    return space.run(call, prepare, threads=threads, cancel=cancel)[0]


def _weights(sample_weight: Any, x: Rows) -> NDArray[np.float64] | None:
    return None if sample_weight is None else values(sample_weight, len(x), "sample_weight", FLOAT64)


def spanning_tree(comm: Any, points: Any, core_k: int = 1, *, sample_weight: Any = None, box: Any = None,
                  keep: bool = False, non_finite: str | None = None, threads: int | None = None,
                  cancel: CancelToken | None = None) -> SpanningTree:
    """The minimum spanning tree of the points of all ranks, edge by edge that of one process. Every rank gets all
    edges; points are numbered rank by rank in the order of the input.

    Parameters
    ----------
    comm, points, keep
        See kith.mpi.knn. Domains must not have ids.
    sample_weight : array_like, optional
        One for each point of this rank; on all ranks or on none.
    core_k, box, non_finite, threads, cancel
        See kith.spanning_tree.
    """
    from ._clusters import SpanningTree
    return SpanningTree(_spanning("spanning_tree", comm, points, core_k, sample_weight, box, keep, non_finite, threads,
                                  cancel))


def hierarchy(comm: Any, points: Any, core_k: int = 1, *, sample_weight: Any = None, box: Any = None,
              keep: bool = False, non_finite: str | None = None, threads: int | None = None,
              cancel: CancelToken | None = None) -> Hierarchy:
    """The single-linkage hierarchy of the points of all ranks. Every rank gets all of it, and its methods answer for
    all points without another collective call.

    The parameters are those of kith.mpi.spanning_tree.
    """
    from ._clusters import Hierarchy
    return Hierarchy(_spanning("hierarchy", comm, points, core_k, sample_weight, box, keep, non_finite, threads, cancel))


@dataclass
class HdbscanClusters:
    """Clusters of HDBSCAN* over all ranks, numbered as by kith.hdbscan.

    Attributes
    ----------
    label : ndarray of int32
        The cluster of every point of this rank, -1 for noise; also ``np.asarray(clusters)``.
    probability, outlier_score : ndarray of float64
        Of the points of this rank.
    selected : ndarray of int64
    stability : ndarray of float64
        Of every cluster; the same on all ranks.
    condensed_tree : CondensedTree or None
        Of the points of all ranks, on rank 0; None on the others.
    """

    label: NDArray[np.int32]
    probability: NDArray[np.float64]
    outlier_score: NDArray[np.float64]
    selected: NDArray[np.int64]
    stability: NDArray[np.float64]
    condensed_tree: CondensedTree | None = None

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.selected)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.label, dtype) if copy else np.asarray(self.label, dtype)

    def __repr__(self) -> str:
        return f"<kith.mpi.HdbscanClusters: {self.count} clusters, {len(self.label)} points on this rank>"


def hdbscan(comm: Any, points: Any, min_cluster_size: int = 5, min_samples: int | None = None, *,
            sample_weight: Any = None, min_cluster_weight: float | None = None, box: Any = None, keep: bool = False,
            selection: str = "eom", selection_epsilon: float = 0.0, allow_single_cluster: bool = False,
            max_cluster_size: int | None = None, non_finite: str | None = None, threads: int | None = None,
            cancel: CancelToken | None = None) -> HdbscanClusters:
    """HDBSCAN* over the ranks of a communicator, with the numbers of one process. Rank 0 condenses the hierarchy of
    the points of all ranks, and needs memory for it.

    Parameters
    ----------
    comm, points, keep
        See kith.mpi.knn. Domains must not have ids.
    sample_weight : array_like, optional
        One for each point of this rank; on all ranks or on none.
    min_cluster_size, min_samples, min_cluster_weight, selection, selection_epsilon, allow_single_cluster, \
max_cluster_size, box, non_finite, threads, cancel
        See kith.hdbscan.
    """
    return _hdbscan(comm, points, {}, min_cluster_size, min_samples, sample_weight, min_cluster_weight, selection,
                    selection_epsilon, allow_single_cluster, max_cluster_size, box=box, keep=keep, non_finite=non_finite,
                    threads=threads, cancel=cancel)


def _hdbscan(comm: Any, points: Any, measure: dict[str, str], min_cluster_size: int, min_samples: int | None, sample_weight: Any,
             min_cluster_weight: float | None, selection: str, selection_epsilon: float, allow_single_cluster: bool,
             max_cluster_size: int | None, *, threads: int | None, cancel: CancelToken | None,
             **how: Any) -> HdbscanClusters:
    """``measure``: the unit of angles, for positions on the sky."""
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        if min_cluster_weight is not None and not number(min_cluster_weight, "hdbscan: min_cluster_weight") > 0:
            raise ArgumentError(f"hdbscan: min_cluster_weight = {min_cluster_weight}; give a positive number")
        samples = min_cluster_size if min_samples is None else whole(min_samples, "hdbscan: min_samples", 1)
        return module.hdbscan({**measure,  # type: ignore[no-any-return]
            "min_samples": samples, "sample_weight": _weights(sample_weight, x),
            "min_cluster_size": whole(min_cluster_size, "hdbscan: min_cluster_size", 1),
            "min_cluster_weight": min_cluster_weight or 0.0, "selection": selection,
            "selection_epsilon": number(selection_epsilon, "hdbscan: selection_epsilon"),
            "allow_single_cluster": bool(allow_single_cluster),
            "max_cluster_size": whole(max_cluster_size or 0, "hdbscan: max_cluster_size", 0)})

    from ._clusters import CondensedTree
    space = _Space(comm, points, **how)
    columns, _ = space.run("hdbscan", prepare, threads=threads, cancel=cancel)
    rows = ("parent", "child", "lambda", "size", "weight")
    tree = CondensedTree(*(columns[name] for name in rows)) if comm.Get_rank() == 0 else None
    return HdbscanClusters(columns["label"], columns["probability"], columns["outlier_score"], columns["selected"],
                           columns["stability"], tree)
