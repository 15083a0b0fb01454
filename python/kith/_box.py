"""The space that points live in."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _kith
from ._arrays import floats
from ._errors import ArgumentError
from .typing import BoxLike


class Box:
    """A space with open and periodic axes, in any combination.

    Parameters
    ----------
    side : float or sequence of float
        The period: one number for all axes, or one per axis. 0 makes an axis open.
    origin : float or sequence of float
        The lower corner, for example ``-side / 2`` for coordinates around zero.

    Every parameter ``box`` also accepts a number or a sequence, which means a Box with origin 0, and None, which means
    open space. On a periodic axis any finite coordinate is accepted and wrapped into the box.
    """

    __slots__ = ("_core",)

    def __init__(self, side: float | Sequence[float] | NDArray[Any] = 0.0,
                 origin: float | Sequence[float] | NDArray[Any] = 0.0) -> None:
        sides, origins = floats(side, "box"), floats(origin, "box: origin")
        if sides.ndim > 1 or origins.ndim > 1:
            raise ArgumentError(f"box: sides of shape {sides.shape} and origins of shape {origins.shape}; pass one side, "
                                "or one per axis")
        sides, origins = np.atleast_1d(sides), np.atleast_1d(origins)
        if not sides.size or not origins.size:
            raise ArgumentError("box: no side or no origin; pass one side, or one per axis")
        if origins.size > 1 and sides.size == 1:
            sides = np.full(origins.size, sides[0])
        self._core = _kith.CoreBox.make(sides.tolist(), origins.tolist())

    @classmethod
    def _of(cls, core: _kith.CoreBox) -> Box:
        box = object.__new__(cls)
        box._core = core
        return box

    @property
    def side(self) -> tuple[float, ...]:
        """The period of each axis, or a single number for all axes."""
        return tuple(self._core.side)

    @property
    def origin(self) -> tuple[float, ...]:
        """The lower corner."""
        return tuple(self._core.origin)

    @property
    def is_periodic(self) -> bool:
        """Whether any axis is periodic."""
        return any(side > 0 for side in self.side)

    def sides(self, dimension: int) -> NDArray[np.float64]:
        """The period of each of ``dimension`` axes."""
        return np.full(dimension, self.side, np.float64)

    def origins(self, dimension: int) -> NDArray[np.float64]:
        """The lower corner in ``dimension`` dimensions."""
        return np.full(dimension, self.origin, np.float64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.side, self.origin) == (other.side, other.origin)

    def __hash__(self) -> int:
        return hash((self.side, self.origin))

    def __reduce__(self) -> tuple[type[Box], tuple[tuple[float, ...], tuple[float, ...]]]:
        return Box, (self.side, self.origin)

    def __repr__(self) -> str:
        def short(values: tuple[float, ...]) -> str:
            return f"{values[0]:g}" if len(values) == 1 else "(" + ", ".join(f"{v:g}" for v in values) + ")"
        origin = f", origin={short(self.origin)}" if any(self.origin) else ""
        return f"Box({short(self.side)}{origin})"


def as_box(box: BoxLike) -> Box:
    """The Box for an argument ``box``."""
    if isinstance(box, Box):
        return box
    return Box() if box is None else Box(box)

