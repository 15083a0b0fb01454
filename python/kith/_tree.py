"""The tree on which all searches are built."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import points as as_points
from ._box import Box, as_box
from ._call import CancelToken, carry_out
from ._device_arrays import interface_of, rows_there
from ._errors import ArgumentError
from .typing import (BoxLike, Builder, Curve, FloatType, Memory, NonFinite, PathLike, PointsLike, Progress, SplitAxis,
                     TreeOptions)

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Plane:
    """The nodes of one plane of a tree, as columns. Node i has the points ``begin[i]`` to ``end[i]`` in tree order, the
    children ``first[i]`` to ``last[i]`` in the plane below, and the tight bounding box ``lower[i]``, ``upper[i]``."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True)
class Cells:
    """The Morton cells of the nodes of one plane. Their volume is 2^level in the coordinates of the tree."""

    level: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.level)


@dataclass(frozen=True)
class Splits:
    """The splits inside the nodes of one plane of a tree in kd order. Each node has 7 splits, stored as a heap: split 0
    divides the node; splits 2 i + 1 (lesser side) and 2 i + 2 (greater side) divide the halves of split i. On
    ``axis[node, i]``, points of the lesser side have coordinates <= ``value[node, i]`` and points of the greater side
    >= it. The axis is -1 where there is no split."""

    axis: NDArray[np.int8]
    value: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.axis)


class LeftBalanced(NamedTuple):
    """A kd-tree without pointers, with one point per node. Node i has the children 2 i + 1 (lesser) and 2 i + 2
    (greater). ``index`` is the original index of each node's point, ``axis`` the axis along which the node splits."""

    index: NDArray[np.int64]  # type: ignore[assignment]
    axis: NDArray[np.int8]


class OfPoints:
    """Base of the sets of points that can be searched."""

    __slots__ = ("_core", "__weakref__")
    _core: Any  # CoreTree or a CoreForest

    @property
    def dimension(self) -> int:
        return int(self._core.dimension)

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64: the type of coordinates and distances."""
        return np.dtype(np.float64 if self._core.is_double else np.float32)

    @property
    def box(self) -> Box:
        return Box._of(self._core.box)


class Tree(OfPoints):
    """An immutable tree over a set of points. The functions of this package accept it in place of the points.

    Parameters
    ----------
    points : array_like, (n, dimension)
        Points in 1 to 32 dimensions. float32 and float64 are kept; the page about Python lists other types.
    box : float, sequence or Box, optional
        The periods of the axes. Default: open space.
    builder : {"packed", "cells"}
        Leaves are runs of 8 consecutive points, or the largest Morton cells of at most ``max_leaf_size`` points.
    curve : {"automatic", "hilbert", "z", "kd"}
        The order of the points. Automatic is hilbert in two and three dimensions, kd in more, and z in one and for
        the cells builder.
    split_axis : {"widest", "cyclic", "variance"}
        For the kd order: the axis along which a set of points is split.
    non_finite : {"error", "drop"}
        What to do with points that have a NaN or infinite coordinate. Results keep a row for each dropped point,
        filled with -1.
    max_leaf_size, coarsening, max_volume_ratio
        Options of the builder "cells".
    threads : int, optional
        The number of threads, which scipy calls ``workers`` and scikit-learn ``n_jobs``. Default: all processors.
        Results do not depend on it.
    progress : callable, bool, optional
        Called with (stage, done, total) a few times per second; True shows tqdm bars.
    cancel : CancelToken, optional
        A token by which another thread can stop the call.
    device : str
        Where the call runs: "cpu", or "gpu", "gpu:1", ... for a device of kith.devices(). The result is the same.
        Calls without code for devices raise RuntimeError. A tree from a device serves every call.

    Trees can be pickled, copied and saved. Any number of threads can use a tree at the same time.
    """

    __slots__ = ("_there",)
    _core: _kith.CoreTree
    _there: type | None  # of the points, if they were on a device: rows of neighbors stay there

    def __init__(self, points: ArrayLike, *, box: BoxLike = None, builder: Builder = "packed",
                 curve: Curve = "automatic", split_axis: SplitAxis = "widest", non_finite: NonFinite = "error",
                 max_leaf_size: int = 48, coarsening: int = 8, max_volume_ratio: float = 50.0,
                 threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                 device: str = "cpu") -> None:
        options = {"box": as_box(box)._core, "builder": builder, "curve": curve, "split_axis": split_axis,
                   "non_finite": non_finite, "max_leaf_size": max_leaf_size, "coarsening": coarsening,
                   "max_volume_ratio": max_volume_ratio}
        is_there = interface_of(points) is not None
        rows = rows_there(points, "points", device) if is_there else as_points(points)
        self._core = carry_out(_kith.CoreTree.build, rows, options, threads=threads, progress=progress,
                               cancel=cancel, device=device)
        self._there = type(points) if is_there else None

    @classmethod
    def _of(cls, core: _kith.CoreTree) -> Tree:
        tree = object.__new__(cls)
        tree._core = core
        tree._there = None
        return tree

    @property
    def size(self) -> int:
        """The number of points in the tree."""
        return self._core.size

    @property
    def input_size(self) -> int:
        """The number of points in the input, including dropped ones."""
        return self._core.input_size

    @property
    def builder(self) -> Builder:
        kinds: tuple[Builder, ...] = ("packed", "cells")
        return kinds[self._core.builder]

    @property
    def curve(self) -> Curve:
        """The order of the points; never "automatic"."""
        kinds: tuple[Curve, ...] = ("automatic", "hilbert", "z", "kd")
        return kinds[self._core.curve]

    @property
    def memory(self) -> int:
        """The memory that the tree uses, in bytes."""
        return self._core.memory

    @property
    def scale_exponent(self) -> int:
        """Coordinates are stored multiplied by 2 to this power; 0 unless the data are extremely large or small."""
        return self._core.scale_exponent

    @property
    def planes(self) -> int:
        """The number of planes. Plane 0 contains the leaves, the last plane the root."""
        return self._core.planes

    def order(self) -> NDArray[np.int64]:
        """The original index of every point, in tree order."""
        return self._core.order()

    def coordinates(self) -> NDArray[np.float64]:
        """Coordinates in tree order, wrapped into the box, in float64."""
        return self._core.coordinates()

    def plane(self, plane: int) -> Plane:
        """The nodes of a plane, counted from the leaves; negative numbers count from the root."""
        return Plane(**self._core.plane(self._plane_number(plane)))

    def cells(self, plane: int) -> Cells:
        """The Morton cells of a plane's nodes, for a tree in z-order."""
        return Cells(**self._core.cells(self._plane_number(plane)))

    def splits(self, plane: int) -> Splits:
        """The splits inside the nodes of a plane, for a tree in kd order. Planes are numbered as in plane()."""
        return Splits(*self._core.splits(self._plane_number(plane)))

    def _plane_number(self, plane: int) -> int:
        number = plane + self.planes if plane < 0 else plane
        if not 0 <= number < self.planes:
            raise IndexError(f"tree: plane {plane} of {self.planes}")
        return number

    def check(self) -> None:
        """Checks all invariants; raises RuntimeError for the first one that is violated."""
        self._core.check()

    def save(self, path: PathLike, *, progress: Progress = None,
             cancel: CancelToken | None = None) -> None:
        """Writes the tree to a file. The file appears only when it is complete."""
        carry_out(_kith.save_tree, self._core, os.fspath(path), progress=progress, cancel=cancel)

    @classmethod
    def load(cls, path: PathLike, *, verify: bool = True, progress: Progress = None,
             cancel: CancelToken | None = None) -> Tree:
        """Maps a tree from a file into memory. ``verify=False`` skips the check of the content; that is faster, but a
        damaged file may then crash later searches. Raises OSError."""
        core = carry_out(_kith.load_tree, os.fspath(path), verify, progress=progress, cancel=cancel)
        return cls._of(core)

    def __reduce__(self) -> tuple[Any, ...]:
        return _tree_from_bytes, (carry_out(_kith.tree_to_bytes, self._core),)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        box = f", box={self.box!r}" if self.box.is_periodic else ""
        return (f"<kith.Tree: {self.size} points in {self.dimension} dimensions, {self.dtype.name}{box}, "
                f"{self.builder}, {self.curve}>")

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: Any) -> Tree:
        return self


