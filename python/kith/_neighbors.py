"""Neighbor searches."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _kith, mpi
from ._arrays import FLOAT64, is_single, number, points as as_points, rows_for, values, whole
from ._call import CancelToken, Progress, carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._ranks import refuse
from ._show import table
from ._tree import Tree, as_tree

_INT32_LIMIT = 2**31 - 1


class Neighbors(NamedTuple):
    """Rows of neighbors, nearest first: ``index, distance = kith.knn(...)``. Rows with fewer than k neighbors end in
    index -1 and distance infinity."""

    index: np.ndarray  # type: ignore[assignment]
    distance: np.ndarray


class Pairs(NamedTuple):
    """Pairs i < j of points, sorted by i, then by distance."""

    i: np.ndarray
    j: np.ndarray
    distance: np.ndarray


class NeighborLists:
    """The neighbors of all queries in one list. Query i has the neighbors ``index[offset[i]:offset[i + 1]]``, nearest
    first, at ``distance[offset[i]:offset[i + 1]]``. ``lists[i]`` returns both for one query."""

    __slots__ = ("offset", "index", "distance", "truncated")

    def __init__(self, offset: np.ndarray, index: np.ndarray, distance: np.ndarray, truncated: int) -> None:
        self.offset = offset
        self.index = index
        self.distance = distance
        self.truncated = truncated
        """Queries that had more than max_neighbors."""

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __getitem__(self, i: int) -> Neighbors:
        number = i + len(self) if i < 0 else i
        if not 0 <= number < len(self):
            raise IndexError(f"list {i} of {len(self)}")
        part = slice(self.offset[number], self.offset[number + 1])
        return Neighbors(self.index[part], self.distance[part])

    @property
    def count(self) -> np.ndarray:
        """The number of neighbors of each query."""
        return np.diff(self.offset)

    def __repr__(self) -> str:
        return f"<kith.NeighborLists: {len(self)} lists, {len(self.index)} neighbors>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the first lists."""
        rows = [[i, int(self.count[i]), self.index[self.offset[i]:self.offset[i + 1]][:5]] for i in range(min(10, len(self)))]
        return table(["", "neighbors", "nearest"], rows, f"{len(self):,} lists with {len(self.index):,} neighbors")


def is_long(index_dtype: Any, tree: Tree) -> bool:
    """Whether indices are int64: if the caller asks for it, or if int32 cannot hold them."""
    if index_dtype is None:
        return tree.input_size > _INT32_LIMIT
    dtype = np.dtype(index_dtype)
    if dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise ArgumentTypeError(f"index_dtype: {dtype}; indices are int32 or int64")
    return dtype == np.dtype(np.int64)


def queries_for(tree: Tree, queries: Any) -> np.ndarray | None:
    """Query points, rounded to the tree's type."""
    return None if queries is None else as_points(queries, "queries", tree.dtype)


def knn(points: Any, queries: Any = None, *, k: int, box: Any = None, exclude_self: bool = False,
        max_radius: float = np.inf, strict: bool = False, order: str = "input", method: str = "automatic",
        p: float = 2.0, index_dtype: Any = None, out: Any = None, threads: int | None = None,
        progress: Progress = None, cancel: CancelToken | None = None, device: str = "cpu",
        comm: Any = None) -> Neighbors:
    """Finds the exact k nearest neighbors, sorted by (squared distance, index).

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
        The points to search.
    queries : array_like, (m, dimension), optional
        The points whose neighbors to find, rounded to the type of ``points``. Default: the points themselves; each
        is then its own first neighbor.
    k : int
        At least 1. Rows with fewer neighbors end in index -1 and distance infinity.
    box : float, sequence or Box, optional
        The periods of the axes.
    exclude_self : bool
        Leave out each point itself, by its index. Only without ``queries``.
    max_radius : float
        Return only neighbors within this radius (inclusive; exclusive if ``strict``).
    order : {"input", "tree"}
        Row i belongs to the i-th point of the input, or to the i-th point in ``Tree.order()``.
    method : {"automatic", "predict", "walk"}
        The search method. All give the same result.
    p : float
        The order of the norm, from 1 to infinity. 2 is the fastest.
    index_dtype : int32 or int64
        The type of the indices. Default: int32 where it can hold them.
    out : (index, distance), optional
        Arrays for the rows, such as the result of a call before: fresh memory takes a twentieth of the time of a
        large search, or more. Indices are int32 or int64, distances have the type of the points.
    threads, progress, cancel, device
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the points are distributed. Every rank makes the call with its points and
        gets their rows, with global indices; see kith.mpi.knn.

    Returns
    -------
    Neighbors
        ``index, distance``: arrays of shape (m, k).

    Raises
    ------
    ValueError, TypeError, MemoryError, KeyboardInterrupt, RuntimeError (no such device)
    """
    if comm is not None:
        refuse(comm, "knn", queries=queries is not None, order=order != "input", p=p != 2, out=out is not None,
               index_dtype=index_dtype not in (None, np.int64), progress=bool(progress), cancel=cancel is not None,
               device=device != "cpu")
        return Neighbors(*mpi.knn(comm, points, k=k, box=box, exclude_self=exclude_self, max_radius=max_radius,
                                  strict=strict, threads=threads))
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    options = {"k": k, "exclude_self": exclude_self, "max_radius": max_radius, "strict": strict,
               "order": order, "method": method, "p": p}
    chosen, options = queries_for(tree, queries), _checked_k("knn", options)
    if out is None:
        return Neighbors(*carry_out(_kith.knn, tree._core, chosen, options, is_long(index_dtype, tree), -1, **how))
    own = tree.size if order == "tree" else tree.input_size
    index, distance = rows_for(out, (own if chosen is None else len(chosen), options["k"]), tree.dtype,
                               (np.int32, np.int64) if index_dtype is None else (index_dtype,))
    carry_out(_kith.knn_into, tree._core, chosen, options, index, distance, -1, **how)
    return Neighbors(index, distance)


