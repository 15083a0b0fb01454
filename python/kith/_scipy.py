"""Checks of arguments by scipy's conventions, with scipy's error messages."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ._errors import ArgumentError, error_of
from .typing import Floats


def sides_of(boxsize: Any, dimension: int) -> NDArray[np.float64]:
    sides: NDArray[np.float64] = np.broadcast_to(np.asarray(boxsize, np.float64), (dimension,)).copy()
    sides[~(sides > 0)] = 0.0  # scipy: not positive means open
    return sides


def threads_of(workers: int | None) -> int:
    if workers is None or workers == -1:
        return 0
    count = operator.index(workers)
    if count < 1:
        raise ArgumentError(f"Invalid number of workers {workers}, must be -1 or > 0")
    return count


def ranks_of(k: Any) -> NDArray[np.intp]:
    """The requested ranks, counted from 1."""
    if k is None:
        raise ArgumentError("k must be an integer or a sequence of integers")
    if np.ndim(k) == 0:
        count = operator.index(k)
        if count < 1:
            raise ArgumentError(f"k = {k}; k must be an integer of at least 1 or a sequence of them")
        return np.arange(1, count + 1)
    ranks = np.asarray(k)
    if ranks.ndim != 1 or (ranks.size and ranks.dtype.kind not in "iu"):
        raise ArgumentError("k must be an integer or a sequence of integers")
    if (ranks < 1).any():
        raise ArgumentError("k must be a sequence of integers of at least 1")
    return ranks.astype(np.intp)


def norm_of(p: float) -> float:
    if not p >= 1:
        raise ArgumentError("Only p-norms with 1<=p<=infinity permitted")
    return float(p)


def weight_of(weights: Any, count: int) -> Floats | None:
    if weights is None:
        return None
    a = np.ascontiguousarray(weights, dtype=np.float64)
    if a.shape != (count,):
        raise ArgumentError(f"Number of weights differ from the number of data points: {a.shape} for {count}")
    return a


def worded(error: ValueError, name: str) -> Exception:
    """The error with scipy's message, if it has one for it."""
    if getattr(error, "code", "") == "non_finite":
        return error_of("non_finite", f"'{name}' must be finite, check for nan or inf values: {error}")
    return error
