"""Friends-of-friends groups."""
from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _kith, mpi
from ._arrays import FLOAT64, as_array, is_single, number, points as as_points, values, whole
from ._box import as_box
from ._call import CancelToken, carry_out
from ._device_arrays import interface_of, rows_there
from ._errors import ArgumentError, ArgumentTypeError
from ._ranks import refuse
from ._show import sizes
from ._stored import StoredGroups, StoredPoints, fof_stored
from ._tree import Tree
from .typing import BoxLike, Communicator, Floats, LengthRule, LengthsLike, LineOfSight, NonFinite, PointsLike, Progress

if TYPE_CHECKING:
    from typing_extensions import Self


class Groups:
    """Groups of points, numbered 0, 1, ... from the largest to the smallest, equal sizes by lowest member.

    kith.fof returns them. You can also create them from labels of any origin, for example to compute a catalogue.
    ``np.asarray(groups)`` returns the labels.

    Parameters
    ----------
    label : array_like of int
        The group of every point, from 0 to count - 1; negative for points without a group.

    Attributes
    ----------
    label : ndarray of int32
        The group of every point, -1 for points of groups below ``min_size``.
    size : ndarray of int64
        The number of points in each group, without attached points.
    lowest : ndarray of int64
        The lowest index in each group.
    order : ndarray of uint32
        The indices of the points, sorted by label, then by index. Points without a group are last.
    offset : ndarray of int64
        The members of group g are ``order[offset[g]:offset[g + 1]]``.
    linking_length : float
        The linking length, rounded to the type of the points; NaN if kith.fof did not make the groups.
    root : ndarray of int64
        For every point, the lowest index in its group, also for small groups; empty unless ``keep_roots`` was set.
    """

    _word = "groups"

    def __init__(self, label: ArrayLike) -> None:
        given = as_array(label, "label")
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise ArgumentError("label: give one integer per point")
        count = int(given.max()) + 1 if given.size and given.max() >= 0 else 0
        if count > 2**31 - 1 or count > max(given.size, 1):
            raise ArgumentError(f"label: {count - 1} is the largest of {given.size} labels; number the groups 0, 1, ...")
        self.label: NDArray[np.int32] = np.where(given < 0, -1, given).astype(np.int32)
        self.size: NDArray[np.int64] = np.bincount(self.label[self.label >= 0], minlength=count).astype(np.int64)
        self.linking_length = float("nan")
        self.root: NDArray[np.int64] = np.empty(0, np.int64)
        self._core: _kith.CoreGroups | None = None

    @classmethod
    def _of(cls, core: _kith.CoreGroups) -> Self:
        groups = object.__new__(cls)
        groups._core = core
        groups.label = core.label()
        groups.size = core.size()
        groups.root = core.root()
        groups.linking_length = core.linking_length
        return groups

    @cached_property
    def _members(self) -> _kith.Members:
        if self._core is not None:
            return carry_out(_kith.members, self._core)
        # -1 as an unsigned number is the largest: points without a group come last.
        order = np.argsort(self.label.view(np.uint32), kind="stable").astype(np.uint32)
        counts = np.bincount(self.label[self.label >= 0], minlength=len(self.size))
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return _kith.Members.make(order, offset)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        return self._members.order()

    @cached_property
    def offset(self) -> NDArray[np.int64]:
        return self._members.offset().view(np.int64)

    @cached_property
    def lowest(self) -> NDArray[np.int64]:
        if self._core is not None:
            return self._core.lowest()
        starts = self.offset[:-1]
        lowest = np.full(len(self.size), -1, np.int64)
        lowest[self.size > 0] = self.order[starts[self.size > 0]]
        return lowest

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.size)

    def members(self, group: int) -> NDArray[np.uint32]:
        """The indices of the points of a group, ascending; a slice of ``order``."""
        number = group + self.count if group < 0 else group
        if not 0 <= number < self.count:
            raise IndexError(f"group {group} of {self.count}")
        return self.order[self.offset[number]:self.offset[number + 1]]

    def __len__(self) -> int:
        return self.count

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        is_same = dtype is None or np.dtype(dtype) == self.label.dtype
        if is_same:
            return self.label.copy() if copy else self.label
        if copy is False:
            raise ArgumentError("groups: labels of another type need a copy")
        return self.label.astype(dtype)

    def __getstate__(self) -> dict[str, Any]:
        names = ("label", "size", "root", "linking_length", "lowest")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._core = None

    def __repr__(self) -> str:
        largest = f", the largest of {self.size[0]}" if self.count else ""
        return f"<kith.Groups: {self.count} groups of {len(self.label)} points{largest}>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the sizes of the largest groups."""
        return sizes(self.size, len(self.label), self._word)


