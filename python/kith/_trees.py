"""Halos through time: merger trees."""
from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import numbers, whole
from ._call import CancelToken, carry_out
from ._errors import ArgumentError
from ._histories import _labeled
from .typing import PathLike, Progress, RankWeight

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FLAGS = ("is_mutual", "is_flyby", "is_swap", "is_orphan")


class MergerTrees:
    """Merger trees of the halos of several snapshots; made by kith.trees and kith.read_trees.

    Each halo is a row. Rows are in depth-first order: a halo, then its main progenitor with all progenitors of that
    one, then the next progenitor. So main branches and subtrees are slices. ``len(trees)`` is the number of halos.

    Attributes
    ----------
    snapshot, label : ndarray of int32
        The snapshot of each halo, counted from 0 in the order of the catalogues, and its number there.
    members : ndarray of int64
        The number of its members.
    descendant, first_progenitor, next_progenitor : ndarray of int64
        Rows of other halos; -1 if there is none. The first progenitor is the main one, the next one has the same
        descendant.
    last_progenitor, main_leaf, root : ndarray of int64
        The rows where the progenitors of a halo end, where its main branch ends, and where its tree begins.
    roots : ndarray of int64
        The first rows of the trees: halos without a descendant, those of the last snapshot first.
    score, second_score : ndarray of float64
        The score of the link to the descendant, and the one with the second best match in the same snapshot.
    second, best_progenitor : ndarray of int64
        That second best match; the best match of a halo in the snapshot before.
    is_mutual : ndarray of bool
        Each of halo and descendant is the best match of the other.
    is_flyby : ndarray of bool
        The link skips snapshots in which the halo was part of another one.
    is_swap : ndarray of bool
        Another halo of the snapshot before matches better than the main progenitor.
    is_orphan : ndarray of bool
        The row is not a halo but the most bound particle of one that has vanished, in a later snapshot.
    host : ndarray of int64
        Of an orphan, the halo that has its particle; of a halo that vanishes, the one it has merged with; else -1.
    time, redshift : ndarray of float64
        Of each snapshot.
    columns : dict of ndarray
        Properties of the halos, in the units of the catalogues, as far as these have them: mass, position, velocity,
        spin, velocity_dispersion, vmax, vmax_radius, half_mass_radius, critical200_mass, most_bound_id, group, halo_id.
    """

    snapshot: NDArray[np.int32]
    label: NDArray[np.int32]
    members: NDArray[np.int64]
    descendant: NDArray[np.int64]
    first_progenitor: NDArray[np.int64]
    next_progenitor: NDArray[np.int64]
    last_progenitor: NDArray[np.int64]
    main_leaf: NDArray[np.int64]
    root: NDArray[np.int64]
    roots: NDArray[np.int64]
    score: NDArray[np.float64]
    second_score: NDArray[np.float64]
    second: NDArray[np.int64]
    best_progenitor: NDArray[np.int64]
    is_mutual: NDArray[np.bool_]
    is_flyby: NDArray[np.bool_]
    is_swap: NDArray[np.bool_]
    is_orphan: NDArray[np.bool_]
    host: NDArray[np.int64]
    time: NDArray[np.float64]
    redshift: NDArray[np.float64]

    def __init__(self, core: _kith.Histories) -> None:
        self._core = core
        for name, values in _kith.tree_links(core).items():
            setattr(self, name, values.view(np.bool_) if name in _FLAGS else values)
        if not hasattr(self, "host"):  # without orphans
            self.is_orphan, self.host = np.zeros(len(self), bool), np.full(len(self), -1)
        self.columns: dict[str, NDArray[Any]] = _kith.tree_columns(core)

    @property
    def mass(self) -> NDArray[np.float64]:
        """The masses of the halos or, where they are unknown, their numbers of members."""
        return self.columns["mass"] if "mass" in self.columns else self.members.astype(np.float64)

    @property
    def margin(self) -> NDArray[np.float64]:
        """1 - second_score / score of the link to the descendant: 1 if no other halo shares a weighted member, 0 if two
        have the same score or if there is no descendant."""
        has = (self.descendant >= 0) & (self.score > 0)
        return 1 - np.divide(self.second_score, self.score, out=np.ones(len(self)), where=has)

    def main_branch(self, row: int) -> slice:
        """The rows of a halo and its main progenitors, back in time: ``trees.mass[trees.main_branch(0)]``."""
        row = self._checked(row)
        return slice(row, int(self.main_leaf[row]) + 1)

    def progenitors(self, row: int) -> slice:
        """The rows of a halo and all of its progenitors."""
        row = self._checked(row)
        return slice(row, int(self.last_progenitor[row]) + 1)

    def mass_history(self, row: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times and masses of the main branch, in order of time."""
        branch = self.main_branch(row)
        return self.time[self.snapshot[branch]][::-1], self.mass[branch][::-1]

    def half_mass_row(self, row: int, mass: ArrayLike | None = None) -> int:
        """The earliest row of the main branch with at least half of the mass of a halo."""
        return _kith.half_mass_row(self._core, self._masses(mass), self._checked(row))

    def half_mass_time(self, row: int, mass: ArrayLike | None = None) -> float:
        """The time at which the main branch first had at least half of the mass of a halo."""
        return float(self.time[self.snapshot[self.half_mass_row(row, mass)]])

    def merger_ratios(self, mass: ArrayLike | None = None) -> NDArray[np.float64]:
        """Of each halo that merges, the largest mass on its main branch over the largest mass on the main branch that
        it merges with; 0 for main progenitors and halos without a descendant."""
        return _kith.merger_ratios(self._core, self._masses(mass))

    def last_major_merger(self, row: int, ratio: float = 0.25, mass: ArrayLike | None = None) -> int:
        """The latest row on the main branch of a halo with a merger of at least this ratio; -1 if there is none."""
        return _kith.last_merger_row(self._core, self.merger_ratios(mass), self._checked(row), float(ratio))

    def merger_rate(self, ratio: float = 0.25, mass: ArrayLike | None = None) -> NDArray[np.float64]:
        """For each snapshot, the number of mergers of at least this ratio over the number of halos there that have
        progenitors; 0 where none has."""
        merging = self.merger_ratios(mass) >= ratio
        into = self.snapshot[np.where(self.host >= 0, self.host, self.descendant)[merging]]
        count = np.bincount(into, minlength=len(self.time))
        halos = np.bincount(self.snapshot[(self.first_progenitor >= 0) & ~self.is_orphan], minlength=len(self.time))
        return np.divide(count, halos, out=np.zeros(len(self.time)), where=halos > 0)

    def write(self, path: PathLike, format: Literal["gadget4", "sublink", "lhalotree", "consistent-trees", "csv"] =
              "gadget4", *, progress: Progress = None) -> None:
        """Writes the trees; docs/histories.md describes the formats. Only gadget4 keeps everything."""
        carry_out(_kith.write_trees, self._core, os.fspath(path), str(format), progress=progress)

    def plot(self, row: int = 0, *, least: float = 0.0, ax: Axes | None = None) -> Axes:
        """Draws the history of a halo with kith.plot.merger_tree, and returns the axes."""
        from .plot import merger_tree
        return merger_tree(self, row, least=least, ax=ax)

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trees.hdf5")
            self.write(path)
            with open(path, "rb") as file:
                return _trees_from_bytes, (file.read(),)

    def _checked(self, row: int) -> int:
        row = int(row)
        if not 0 <= row < len(self):
            raise ArgumentError(f"trees: row {row} of {len(self)}")
        return row

    def _masses(self, mass: ArrayLike | None) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.mass if mass is None else numbers(mass, "trees: mass"))

    def __len__(self) -> int:
        return len(self.snapshot)

    def __repr__(self) -> str:
        return f"<kith.MergerTrees: {len(self)} halos in {len(self.time)} snapshots, {len(self.roots)} trees>"


def trees(catalogues: Sequence[PathLike | tuple[ArrayLike, ArrayLike]], *, reach: int = 3,
          main_branch: Literal["history", "score"] = "history", orphans: bool = False,
          weight: RankWeight | None = None, most_bound: int | None = None, type: int | None = None, find: bool = False,
          subhalos: bool = False, b: float = 0.2, linking_length: float | None = None, min_size: int = 20,
          earlier: MergerTrees | None = None, threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None) -> MergerTrees:
    """Links the halos of several snapshots to merger trees.

    Parameters
    ----------
    catalogues : sequence of paths, or of (ids, labels)
        One for each snapshot, in order of time: files that ``kith match`` takes, or arrays as in kith.match.
    reach : int
        Most snapshots from a halo to its descendant; 1: none is skipped.
    main_branch : {"history", "score"}
        The main progenitor: the one with the most members, added along its own main branch, or the one with the
        largest score.
    orphans : bool
        Follow halos that vanish by their most bound members, to the last snapshot. Members must be in order of binding.
    weight, most_bound
        See kith.match. Default: "sqrt_rank" if members are in order of binding, else "equal"; arrays are taken to be in
        order.
    type : int, optional
        Type of the particles that are matched. Default: dark matter.
    find, b, linking_length, min_size
        Groups are found with these options in snapshots without a catalogue; with ``find``, in all.
    subhalos : bool
        Find the bound subhalos of these groups, with members in order of binding.
    earlier : MergerTrees, optional
        Trees of kith to add snapshots to, with their options: catalogues that they contain are not linked again.
    threads, progress, cancel
        See Tree.
    """
    options: dict[str, Any] = {
        "reach": whole(reach, "trees: reach"), "main_branch": main_branch, "orphans": orphans, "weight": weight,
        "most_bound": None if most_bound is None else whole(most_bound, "trees: most_bound"), "type": type, "find": find,
        "subhalos": subhalos, "b": float(b), "linking_length": linking_length,
        "min_size": whole(min_size, "trees: min_size")}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    paths = [os.fspath(entry) for entry in catalogues if not isinstance(entry, tuple)]
    pairs = [entry for entry in catalogues if isinstance(entry, tuple)]
    if not pairs:
        return MergerTrees(carry_out(_kith.trees_of_catalogues, paths, options, None if earlier is None else earlier._core, **how))
    if paths or earlier is not None:
        raise ArgumentError("trees: give paths of catalogues, or pairs of IDs and labels, but not both")
    arrays = [_labeled(ids, labels, f"of snapshot {s}") for s, (ids, labels) in enumerate(pairs)]
    return MergerTrees(carry_out(_kith.trees_of_ids, arrays, options, **how))


def _trees_from_bytes(data: bytes) -> MergerTrees:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trees.hdf5")
        with open(path, "wb") as file:
            file.write(data)
        return read_trees(path)


def read_trees(path: PathLike, *, progress: Progress = None, cancel: CancelToken | None = None) -> MergerTrees:
    """Reads merger trees of kith, Gadget-4, SubLink, LHaloTree or consistent-trees. Main branches are those of the
    file."""
    return MergerTrees(carry_out(_kith.read_trees, os.fspath(path), progress=progress, cancel=cancel))
