"""Neighbors of atoms in periodic cells of any shape."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, _mpi_atoms
from ._arrays import FLOAT64, floats, integers, is_single, number, points as as_points, values, whole
from ._call import CancelToken, carry_out
from ._errors import ArgumentError, ArgumentTypeError
from .typing import Communicator, Floats, IndexType, Progress

_INT32_LIMIT = 2**31 - 16
_OPEN = np.zeros((1, 3), dtype=bool)
_NO_CELL = np.zeros((1, 3, 3))


class Systems(NamedTuple):
    """Atoms of one system, or of several one after the other, as the library takes them."""

    positions: Floats
    cells: NDArray[np.float64]
    """One for all systems, or one each."""
    periodic: NDArray[np.bool_]
    starts: NDArray[np.int64] | None
    """The first atom of each system, and the end; None for one system."""


def _is_atoms(x: Any) -> bool:
    return hasattr(x, "positions") and hasattr(x, "cell") and hasattr(x, "pbc")


def _are_several(x: Any) -> bool:
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(_is_atoms(each) for each in x)


def _cells(cell: Any, axes: int) -> NDArray[np.float64]:
    """Lattice vectors as rows, for each cell: of a matrix, of the sides of a box, or of one side for all axes."""
    a = floats(cell, "cell")
    if a.shape == (axes, axes):
        return a[None]
    if a.ndim < 2 and a.shape in ((), (1,), (axes,)):
        return np.ascontiguousarray(np.diag(np.broadcast_to(a, (axes,)))[None])
    if a.ndim != 3 or a.shape[1:] != (axes, axes):
        raise ArgumentError(f"cell: an array of shape {a.shape} for {axes} axes; give lattice vectors as the rows of a "
                            f"{axes} x {axes} matrix, one matrix for each system, or the sides of a box")
    return a


def _periodic(pbc: Any, axes: int) -> NDArray[np.bool_]:
    a = np.asarray(pbc)
    if a.dtype.kind not in "biu" or a.ndim > 2 or a.shape[-1:] not in ((), (1,), (axes,)):
        raise ArgumentError(f"pbc: an array of shape {a.shape} and type {a.dtype}; give True or False, or one for each of "
                            f"the {axes} axes")
    return np.ascontiguousarray(np.broadcast_to(a.astype(bool), (a.shape[0] if a.ndim == 2 else 1, axes)))


def _starts(batch: Any, atoms: int, systems: int | None) -> NDArray[np.int64]:
    """From the number of the system of each atom, which must not decrease."""
    number_of = integers(batch, "batch", np.int64)
    if number_of.shape != (atoms,):
        raise ArgumentError(f"batch: an array of shape {number_of.shape} for {atoms} atoms; give the number of the system "
                            "of each")
    if atoms and (number_of[0] < 0 or (np.diff(number_of) < 0).any()):
        raise ArgumentError("batch: numbers must be 0 or more and must not decrease; sort the atoms by their system")
    most = int(number_of[-1]) + 1 if atoms else 0
    if systems is not None and most > systems:
        raise ArgumentError(f"batch: system {most - 1} of {systems}; give a cell for each system")
    return np.searchsorted(number_of, np.arange((most if systems is None else systems) + 1))


def _of_atoms(each: Sequence[Any]) -> Systems:
    """Several ase.Atoms, one system each."""
    sizes = [len(atoms.positions) for atoms in each]
    together = np.concatenate([as_points(atoms.positions, "positions", FLOAT64) for atoms in each])
    cells = np.stack([np.asarray(atoms.cell, dtype=np.float64) for atoms in each])
    return Systems(together, np.ascontiguousarray(cells), _periodic(np.stack([np.asarray(atoms.pbc) for atoms in each]), 3),
                   np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def systems_of(atoms: Any, cell: Any = None, pbc: Any = None, batch: Any = None) -> Systems:
    """The systems of ase.Atoms, of several of them, or of positions."""
    if _are_several(atoms):
        if cell is not None or pbc is not None or batch is not None:
            raise ArgumentError("cell, pbc or batch with several Atoms; each has its own")
        return _of_atoms(atoms)
    if _is_atoms(atoms):
        cell = atoms.cell if cell is None else cell
        pbc = atoms.pbc if pbc is None else pbc
        atoms = atoms.positions
    x = as_points(atoms, "positions")
    axes = x.shape[1]
    if not 1 <= axes <= 3:
        raise ArgumentError(f"positions: {axes} coordinates; atoms have 1, 2 or 3")
    if cell is None and pbc is not None and np.any(pbc):
        raise ArgumentError("pbc without a cell; give the lattice vectors")
    if cell is None:
        cells, periodic = _NO_CELL[:, :axes, :axes].copy(), _OPEN[:, :axes].copy()
    else:
        cells, periodic = _cells(getattr(cell, "array", cell), axes), _periodic(True if pbc is None else pbc, axes)
    if batch is None and max(len(cells), len(periodic)) == 1:
        return Systems(x, cells, periodic, None)
    if batch is None:
        raise ArgumentError(f"cell: {len(cells)} cells and {len(periodic)} pbc without batch; give the number of the "
                            "system of each atom")
    counts = {len(cells), len(periodic)} - {1}
    if len(counts) > 1:
        raise ArgumentError(f"cell: {len(cells)} cells and {len(periodic)} pbc; give as many of both")
    return Systems(x, cells, periodic, _starts(batch, len(x), counts.pop() if counts else None))


def _is_long(index_dtype: IndexType | None, atoms: int) -> bool:
    if index_dtype is None:
        return atoms > _INT32_LIMIT
    dtype = np.dtype(index_dtype)
    if dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise ArgumentTypeError(f"index_dtype: {dtype}; indices are int32 or int64")
    return dtype == np.dtype(np.int64)


def search(quantities: str, systems: Systems, options: dict[str, Any], index_dtype: IndexType | None,
           how: dict[str, Any]) -> Any:
    """The arrays, in the order of the quantities."""
    return carry_out(_kith.neighbor_list, quantities, *systems, options, _is_long(index_dtype, len(systems.positions)),
                     **how)


def _species_cutoffs(atoms: Any, cutoff: dict[Any, Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The kind of each atom, and the cutoff of each two kinds: -1 where they are never neighbors."""
    each: Any = atoms if _are_several(atoms) else [atoms]
    if not all(hasattr(one, "numbers") and hasattr(one, "symbols") for one in each):
        raise ArgumentTypeError("cutoff: a dictionary of kinds for plain positions; give ase.Atoms")
    numbers = np.concatenate([np.asarray(one.numbers) for one in each])
    names = np.concatenate([np.asarray(list(one.symbols)) for one in each])
    kinds = np.unique(numbers)
    words: dict[Any, int] = {int(kind): place for place, kind in enumerate(kinds)}
    words.update({str(names[numbers == kind][0]): place for place, kind in enumerate(kinds)})
    table = np.full((len(kinds), len(kinds)), -1.0)
    for (one, other), length in cutoff.items():
        if one in words and other in words:
            table[words[one], words[other]] = table[words[other], words[one]] = number(length, "cutoff")
    return np.searchsorted(kinds, numbers), table


