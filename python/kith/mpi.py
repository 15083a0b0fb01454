"""Searches over points that are distributed over MPI ranks. The parameter ``comm`` of kith.fof, kith.knn and
kith.density calls these functions.

They need mpi4py, and the library libkith_mpi built with the same MPI, in the folder of this package, in the folder of
libraries of the environment, or where the system looks. The environment variable KITH_MPI_LIBRARY names another one,
or its folder. Every rank makes the call, with its points and the same options, and gets the results for its points.
Ctrl-C on one rank ends the call on all ranks.
"""
from __future__ import annotations

import ctypes
import signal
import threading
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from . import _mpi_library as _c
from ._arrays import FLOAT64, as_array, integers, is_single, number, points as as_points, values, whole
from ._box import as_box
from ._errors import ArgumentError, error_of
from ._ranks import agreed_rows, communicator, largest

__all__ = ["Groups", "Halos", "density", "fof", "halos", "knn"]

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

    def __init__(self, label: np.ndarray, found: _c.Groups) -> None:
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


class _Interrupts:
    """Ctrl-C during a call: noted when the library asks, on the thread of the call, and passed on after it."""

    def __init__(self) -> None:
        self.caught: tuple[int, Any] | None = None
        self.stop = _c.Stop(lambda: int(self.caught is not None))

    def _note(self, number: int, frame: Any) -> None:
        self.caught = (number, frame)

    def run(self, call: Callable[[], _Job]) -> _Job:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            return call()
        signal.signal(signal.SIGINT, self._note)
        try:
            return call()
        finally:
            signal.signal(signal.SIGINT, before)
            if self.caught is not None:
                before(*self.caught)


@dataclass
class _Job:
    """What a rank passes to a function of the library, and its results."""

    given: _Given
    rest: list[Any]  # the arguments after the points
    result: Any
    alive: Any = None  # what the arguments point to


def _call(name: str, comm: Any, points: Any, prepare: Callable[[np.ndarray], _Job]) -> _Job:
    """Calls a function of the library with what prepare(points) makes. Errors of one rank, those of prepare too, are
    exceptions on all ranks."""
    handle = ctypes.c_int(communicator(comm).py2f())
    interrupts = _Interrupts()

    def run() -> _Job:
        library, job = agreed_rows(comm, points, lambda rows: (_c.library(), prepare(rows)))
        job.given.struct.stop = interrupts.stop
        code = getattr(library, name)(handle, ctypes.byref(job.given.struct), *job.rest)
        if code:
            raise error_of(_c.CODES[code - 1], library.kith_mpi_error().decode())
        return job
    return interrupts.run(run)


class _Given:
    """The points of this rank in the form that the library expects; keeps alive what the struct points to."""

    def __init__(self, x: np.ndarray, box: Any, ids: Any, keep: bool, non_finite: str | None,
                 threads: int | None) -> None:
        self.x = x
        dimension = x.shape[1]
        space = as_box(box)
        self.box = _per_axis(space.side, dimension)
        self.origin = _per_axis(space.origin, dimension)
        self.ids = None if ids is None else _checked_ids(ids, len(x))
        if non_finite not in (None, "error", "drop"):
            raise ArgumentError(f"non_finite = {non_finite!r}; there are error and drop")
        stride = x.strides[0] // x.itemsize if len(x) > 1 else dimension
        self.struct = _c.Points(x.ctypes.data, len(x), dimension, int(x.dtype == FLOAT64), stride,
                              self.box.ctypes.data if self.box.any() else None, self.origin.ctypes.data,
                              None if self.ids is None else self.ids.ctypes.data, int(bool(keep)),
                              int(non_finite == "drop"), _small(0 if threads is None else threads, "threads"))


def _per_axis(numbers: tuple[float, ...], dimension: int) -> np.ndarray:
    if len(numbers) not in (1, dimension):
        raise ArgumentError(f"box: {len(numbers)} axes for points of dimension {dimension}; give one side per axis")
    return np.array(numbers * dimension if len(numbers) == 1 else numbers, FLOAT64)


def _small(value: Any, name: str) -> int:
    """An int of C; ctypes would wrap it silently."""
    count = whole(value, name, -2**31)
    if count >= 2**31:
        raise ArgumentError(f"{name} = {count}; give less than 2^31")
    return count


def _checked_ids(ids: Any, count: int) -> np.ndarray:
    array = as_array(ids, "ids")
    if array.shape != (count,):
        raise ArgumentError(f"ids: an array of shape {array.shape} for {count} points; give one for each")
    return integers(array, "ids", np.int64)


def _masses(mass: Any, count: int) -> np.ndarray | None:
    """One mass for each point; null for none."""
    if mass is None:
        return None
    if is_single(mass, "mass"):
        return np.full(count, number(mass, "mass"))
    return values(mass, count, "mass", FLOAT64)


def _address(array: np.ndarray | None) -> int | None:
    return None if array is None else array.ctypes.data


