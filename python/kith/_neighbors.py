"""Neighbor searches."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, mpi
from ._arrays import FLOAT64, is_single, number, points as as_points, rows_for, values, whole
from ._call import CancelToken, carry_out
from ._device_arrays import DeviceArray, interface_of, label, like, rows_there
from ._errors import ArgumentError, ArgumentTypeError
from ._ranks import refuse
from ._show import table
from ._stored import StoredPoints, expect_memory, knn_stored, numbers_stored
from ._tree import Tree, as_tree
from .typing import (AnyPoints, BoxLike, Communicator, Floats, IndexType, Indices, Kernel, Method, Order, PointsLike, Progress)

_INT32_LIMIT = 2**31 - 1


class Neighbors(NamedTuple):
    """Rows of neighbors, nearest first: ``index, distance = kith.knn(...)``. Rows with fewer than k neighbors end in
    index -1 and distance infinity. The order of the two is the opposite of scipy's and scikit-learn's; kith.KDTree and
    kith.sklearn keep theirs."""

    index: Indices  # type: ignore[assignment]
    distance: Floats


class Pairs(NamedTuple):
    """Pairs i < j of points, sorted by i, then by distance."""

    i: Indices
    j: Indices
    distance: Floats


class NeighborLists:
    """The neighbors of all queries in one list. Query i has the neighbors ``index[offset[i]:offset[i + 1]]``, nearest
    first, at ``distance[offset[i]:offset[i + 1]]``. ``lists[i]`` returns both for one query."""

    __slots__ = ("offset", "index", "distance", "truncated")

    def __init__(self, offset: NDArray[np.int64], index: Indices, distance: Floats, truncated: int) -> None:
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
    def count(self) -> NDArray[np.int64]:
        """The number of neighbors of each query."""
        return np.diff(self.offset)

    def __repr__(self) -> str:
        return f"<kith.NeighborLists: {len(self)} lists, {len(self.index)} neighbors>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the first lists."""
        rows = [[i, int(self.count[i]), self.index[self.offset[i]:self.offset[i + 1]][:5]] for i in range(min(10, len(self)))]
        return table(["", "neighbors", "nearest"], rows, f"{len(self):,} lists with {len(self.index):,} neighbors")


def is_long(index_dtype: IndexType | None, tree: Tree) -> bool:
    """Whether indices are int64: if the caller asks for it, or if int32 cannot hold them."""
    if index_dtype is None:
        return tree.input_size > _INT32_LIMIT
    dtype = np.dtype(index_dtype)
    if dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise ArgumentTypeError(f"index_dtype: {dtype}; indices are int32 or int64")
    return dtype == np.dtype(np.int64)


def queries_for(tree: Tree, queries: ArrayLike | None) -> Floats | None:
    """Query points, rounded to the tree's type."""
    return None if queries is None else as_points(queries, "queries", tree.dtype)


def knn(points: AnyPoints, queries: ArrayLike | None = None, *, k: int, box: BoxLike = None,
        exclude_self: bool = False, max_radius: float = np.inf, strict: bool = False, order: Order = "input",
        method: Method = "automatic", p: float = 2.0, index_dtype: IndexType | None = None,
        out: tuple[Indices, Floats] | None = None, threads: int | None = None, progress: Progress = None,
        cancel: CancelToken | None = None, device: str = "cpu", comm: Communicator | None = None) -> Neighbors:
    """Finds the exact k nearest neighbors, sorted by (squared distance, index).

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree, or StoredPoints
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
        ``index, distance``: arrays of shape (m, k), in this order; scipy returns the distances first. Of
        StoredPoints: numpy.memmap. If the points or the queries are arrays in the memory of a GPU, so are these,
        of the same library.

    Raises
    ------
    kith.Error
        Each is also a ValueError, TypeError, MemoryError or RuntimeError. Ctrl-C raises KeyboardInterrupt.
    """
    if comm is not None:
        refuse(comm, "knn", order=order != "input", out=out is not None,
               index_dtype=index_dtype not in (None, np.int64), progress=bool(progress), device=device != "cpu")
        return Neighbors(*mpi.knn(comm, points, queries, k=k, box=box, exclude_self=exclude_self,
                                  max_radius=max_radius, strict=strict, p=p, threads=threads, cancel=cancel))
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    if isinstance(points, StoredPoints):
        given = _checked_k("knn", {"k": k, "exclude_self": exclude_self, "max_radius": max_radius, "strict": strict,
                                   "order": order, "p": p})
        return Neighbors(*knn_stored(points, queries, given, box, index_dtype, out, how))
    tree = as_tree(points, box, **how)
    options = _checked_k("knn", {"k": k, "exclude_self": exclude_self, "max_radius": max_radius, "strict": strict,
                                 "order": order, "method": method, "p": p})
    there = tree._there if interface_of(queries) is None else type(queries)
    chosen = queries_for(tree, queries) if interface_of(queries) is None else rows_there(queries, "queries", device, tree.dtype)
    if there is not None and out is None and device != "cpu":
        return _rows_there(tree, chosen, options, is_long(index_dtype, tree), there, how)
    if out is None:
        return Neighbors(*carry_out(_kith.knn, tree._core, chosen, options, is_long(index_dtype, tree), -1, **how))
    own = tree.size if order == "tree" else tree.input_size
    index, distance = rows_for(out, (own if chosen is None else len(chosen), options["k"]), tree.dtype,
                               (np.int32, np.int64) if index_dtype is None else (index_dtype,))
    carry_out(_kith.knn_into, tree._core, chosen, options, index, distance, -1, **how)
    return Neighbors(index, distance)