def _checked_k(call: str, options: dict[str, Any]) -> dict[str, Any]:
    if isinstance(options["k"], (int, np.integer)) and options["k"] < 1:
        raise ArgumentError(f"{call}: k = {options['k']}; ask for at least 1 neighbor")
    return {**options, "k": whole(options["k"], f"{call}: k")}


def _radius_options(radius: Any, count: int, options: dict[str, Any]) -> dict[str, Any]:
    """One radius for all queries, or one for each."""
    if is_single(radius, "radius"):
        return {**options, "radius": number(radius, "radius")}
    return {**options, "radii": values(radius, count, "radius", FLOAT64)}


def radius(points: Any, queries: Any = None, *, radius: Any, box: Any = None, strict: bool = False,
           exclude_self: bool = False, sorted: bool = True, max_neighbors: int = 0, p: float = 2.0,
           index_dtype: Any = None, threads: int | None = None, progress: Progress = None,
           cancel: CancelToken | None = None, device: str = "cpu") -> NeighborLists:
    """Finds all neighbors within a radius (inclusive; exclusive if ``strict``).

    ``radius`` is one number, or one per query. ``max_neighbors`` keeps only that many of the nearest. The other
    parameters are those of knn. Returns NeighborLists.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    chosen = queries_for(tree, queries)
    count = tree.input_size if chosen is None else len(chosen)
    options = _radius_options(radius, count, {
        "strict": strict, "exclude_self": exclude_self, "sorted": sorted, "max_neighbors": max_neighbors,
        "p": p})
    found = carry_out(_kith.radius, tree._core, chosen, options, is_long(index_dtype, tree), **how)
    return NeighborLists(*found)


def radius_count(points: Any, queries: Any = None, *, radius: Any, box: Any = None, strict: bool = False,
                 exclude_self: bool = False, p: float = 2.0, threads: int | None = None,
                 progress: Progress = None, cancel: CancelToken | None = None, device: str = "cpu") -> np.ndarray:
    """Counts the neighbors within a radius of each query. The parameters are those of radius."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    chosen = queries_for(tree, queries)
    count = tree.input_size if chosen is None else len(chosen)
    options = _radius_options(radius, count, {"strict": strict, "exclude_self": exclude_self, "p": p})
    return carry_out(_kith.radius_count, tree._core, chosen, options, **how)


def radius_pairs(points: Any, *, radius: float, box: Any = None, strict: bool = False, p: float = 2.0,
                 index_dtype: Any = None, threads: int | None = None, progress: Progress = None,
                 cancel: CancelToken | None = None) -> Pairs:
    """Finds all pairs i < j of points within a radius, sorted by i, then by (squared distance, j)."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree = as_tree(points, box, **how)
    options = {"radius": number(radius, "radius_pairs: radius"), "strict": strict, "p": p}
    return Pairs(*carry_out(_kith.radius_pairs, tree._core, options, is_long(index_dtype, tree), **how))


def density(points: Any, *, k: int = 32, kernel: str = "cubic_spline", mass: Any = None, box: Any = None,
            threads: int | None = None, progress: Progress = None,
            cancel: CancelToken | None = None, device: str = "cpu", comm: Any = None) -> np.ndarray:
    """The SPH density at each point from its k nearest points, itself included: the sum of m_j W(r_ij, h_i), where h_i
    is the distance to the k-th. In one to three dimensions.

    Parameters
    ----------
    points : array_like or Tree
    k : int
    kernel : {"cubic_spline", "wendland_c2"}
    mass : array_like or float, optional
        One mass per point, or one for all. Default: 1.
    box, threads, progress, cancel, device, comm
        See knn.
    """
    if comm is not None:
        refuse(comm, "density", progress=bool(progress), cancel=cancel is not None, device=device != "cpu")
        return mpi.density(comm, points, k=k, kernel=kernel, mass=mass, box=box, threads=threads)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    is_same = mass is None or is_single(mass, "mass")
    if mass is not None and is_same and not np.isfinite(number(mass, "density: mass")):
        raise ArgumentError(f"density: mass {mass}; it must be finite")
    masses = None if is_same else values(mass, tree.input_size, "mass", FLOAT64)
    found = carry_out(_kith.density, tree._core, masses, _checked_k("density", {"k": k, "kernel": kernel}), **how)
    return found if mass is None or not is_same else found * float(mass)


def kth_distance(points: Any, *, k: int, exclude_self: bool = False, box: Any = None,
                 threads: int | None = None, progress: Progress = None,
                 cancel: CancelToken | None = None, device: str = "cpu") -> np.ndarray:
    """The distance from each point to its k-th neighbor, without storing the others. The point itself is the first
    neighbor, unless ``exclude_self``."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    options = _checked_k("kth_distance", {"k": k, "exclude_self": exclude_self})
    return carry_out(_kith.kth_distance, tree._core, options, **how)


def mean_distance(points: Any, *, k: int, exclude_self: bool = False, box: Any = None,
                  threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None, device: str = "cpu") -> np.ndarray:
    """The mean distance from each point to its k nearest neighbors."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    tree = as_tree(points, box, **how)
    options = _checked_k("mean_distance", {"k": k, "exclude_self": exclude_self})
    return carry_out(_kith.mean_distance, tree._core, options, **how)