def _linking(call: str, linking_length: float | None, b: float | None, mean_separation: float | None,
             volume: float | None, min_size: int, strict: bool) -> _c.FofOptions:
    lengths = [0.0 if each is None else number(each, f"{call}: {name}") for name, each in
               (("linking_length", linking_length), ("b", b), ("mean_separation", mean_separation), ("volume", volume))]
    return _c.FofOptions(*lengths, whole(min_size, f"{call}: min_size"), int(bool(strict)), 1)


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
    def prepare(x: np.ndarray) -> _Job:
        options = _linking("fof", linking_length, b, mean_separation, volume, min_size, strict)
        label, found = np.empty(len(x), np.int64), _c.Groups()
        return _Job(_Given(x, box, ids, keep, non_finite, threads),
                    [ctypes.byref(options), ctypes.c_void_p(label.ctypes.data), ctypes.byref(found)], (label, found))

    label, found = _call("kith_mpi_fof_f", comm, points, prepare).result
    try:
        return Groups(label, found)
    finally:
        _c.library().kith_mpi_free(ctypes.byref(found))


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
    def prepare(x: np.ndarray) -> _Job:
        linking = _linking("halos", linking_length, b, mean_separation, volume, min_size, strict)
        rows, masses = _velocities(velocity, x), _masses(mass, len(x))
        kind = 0 if rows is None else 1 + int(rows.dtype == FLOAT64)
        options = _c.HaloOptions(linking, _address(rows), _address(masses), number(gravity, "halos: gravity"), kind)
        label, found = np.empty(len(x), np.int64), _c.Halos()
        return _Job(_Given(x, box, ids, keep, non_finite, threads),
                    [ctypes.byref(options), ctypes.c_void_p(label.ctypes.data), ctypes.byref(found)],
                    (label, found, x.shape[1]), (rows, masses))

    label, found, dimension = _call("kith_mpi_find_halos_f", comm, points, prepare).result
    try:
        groups = Groups(label, found.groups)
        columns = {found.column[i].name.decode(): _copied(found.column[i], len(groups.size), dimension)
                   for i in range(found.columns)}
    finally:
        _c.library().kith_mpi_free_halos(ctypes.byref(found))
    return Halos(groups, columns)


def _velocities(velocity: Any, x: np.ndarray) -> np.ndarray | None:
    if velocity is None:
        return None
    array = as_array(velocity, "velocity")
    rows = x if array.shape == (0,) and len(x) == 0 else np.ascontiguousarray(as_points(array, "velocity"))
    if rows.shape != x.shape:
        raise ArgumentError(f"velocity: an array of shape {rows.shape} for points of shape {x.shape}")
    return rows


def _copied(column: _c.Column, rows: int, dimension: int) -> np.ndarray:
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
    def prepare(x: np.ndarray) -> _Job:
        count = whole(k, "knn: k")
        options = _c.KnnOptions(count, int(bool(exclude_self)), int(bool(strict)), number(max_radius, "knn: max_radius"), 1)
        index, distance = np.empty((len(x), count), np.int64), np.empty((len(x), count), x.dtype)
        return _Job(_Given(x, box, ids, keep, non_finite, threads),
                    [ctypes.byref(options), ctypes.c_void_p(index.ctypes.data), ctypes.c_void_p(distance.ctypes.data)],
                    (index, distance))

    return _call("kith_mpi_knn_f", comm, points, prepare).result


def density(comm: Any, points: Any, *, k: int = 32, kernel: str = "cubic_spline", mass: Any = None, box: Any = None,
            ids: Any = None, keep: bool = False, non_finite: str | None = None,
            threads: int | None = None) -> np.ndarray:
    """The density at every point of this rank from its k nearest points on all ranks; see kith.density.

    ``mass`` has one value per point of this rank. Pass it on all ranks or on none.
    """
    def prepare(x: np.ndarray) -> _Job:
        if kernel not in ("cubic_spline", "wendland_c2"):
            raise ArgumentError(f"density: kernel = {kernel!r}; there are cubic_spline and wendland_c2")
        is_same = mass is None or is_single(mass, "mass")
        masses = None if is_same else _masses(mass, len(x))
        factor = number(mass, "density: mass") if is_same and mass is not None else 1.0  # later: the bits of one process
        if not np.isfinite(factor):
            raise ArgumentError(f"density: mass {factor}; it must be finite")
        options = _c.DensityOptions(whole(k, "density: k"), int(kernel == "wendland_c2"), _address(masses))
        found = np.empty(len(x), np.float64)
        return _Job(_Given(x, box, ids, keep, non_finite, threads),
                    [ctypes.byref(options), ctypes.c_void_p(found.ctypes.data)], (found, factor), masses)

    found, factor = _call("kith_mpi_density_f", comm, points, prepare).result
    most, least = largest(comm, [factor, -factor])
    if most != -least:
        raise ArgumentError(f"density: a mass from {-least} to {most} on different ranks; pass the same number on all "
                         "ranks, or one for each point")
    return found if factor == 1 else found * factor