def _rows_there(tree: Tree, queries: Floats | None, options: dict[str, Any], is_long: bool, kind: type,
                how: dict[str, Any]) -> Neighbors:
    """Rows in the memory of the device, in arrays of the library that the type is from."""
    rows = len(queries) if queries is not None else tree.size if options["order"] == "tree" else tree.input_size
    shape, name = (rows, options["k"]), _kith.device_api(how["device"])
    arrays = [DeviceArray(shape, dtype, name) for dtype in (np.int64 if is_long else np.int32, tree.dtype)]
    labels = [label(array._memory.address, shape, array.dtype) for array in arrays]
    carry_out(_kith.knn_into, tree._core, queries, options, *labels, -1, **how)
    index, distance = (like(kind, array) for array in arrays)
    return Neighbors(index, distance)


def _checked_k(call: str, options: dict[str, Any]) -> dict[str, Any]:
    if isinstance(options["k"], (int, np.integer)) and options["k"] < 1:
        raise ArgumentError(f"{call}: k = {options['k']}; ask for at least 1 neighbor")
    return {**options, "k": whole(options["k"], f"{call}: k")}


def _radius_options(radius: ArrayLike, count: int, options: dict[str, Any]) -> dict[str, Any]:
    """One radius for all queries, or one for each."""
    if is_single(radius, "radius"):
        return {**options, "radius": number(radius, "radius")}
    return {**options, "radii": values(radius, count, "radius", FLOAT64)}


def radius(points: PointsLike, queries: ArrayLike | None = None, *, radius: ArrayLike, box: BoxLike = None,
           strict: bool = False, exclude_self: bool = False, sorted: bool = True, max_neighbors: int = 0,
           p: float = 2.0, index_dtype: IndexType | None = None, threads: int | None = None, progress: Progress = None,
           cancel: CancelToken | None = None, device: str = "cpu", comm: Communicator | None = None) -> NeighborLists:
    """Finds all neighbors within a radius (inclusive; exclusive if ``strict``).

    ``radius`` is one number, or one per query. ``max_neighbors`` keeps only that many of the nearest. The other
    parameters are those of knn; over ranks see kith.mpi.radius. Returns NeighborLists.
    """
    if comm is not None:
        refuse(comm, "radius", index_dtype=index_dtype not in (None, np.int64), progress=bool(progress),
               device=device != "cpu")
        lists: NeighborLists = mpi.radius(comm, points, queries, radius=radius, box=box, strict=strict, p=p,
                                          exclude_self=exclude_self, max_neighbors=max_neighbors, threads=threads,
                                          cancel=cancel)
        return lists
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    expect_memory("radius", points)
    tree = as_tree(points, box, **how)
    chosen = queries_for(tree, queries)
    count = tree.input_size if chosen is None else len(chosen)
    options = _radius_options(radius, count, {
        "strict": strict, "exclude_self": exclude_self, "sorted": sorted, "max_neighbors": max_neighbors,
        "p": p})
    found = carry_out(_kith.radius, tree._core, chosen, options, is_long(index_dtype, tree), **how)
    return NeighborLists(*found)


