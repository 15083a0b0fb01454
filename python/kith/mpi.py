"""Searches over points that are distributed over MPI ranks. The parameter ``comm`` of kith.fof, kith.knn and
kith.density calls these functions.

They need mpi4py, and the library libkith_mpi built with the same MPI, in the folder of this package, in the folder of
libraries of the environment, or where the system looks. The environment variable KITH_MPI_LIBRARY names another one,
or its folder. Every rank makes the call, with its points and the same options, and gets the results for its points.
Ctrl-C on one rank ends the call on all ranks.
"""
from __future__ import annotations

import ctypes
import functools
import os
import signal
import sys
import threading
from typing import Any

import numpy as np

from ._arrays import FLOAT64, points as as_points, values
from ._box import as_box
from ._errors import ArgumentError, ArgumentTypeError, error_of

__all__ = ["Groups", "Halos", "density", "fof", "halos", "knn"]

_NAMES = ("libkith_mpi.so", "libkith_mpi.so.0.1")
_CODES = ("invalid_argument", "non_finite", "too_large", "out_of_memory", "cancelled", "io", "unavailable", "internal")


_Stop = ctypes.CFUNCTYPE(ctypes.c_int)


class _Points(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("dimension", ctypes.c_int),
                ("is_double", ctypes.c_int), ("stride", ctypes.c_ssize_t), ("box", ctypes.c_void_p),
                ("origin", ctypes.c_void_p), ("ids", ctypes.c_void_p), ("keep", ctypes.c_int),
                ("drop", ctypes.c_int), ("threads", ctypes.c_int), ("stop", _Stop)]


class _FofOptions(ctypes.Structure):
    _fields_ = [("linking_length", ctypes.c_double), ("b", ctypes.c_double), ("mean_separation", ctypes.c_double),
                ("volume", ctypes.c_double), ("min_size", ctypes.c_uint64), ("strict", ctypes.c_int),
                ("wants_rows", ctypes.c_int)]


class _Groups(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64), ("first", ctypes.c_uint64), ("rows", ctypes.c_uint64),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("lowest", ctypes.POINTER(ctypes.c_int64)),
                ("linking_length", ctypes.c_double)]


class _DensityOptions(ctypes.Structure):
    _fields_ = [("k", ctypes.c_size_t), ("is_wendland", ctypes.c_int), ("mass", ctypes.c_void_p)]


class _HaloOptions(ctypes.Structure):
    _fields_ = [("fof", _FofOptions), ("velocity", ctypes.c_void_p), ("mass", ctypes.c_void_p),
                ("gravity", ctypes.c_double)]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("width", ctypes.c_size_t),
                ("type", ctypes.c_int)]


class _Halos(ctypes.Structure):
    _fields_ = [("groups", _Groups), ("column", ctypes.POINTER(_Column)), ("columns", ctypes.c_size_t),
                ("memory", ctypes.c_void_p)]


class _KnnOptions(ctypes.Structure):
    _fields_ = [("k", ctypes.c_size_t), ("exclude_self", ctypes.c_int), ("strict", ctypes.c_int),
                ("max_radius", ctypes.c_double)]


class Groups:
    """Groups over all ranks.

    Attributes
    ----------
    label : ndarray of int64
        The group of every point of this rank, -1 for points of groups below ``min_size``.
    count : int
        The number of groups on all ranks.
    first : int
        The label of the first group whose row is on this rank.
    size : ndarray of int64
        The number of points of each group on this rank.
    lowest : ndarray of int64
        The lowest global index in each group on this rank. Points are numbered rank by rank, unless you pass ``ids``.
    linking_length : float
        The linking length, rounded to the type of the points.
    """

    def __init__(self, label: np.ndarray, found: _Groups) -> None:
        self.label = label
        self.count = int(found.count)
        self.first = int(found.first)
        self.linking_length = float(found.linking_length)
        rows = int(found.rows)
        self.size = np.ctypeslib.as_array(found.sizes, (rows,)).copy() if rows else np.empty(0, np.int64)
        self.lowest = np.ctypeslib.as_array(found.lowest, (rows,)).copy() if rows else np.empty(0, np.int64)

    def __len__(self) -> int:
        return self.count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.label, dtype=dtype, copy=True)

    def __repr__(self) -> str:
        return f"<kith.mpi.Groups: {self.count} groups, {len(self.label)} points of this rank>"


class Halos:
    """The rows of a catalogue that this rank has: those of the groups ``first``, ``first`` + 1, and so on.

    The columns are attributes with the names of kith.Catalogue: ``size``, ``mass``, ``center``, ``velocity``,
    ``radius`` and so on. The rows of all ranks, one rank after the other, are those of one process, bit for bit.

    Attributes
    ----------
    groups : Groups
        The labels of the points of this rank.
    columns : dict of str to ndarray
        All columns by name.
    first : int
        The group of the first row.
    """

    def __init__(self, groups: Groups, columns: dict[str, np.ndarray]) -> None:
        self.groups = groups
        self.columns = columns
        self.first = groups.first

    def __getattr__(self, name: str) -> np.ndarray:
        columns = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(f"halos: no column {name}; there are {', '.join(columns)}")
        return columns[name]

    def __len__(self) -> int:
        return len(self.columns["size"])

    def __repr__(self) -> str:
        return f"<kith.mpi.Halos: {len(self)} of {self.groups.count} groups>"


