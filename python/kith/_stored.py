"""Points larger than memory."""
from __future__ import annotations

import os
import tempfile
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _kith
from ._arrays import rows_for, scalar_type, whole
from ._box import Box, as_box
from ._call import CancelToken, carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._show import sizes
from ._snapshot import read_snapshot
from .typing import BoxLike, PathLike, Progress

if TYPE_CHECKING:
    from ._catalogue import Catalogue

_PIECE = 1 << 20  # labels that are copied at a time


class StoredPoints:
    """Points that stay where they are; made by kith.open_points, which names the calls that accept them.

    Attributes
    ----------
    box : Box
        The box of the file; open for arrays. It is the box of calls that are not given another one.
    shape : tuple
        The number of points, and their dimension.
    dtype : numpy.dtype
        float32 or float64: the type in which distances are computed.
    """

    def __init__(self, core: _kith.CoreStoredPoints, box: Box, scratch: str, types: Sequence[int] = ()) -> None:
        self._core = core
        self._scratch = scratch
        self._types = list(types)
        self.box = box
        self.shape = (core.size, core.dimension)
        self.dtype = np.dtype(np.float64 if core.is_double else np.float32)

    def _memmap(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array in a file without a name, in the scratch folder; it disappears with the array."""
        if 0 in shape:
            return np.empty(shape, dtype)
        with tempfile.TemporaryFile(dir=self._scratch or None) as file:
            return np.memmap(file, dtype, "w+", shape=shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<kith.StoredPoints: {self.shape[0]} points in {self.shape[1]} dimensions, {self.dtype.name}>"


class _StoredLabels:
    """A label for each stored point, on disk."""

    _core: Any
    _points: int

    def label(self, begin: int = 0, end: int | None = None) -> NDArray[np.int32]:
        """The labels of the points from ``begin`` to ``end``, as those of the result in memory."""
        last = self._points if end is None else end
        if not 0 <= begin <= last <= self._points:
            raise ArgumentError(f"label: rows {begin} to {last}; there are {self._points}")
        labels: NDArray[np.int32] = carry_out(self._core.label, begin, last)
        return labels

    def save_labels(self, path: PathLike) -> np.memmap[Any, np.dtype[np.int32]]:
        """Writes all labels to a .npy file, and returns it as a numpy.memmap."""
        labels = np.lib.format.open_memmap(os.fspath(path), mode="w+", dtype=np.int32, shape=(self._points,))
        for begin in range(0, self._points, _PIECE):
            end = min(begin + _PIECE, self._points)
            labels[begin:end] = self.label(begin, end)
        labels.flush()
        return labels


class StoredGroups(_StoredLabels):
    """Groups of stored points; kith.fof returns them. Their labels are on disk.

    Attributes
    ----------
    size : ndarray of int64
        The number of points in each group.
    lowest : ndarray of int64
        The lowest index in each group.
    linking_length : float
        The linking length, rounded to the type of the points.
    slabs : int
        The number of parts that were linked one after the other.
    """

    _core: _kith.CoreStoredGroups

    def __init__(self, core: _kith.CoreStoredGroups) -> None:
        self._core = core
        self._points = core.points
        self.linking_length = core.linking_length
        self.slabs = core.slabs
        self.size: NDArray[np.int64] = core.size()

    @cached_property
    def lowest(self) -> NDArray[np.int64]:
        return self._core.lowest()

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.size)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        largest = f", the largest of {self.size[0]}" if self.count else ""
        return f"<kith.StoredGroups: {self.count} groups of {self._points} points{largest}>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the sizes of the largest groups."""
        return sizes(self.size, self._points, "groups")


class StoredSubhalos(_StoredLabels):
    """Subhalos of stored points; kith.subhalos returns them. The subhalo of each point is on disk.

    Attributes
    ----------
    parent, catalogue, host, most_bound, peak
        See Subhalos.
    """

    _core: _kith.CoreStoredSubhalos

    def __init__(self, core: _kith.CoreStoredSubhalos, points: int, about: dict[str, Any]) -> None:
        from ._catalogue import Catalogue
        parts = core.parts()
        self._core = core
        self._points = points
        self.parent: NDArray[np.int64] = parts["parent"]
        self.catalogue = Catalogue._of(parts["catalogue"], None, about)
        self.host: NDArray[np.int64] = parts["host"]
        self.most_bound: NDArray[np.int64] = parts["most_bound"]
        self.peak: NDArray[np.float64] = parts["peak"]

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"<kith.StoredSubhalos: {len(self)} in {len(np.unique(self.parent))} halos>"


def open_points(source: Any, *, max_memory: int | float | str | None = None, scratch: PathLike | None = None,
                types: int | Sequence[int] | None = None, resume: bool = False) -> StoredPoints:
    """Opens points that need not fit into memory. kith.fof, kith.catalogue, kith.centers, kith.subhalos, kith.overdensities,
    kith.knn, kith.kth_distance, kith.mean_distance, kith.density, kith.radius_count and, without randoms, the calls
    of kith.correlation accept them, read a part at a time, and return exactly what they would return for the points
    in memory. Arrays are then numpy.memmap of files without a name in the scratch folder.

    Parameters
    ----------
    source : path, or array on disk
        A snapshot in any format but text, .npz and .ply. Or anything with a shape, a dtype and slices of rows: a
        numpy.memmap, a dataset of h5py or zarr.
    max_memory : int or str, optional
        The memory that the process may have: bytes, or text such as "4GB". About 40 MB of it are for the program.
        Default: the environment variable KITH_MAX_MEMORY.
    scratch : path, optional
        A folder for a scratch file, which has no name and disappears however the process ends; about 35 bytes per
        point (float32, 3-D). Default: that of temporary files.
    types : int or sequence of int, optional
        The types of the particles of a snapshot. Default: all.
    resume : bool
        Keep the scratch file, under a name, if a call is stopped; the same call then continues after its last
        finished pass. For snapshots and .npy files that are given by their path.

    Returns
    -------
    StoredPoints
    """
    memory, folder = _bytes(max_memory), "" if scratch is None else os.fspath(scratch)
    if isinstance(source, (str, os.PathLike)):
        chosen = [] if types is None else [int(t) for t in np.atleast_1d(np.asarray(types))]
        snapshot = read_snapshot(source)
        numbers = chosen or [entry["type"] for entry in snapshot.info["types"]]
        core = _kith.CoreStoredPoints.of_snapshot(snapshot._core, chosen, memory, folder, resume)
        return StoredPoints(core, snapshot.box, folder, numbers if len(numbers) > 1 else ())
    if types is not None:
        raise ArgumentTypeError("types: arrays have none; pass the rows of one type")
    shape, dtype = getattr(source, "shape", None), getattr(source, "dtype", None)
    if shape is None or dtype is None:
        raise ArgumentTypeError("open_points: give a path, or an array on disk with a shape and a dtype")
    if len(shape) != 2:
        raise ArgumentError(f"open_points: an array of shape {tuple(shape)}; give one row per point")
    scalar = scalar_type(np.dtype(dtype), "open_points")

    def rows(begin: int, end: int) -> NDArray[Any]:
        return np.ascontiguousarray(source[begin:end], scalar)

    core = _kith.CoreStoredPoints.of_python(rows, int(shape[0]), int(shape[1]), scalar == np.dtype(np.float64), memory,
                                            folder, resume)
    return StoredPoints(core, Box(), folder)


def fof_stored(points: StoredPoints, options: dict[str, Any], how: dict[str, Any]) -> StoredGroups:
    """kith.fof for stored points."""
    return StoredGroups(carry_out(_kith.fof_stored, points._core, options, **how))


def catalogue_stored(points: StoredPoints, groups: StoredGroups, options: dict[str, Any], *, threads: int | None,
                     progress: Progress, cancel: CancelToken | None) -> Catalogue:
    """kith.catalogue for stored points."""
    from ._catalogue import Catalogue
    core = carry_out(_kith.catalogue_stored, points._core, groups._core, options, points._types, threads=threads,
                     progress=progress, cancel=cancel)
    about = {"points": len(points), "scalar": points.dtype.name, "linking_length": groups.linking_length,
             "gravity": options["gravity"], "contaminating_types": options["contaminating_types"]}
    return Catalogue._of(core.rows(), None, about)


def subhalos_stored(points: StoredPoints, groups: StoredGroups, options: dict[str, Any],
                    how: dict[str, Any]) -> StoredSubhalos:
    """kith.subhalos for stored points."""
    core = carry_out(_kith.subhalos_stored, points._core, stored_of("subhalos", groups), options, points._types, **how)
    about = {"points": len(points), "scalar": points.dtype.name, "linking_length": options["linking_length"],
             "gravity": options["gravity"]}
    return StoredSubhalos(core, len(points), about)


def knn_stored(points: StoredPoints, queries: Any, options: dict[str, Any], box: BoxLike, index_dtype: Any,
               out: tuple[Any, Any] | None, how: dict[str, Any]) -> tuple[Any, Any]:
    """kith.knn for stored points."""
    _expect_no_queries("knn", queries)
    shape = (len(points), options["k"])
    if out is None:
        is_long = len(points) > 2**31 - 1 if index_dtype is None else np.dtype(index_dtype) == np.int64
        out = points._memmap(shape, np.int64 if is_long else np.int32), points._memmap(shape, points.dtype)
    index, distance = rows_for(out, shape, points.dtype, (np.int32, np.int64))
    core = carry_out(_kith.knn_stored, points._core, options, box_of(points, box), **how)
    _fill(index, lambda begin, end: carry_out(core.index, begin, end, index.dtype == np.int64))
    _fill(distance, lambda begin, end: carry_out(core.distance, begin, end))
    return index, distance


def numbers_stored(call: str, points: StoredPoints, queries: Any, options: dict[str, Any], box: BoxLike,
                   how: dict[str, Any]) -> NDArray[Any]:
    """One number for each stored point, as a numpy.memmap: kth_distance, mean_distance, density, radius_count."""
    _expect_no_queries(call, queries)
    core = carry_out(getattr(_kith, f"{call}_stored"), points._core, options, box_of(points, box), **how)
    values: NDArray[Any] = points._memmap((len(points),), np.dtype(np.int64 if call == "radius_count" else np.float64))
    _fill(values, lambda begin, end: carry_out(core.values, begin, end))
    return values


def stored_of(call: str, groups: Any) -> _kith.CoreStoredGroups:
    if not isinstance(groups, StoredGroups):
        raise ArgumentTypeError(f"{call}: stored points need the groups that kith.fof returned for them")
    return groups._core


def expect_memory(call: str, points: Any) -> None:
    """Lists of any length have no place on disk."""
    if isinstance(points, StoredPoints):
        raise ArgumentTypeError(f"{call}: lists of stored points do not stay on disk; use kith.radius_count or kith.knn")


def _expect_no_queries(call: str, queries: Any) -> None:
    if queries is not None:
        raise ArgumentTypeError(f"{call}: stored points are searched for their own neighbors; leave queries out")


def box_of(points: Any, box: BoxLike) -> Any:
    """The box of a call; that of the file if points are stored and none is given."""
    return (points.box if box is None and isinstance(points, StoredPoints) else as_box(box))._core


def _fill(out: Any, read: Callable[[int, int], Any]) -> None:
    """Some megabytes at a time."""
    width = 1 if out.ndim == 1 else out.shape[1]
    step = max(1, _PIECE // width)
    for begin in range(0, len(out), step):
        end = min(begin + step, len(out))
        out[begin:end] = read(begin, end).reshape((end - begin, *out.shape[1:]))


def _bytes(amount: int | float | str | None) -> int:
    """Bytes of 300_000_000 or "300MB"."""
    given = os.environ.get("KITH_MAX_MEMORY", "") if amount is None else amount
    if given == "":
        raise ArgumentError("open_points: give max_memory, such as '4GB', or set KITH_MAX_MEMORY")
    if isinstance(given, str):
        return carry_out(_kith.parse_memory, given)
    return whole(int(given), "open_points: max_memory")
