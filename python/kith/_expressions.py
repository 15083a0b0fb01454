"""Distances and densities over given lists, as expressions of arrays that frameworks differentiate: ``xp`` is jax.numpy
or torch. Values and first derivatives come from the library, in its own bits; these serve derivatives of derivatives.
"""
from __future__ import annotations

import math
from typing import Any, Sequence

__all__ = ["density_of_lists", "lengths", "list_distances"]


def lengths(xp: Any, vector: Any) -> Any:
    """Along the last axis; with the derivative 0 where the length is 0."""
    d2 = (vector * vector).sum(-1)
    is_zero = d2 == 0
    return xp.where(is_zero, xp.zeros_like(d2), xp.sqrt(xp.where(is_zero, xp.ones_like(d2), d2)))


def _displacements(xp: Any, points: Any, queries: Any, index: Any, side: Sequence[float], origin: Sequence[float]) -> Any:
    """Neighbor minus query by minimum image; the direct difference at exactly half a side."""
    neighbor = xp.clip(index, 0, None)
    if not any(side):
        return points[neighbor] - queries[:, None, :]
    period = xp.asarray(list(side), dtype=points.dtype)
    whole = xp.asarray([each or 1.0 for each in side], dtype=points.dtype)
    half = xp.asarray([each / 2 if each else math.inf for each in side], dtype=points.dtype)
    corner = xp.asarray(list(origin), dtype=points.dtype)
    points = points - period * xp.floor((points - corner) / whole)
    queries = queries - period * xp.floor((queries - corner) / whole)
    vector = points[neighbor] - queries[:, None, :]
    return xp.where(vector > half, vector - period, xp.where(vector < -half, vector + period, vector))


def list_distances(xp: Any, points: Any, queries: Any, index: Any, side: Sequence[float], origin: Sequence[float]) -> Any:
    """The distances of pairs; 0 without a neighbor."""
    vector = _displacements(xp, points, queries, index, side, origin)
    return lengths(xp, xp.where((index >= 0)[:, :, None], vector, xp.zeros_like(vector)))


def _cubic_spline(xp: Any, q: Any, dimension: int) -> Any:
    p = 1 - q
    return xp.where(q < 0.5, 1 - 6 * q * q * p, 2 * p * p * p)


def _wendland_c2(xp: Any, q: Any, dimension: int) -> Any:
    p = 1 - q
    return p * p * p * (1 + 3 * q) if dimension == 1 else p * p * p * p * (1 + 4 * q)


_KERNELS = {
    "cubic_spline": (_cubic_spline, (4 / 3, 40 / (7 * math.pi), 8 / math.pi)),
    "wendland_c2": (_wendland_c2, (1.25, 7 / math.pi, 21 / (2 * math.pi))),
}


def density_of_lists(xp: Any, points: Any, mass: Any, index: Any, kernel: str, side: Sequence[float],
                     origin: Sequence[float]) -> Any:
    """The density of SPH where it is smooth; 0 where the smoothing length is 0."""
    shape, factors = _KERNELS[kernel]
    r, dimension = list_distances(xp, points, points, index, side, origin), points.shape[1]
    is_there = index >= 0
    last = xp.clip(is_there.sum(1) - 1, 0, None)
    h = r[xp.arange(len(index)), last]
    is_smooth = h > 0
    reach = xp.where(is_smooth, h, xp.ones_like(h))
    term = shape(xp, r / reach[:, None], dimension) * mass[xp.clip(index, 0, None)]
    total = xp.where(is_there, term, xp.zeros_like(term)).sum(1)
    return xp.where(is_smooth, factors[dimension - 1] * total / reach**dimension, xp.zeros_like(total))