def radius_count(points: AnyPoints, queries: ArrayLike | None = None, *, radius: ArrayLike, box: BoxLike = None,
                 strict: bool = False, exclude_self: bool = False, p: float = 2.0, threads: int | None = None,
                 progress: Progress = None, cancel: CancelToken | None = None,
                 device: str = "cpu", comm: Communicator | None = None) -> NDArray[np.int64]:
    """Counts the neighbors within a radius of each query. The parameters are those of radius."""
    if comm is not None:
        refuse(comm, "radius_count", progress=bool(progress), device=device != "cpu")
        return mpi.radius_count(comm, points, queries, radius=radius, box=box, strict=strict,
                                exclude_self=exclude_self, p=p, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    given = {"strict": strict, "exclude_self": exclude_self, "p": p}
    if isinstance(points, StoredPoints):
        return numbers_stored("radius_count", points, queries, {**given, "radius": number(radius, "radius")}, box, how)
    tree = as_tree(points, box, **how)
    chosen = queries_for(tree, queries)
    count = tree.input_size if chosen is None else len(chosen)
    options = _radius_options(radius, count, given)
    return carry_out(_kith.radius_count, tree._core, chosen, options, **how)


def radius_pairs(points: PointsLike, *, radius: float, box: BoxLike = None, strict: bool = False, p: float = 2.0,
                 index_dtype: IndexType | None = None, threads: int | None = None, progress: Progress = None,
                 cancel: CancelToken | None = None) -> Pairs:
    """Finds all pairs i < j of points within a radius, sorted by i, then by (squared distance, j)."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    expect_memory("radius_pairs", points)
    tree = as_tree(points, box, **how)
    options = {"radius": number(radius, "radius_pairs: radius"), "strict": strict, "p": p}
    return Pairs(*carry_out(_kith.radius_pairs, tree._core, options, is_long(index_dtype, tree), **how))


def density(points: AnyPoints, *, k: int = 32, kernel: Kernel = "cubic_spline", mass: ArrayLike | None = None,
            box: BoxLike = None, threads: int | None = None, progress: Progress = None,
            cancel: CancelToken | None = None, device: str = "cpu",
            comm: Communicator | None = None) -> NDArray[np.float64]:
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
        refuse(comm, "density", progress=bool(progress), device=device != "cpu")
        return mpi.density(comm, points, k=k, kernel=kernel, mass=mass, box=box, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    if isinstance(points, StoredPoints):
        if mass is not None:
            raise ArgumentTypeError("density: mass of stored points is that of their snapshot; leave it out")
        given = _checked_k("density", {"k": k, "kernel": kernel})
        return numbers_stored("density", points, None, given, box, how)
    tree = as_tree(points, box, **how)
    is_same = mass is None or is_single(mass, "mass")
    if mass is not None and is_same and not np.isfinite(number(mass, "density: mass")):
        raise ArgumentError(f"density: mass {mass}; it must be finite")
    masses = None if is_same else values(mass, tree.input_size, "mass", FLOAT64)
    found = carry_out(_kith.density, tree._core, masses, _checked_k("density", {"k": k, "kernel": kernel}), **how)
    return found if mass is None or not is_same else found * number(mass, "mass")


def kth_distance(points: AnyPoints, *, k: int, exclude_self: bool = False, box: BoxLike = None,
                 threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                 device: str = "cpu", comm: Communicator | None = None) -> NDArray[np.float64]:
    """The distance from each point to its k-th neighbor, without storing the others. The point itself is the first
    neighbor, unless ``exclude_self``."""
    if comm is not None:
        refuse(comm, "kth_distance", progress=bool(progress), device=device != "cpu")
        return mpi.kth_distance(comm, points, k=k, exclude_self=exclude_self, box=box, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    options = _checked_k("kth_distance", {"k": k, "exclude_self": exclude_self})
    if isinstance(points, StoredPoints):
        return numbers_stored("kth_distance", points, None, options, box, how)
    tree = as_tree(points, box, **how)
    return carry_out(_kith.kth_distance, tree._core, options, **how)


def mean_distance(points: AnyPoints, *, k: int, exclude_self: bool = False, box: BoxLike = None,
                  threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                  device: str = "cpu", comm: Communicator | None = None) -> NDArray[np.float64]:
    """The mean distance from each point to its k nearest neighbors."""
    if comm is not None:
        refuse(comm, "mean_distance", progress=bool(progress), device=device != "cpu")
        return mpi.mean_distance(comm, points, k=k, exclude_self=exclude_self, box=box, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    options = _checked_k("mean_distance", {"k": k, "exclude_self": exclude_self})
    if isinstance(points, StoredPoints):
        return numbers_stored("mean_distance", points, None, options, box, how)
    tree = as_tree(points, box, **how)
    return carry_out(_kith.mean_distance, tree._core, options, **how)
