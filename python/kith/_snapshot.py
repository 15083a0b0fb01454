"""Reading and writing particles in the formats of many codes."""
from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import Real, as_array, points as as_points
from ._box import Box, as_box
from ._call import CancelToken, carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._isolate import examine
from ._ranks import agreed
from .typing import BoxLike, Communicator, Floats, FloatType, PathLike, Progress

_FIELDS = ("position", "velocity", "mass", "id", "value")


class Snapshot:
    """The particles of a snapshot; made by kith.read_snapshot. Arrays are read when you first use them, and kept.

    Attributes
    ----------
    position, velocity, mass, id, value : ndarray
        Arrays of the chosen types, type after type. Velocities are peculiar; values are those of ``value_column``.
        ``fields`` lists the arrays that exist; the others raise AttributeError.
    type : ndarray of uint8
        The type of every particle.
    box : Box
        The box, periodic on the axes for which the file has a side.
    info : dict
        The contents of the headers: format, code, files, types, time, units, background.
    """

    def __init__(self, core: _kith.CoreSnapshot, types: Sequence[int], dtype: FloatType | None, how: dict[str, Any],
                 rank: int = 0, ranks: int = 1) -> None:
        self._core = core
        self._types = list(types)
        self._how = how
        self.info: dict[str, Any] = core.info()
        self.box = Box._of(core.box)
        stored = np.dtype(np.float64 if self.info["is_double"] else np.float32)
        self.dtype: np.dtype[Any] = stored if dtype is None else np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise ArgumentTypeError(f"dtype: {self.dtype}; coordinates are float32 or float64")
        size = core.size(self._types)  # raises for an unknown type now, not at the first read
        self._begin = size * rank // ranks
        self._end = size * (rank + 1) // ranks

    @property
    def fields(self) -> tuple[str, ...]:
        """The arrays that exist for all of the particles."""
        return tuple(name for name in _FIELDS if self._core.has(name, self._types))

    @property
    def redshift(self) -> float:
        return float(self.info["background"]["redshift"])

    @property
    def type(self) -> NDArray[np.uint8]:
        counts = {entry["type"]: entry["count"] for entry in self.info["types"]}
        chosen = self._types or sorted(counts)
        all_types = np.repeat(np.array(chosen, np.uint8), [counts.get(number, 0) for number in chosen])
        return all_types[self._begin:self._end]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in _FIELDS:
            raise AttributeError(f"snapshot: no attribute {name}")
        if not self._core.has(name, self._types):
            raise AttributeError(f"snapshot: these particles have no {name}; they have {', '.join(self.fields)}")
        self.__dict__[name] = values = self.read(name)
        return values

    def read(self, field: str, begin: int = 0, count: int | None = None) -> NDArray[Any]:
        """Reads rows of a field from the file: ``count`` rows starting at ``begin``, or all that follow if ``count`` is
        None. Several processes can each read a part this way."""
        rows = len(self)
        if not 0 <= begin <= rows or not 0 <= (rows - begin if count is None else count) <= rows - begin:
            raise ArgumentError(f"read: rows from {begin} on, count = {count}; there are {rows}")
        return self._read(field, self._types, self._begin + begin, rows - begin if count is None else count, self.dtype)

    def _read(self, field: str, types: Sequence[int], begin: int, count: int, dtype: Real) -> NDArray[Any]:
        return carry_out(_kith.CoreSnapshot.read, self._core, field, list(types), begin, count,
                         dtype == np.dtype(np.float64), **self._how)

    def __len__(self) -> int:
        return self._end - self._begin

    def __repr__(self) -> str:
        code = f" by {self.info['code']}" if self.info["code"] else ""
        return f"<kith.Snapshot: {self.info['format']}{code}, {len(self)} particles, {', '.join(self.fields)}>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the types of particles."""
        from ._show import table
        rows = [[entry["type"], entry["name"], entry["count"]] for entry in self.info["types"]]
        return table(["type", "name", "particles"], rows, repr(self)[1:-1])