def _by_species(quantities: str, atoms: Any, systems: Systems, cutoff: dict[Any, Any], options: dict[str, Any],
                index_dtype: IndexType | None, how: dict[str, Any]) -> tuple[Any, ...]:
    """The search with the largest cutoff, and from its pairs those within the cutoff of their kinds."""
    kind, table = _species_cutoffs(atoms, cutoff)
    largest = float(table.max(initial=0.0))
    found = dict(zip("ijSdD", search("ijSdD", systems, {**options, "cutoff": largest}, index_dtype, how)))
    limit = table[kind[found["i"]], kind[found["j"]]]
    d2 = np.zeros(len(limit))
    for axis in range(found["D"].shape[1]):
        d2 += found["D"][:, axis]**2
    near = (d2 < limit**2 if options["strict"] else d2 <= limit**2) & (limit >= 0)
    return tuple(found[quantity][near] for quantity in quantities)


def neighbor_list(quantities: str, atoms: Any, cutoff: Any, cell: ArrayLike | None = None, pbc: ArrayLike | None = None, *,
                  batch: ArrayLike | None = None, half: bool = False, strict: bool = False,
                  self_interaction: bool = False, max_neighbors: int = 0, index_dtype: IndexType | None = None,
                  threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
                  comm: Communicator | None = None) -> Any:
    """Finds the neighbors of atoms in a periodic cell of any shape: which atoms, through which image of the cell, how
    far and in which direction. The same pairs as ase.neighborlist.neighbor_list.

    Parameters
    ----------
    quantities : str
        The arrays to return, in this order: ``i`` and ``j``, the atoms of each pair; ``S``, the shift of j by whole
        lattice vectors; ``d``, the distance; ``D``, the vector ``x[j] - x[i] + S @ cell``.
    atoms : ase.Atoms, a list of them, or array_like, (n, dimension)
        The atoms, or their positions in 1, 2 or 3 dimensions. Positions may lie outside the cell.
    cutoff : float, array_like or dict
        One distance (inclusive); a radius for each atom, which makes i and j neighbors if d <= r[i] + r[j]; or
        distances of pairs of kinds, such as ``{("H", "O"): 1.2}``. It may be larger than the cell.
    cell : array_like
        The lattice vectors as rows, the sides of a box, or one matrix for each system of a batch.
    pbc : bool or array_like
        Which axes are periodic. Default: those of the atoms; all, if a cell is given.
    batch : array_like of int, (n,)
        The number of the system of each atom, ascending: atoms of different systems are not neighbors.
    half : bool
        Return each pair once: i < j, or i == j and the first component of S that is not 0 is positive.
    strict : bool
        Leave out pairs at exactly the cutoff, as ase does.
    self_interaction : bool
        Each atom is also its own neighbor, with S = 0.
    max_neighbors : int
        Keep only that many of the nearest of each atom, by (d2, j, S). 0: all. Not with ``half``.
    index_dtype : int32 or int64
        The type of i and j. Default: int32 where it can hold them.
    threads, progress, cancel
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the atoms of one system are distributed. Every rank makes the call with its
        atoms, which are numbered rank by rank, and gets the pairs whose i is one of them; indices are int64.

    Returns
    -------
    tuple of arrays, or one array for one quantity
        Sorted by (i, j, S).
    """
    if comm is not None:
        return _over_ranks(comm, quantities, atoms, cutoff, (cell, pbc, batch),
                           {"strict": strict, "half": half, "self_interaction": self_interaction,
                            "max_neighbors": max_neighbors}, index_dtype,
                           {"threads": threads, "progress": progress, "cancel": cancel})
    systems = systems_of(atoms, cell, pbc, batch)
    options: dict[str, Any] = {"strict": strict, "half": half, "self_interaction": self_interaction,
                               "max_neighbors": max_neighbors}
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    _check_quantities(quantities)
    found: Any
    if isinstance(cutoff, dict):
        if max_neighbors:
            raise ArgumentError("neighbor_list: max_neighbors with a dictionary of cutoffs; leave one of them out")
        found = _by_species(quantities, atoms, systems, cutoff, options, index_dtype, how)
    else:
        options |= _cutoffs(cutoff, len(systems.positions))
        found = search(quantities, systems, options, index_dtype, how)
    return found if len(quantities) > 1 else found[0]