@overload
def fof(points: StoredPoints, *, linking_length: float | None = ..., b: float | None = ..., box: BoxLike = ...,
        min_size: int = ..., mean_separation: float | None = ..., volume: float | None = ..., strict: bool = ...,
        non_finite: NonFinite | None = ..., threads: int | None = ..., progress: Progress = ...,
        cancel: CancelToken | None = ...) -> StoredGroups: ...
@overload
def fof(points: PointsLike, *, linking_length: LengthsLike = ..., rule: LengthRule | None = ...,
        b: float | None = ..., box: BoxLike = ...,
        min_size: int = ..., mean_separation: float | None = ..., volume: float | None = ...,
        attached: ArrayLike | None = ..., strict: bool = ..., keep_roots: bool = ...,
        non_finite: NonFinite | None = ..., threads: int | None = ..., progress: Progress = ...,
        cancel: CancelToken | None = ..., device: str = ..., comm: Communicator | None = ...) -> Groups: ...
def fof(points: Any, *, linking_length: Any = None, rule: LengthRule | None = None, b: float | None = None,
        box: BoxLike = None, min_size: int = 1, mean_separation: float | None = None, volume: float | None = None,
        attached: ArrayLike | None = None, strict: bool = False, keep_roots: bool = False,
        non_finite: NonFinite | None = None, threads: int | None = None, progress: Progress = None,
        cancel: CancelToken | None = None, device: str = "cpu",
        comm: Communicator | None = None) -> Groups | StoredGroups:
    """Finds friends-of-friends groups exactly: points at most a linking length apart are friends, and a group is a set
    of points connected by friendship.

    Parameters
    ----------
    points : array_like, (n, dimension), or Tree, or list of arrays, or StoredPoints
        A list of arrays means several types of points, which are linked together. kith.open_points gives points
        larger than memory; without ``box``, that of their file is used.
    linking_length : float or array_like, (n,)
        Points are friends if d2 <= linking_length^2 (< if ``strict``), both computed in the type of the points. With
        one length for each point, ``rule`` says which length a pair has.
    rule : {"mean", "least", "largest"}
        For one length for each point: the mean of both (default), the smaller or the larger one.
    b : float
        The linking length as a fraction of the mean separation, instead of ``linking_length``.
    box : float, sequence or Box, optional
        The periods of the axes. A Tree already has a box.
    min_size : int
        Points of smaller groups get the label -1.
    mean_separation, volume : float, optional
        For ``b``: the mean separation, or the volume from which it follows as (volume / n)^(1 / dimension).
        Default: the volume of the box.
    attached : array_like or list of arrays, optional
        Points that join the group of the nearest linked point within the linking length, if there is one. They do
        not link other points. Their labels follow those of the linked points.
    keep_roots : bool
        Whether to fill in ``Groups.root``.
    non_finite : {"error", "drop"}
        What to do with points that have a NaN or infinite coordinate. For a Tree, this was decided when it was built.
    threads, progress, cancel, device
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the points are distributed. Every rank makes the call with its points and
        gets a kith.mpi.Groups; see kith.mpi.fof.

    Returns
    -------
    Groups, or StoredGroups of StoredPoints
    """
    if comm is not None:
        refuse(comm, "fof", attached=attached is not None, progress=bool(progress), device=device != "cpu")
        return mpi.fof(comm, points, linking_length=linking_length, rule=rule, b=b, box=box,  # type: ignore
                       min_size=min_size, mean_separation=mean_separation, volume=volume, strict=strict,
                       keep_roots=keep_roots, non_finite=non_finite, threads=threads, cancel=cancel)
    by_lengths = linking_length is not None and not is_single(linking_length, "linking_length")
    if rule is not None and not by_lengths:
        raise ArgumentError(f"fof: rule = {rule!r} without a linking_length for each point; leave it out")
    options: dict[str, Any] = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation,
                               "volume": volume, "min_size": _at_least_one(min_size), "strict": strict,
                               "keep_roots": keep_roots}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel, "device": device}
    if by_lengths:
        if isinstance(points, StoredPoints) or attached is not None:
            raise ArgumentTypeError("fof: a linking_length for each point needs one array of points in memory, or a Tree")
        return _by_lengths(points, linking_length, rule, box, non_finite, options, how)
    if isinstance(points, StoredPoints):
        if attached is not None:
            raise ArgumentTypeError("fof: attached points need arrays in memory, not stored points")
        options |= {"box": (points.box if box is None else as_box(box))._core, "non_finite": non_finite}
        return fof_stored(points, options, how)
    if isinstance(points, Tree) and attached is None:
        _expect_own_box(points, box, non_finite)
        return Groups._of(carry_out(_kith.fof_tree, points._core, options, **how))
    if isinstance(points, Tree):
        raise ArgumentTypeError("fof: attached points need the points themselves, not a tree")
    options |= {"box": as_box(box)._core, "non_finite": non_finite}
    linked = _types(points, "points") if interface_of(points) is None else [rows_there(points, "points", device)]
    others = [] if attached is None else _types(attached, "attached")
    if len(linked) == 1 and not others:
        return Groups._of(carry_out(_kith.fof_points, linked[0], options, **how))
    is_attached = [False] * len(linked) + [True] * len(others)
    return Groups._of(carry_out(_kith.fof_types, linked + others, is_attached, options, **how))