def read_snapshot(path: PathLike, *, types: int | Sequence[int] | None = None, dtype: FloatType | None = None,
                  dimension: int = 3, columns: Sequence[str] = (), velocity_columns: Sequence[str] = (),
                  mass_column: str = "", value_column: str = "", units: str | None = None, cosmology: dict[str, float] | str | None = None,
                  redshift: float | None = None, mass: float | None = None, isolate: bool = False,
                  threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                  comm: Communicator | None = None) -> Snapshot:
    """Opens a snapshot. Formats: HDF5 of Gadget-4, AREPO, IllustrisTNG and SWIFT, other HDF5, Gadget-1/2 binary, tipsy,
    bigfile, FITS tables, .npy, .npz, .ply, text and raw numbers. Files may be compressed by gzip, and may be pipes.

    Parameters
    ----------
    path : path
        The file, or one file of a snapshot in several files. "file.h5:/group/points" names a dataset of an HDF5 file.
    types : int or sequence of int, optional
        The types of the particles to read, as numbered in the file: 0 gas, 1 dark matter, ... Default: all.
    dtype : float32 or float64, optional
        The type of the arrays. Default: as stored.
    dimension, columns, velocity_columns, mass_column
        The layout of raw numbers, text, PLY and FITS, which do not contain this information.
    value_column : str, optional
        What ``value`` is: one number per particle, from a column of text, PLY or FITS, a dataset of HDF5 beside the
        positions, or an array of .npz.
    units : str, optional
        The units of length, mass and velocity, which replace those of the file: "kpc/h,1e10 Msun/h,km/s". Lengths
        are comoving unless the unit has the prefix p, as in "pkpc".
    cosmology : dict or str, optional
        Replaces that of the file: ``{"omega_m": 0.31, "omega_lambda": 0.69, "h": 0.68}``, also "omega_b".
    redshift : float, optional
        Replaces that of the file.
    mass : float, optional
        The mass of every particle that has none in the file.
    isolate : bool
        Whether a child process reads the whole file first, within limits of memory and time. Use it for files that
        you do not trust: on some damaged HDF5 files the HDF5 library crashes, or takes all memory. Then the child
        ends, and this call raises OSError.
    comm : mpi4py.MPI.Comm, optional
        Every rank of the communicator makes the call and gets an equal share of the particles: the length of the
        snapshot and all of its arrays are those of this rank. ``info`` describes the whole snapshot. An error on one
        rank is raised on all.

    Raises
    ------
    OSError
        If a file is missing, damaged, truncated or inconsistent.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}

    def options() -> dict[str, Any]:
        return {"dimension": dimension, "is_double": dtype is not None and np.dtype(dtype) == np.dtype(np.float64),
                "columns": [str(c) for c in columns], "velocity_columns": [str(c) for c in velocity_columns],
                "mass_column": mass_column, "value_column": value_column, "units": units, "redshift": redshift, "mass": mass,
                "cosmology": _text_of(cosmology)}

    def opened(rank: int, ranks: int) -> Snapshot:
        chosen = [] if types is None else [int(t) for t in np.atleast_1d(np.asarray(types))]
        core = carry_out(_kith.CoreSnapshot.open, os.fspath(path), options(), **how)
        return Snapshot(core, chosen, dtype, how, rank, ranks)

    def examined() -> None:
        if comm is None or comm.rank == 0:
            examine("snapshot", os.fspath(path), {name: value for name, value in options().items() if value is not None})

    if isolate:  # before any rank opens the file
        examined() if comm is None else agreed(comm, examined)
    snapshot = opened(0, 1) if comm is None else agreed(comm, lambda: opened(comm.rank, comm.size))
    for text in snapshot.info["warnings"]:
        warnings.warn(text, stacklevel=2)
    return snapshot


def _text_of(cosmology: dict[str, float] | str | None) -> str | None:
    if cosmology is None or isinstance(cosmology, str):
        return cosmology
    return ",".join(f"{name}={float(value)!r}" for name, value in cosmology.items())


def write_snapshot(path: PathLike, position: ArrayLike, *, velocity: ArrayLike | None = None,
                   id: ArrayLike | None = None, mass: float = 0.0, type: int = 1, box: BoxLike = None,
                   units: dict[str, Any] | None = None, background: dict[str, Any] | None = None,
                   style: Literal["gadget", "swift"] = "gadget", compression: int = 0, progress: Progress = None,
                   cancel: CancelToken | None = None) -> None:
    """Writes particles of one type to a file. The ending selects the format: .hdf5, .npy, .npz, .ply, .csv, .xyz, .txt,
    .raw, .f32, .f64 or .gadget2. Formats that cannot hold velocities, ids, units or the box omit them.

    Parameters
    ----------
    path : path
    position : array_like, (n, dimension)
    velocity : array_like, (n, dimension), optional
        Peculiar velocities.
    id : array_like of integers, optional
    mass : float
        The mass of each particle; 0 means that it is unknown.
    type : int
        The type of the particles, in formats that have types; 1 is dark matter.
    box : float, sequence or Box, optional
    units, background : dict, optional
        Units and cosmology, with the entries of ``info["units"]`` and ``info["background"]`` of a snapshot. Missing
        entries are unknown.
    style : "gadget" or "swift"
        The layout of .hdf5 files.
    compression : int
        The gzip level of .hdf5 files, 0 to 9.
    """
    if style not in ("gadget", "swift"):
        raise ArgumentError(f"style = {style!r}; there are: gadget, swift")
    rows = as_points(position, "position")
    options: dict[str, Any] = {"particle_mass": float(mass), "type": type, "box": as_box(box)._core,
                               "compression": compression, "is_swift": style == "swift"}
    for name, value in (units or {}).items():
        options[f"unit_{name}" if name in ("length", "mass", "velocity") else name] = value
    facts = dict(background or {})
    if "scale_factor" in facts:
        facts.setdefault("redshift", 1 / facts["scale_factor"] - 1)
        del facts["scale_factor"]
    if facts:
        options["is_cosmological"] = facts.pop("is_known", True)
    options.update(facts)
    if velocity is not None:
        options["velocity"] = as_points(velocity, "velocity")
    if id is not None:
        options["id"] = np.ascontiguousarray(as_array(id, "id"), dtype=np.uint64)
        if options["id"].shape != (len(rows),):
            raise ArgumentError(f"id: an array of shape {options['id'].shape} for {len(rows)} points; give one for each")
    carry_out(_kith.write_snapshot, os.fspath(path), rows, options, progress=progress, cancel=cancel)
