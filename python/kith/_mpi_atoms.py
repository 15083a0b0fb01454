"""Atoms over ranks: kith.neighbor_list and kith.cells with ``comm``."""
from __future__ import annotations

from typing import Any, Callable

from . import mpi
from ._atoms import Systems
from ._errors import ArgumentError
from ._ranks import agreed, communicator, refuse

# Reads the arguments of a call on this rank: systems and options, the first arguments of the binding first.
Read = Callable[[], tuple[tuple[Any, ...], Systems, dict[str, Any]]]


def ask(comm: Any, name: str, binding: str, read: Read, how: dict[str, Any]) -> Any:
    """The result of a collective call. Errors of one rank are raised on all."""
    from mpi4py import MPI
    refuse(communicator(comm), name, progress=bool(how["progress"]))

    def prepare() -> tuple[Any, tuple[Any, ...], Systems, dict[str, Any]]:
        words, systems, options = read()
        if systems.starts is not None:
            raise ArgumentError(f"{name}: several systems with comm; give each rank some systems, or the atoms of one")
        return mpi._as_call(how["threads"], how["cancel"]), words, systems, options

    call, words, systems, options = agreed(comm, prepare)
    bound = getattr(mpi._module(), binding)
    question = agreed(comm, lambda: bound(MPI._addressof(comm), *words, systems.positions, systems.cells, systems.periodic,
                                          options))
    return question(call)
