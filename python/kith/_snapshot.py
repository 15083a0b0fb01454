"""Particles from files, whichever code wrote them."""
from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _kith
from ._box import Box
from ._call import CancelToken, Progress, carry_out

_FIELDS = ("position", "velocity", "mass", "id")


class Snapshot:
    """Particles in files; made by kith.read_snapshot. Arrays are read when first used, and kept.

    Attributes
    ----------
    position, velocity, mass, id : ndarray
        Of the chosen types, type after type. Velocities are peculiar. AttributeError for what the particles do not
        have: see ``fields``.
    type : ndarray of uint8
        Of every particle.
    box : Box
        Periodic where the file gives a side.
    info : dict
        What the headers say: format, code, files, types, time, units, background.
    """

    def __init__(self, core: Any, types: Sequence[int], dtype: Any, how: dict[str, Any]) -> None:
        self._core = core
        self._types = list(types)
        self._how = how
        self.info: dict[str, Any] = core.info()
        self.box = Box._of(core.box)
        stored = np.dtype(np.float64 if self.info["is_double"] else np.float32)
        self.dtype = stored if dtype is None else np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise TypeError(f"dtype: {self.dtype}; coordinates are float32 or float64")
        core.size(self._types)  # a type that the file does not know is an error now, not later

    @property
    def fields(self) -> tuple[str, ...]:
        """What every one of the particles has."""
        return tuple(name for name in _FIELDS if self._core.has(name, self._types))

    @property
    def redshift(self) -> float:
        return self.info["background"]["redshift"]

    @property
    def type(self) -> np.ndarray:
        counts = {entry["type"]: entry["count"] for entry in self.info["types"]}
        chosen = self._types or sorted(counts)
        return np.repeat(np.array(chosen, np.uint8), [counts.get(number, 0) for number in chosen])

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in _FIELDS:
            raise AttributeError(f"snapshot: no attribute {name}")
        if not self._core.has(name, self._types):
            raise AttributeError(f"snapshot: these particles have no {name}; they have {', '.join(self.fields)}")
        self.__dict__[name] = values = self.read(name)
        return values

    def read(self, field: str, begin: int = 0, count: int | None = None) -> np.ndarray:
        """Some rows of a field, read anew from the file: ``count`` of them from ``begin`` on, all that follow if no
        count is given. Each of several processes can read its own part."""
        rows = len(self)
        if not 0 <= begin <= rows or not 0 <= (rows - begin if count is None else count) <= rows - begin:
            raise ValueError(f"read: rows from {begin} on, count = {count}; there are {rows}")
        return carry_out(_kith.CoreSnapshot.read, self._core, field, self._types, begin,
                         rows - begin if count is None else count, self.dtype == np.dtype(np.float64), **self._how)

    def __len__(self) -> int:
        return self._core.size(self._types)

    def __repr__(self) -> str:
        code = f" by {self.info['code']}" if self.info["code"] else ""
        return f"<kith.Snapshot: {self.info['format']}{code}, {len(self)} particles, {', '.join(self.fields)}>"


def read_snapshot(path: str | os.PathLike[str], *, types: int | Sequence[int] | None = None, dtype: Any = None,
                  dimension: int = 3, columns: Sequence[str] = (), velocity_columns: Sequence[str] = (),
                  mass_column: str = "", threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None) -> Snapshot:
    """Opens a snapshot: Gadget-4, AREPO, IllustrisTNG and SWIFT in HDF5, Gadget-1/2 binary, .npy, .npz, .ply, text and
    bare numbers.

    Parameters
    ----------
    path : path
        The file, or one of several that belong together.
    types : int or sequence of int, optional
        Which particles: 0 gas, 1 dark matter, ... as in the file; all if not given.
    dtype : float32 or float64, optional
        Of the arrays; as stored if not given.
    dimension, columns, velocity_columns, mass_column
        For bare numbers, text and PLY, which do not say it themselves.

    Raises
    ------
    OSError
        For files that are missing, damaged, truncated or inconsistent.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    chosen = [] if types is None else [int(t) for t in np.atleast_1d(np.asarray(types))]
    options = {"dimension": dimension, "is_double": dtype is not None and np.dtype(dtype) == np.dtype(np.float64),
               "columns": [str(c) for c in columns], "velocity_columns": [str(c) for c in velocity_columns],
               "mass_column": mass_column}
    core = carry_out(_kith.CoreSnapshot.open, os.fspath(path), options, **how)
    return Snapshot(core, chosen, dtype, how)
