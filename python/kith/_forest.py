"""Sets of points that change."""
from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from . import _kith
from ._arrays import FLOAT64, points as as_points, scalar_type
from ._box import Box, as_box
from ._call import CancelToken, Progress, carry_out
from ._neighbors import NeighborLists, Neighbors, _checked_k, _radius_options


class Forest:
    """Points that are inserted and removed in batches, and searched exactly in between.

    Parameters
    ----------
    dimension : int
        1 to 32.
    box : float, sequence or Box, optional
        Periods of the axes; open space if not given.
    dtype : float64 or float32
        The type of coordinates and distances; points and queries are rounded to it.

    A point's index is its place in the order of insertion, from 0, and no index is used twice. Every answer is that
    of one Tree over the points that are there, ties by index. Forests can be pickled, copied and saved. Any number of
    threads may search at once; a call that changes the forest waits for them.

    >>> forest = kith.Forest(3, box=1.0)
    >>> first = forest.insert(np.random.rand(1000, 3))
    >>> forest.remove([3, 5, 7])
    >>> index, distance = forest.knn(np.random.rand(10, 3), k=4)
    """

    __slots__ = ("_core", "__weakref__")

    def __init__(self, dimension: int, *, box: Any = None, dtype: Any = np.float64) -> None:
        is_double = scalar_type(np.dtype(dtype), "dtype") == FLOAT64
        self._core: Any = _kith.make_forest(operator.index(dimension), is_double, as_box(box)._core)

    @classmethod
    def _of(cls, core: Any) -> Forest:
        forest = object.__new__(cls)
        forest._core = core
        return forest

    def insert(self, points: Any, *, threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> int:
        """Adds points, an array of (n, dimension). Returns the index of the first; the others follow. A call that
        fails leaves the forest as it was."""
        return carry_out(self._core.insert, as_points(points, "points", self.dtype), threads=threads,
                         progress=progress, cancel=cancel)

    def remove(self, index: Any, *, threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> None:
        """Removes points by index, one or several. A call that fails (an index that is not there, or given twice)
        leaves the forest as it was."""
        indices = np.atleast_1d(np.asarray(index))
        if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
            raise TypeError("remove: give one index, or a sequence of them")
        carry_out(self._core.remove, np.ascontiguousarray(indices, dtype=np.int64), threads=threads,
                  progress=progress, cancel=cancel)

    def knn(self, queries: Any, *, k: int, max_radius: float = np.inf, strict: bool = False,
            threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None) -> Neighbors:
        """The k nearest points of each query; the parameters are those of kith.knn, the indices int64."""
        options = _checked_k("knn", {"k": k, "max_radius": max_radius, "strict": strict})
        return Neighbors(*carry_out(self._core.knn, self._queries(queries), options, threads=threads,
                                    progress=progress, cancel=cancel))

    def radius(self, queries: Any, *, radius: Any, strict: bool = False, max_neighbors: int = 0,
               threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> NeighborLists:
        """The points within a radius of each query, nearest first; one radius, or one per query."""
        rows = self._queries(queries)
        options = _radius_options(radius, len(rows), {"strict": strict, "max_neighbors": max_neighbors})
        return NeighborLists(*carry_out(self._core.radius, rows, options, threads=threads, progress=progress,
                                        cancel=cancel))

    def radius_count(self, queries: Any, *, radius: Any, strict: bool = False, threads: int | None = None,
                     progress: Progress = None, cancel: CancelToken | None = None) -> np.ndarray:
        """How many points are within a radius of each query."""
        rows = self._queries(queries)
        options = _radius_options(radius, len(rows), {"strict": strict})
        return carry_out(self._core.radius_count, rows, options, threads=threads, progress=progress, cancel=cancel)

    def _queries(self, queries: Any) -> np.ndarray:
        return as_points(queries, "queries", self.dtype)

    @property
    def size(self) -> int:
        """Points that are there."""
        return self._core.counts()[0]

    @property
    def inserted(self) -> int:
        """Points that ever were: the index of the next one."""
        return self._core.counts()[1]

    @property
    def trees(self) -> int:
        """Trees that a search asks."""
        return self._core.counts()[2]

    @property
    def dimension(self) -> int:
        return self._core.dimension

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64: the type of coordinates and distances."""
        return np.dtype(np.float64 if self._core.is_double else np.float32)

    @property
    def box(self) -> Box:
        return Box._of(self._core.box)

    def indices(self) -> np.ndarray:
        """Of the points that are there, ascending."""
        return self._core.indices()

    def coordinates(self) -> np.ndarray:
        """Of the points that are there, in the order of indices(), as they were given."""
        return self._core.coordinates()

    def save(self, path: str | os.PathLike[str], *, cancel: CancelToken | None = None) -> None:
        """Writes the points and their indices to one file, which appears under its name only when it is complete."""
        carry_out(self._core.save, os.fspath(path), cancel=cancel)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, threads: int | None = None, progress: Progress = None,
             cancel: CancelToken | None = None) -> Forest:
        """The forest in a file. Raises OSError, also for damaged files."""
        return cls._of(carry_out(_kith.load_forest, os.fspath(path), threads=threads, progress=progress,
                                 cancel=cancel))

    def copy(self) -> Forest:
        """A forest of the same points; the trees are shared until one of the two changes."""
        return Forest._of(self._core.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Forest:
        return self.copy()

    def __reduce__(self) -> Any:
        return _forest_from_bytes, (carry_out(self._core.bytes),)

    def __len__(self) -> int:
        return self.size

    def __contains__(self, index: object) -> bool:
        return isinstance(index, (int, np.integer)) and self._core.contains(int(index))

    def __repr__(self) -> str:
        box = f", box={self.box!r}" if self.box.is_periodic else ""
        size, _, trees = self._core.counts()
        return f"<kith.Forest: {size} points in {self.dimension} dimensions, {self.dtype.name}{box}, {trees} trees>"


def _forest_from_bytes(data: bytes) -> Forest:
    return Forest._of(carry_out(_kith.forest_from_bytes, data))