def _lengths(linking_length: LengthsLike, count: int, rule: LengthRule | None) -> tuple[Any, dict[str, Any]]:
    return values(linking_length, count, "linking_length", FLOAT64), {"rule": rule or "mean"}


def _by_lengths(points: Any, linking_length: LengthsLike, rule: LengthRule | None, box: BoxLike, non_finite: NonFinite | None,
                options: dict[str, Any], how: dict[str, Any]) -> Groups:
    """The groups with a length for each point."""
    options = {**options, "linking_length": None}
    if isinstance(points, Tree):
        _expect_own_box(points, box, non_finite)
        return Groups._of(carry_out(_kith.fof_tree_by_lengths, points._core,
                                    *_lengths(linking_length, points.input_size, rule), options, **how))
    x = as_points(points)
    options |= {"box": as_box(box)._core, "non_finite": non_finite}
    return Groups._of(carry_out(_kith.fof_by_lengths, x, *_lengths(linking_length, len(x), rule), options, **how))


def redshift_fof(points: PointsLike, *, line_of_sight: LineOfSight = "z", stretch: float,
                 linking_length: LengthsLike = None, rule: LengthRule | None = None, b: float | None = None,
                 observer: Sequence[float] | None = None,
                 box: BoxLike = None, min_size: int = 1, mean_separation: float | None = None,
                 volume: float | None = None, strict: bool = False, non_finite: NonFinite | None = None,
                 threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                 comm: Communicator | None = None) -> Groups:
    """Finds friends-of-friends groups in redshift space. The linking length along the line of sight is ``stretch``
    times that across it.

    Parameters
    ----------
    points : array_like, (n, dimension)
        Cartesian coordinates in redshift space.
    line_of_sight : {"x", "y", "z", "midpoint"}
        Either an axis: its coordinates are divided by ``stretch``, then points are linked as by fof. Or the
        direction from an observer to the midpoint of each pair: p and q are friends if across^2 +
        (along / stretch)^2 <= linking_length^2, where "along" is the component of p - q in that direction.
        "midpoint" needs an open box and visits all pairs within the longer length.
    stretch : float
    observer : sequence of float, optional
        The position of the observer. Default: the origin.

    The other parameters are those of fof; ``linking_length`` or ``b`` is the length across the line of sight. It may
    be one for each point.
    """
    if comm is not None:
        refuse(comm, "redshift_fof", progress=bool(progress))
        return mpi.redshift_fof(comm, points, line_of_sight=line_of_sight, stretch=stretch,  # type: ignore
                                linking_length=linking_length, rule=rule, b=b, observer=observer, box=box,
                                min_size=min_size, mean_separation=mean_separation, volume=volume, strict=strict,
                                non_finite=non_finite, threads=threads, cancel=cancel)
    options: dict[str, Any] = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation,
                               "volume": volume, "min_size": _at_least_one(min_size), "strict": strict,
                               "box": as_box(box)._core, "non_finite": non_finite}
    sight = {"line_of_sight": line_of_sight, "stretch": number(stretch, "redshift_fof: stretch"),
             "observer": None if observer is None else [number(x, "redshift_fof: observer") for x in observer]}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    x = as_points(points)
    if linking_length is None or is_single(linking_length, "linking_length"):
        if rule is not None:
            raise ArgumentError(f"redshift_fof: rule = {rule!r} without a linking_length for each point; leave it out")
        return Groups._of(carry_out(_kith.redshift_fof, x, options, sight, **how))
    return Groups._of(carry_out(_kith.redshift_fof_by_lengths, x, *_lengths(linking_length, len(x), rule),
                                {**options, "linking_length": None}, sight, **how))


def _at_least_one(min_size: int) -> int:
    return whole(min_size, "fof: min_size")


def _expect_own_box(tree: Tree, box: BoxLike, non_finite: NonFinite | None) -> None:
    if box is not None and as_box(box) != tree.box:
        raise ArgumentError(f"box: the tree was built with {tree.box!r}; build another one for {as_box(box)!r}")
    if non_finite is not None:
        raise ArgumentError("non_finite: this is decided when the tree is built; pass it to kith.Tree")


def _types(points: Any, name: str) -> list[Floats]:
    """One array, or several in a list."""
    is_list = isinstance(points, (list, tuple)) and len(points) > 0 and np.ndim(points[0]) == 2
    given: Sequence[Any] = points if is_list else [points]
    return [as_points(x, name) for x in given]
