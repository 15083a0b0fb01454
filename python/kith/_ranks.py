"""Arguments that one rank refuses in Python are refused on all ranks: checks of a collective call are part of the call. A rank that raised
before the others knew would leave them waiting."""
from __future__ import annotations

from typing import Any, Callable, TypeVar

import numpy as np

from . import _errors
from ._arrays import FLOAT32, FLOAT64, as_array, points as as_points
from ._errors import (ArgumentError, ArgumentTypeError, Error, FileError, InternalError, OutOfMemoryError)

Made = TypeVar("Made")


def communicator(comm: Any) -> Any:
    """``comm``, if it is a communicator of mpi4py."""
    if not hasattr(comm, "py2f") or not hasattr(comm, "Allreduce"):
        raise ArgumentTypeError(f"comm = {comm!r}; give a communicator of mpi4py, such as MPI.COMM_WORLD")
    return comm


def largest(comm: Any, numbers: list[float]) -> np.ndarray:
    """The largest of each number over all ranks."""
    from mpi4py import MPI
    values = np.array(numbers, FLOAT64)
    communicator(comm).Allreduce(MPI.IN_PLACE, values, op=MPI.MAX)
    return values


def agreed(comm: Any, make: Callable[[], Made]) -> Made:
    """make() on this rank. If it raises on one rank, all ranks raise the same."""
    communicator(comm)
    made, error = attempt(make)
    if largest(comm, [error is not None])[0] == 0:
        return made  # type: ignore[return-value]
    reports = comm.allgather(None if error is None else (*_name_of(error), str(error)))
    rank = next(i for i, each in enumerate(reports) if each is not None)
    name, code, text = reports[rank]
    raise _error(name, code, f"rank {rank} of {len(reports)}: {text}") from error


def attempt(make: Callable[[], Made]) -> tuple[Made | None, Exception | None]:
    """The result, or the exception."""
    try:
        return make(), None
    except Exception as error:  # pylint: disable=broad-except
        return None, error


# What NumPy and others raise about arguments.
_FITTING = ((MemoryError, OutOfMemoryError), (OSError, FileError), (TypeError, ArgumentTypeError),
            (ValueError, ArgumentError))


def _name_of(error: Exception) -> tuple[str, str]:
    """The type of an error that every rank knows, and its code."""
    if isinstance(error, Error):
        return type(error).__name__, error.code
    kind = next((ours for builtin, ours in _FITTING if isinstance(error, builtin)), InternalError)
    return ("ImportError", "") if isinstance(error, ImportError) else (kind.__name__, kind.code)


def _error(name: str, code: str, text: str) -> Exception:
    if name == "ImportError":
        return ImportError(text)
    error: Error = getattr(_errors, name)(text)
    error.code = code
    return error


def refuse(comm: Any, call: str, **given: bool) -> None:
    """Raises on all ranks if one of them was given an option that is not available over ranks."""
    def check() -> None:
        names = [name for name, is_given in given.items() if is_given]
        if names:
            raise ArgumentError(f"{call}: {', '.join(names)}: not available with comm; leave it out")
    agreed(comm, check)


def agreed_rows(comm: Any, points: Any, make: Callable[[np.ndarray], Made]) -> Made:
    """make(rows) with the points of this rank. A rank without points may pass ``[]``: it takes the dimension and the
    type from the others."""
    def read() -> np.ndarray | None:
        array = as_array(points, "points")
        return None if array.shape == (0,) else as_points(array)

    own, error = attempt(read)
    is_known = own is not None and len(own) > 0
    dimension, kind = largest(comm, [0 if own is None else own.shape[1],
                                     0 if own is None or not is_known else 1 + (own.dtype == FLOAT64)])

    def made() -> Made:
        if error is not None:
            raise error
        rows = own
        if rows is None and dimension == 0:
            rows = as_points(points)  # says what is wrong with []
        dtype = FLOAT32 if kind == 1 else FLOAT64
        if rows is None:
            rows = np.empty((0, int(dimension)), dtype)
        return make(rows if is_known else rows.astype(dtype))
    return agreed(comm, made)