def _check_quantities(quantities: Any) -> None:
    if not isinstance(quantities, str) or not set(quantities) <= set("ijSdD") or not quantities:
        raise ArgumentError(f"neighbor_list: quantities = {quantities!r}; give any of the letters in 'ijSdD'")


def _cutoffs(cutoff: Any, atoms: int) -> dict[str, Any]:
    """One cutoff, or a radius for each atom."""
    if is_single(cutoff, "cutoff"):
        return {"cutoff": number(cutoff, "cutoff")}
    return {"radii": values(cutoff, atoms, "cutoff", FLOAT64)}


def _over_ranks(comm: Any, quantities: Any, atoms: Any, cutoff: Any, place: tuple[Any, Any, Any], options: dict[str, Any],
                index_dtype: Any, how: dict[str, Any]) -> Any:
    """neighbor_list with a communicator."""
    def read() -> tuple[tuple[Any, ...], Systems, dict[str, Any]]:
        _check_quantities(quantities)
        if isinstance(cutoff, dict):
            raise ArgumentError("neighbor_list: a dictionary of cutoffs with comm; give one cutoff, or a radius for each atom")
        if index_dtype is not None and np.dtype(index_dtype) != np.dtype(np.int64):
            raise ArgumentError("neighbor_list: index_dtype with comm; indices are int64")
        systems = systems_of(atoms, *place)
        return (quantities,), systems, {**options, **_cutoffs(cutoff, len(systems.positions))}

    found = _mpi_atoms.ask(comm, "neighbor_list", "neighbor_list", read, how)
    return found if len(quantities) > 1 else found[0]


class Edges(NamedTuple):
    """The edges of a graph: from atoms to those that they are neighbors of, through images of the cell."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    shift: NDArray[np.int32]


def radius_edges(systems: Systems, cutoff: Any, loop: bool, max_neighbors: int, how: dict[str, Any]) -> Edges:
    """Edges of all atoms within a cutoff, sorted by (target, source)."""
    options = {"cutoff": number(cutoff, "cutoff"), "self_interaction": bool(loop),
               "max_neighbors": whole(max_neighbors, "max_neighbors", 0)}
    i, j, shift = search("ijS", systems, options, np.int64, how)
    return Edges(j, i, -shift)


def nearest_edges(systems: Systems, k: int, loop: bool, how: dict[str, Any]) -> Edges:
    """Edges from the k nearest atoms or images of each, by (d2, j, S), sorted by (target, source)."""
    options = {"k": whole(k, "k"), "exclude_self": not loop}
    j, _, shift = carry_out(_kith.cells_knn, *systems, options, **how)
    is_there = j >= 0
    i, j, shift = np.nonzero(is_there)[0], j[is_there], shift[is_there]
    order = np.lexsort((*shift.T[::-1], j, i))
    return Edges(j[order], i[order], -shift[order])