@functools.cache
def _library() -> ctypes.CDLL:
    """libkith_mpi."""
    place = os.environ.get("KITH_MPI_LIBRARY", "")
    here = [os.path.dirname(__file__), os.path.join(sys.prefix, "lib"), ""]  # "": where the system looks
    folders = [place] if place else here
    tries = [place] if os.path.isfile(place) else [os.path.join(folder, name) for folder in folders for name in _NAMES]
    reasons = []
    for name in tries:
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
            continue
        library.kith_mpi_error.restype = ctypes.c_char_p
        return library
    raise ImportError("comm: libkith_mpi was not found (" + "; ".join(reasons) + "); build kith with MPI and set "
                      "KITH_MPI_LIBRARY to the folder of libkith_mpi.so")


class _Interrupts:
    """Ctrl-C during a call: noted when the library asks, on the thread of the call, and passed on after it."""

    def __init__(self) -> None:
        self.caught: tuple[int, Any] | None = None
        self.stop = _Stop(lambda: int(self.caught is not None))

    def _note(self, number: int, frame: Any) -> None:
        self.caught = (number, frame)

    def run(self, call: Any) -> int:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            return call()
        signal.signal(signal.SIGINT, self._note)
        try:
            code = call()
        finally:
            signal.signal(signal.SIGINT, before)
        if self.caught is not None:
            before(*self.caught)
        return code


def _call(name: str, comm: Any, given: _Given, *rest: Any) -> None:
    """A function of the library; its errors are exceptions."""
    library, handle = _library(), _handle(comm)
    interrupts = _Interrupts()
    given.struct.stop = interrupts.stop
    code = interrupts.run(lambda: getattr(library, name)(handle, ctypes.byref(given.struct), *rest))
    if code:
        raise error_of(_CODES[code - 1] if 0 < code <= len(_CODES) else "internal", library.kith_mpi_error().decode())


def _handle(comm: Any) -> ctypes.c_int:
    try:
        return ctypes.c_int(comm.py2f())
    except AttributeError:
        raise ArgumentTypeError(f"comm = {comm!r}; give a communicator of mpi4py, such as MPI.COMM_WORLD") from None


class _Given:
    """The points of this rank in the form that the library expects; keeps alive what the struct points to."""

    def __init__(self, x: Any, box: Any, ids: Any, keep: bool, non_finite: str | None, threads: int | None) -> None:
        self.x = as_points(x)
        dimension = self.x.shape[1]
        space = as_box(box)
        self.box = np.array(_per_axis(space.side, dimension), FLOAT64)
        self.origin = np.array(_per_axis(space.origin, dimension), FLOAT64)
        self.ids = None if ids is None else np.ascontiguousarray(ids, np.int64)
        if self.ids is not None and self.ids.shape != (len(self.x),):
            raise ArgumentError(f"ids: an array of shape {self.ids.shape} for {len(self.x)} points; give one for each")
        stride = self.x.strides[0] // self.x.itemsize if len(self.x) > 1 else dimension
        self.struct = _Points(self.x.ctypes.data, len(self.x), dimension, int(self.x.dtype == FLOAT64), stride,
                              self.box.ctypes.data if self.box.any() else None, self.origin.ctypes.data,
                              None if self.ids is None else self.ids.ctypes.data, int(keep),
                              int(non_finite == "drop"), threads or 0)


def _per_axis(numbers: tuple[float, ...], dimension: int) -> list[float]:
    given = list(numbers)
    return (given * dimension)[:dimension] if len(given) == 1 else given + [0.0] * (dimension - len(given))


def fof(comm: Any, points: Any, *, linking_length: float | None = None, b: float | None = None, box: Any = None,
        min_size: int = 1, mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
        ids: Any = None, keep: bool = False, non_finite: str | None = None, threads: int | None = None) -> Groups:
    """Friends of friends over the ranks of a communicator, with the same labels as in one process.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    points : array_like, (n, dimension)
        The points of this rank; an array of shape (0, dimension) if it has none.
    ids : array_like of int64, optional
        A different number for each point of all ranks; they resolve ties.
    keep : bool
        Set this if each rank already has the points of one region: points then stay on their ranks.
    linking_length, b, box, min_size, mean_separation, volume, strict, non_finite, threads
        See kith.fof.
    """
    given = _Given(points, box, ids, keep, non_finite, threads)
    if min_size < 1:
        raise ArgumentError(f"fof: min_size = {min_size}; groups have at least 1 point")
    options = _FofOptions(linking_length or 0, b or 0, mean_separation or 0, volume or 0, min_size, int(strict), 1)
    label = np.empty(len(given.x), np.int64)
    found = _Groups()
    library = _library()
    _call("kith_mpi_fof_f", comm, given, ctypes.byref(options),
          ctypes.c_void_p(label.ctypes.data), ctypes.byref(found))
    try:
        return Groups(label, found)
    finally:
        library.kith_mpi_free(ctypes.byref(found))