def _tree_from_bytes(data: bytes) -> Tree:
    return Tree._of(carry_out(_kith.tree_from_bytes, data))


def as_tree(points: PointsLike, box: BoxLike = None, **execution: Any) -> Tree:
    """The tree itself, or a tree of the points."""
    if isinstance(points, Tree):
        if box is not None and as_box(box) != points.box:
            raise ArgumentError(f"box: the tree has {points.box!r} and keeps it; build another for {as_box(box)!r}")
        return points
    return Tree(points, box=box, **execution)


def left_balanced(points: PointsLike, *, box: BoxLike = None, split_axis: SplitAxis = "widest",
                  threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None) -> LeftBalanced:
    """Builds the left-balanced kd-tree of points, or of the points of a Tree in any order, for programs that do the
    traversal themselves. Every row of nodes is full except the last, which is filled from the left.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree
    split_axis : {"widest", "cyclic", "variance"}
        The axis along which a set of points is split: the longest side of its box, the axes in turn, or the axis with
        the largest variance.
    box, threads, progress, cancel
        See Tree.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree = as_tree(points, box, **how)
    return LeftBalanced(*carry_out(_kith.left_balanced, tree._core, {"split_axis": split_axis}, **how))


def estimate_memory(size: int, dimension: int = 3, dtype: FloatType = np.float32,
                    **options: Unpack[TreeOptions]) -> Memory:
    """The memory, in bytes, to build a tree of ``size`` points (``peak``) and to keep it (``kept``), without the
    array."""
    box = {"box": as_box(options.pop("box"))._core} if "box" in options else {}
    peak, kept = _kith.estimate_memory(size, dimension, np.dtype(dtype).name, {**options, **box})
    return {"peak": peak, "kept": kept}
