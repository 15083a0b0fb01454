"""Groups, neighbors and counts of atoms in periodic cells of any shape.

>>> groups = kith.cells.fof(atoms, linking_length=2.9)
>>> index, distance, shift = kith.cells.knn(x, k=6, cell=cell, pbc=[True, True, False])
>>> count = kith.cells.radius_count(x, radius=5.0, cell=cell)

Atoms are ase.Atoms, a list of them, or positions with ``cell`` and ``pbc``, as for kith.neighbor_list, whose definition of
the distance holds here. Each image of an atom is a separate neighbor, so lengths may exceed the cell.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, _mpi_atoms, mpi
from ._arrays import FLOAT64, is_single, number, values, whole
from ._atoms import Systems, systems_of
from ._call import CancelToken, carry_out
from ._groups import Groups
from .typing import Communicator, Progress

__all__ = ["Neighbors", "fof", "knn", "radius_count"]


# Arguments of a binding: nothing before the systems, the systems, and options.
Asked = tuple[tuple[()], Systems, dict[str, Any]]


class Neighbors(NamedTuple):
    """Rows of neighbors, nearest first: ``index, distance, shift = kith.cells.knn(...)``. Rows of an open system with
    fewer than k atoms end in index -1 and distance infinity."""

    index: NDArray[np.int64]  # type: ignore[assignment]
    distance: NDArray[np.float64]
    shift: NDArray[np.int32]


def fof(atoms: Any, *, linking_length: float | ArrayLike, cell: ArrayLike | None = None, pbc: ArrayLike | None = None,
        batch: ArrayLike | None = None, min_size: int = 1, strict: bool = False, keep_roots: bool = False,
        threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
        comm: Communicator | None = None) -> Groups:
    """Finds friends-of-friends groups: the connected components of the neighbor list, which takes no memory.

    Parameters
    ----------
    atoms : ase.Atoms, a list of them, or array_like, (n, dimension)
        The atoms, or their positions in 1, 2 or 3 dimensions. Positions may lie outside the cell.
    linking_length : float or array_like
        Atoms are friends if any of their images are at most this far apart. With one length for each atom, a pair has
        the mean of both: friends if d <= l[i] / 2 + l[j] / 2.
    cell, pbc, batch
        As for kith.neighbor_list. Atoms of different systems of a batch are never friends.
    min_size, strict, keep_roots
        As for kith.fof.
    threads, progress, cancel
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the atoms of one system are distributed. Every rank makes the call with its
        atoms, which are numbered rank by rank, and gets their results.

    Returns
    -------
    Groups, or kith.mpi.Groups with ``comm``
    """
    def read() -> Asked:
        systems = systems_of(atoms, cell, pbc, batch)
        options: dict[str, Any] = {"min_size": whole(min_size, "cells.fof: min_size"), "strict": strict,
                                   "keep_roots": keep_roots}
        if is_single(linking_length, "linking_length"):
            options["linking_length"] = number(linking_length, "cells.fof: linking_length")
        else:
            options["linking_lengths"] = values(linking_length, len(systems.positions), "linking_length", FLOAT64)
        return (), systems, options

    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        core = _mpi_atoms.ask(comm, "cells.fof", "cells_fof", read, how)
        return mpi.Groups(core, None)  # type: ignore[return-value]
    _, systems, options = read()
    return Groups._of(carry_out(_kith.cells_fof, *systems, options, **how))


def knn(atoms: Any, *, k: int, cell: ArrayLike | None = None, pbc: ArrayLike | None = None,
        batch: ArrayLike | None = None, exclude_self: bool = False, threads: int | None = None,
        progress: Progress = None, cancel: CancelToken | None = None, comm: Communicator | None = None) -> Neighbors:
    """Finds the k nearest atoms and images of each atom, sorted by (d2, index, shift).

    Each atom is its own first neighbor, with shift 0, unless ``exclude_self`` is set; its images are neighbors in any
    case. The vector to a neighbor is ``x[index] - x[i] + shift @ cell``. The other parameters are those of fof.

    Returns
    -------
    Neighbors
        ``index, distance, shift``: arrays of shape (n, k), (n, k) and (n, k, dimension).
    """
    def read() -> Asked:
        return (), systems_of(atoms, cell, pbc, batch), {"k": whole(k, "cells.knn: k"), "exclude_self": exclude_self}

    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        return Neighbors(*_mpi_atoms.ask(comm, "cells.knn", "cells_knn", read, how))
    _, systems, options = read()
    return Neighbors(*carry_out(_kith.cells_knn, *systems, options, **how))


def radius_count(atoms: Any, *, radius: float, cell: ArrayLike | None = None, pbc: ArrayLike | None = None,
                 batch: ArrayLike | None = None, strict: bool = False, exclude_self: bool = False,
                 threads: int | None = None, progress: Progress = None,
                 cancel: CancelToken | None = None, comm: Communicator | None = None) -> NDArray[np.int64]:
    """Counts the atoms and images within a radius (inclusive) of each atom, the atom itself among them unless
    ``exclude_self`` is set. The other parameters are those of fof."""
    def read() -> Asked:
        options = {"radius": number(radius, "cells.radius_count: radius"), "strict": strict, "exclude_self": exclude_self}
        return (), systems_of(atoms, cell, pbc, batch), options

    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        counts: NDArray[np.int64] = _mpi_atoms.ask(comm, "cells.radius_count", "cells_radius_count", read, how)
        return counts
    _, systems, options = read()
    return carry_out(_kith.cells_radius_count, *systems, options, **how)