def halos(comm: Any, points: Any, *, velocity: Any = None, mass: Any = None, gravity: float = 0.0,
          linking_length: float | None = None, b: float | None = None, box: Any = None, min_size: int = 20,
          mean_separation: float | None = None, volume: float | None = None, strict: bool = False, ids: Any = None,
          keep: bool = False, non_finite: str | None = None, threads: int | None = None) -> Halos:
    """Finds friends-of-friends groups over the ranks of a communicator and computes their catalogue.

    Parameters
    ----------
    velocity : array_like, (n, dimension), optional
        Velocities of the points of this rank; on all ranks or on none.
    mass : array_like, optional
        Masses of the points of this rank; on all ranks or on none. 1 for all points if not given.
    gravity : float
        Newton's constant, for circular velocities; 0: none are computed.

    The other parameters are those of kith.mpi.fof.
    """
    given = _Given(points, box, ids, keep, non_finite, threads)
    if min_size < 1:
        raise ArgumentError(f"halos: min_size = {min_size}; groups have at least 1 point")
    rows = None if velocity is None else np.ascontiguousarray(as_points(velocity, "velocity"), given.x.dtype)
    if rows is not None and rows.shape != given.x.shape:
        raise ArgumentError(f"velocity: an array of shape {rows.shape} for points of shape {given.x.shape}")
    masses = None if mass is None else np.ascontiguousarray(values(mass, len(given.x), "mass", FLOAT64))
    linking = _FofOptions(linking_length or 0, b or 0, mean_separation or 0, volume or 0, min_size, int(strict), 1)
    options = _HaloOptions(linking, None if rows is None else rows.ctypes.data,
                           None if masses is None else masses.ctypes.data, gravity)
    label = np.empty(len(given.x), np.int64)
    found = _Halos()
    library = _library()
    _call("kith_mpi_find_halos_f", comm, given, ctypes.byref(options),
          ctypes.c_void_p(label.ctypes.data), ctypes.byref(found))
    try:
        groups = Groups(label, found.groups)
        columns = {found.column[i].name.decode(): _copied(found.column[i], len(groups.size), given.x.shape[1])
                   for i in range(found.columns)}
    finally:
        library.kith_mpi_free_halos(ctypes.byref(found))
    return Halos(groups, columns)


def _copied(column: _Column, rows: int, dimension: int) -> np.ndarray:
    """The numbers of a column, in the shape that kith.Catalogue gives them."""
    kind = (ctypes.c_double, ctypes.c_int64, ctypes.c_uint8)[column.type]
    vectors = ("center", "velocity", "shape", "lower", "upper", "angular_momentum")
    name = column.name.decode()
    shape = (dimension, dimension) if name == "axes" else (column.width,) if name in vectors else ()
    if rows == 0:
        return np.empty((0, *shape), np.dtype(kind))
    numbers = np.ctypeslib.as_array(ctypes.cast(column.data, ctypes.POINTER(kind)), (rows * column.width,))
    return numbers.reshape(rows, *shape).copy()


def knn(comm: Any, points: Any, *, k: int, box: Any = None, exclude_self: bool = False, max_radius: float = np.inf,
        strict: bool = False, ids: Any = None, keep: bool = False, non_finite: str | None = None,
        threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest neighbors of every point of this rank among the points of all ranks: global indices and distances.

    See kith.knn for the parameters, and kith.mpi.fof for ``ids`` and ``keep``.
    """
    if k < 1:
        raise ArgumentError(f"knn: k = {k}; ask for at least 1 neighbor")
    given = _Given(points, box, ids, keep, non_finite, threads)
    options = _KnnOptions(k, int(exclude_self), int(strict), max_radius)
    index = np.empty((len(given.x), k), np.int64)
    distance = np.empty((len(given.x), k), given.x.dtype)
    _call("kith_mpi_knn_f", comm, given, ctypes.byref(options),
          ctypes.c_void_p(index.ctypes.data), ctypes.c_void_p(distance.ctypes.data))
    return index, distance


def density(comm: Any, points: Any, *, k: int = 32, kernel: str = "cubic_spline", mass: Any = None, box: Any = None,
            ids: Any = None, keep: bool = False, non_finite: str | None = None,
            threads: int | None = None) -> np.ndarray:
    """The density at every point of this rank from its k nearest points on all ranks; see kith.density.

    ``mass`` has one value per point of this rank. Pass it on all ranks or on none.
    """
    if kernel not in ("cubic_spline", "wendland_c2"):
        raise ArgumentError(f"density: kernel = {kernel!r}; there are cubic_spline and wendland_c2")
    given = _Given(points, box, ids, keep, non_finite, threads)
    masses = None if mass is None else np.ascontiguousarray(values(mass, len(given.x), "mass", FLOAT64))
    options = _DensityOptions(k, int(kernel == "wendland_c2"), None if masses is None else masses.ctypes.data)
    found = np.empty(len(given.x), np.float64)
    _call("kith_mpi_density_f", comm, given, ctypes.byref(options), ctypes.c_void_p(found.ctypes.data))
    return found
