"""A tree with the interface of scipy.spatial.KDTree. Only this file uses scipy's names."""
from __future__ import annotations

import math
from typing import Any, Literal, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import FLOAT64, as_array, points as as_points, rows_for
from ._box import Box
from ._call import carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._neighbors import NeighborLists
from ._nodes import InnerNode, LeafNode, Node, NodeBuilder, NodeView
from ._scipy import norm_of, ranks_of, sides_of, threads_of, weight_of, worded
from ._tree import Tree
from .typing import Floats, Indices

_RECORD = np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True)


class KDTree:
    """A drop-in superset of scipy.spatial.KDTree: the same calls, shapes, conventions and errors.

    Parameters
    ----------
    data : array_like, (n, m)
        The points. The array is kept as ``data``. The tree does not see later changes to it.
    leafsize, compact_nodes, balanced_tree
        These affect only ``tree``, the nodes of a tree as scipy builds it. The nodes are built when you first use
        them; searches use kith's tree.
    copy_data : bool
        Whether ``data`` is a copy instead of the array itself.
    boxsize : float or sequence, optional
        The periods of the axes; 0 means that an axis is open.

    Differences from scipy, all intentional
    ---------------------------------------
    * float32 data stay float32, and so do their distances. Queries are rounded to the type of the tree.
    * Neighbors at equal distance are ordered by index.
    * Points outside a periodic box are wrapped into it, not rejected.
    * The default is ``workers=-1``: all processors.
    * ``eps`` is accepted and has no effect: results are always exact.
    * At most 32 dimensions.

    Beyond scipy
    ------------
    ``query(x, exclude_self=True)`` and ``query_radius``. Methods called without points use the points of the tree.

    Attributes
    ----------
    data, n, m, leafsize, boxsize, mins, maxes, tree, size, indices
        As in scipy.
    """

    _index_type: type[Any] = np.intp
    node, leafnode, innernode = NodeView, LeafNode, InnerNode

    def __init__(self, data: ArrayLike, leafsize: int = 10, compact_nodes: bool = True, copy_data: bool = False,
                 balanced_tree: bool = True, boxsize: float | Sequence[float] | NDArray[Any] | None = None) -> None:
        given = as_array(data, "data")
        if given.dtype.kind == "c":
            raise ArgumentTypeError("KDTree does not work with complex data")
        if given.ndim != 2:
            raise ArgumentError("data must be 2 dimensions")
        if leafsize < 1:
            raise ArgumentError("leafsize must be at least 1")
        array = as_points(given, "data")
        self.data: Floats = array.copy() if copy_data and np.shares_memory(array, given) else array
        self.leafsize = leafsize
        self.compact_nodes = compact_nodes
        self.balanced_tree = balanced_tree
        self.n, self.m = self.data.shape
        self.boxsize = None if boxsize is None else sides_of(boxsize, self.m)
        self._dtype = self.data.dtype
        self._tree = self._build(self.data, self.boxsize)
        self._one = _kith.PointSearch(self._tree._core)
        self._nodes: NodeBuilder | None = None
        self._root: Any = None

    @staticmethod
    def _build(data: Floats, boxsize: NDArray[np.float64] | None) -> Tree:
        try:
            return Tree(data, box=None if boxsize is None else Box(boxsize))
        except ValueError as error:
            raise worded(error, "data") from error

    # Properties of the tree.

    @property
    def mins(self) -> Floats:
        return self.data.min(axis=0) if self.n else np.zeros(self.m, self._dtype)

    @property
    def maxes(self) -> Floats:
        return self.data.max(axis=0) if self.n else np.zeros(self.m, self._dtype)

    @property
    def tree(self) -> Any:
        """The root of the nodes as in scipy, with ``split_dim``, ``split``, ``less``, ``greater`` and ``children``, or
        ``idx`` for leaves."""
        if self._root is None:
            self._root = NodeView.of(self._scipy_nodes().root)
        return self._root

    @property
    def size(self) -> int:
        """The number of nodes of ``tree``."""
        return self._scipy_nodes().size

    @property
    def indices(self) -> NDArray[np.intp]:
        """The indices of the points in the order of ``tree``."""
        return self._scipy_nodes().indices

    def _scipy_nodes(self) -> NodeBuilder:
        if self._nodes is None:
            self._nodes = NodeBuilder(self.data, self.leafsize, self.balanced_tree, self.compact_nodes)
        return self._nodes

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self.data, self.leafsize, self.compact_nodes, False, self.balanced_tree, self.boxsize)
        return type(self), arguments

    def __repr__(self) -> str:
        return f"<kith.{type(self).__name__}: {self.n} points in {self.m} dimensions, {self._dtype.name}>"

    # The k nearest.

    def query(self, x: ArrayLike | None = None, k: int | Sequence[int] | NDArray[np.integer[Any]] = 1, eps: float = 0.0,
              p: float = 2.0, distance_upper_bound: float = math.inf, workers: int = -1, *, exclude_self: bool = False,
              out: tuple[Floats, Indices] | None = None) -> tuple[Any, Any]:
        """Finds the nearest neighbors of points.

        Parameters
        ----------
        x : array_like, (..., m), optional
            The query points. Default: the points of the tree.
        k : int or sequence of int
            The number of neighbors, or a sequence of ranks, counted from 1.
        eps : float
            Accepted for compatibility; the result is exact.
        p : float
            The order of the norm, from 1 to infinity.
        distance_upper_bound : float
            Return only neighbors nearer than this.
        workers : int
            The number of threads; -1 for all processors.
        exclude_self : bool
            Leave out each point itself, by its index. ``x`` must be the data of the tree, or not given.
        out : (d, i), optional
            Arrays of shape (queries, k) for the result, such as those of a call before: distances of the type of the
            tree and int64 indices. ``k`` is then one integer.

        Returns
        -------
        d, i
            Distances and indices of shape (..., k), without the last axis if k is the integer 1. Missing
            neighbors have index n and distance infinity.
        """
        if type(k) is int and k >= 1 and p == 2.0 and not exclude_self and x is not None and out is None:
            point = x if type(x) is np.ndarray else as_array(x, "x")
            if point.ndim == 1 and point.shape[0] == self.m and point.dtype.kind != "c":
                return self._query_one(point, k, distance_upper_bound)
        threads = threads_of(workers)
        ranks = ranks_of(k)
        if not p >= 1:
            raise ArgumentError("Only p-norms with 1<=p<=infinity permitted")
        is_own = x is None or x is self.data
        queries, shape = (None, (self.n,)) if x is None or is_own else self._rows(x)
        if exclude_self and queries is not None:
            self._expect_own(queries, shape)
            queries = None
        most = int(ranks.max(initial=1))
        if out is not None:
            if np.ndim(k) > 0:
                raise ArgumentError("out: k must be one integer")
            rows = self.n if queries is None else len(queries)
            rows_for(out[::-1], (rows, most), self._dtype, (np.int64,))
        distance, index = self._knn(queries, most, p, distance_upper_bound, exclude_self, threads, out)
        return self._shaped(distance, index, shape, k, ranks)

    def _query_one(self, point: NDArray[Any], k: int, bound: float) -> tuple[Any, Any]:
        if point.dtype != self._dtype or not point.flags.c_contiguous or not point.flags.aligned:
            point = np.ascontiguousarray(point, dtype=self._dtype)
        try:
            found: Any = self._one(point, k, bound if bound > 0 else 0.0)
        except ValueError as error:
            raise worded(error, "x") from error
        distance, index = found
        if k > 1:
            return distance, index
        return (distance if self._dtype == FLOAT64 else np.float32(distance)), self._index_type(index)

    def _knn(self, queries: Floats | None, k: int, p: float, bound: float, exclude_self: bool,
             threads: int, out: tuple[Floats, Indices] | None) -> tuple[Floats, Indices]:
        bound = bound if bound > 0 else 0.0
        options = {"k": k, "exclude_self": exclude_self, "max_radius": bound, "strict": math.isfinite(bound), "p": p}
        # Replacing -1 is one more pass over the result: only where there can be any.
        missing = self.n if math.isfinite(bound) or k + exclude_self > self.n else -1
        try:
            if out is None:
                index, distance = carry_out(_kith.knn, self._tree._core, queries, options, True, missing,
                                            threads=threads)
            else:
                distance, index = out
                carry_out(_kith.knn_into, self._tree._core, queries, options, index, distance, missing,
                          threads=threads)
        except ValueError as error:
            raise worded(error, "x") from error
        return distance, index

    def _shaped(self, distance: Floats, index: Indices, shape: tuple[int, ...], k: Any,
                ranks: NDArray[np.intp]) -> tuple[Any, Any]:
        is_list = np.ndim(k) > 0
        if is_list:
            distance, index = distance[:, ranks - 1], index[:, ranks - 1]
        if not is_list and len(ranks) == 1:
            if shape == ():
                return distance[0, 0], self._index_type(index[0, 0])
            return distance.reshape(shape), index.reshape(shape)
        shape = (*shape, len(ranks))
        return distance.reshape(shape), index.reshape(shape)

    # Within a radius.

    def query_ball_point(self, x: ArrayLike, r: ArrayLike, p: float = 2.0, eps: float = 0.0, workers: int = -1,
                         return_sorted: bool | None = None, return_length: bool = False) -> Any:
        """Finds the indices of the points within distance r (inclusive) of each point of x.

        ``r`` is one radius, or one per point. Returns a list for one point, and for more an array of lists that has
        the shape of x without its last axis; with ``return_length``, the lengths of the lists. With ``return_sorted``,
        lists are sorted by index, else by distance; None sorts by index if x has several points.
        """
        threads = threads_of(workers)
        queries, shape = self._rows(x)
        radii = np.broadcast_to(np.asarray(r, np.float64), shape).reshape(-1)
        if return_length:
            counts = self._ball_counts(queries, radii, p, threads)
            return counts.reshape(shape) if shape else int(counts[0])
        is_sorted = bool(shape) if return_sorted is None else return_sorted
        lists = _kith.lists_of_numbers(*self._balls(queries, radii, p, threads)[:2], is_sorted)
        if not shape:
            return lists[0]
        result = np.empty(len(lists), dtype=object)
        result[:] = lists
        return result.reshape(shape)

    @overload
    def query_radius(self, x: ArrayLike | None, r: ArrayLike, *, format: Literal["csr"] = "csr", p: float = 2.0,
                     workers: int = -1, strict: bool = False) -> NeighborLists: ...

    @overload
    def query_radius(self, x: ArrayLike | None, r: ArrayLike, *, format: Literal["lists"], p: float = 2.0,
                     workers: int = -1, strict: bool = False) -> tuple[list[Indices], list[Floats]]: ...

    def query_radius(self, x: ArrayLike | None, r: ArrayLike, *, format: Literal["csr", "lists"] = "csr",
                     p: float = 2.0, workers: int = -1,
                     strict: bool = False) -> NeighborLists | tuple[list[Indices], list[Floats]]:
        """Finds all neighbors within r of each point, nearest first.

        Parameters
        ----------
        x : array_like, (m,) or (q, m), or None for the points of the tree
        r : float, or one per point
        format : {"csr", "lists"}
            Return NeighborLists (``offset``, ``index``, ``distance``), or two lists of arrays: indices and distances.
        """
        if format not in ("csr", "lists"):
            raise ArgumentError(f"format = {format!r}; there are: csr, lists")
        queries, shape = (None, (self.n,)) if x is None else self._rows(x)
        radii = np.broadcast_to(np.asarray(r, np.float64), shape).reshape(-1)
        found = NeighborLists(*self._balls(queries, radii, p, threads_of(workers), strict), 0)
        if format == "csr":
            return found
        cuts = found.offset[1:-1]
        return np.split(found.index, cuts), np.split(found.distance, cuts)

    def _balls(self, queries: Floats | None, radii: NDArray[np.float64], p: float, threads: int,
               strict: bool = False) -> tuple[NDArray[np.int64], Indices, Floats]:
        is_asked = radii >= 0  # scipy finds nothing within a negative distance
        if not is_asked.all():
            queries = (self.data if queries is None else queries)[is_asked]
        options = {"radii": np.ascontiguousarray(radii[is_asked]), "p": norm_of(p), "strict": strict}
        try:
            offset, index, distance, _ = carry_out(_kith.radius, self._tree._core, queries, options, True,
                                                   threads=threads)
        except ValueError as error:
            raise worded(error, "x") from error
        if not is_asked.all():
            offset = offset[np.concatenate([[0], np.cumsum(is_asked)])]
        return np.ascontiguousarray(offset), index, distance

    def _ball_counts(self, queries: Floats, radii: NDArray[np.float64], p: float,
                     threads: int) -> NDArray[np.intp]:
        is_asked = radii >= 0
        options = {"radii": np.ascontiguousarray(radii[is_asked]), "p": norm_of(p)}
        counts = np.zeros(len(radii), np.intp)
        try:
            counts[is_asked] = carry_out(_kith.radius_count, self._tree._core, queries[is_asked], options,
                                         threads=threads)
        except ValueError as error:
            raise worded(error, "x") from error
        return counts

    # Two trees, or one with itself.

    def query_ball_tree(self, other: KDTree, r: float, p: float = 2.0, eps: float = 0.0) -> list[list[int]]:
        """For each point of this tree, the sorted indices of the points of the other tree within r."""
        tree = self._match(other, "query_ball_tree")
        radii = np.full(self.n, r, np.float64)
        offset, index, _ = tree._balls(self._data_like(tree), radii, p, 0)
        return _kith.lists_of_numbers(offset, index, True)

    @overload
    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0,
                    output_type: Literal["set"] = "set") -> set[tuple[int, int]]: ...

    @overload
    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0, *,
                    output_type: Literal["ndarray"]) -> NDArray[np.intp]: ...

    @overload
    def query_pairs(self, r: float, p: float, eps: float, output_type: Literal["ndarray"]) -> NDArray[np.intp]: ...

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0,
                    output_type: Literal["set", "ndarray"] = "set") -> set[tuple[int, int]] | NDArray[np.intp]:
        """All pairs i < j of points within r, as a set of tuples, or with "ndarray" as an array of rows."""
        if output_type not in ("set", "ndarray"):
            raise ArgumentError("Invalid output type")
        options = {"radius": float(r), "p": norm_of(p)}
        if r < 0:
            return set() if output_type == "set" else np.empty((0, 2), np.intp)
        i, j, _ = carry_out(_kith.radius_pairs, self._tree._core, options, True)
        return set(zip(i.tolist(), j.tolist())) if output_type == "set" else np.column_stack([i, j]).astype(np.intp)

    def count_neighbors(self, other: KDTree, r: ArrayLike, p: float = 2.0, weights: Any = None,
                        cumulative: bool = True, *, workers: int = -1) -> Any:
        """Counts the pairs of a point of this tree and a point of the other within r, for one or several radii. With
        ``weights``, returns the sum of the products of weights. With ``cumulative=False``, counts pairs beyond
        ``r[i - 1]`` and within ``r[i]``. ``workers`` is the number of threads, -1 for all processors; scipy has no
        such parameter and uses one."""
        radii = np.asarray(r, np.float64)
        if radii.ndim > 1:
            raise ArgumentError("r must be either a single value or a one-dimensional array of values")
        flat = np.atleast_1d(radii)
        if not cumulative and (np.diff(flat) < 0).any():
            raise ArgumentError("r must be non-decreasing for non-cumulative counting.")
        counts = self._pair_counts(self._match(other, "count_neighbors"), flat, norm_of(p),
                                   self._weights(other, weights), cumulative, threads_of(workers))
        return counts if radii.ndim else counts[0].item()

    def _weights(self, other: KDTree, weights: Any) -> tuple[Any, Any] | None:
        if weights is None:
            return None
        if not isinstance(weights, tuple):
            if self is not other:
                raise ArgumentError("Two different trees are used. Specify weights for both in a tuple.")
            weights = (weights, weights)
        if len(weights) != 2:
            raise ArgumentError("Invalid weights list; give one for each tree")
        return weight_of(weights[0], self.n), weight_of(weights[1], other.n)

    def _pair_counts(self, other: KDTree, radii: NDArray[np.float64], p: float, weights: tuple[Any, Any] | None,
                     cumulative: bool, threads: int) -> NDArray[Any]:
        is_asked = radii >= 0
        options = {"radii": np.ascontiguousarray(radii[is_asked]), "p": p, "cumulative": cumulative}
        counts = np.zeros(len(radii), np.intp if weights is None else np.float64)
        mine = self._like(other)
        if not is_asked.any():
            return counts
        if weights is None:
            counts[is_asked] = carry_out(_kith.pair_counts, mine._tree._core, other._tree._core, options,
                                         threads=threads)
        else:
            counts[is_asked] = carry_out(_kith.weighted_pair_counts, mine._tree._core, other._tree._core, weights,
                                         options, threads=threads)
        return counts

    def sparse_distance_matrix(self, other: KDTree, max_distance: float, p: float = 2.0,
                               output_type: Literal["dok_matrix", "coo_matrix", "dict", "ndarray"] = "dok_matrix") -> Any:
        """The distances up to max_distance between points of this tree and of the other, as "dok_matrix",
        "coo_matrix", "dict" or "ndarray" (records i, j, v)."""
        if output_type not in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
            raise ArgumentError("Invalid output type")
        tree = self._match(other, "sparse_distance_matrix")
        radii = np.full(self.n, max_distance, np.float64)
        offset, column, distance = tree._balls(self._data_like(tree), radii, p, 0)
        row = np.repeat(np.arange(self.n, dtype=np.intp), np.diff(offset))
        if output_type == "dict":
            return dict(zip(zip(row.tolist(), column.tolist()), distance.tolist()))
        if output_type == "ndarray":
            records = np.empty(len(row), _RECORD)
            records["i"], records["j"], records["v"] = row, column, distance
            return records
        from scipy.sparse import coo_matrix
        matrix = coo_matrix((distance.astype(np.float64), (row, column)), shape=(self.n, other.n))
        return matrix.todok() if output_type == "dok_matrix" else matrix

    # Helpers.

    def _rows(self, x: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """Query points as rows, and the leading shape of the results."""
        a = as_array(x, "x")
        if a.dtype.kind == "c":
            raise ArgumentTypeError("KDTree does not work with complex data")
        if a.ndim == 0 or a.shape[-1] != self.m:
            raise ArgumentError(f"x must consist of vectors of length {self.m} but has shape {a.shape}")
        return as_points(a.reshape(-1, self.m), "x", self._dtype), a.shape[:-1]

    def _expect_own(self, queries: Floats, shape: tuple[int, ...]) -> None:
        if shape != (self.n,) or not np.array_equal(queries, self.data):
            raise ArgumentError("exclude_self: x must be the tree's own data; leave x out")

    def _match(self, other: KDTree, call: str) -> KDTree:
        """The other tree, rebuilt if needed with the box of this one and the wider type of both."""
        if not isinstance(other, KDTree):
            raise ArgumentTypeError(f"{call}: the other tree must be a kith.KDTree")
        if self.m != other.m:
            raise ArgumentError(f"Trees passed to {call} have different dimensionality")
        return other._like(self)

    def _like(self, other: KDTree) -> KDTree:
        dtype = np.promote_types(self._dtype, other._dtype)
        is_same_box = np.array_equal(np.zeros(self.m) if self.boxsize is None else self.boxsize,
                                     np.zeros(self.m) if other.boxsize is None else other.boxsize)
        if dtype == self._dtype and is_same_box:
            return self
        return KDTree(self.data.astype(dtype, copy=False), boxsize=other.boxsize)

    def _data_like(self, tree: KDTree) -> Floats:
        return as_points(self.data, "data", tree._dtype)


class cKDTree(KDTree):
    """KDTree with the default leafsize and the integer type of scipy.spatial.cKDTree."""

    _index_type: type[Any] = int

    def __init__(self, data: ArrayLike, leafsize: int = 16, compact_nodes: bool = True, copy_data: bool = False,
                 balanced_tree: bool = True, boxsize: float | Sequence[float] | NDArray[Any] | None = None) -> None:
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)

    @property
    def tree(self) -> Node:
        """The root of the nodes as in scipy, with ``level``, ``split_dim``, ``split``, ``lesser``, ``greater``,
        ``start_idx``, ``end_idx``, ``indices``, ``data_points``, ``children``."""
        return self._scipy_nodes().root
