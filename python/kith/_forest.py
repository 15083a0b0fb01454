"""Sets of points that change between searches."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import FLOAT64, as_array, integers, points as as_points, scalar_type, whole
from ._box import as_box
from ._call import CancelToken, carry_out
from ._errors import ArgumentTypeError
from ._neighbors import NeighborLists, Neighbors, _checked_k, _radius_options
from ._tree import OfPoints
from .typing import BoxLike, FloatType, Floats, PathLike, Progress


class Forest(OfPoints):
    """A set of points that you can change in batches and search exactly in between.

    Parameters
    ----------
    dimension : int
        From 1 to 32.
    box : float, sequence or Box, optional
        The periods of the axes. Default: open space.
    dtype : float64 or float32
        The type of coordinates and distances; points and queries are rounded to it.

    Points are numbered from 0 in the order of insertion; an index is never used again. Every result is the same as that
    of one Tree over the current points, with ties resolved by index. Forests can be pickled, copied and saved. Any
    number of threads may search at the same time; a call that changes the forest waits for them.

    >>> forest = kith.Forest(3, box=1.0)
    >>> first = forest.insert(np.random.rand(1000, 3))
    >>> forest.remove([3, 5, 7])
    >>> index, distance = forest.knn(np.random.rand(10, 3), k=4)
    """

    __slots__ = ()
    _core: _kith.CoreForest32 | _kith.CoreForest64

    def __init__(self, dimension: int, *, box: BoxLike = None, dtype: FloatType = np.float64) -> None:
        is_double = scalar_type(np.dtype(dtype), "dtype") == FLOAT64
        self._core = _kith.make_forest(whole(dimension, "forest: dimension"), is_double, as_box(box)._core)

    @classmethod
    def _of(cls, core: _kith.CoreForest32 | _kith.CoreForest64) -> Forest:
        forest = object.__new__(cls)
        forest._core = core
        return forest

    def insert(self, points: ArrayLike, *, threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> int:
        """Adds points, an array of shape (n, dimension). Returns the index of the first one; the others follow. If the
        call fails, the forest is unchanged."""
        return carry_out(self._core.insert, as_points(points, "points", self.dtype), threads=threads,
                         progress=progress, cancel=cancel)

    def remove(self, index: ArrayLike, *, threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> None:
        """Removes one or several points by index. If the call fails (an index that is not in the forest, or that is
        given twice), the forest is unchanged."""
        indices = np.atleast_1d(as_array(index, "remove: index"))
        if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
            raise ArgumentTypeError(f"remove: indices of type {indices.dtype} and shape {indices.shape}; give one index, or "
                                    "a sequence of them")
        carry_out(self._core.remove, integers(indices, "remove: index", np.int64), threads=threads,
                  progress=progress, cancel=cancel)

    def knn(self, queries: ArrayLike, *, k: int, max_radius: float = np.inf, strict: bool = False,
            threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None) -> Neighbors:
        """Finds the k nearest points of each query. The parameters are those of kith.knn; indices are int64."""
        options = _checked_k("knn", {"k": k, "max_radius": max_radius, "strict": strict})
        return Neighbors(*carry_out(self._core.knn, self._queries(queries), options, threads=threads,
                                    progress=progress, cancel=cancel))

    def radius(self, queries: ArrayLike, *, radius: ArrayLike, strict: bool = False, max_neighbors: int = 0,
               threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> NeighborLists:
        """Finds the points within a radius of each query, nearest first. Pass one radius, or one per query."""
        rows = self._queries(queries)
        options = _radius_options(radius, len(rows), {"strict": strict, "max_neighbors": max_neighbors})
        return NeighborLists(*carry_out(self._core.radius, rows, options, threads=threads, progress=progress,
                                        cancel=cancel))

    def radius_count(self, queries: ArrayLike, *, radius: ArrayLike, strict: bool = False, threads: int | None = None,
                     progress: Progress = None, cancel: CancelToken | None = None) -> NDArray[np.int64]:
        """Counts the points within a radius of each query."""
        rows = self._queries(queries)
        options = _radius_options(radius, len(rows), {"strict": strict})
        return carry_out(self._core.radius_count, rows, options, threads=threads, progress=progress, cancel=cancel)

    def _queries(self, queries: ArrayLike) -> Floats:
        return as_points(queries, "queries", self.dtype)

    @property
    def size(self) -> int:
        """The number of points in the forest."""
        return self._core.counts()[0]

    @property
    def inserted(self) -> int:
        """The number of points inserted so far; the index of the next point."""
        return self._core.counts()[1]

    @property
    def trees(self) -> int:
        """The number of trees that a search visits."""
        return self._core.counts()[2]

    def indices(self) -> NDArray[np.int64]:
        """The indices of the points in the forest, ascending."""
        return self._core.indices()

    def coordinates(self) -> Floats:
        """The coordinates of the points in the forest as they were passed, in the order of indices()."""
        return self._core.coordinates()

    def save(self, path: PathLike, *, cancel: CancelToken | None = None) -> None:
        """Writes the points and their indices to a file. The file appears only when it is complete."""
        carry_out(self._core.save, os.fspath(path), cancel=cancel)

    @classmethod
    def load(cls, path: PathLike, *, threads: int | None = None, progress: Progress = None,
             cancel: CancelToken | None = None) -> Forest:
        """Reads a forest from a file. Raises OSError, also for damaged files."""
        return cls._of(carry_out(_kith.load_forest, os.fspath(path), threads=threads, progress=progress,
                                 cancel=cancel))

    def copy(self) -> Forest:
        """A copy. Both share their trees until one of them changes."""
        return Forest._of(self._core.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Forest:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _forest_from_bytes, (carry_out(self._core.to_bytes),)

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
