"""Derivatives of distances, densities and halo properties by positions, as vector-Jacobian products (``_vjp``) and
Jacobian-vector products (``_jvp``) of NumPy arrays.

Neighbor lists and group memberships are kept fixed; the numbers computed from them are differentiated. ``SoftLinks``
gives gradients of quantities that depend on the memberships. ``kith.jax`` and ``kith.torch`` wrap all this as
differentiable functions. Results have the same bits for any number of threads.
"""
from __future__ import annotations

from typing import Any, Mapping, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import (FLOAT64, as_array, floats, integers, number, numbers, per_axis, points as as_points, values,
                      whole)
from ._box import as_box
from ._call import carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._groups import Groups
from .typing import Advantage, Baseline, BoxLike, Floats, Kernel

__all__ = [
    "LinkSamples", "SoftLinks", "density", "density_jvp", "density_vjp", "displacements", "displacements_jvp",
    "displacements_vjp", "distances", "distances_jvp", "distances_vjp", "halos_jvp", "halos_vjp", "pair_sums_jvp",
    "pair_sums_vjp", "paint", "paint_jvp", "paint_vjp", "power_spectrum", "score_weights", "shape_tensors", "soft_mass_function",
    "soft_mass_function_vjp",
]


def _index(index: ArrayLike) -> NDArray[Any]:
    a = as_array(index, "index")
    if a.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise ArgumentTypeError(f"index: {a.dtype}; indices are int32 or int64")
    return np.ascontiguousarray(a)


def _over_ranks() -> Any:
    from . import _rank_gradients
    return _rank_gradients


def _refuse_lists(comm: Any, call: str, offset: ArrayLike | None) -> None:
    from ._ranks import refuse
    refuse(comm, call, offset=offset is not None)


class _Pairs:
    """Points, queries and lists in the form that the extension module expects."""

    def __init__(self, points: ArrayLike, index: ArrayLike, queries: ArrayLike | None, box: BoxLike,
                 offset: ArrayLike | None) -> None:
        self.points = as_points(points)
        self.dtype = self.points.dtype
        self.queries = None if queries is None else as_points(queries, "queries", self.dtype)
        self.index = _index(index)
        if self.index.ndim != (2 if offset is None else 1):
            raise ArgumentError(f"index: an array of shape {self.index.shape}; give rows of k neighbors, or lists with "
                             "their offsets")
        self.offset = None if offset is None else integers(offset, "offset", np.int64)
        if self.offset is not None and (self.offset[0] != 0 or self.offset[-1] != len(self.index)
                                        or np.any(np.diff(self.offset) < 0)):
            raise ArgumentError("offset: must rise from 0 to the number of pairs")
        self.core = _kith.Lists(self.points, self.queries, as_box(box)._core, self.index, self.offset)
        self.rows = len(self.index) if self.offset is None else len(self.offset) - 1

    def array(self, x: ArrayLike, name: str, shape: tuple[int, ...]) -> Floats:
        """A cotangent or tangent in the type of the points."""
        a = np.ascontiguousarray(floats(x, name), dtype=self.dtype)
        if a.shape != shape:
            raise ArgumentError(f"{name}: an array of shape {a.shape}; expected {shape}")
        return a

    def tangent(self, x: ArrayLike | None, name: str, of: Floats) -> Floats | None:
        return None if x is None else self.array(x, name, of.shape)


def distances(points: ArrayLike, index: ArrayLike, *, queries: ArrayLike | None = None, box: BoxLike = None,
              offset: ArrayLike | None = None, threads: int | None = None) -> Floats:
    """The distances of pairs, in the shape of ``index``: kith.knn's distances for a given index.

    Parameters
    ----------
    points : array_like, (n, dimension)
    index : array_like of int32 or int64, (m, k), or (pairs,) with ``offset``
        The neighbors of each query from kith.knn or kith.radius; -1 means no neighbor, at distance infinity.
    queries : array_like, (m, dimension), optional
        Default: the points themselves.
    box : float, sequence or Box, optional
    offset : array_like, (m + 1,), optional
        For lists of different lengths: query i has the neighbors ``index[offset[i]:offset[i + 1]]``.
    """
    pairs = _Pairs(points, index, queries, box, offset)
    return carry_out(_kith.distances, pairs.core, threads=threads).reshape(pairs.index.shape)


@overload
def distances_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: None = None,
                  box: BoxLike | None = None, offset: ArrayLike | None = None,
                  threads: int | None = None, comm: Any = None) -> Floats: ...


@overload
def distances_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: ArrayLike,
                  box: BoxLike | None = None, offset: ArrayLike | None = None,
                  threads: int | None = None, comm: Any = None) -> tuple[Floats, Floats]:
                  ...


def distances_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: ArrayLike | None = None,
                  box: BoxLike = None, offset: ArrayLike | None = None, threads: int | None = None,
                  comm: Any = None) -> Floats | tuple[Floats, Floats]:
    """The gradient of ``sum(cotangent * distances)`` with respect to the points, or with ``queries`` to both. A
    distance of 0 has derivative 0; pairs without a neighbor do not contribute.

    ``comm``: a communicator of mpi4py. Each rank then passes its points, its queries and the rows of ``index`` of
    kith.knn over these ranks, and gets the gradient for its points, with the bits of one process."""
    if comm is not None:
        _refuse_lists(comm, "distances_vjp", offset)
        return _over_ranks().distances_vjp(comm, points, index, cotangent, queries, box, threads)  # type: ignore[no-any-return]
    pairs = _Pairs(points, index, queries, box, offset)
    given = pairs.array(cotangent, "cotangent", pairs.index.shape)
    return carry_out(_kith.distances_vjp, pairs.core, given, threads=threads)


def distances_jvp(points: ArrayLike, index: ArrayLike, tangent: ArrayLike | None = None, *,
                  queries: ArrayLike | None = None, query_tangent: ArrayLike | None = None, box: BoxLike = None,
                  offset: ArrayLike | None = None, threads: int | None = None, comm: Any = None) -> Floats:
    """The change of distances when points (and queries) move along tangents. ``comm``: as in distances_vjp."""
    if comm is not None:
        _refuse_lists(comm, "distances_jvp", offset)
        return _over_ranks().distances_jvp(  # type: ignore[no-any-return]
            comm, points, index, tangent, queries, query_tangent, box, threads)
    pairs = _Pairs(points, index, queries, box, offset)
    moves = (pairs.tangent(tangent, "tangent", pairs.points),
             None if pairs.queries is None else pairs.tangent(query_tangent, "query_tangent", pairs.queries))
    return carry_out(_kith.distances_jvp, pairs.core, *moves, threads=threads).reshape(pairs.index.shape)


def displacements(points: ArrayLike, index: ArrayLike, *, queries: ArrayLike | None = None, box: BoxLike = None,
                  offset: ArrayLike | None = None, threads: int | None = None) -> Floats:
    """Neighbor minus query by minimum image, with shape (*index.shape, dimension); NaN without a neighbor."""
    pairs = _Pairs(points, index, queries, box, offset)
    shape = (*pairs.index.shape, pairs.points.shape[1])
    return carry_out(_kith.displacements, pairs.core, threads=threads).reshape(shape)


@overload
def displacements_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: None = None,
                      box: BoxLike | None = None, offset: ArrayLike | None = None,
                      threads: int | None = None) -> Floats: ...


@overload
def displacements_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: ArrayLike,
                      box: BoxLike | None = None, offset: ArrayLike | None = None,
                      threads: int | None = None) -> tuple[Floats, Floats]: ...


def displacements_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, queries: ArrayLike | None = None,
                      box: BoxLike = None, offset: ArrayLike | None = None,
                      threads: int | None = None) -> Floats | tuple[Floats, Floats]:
    """The gradient of ``sum(cotangent * displacements)`` with respect to the points, or with ``queries`` to both."""
    pairs = _Pairs(points, index, queries, box, offset)
    given = pairs.array(cotangent, "cotangent", (*pairs.index.shape, pairs.points.shape[1]))
    return carry_out(_kith.displacements_vjp, pairs.core, given, threads=threads)


def displacements_jvp(points: ArrayLike, index: ArrayLike, tangent: ArrayLike | None = None, *,
                      queries: ArrayLike | None = None, query_tangent: ArrayLike | None = None, box: BoxLike = None,
                      offset: ArrayLike | None = None, threads: int | None = None) -> Floats:
    """The change of displacements when points (and queries) move along tangents."""
    pairs = _Pairs(points, index, queries, box, offset)
    moves = (pairs.tangent(tangent, "tangent", pairs.points),
             None if pairs.queries is None else pairs.tangent(query_tangent, "query_tangent", pairs.queries))
    shape = (*pairs.index.shape, pairs.points.shape[1])
    return carry_out(_kith.displacements_jvp, pairs.core, *moves, threads=threads).reshape(shape)


@overload
def pair_sums_vjp(points: ArrayLike, index: ArrayLike, derivative: Any, cotangent: ArrayLike, *, queries: None = None,
                  box: BoxLike = None, offset: ArrayLike | None = None, threads: int | None = None) -> Floats:
                  ...


@overload
def pair_sums_vjp(points: ArrayLike, index: ArrayLike, derivative: Any, cotangent: ArrayLike, *, queries: ArrayLike,
                  box: BoxLike = None, offset: ArrayLike | None = None,
                  threads: int | None = None) -> tuple[Floats, Floats]: ...


def pair_sums_vjp(points: ArrayLike, index: ArrayLike, derivative: Any, cotangent: ArrayLike, *,
                  queries: ArrayLike | None = None, box: BoxLike = None, offset: ArrayLike | None = None,
                  threads: int | None = None) -> Floats | tuple[Floats, Floats]:
    """The gradient of ``sum_i cotangent[i] * sum_j f(r_ij)`` over neighbor lists, given f'(r_ij) of each pair."""
    pairs = _Pairs(points, index, queries, box, offset)
    slope = pairs.array(derivative, "derivative", pairs.index.shape)
    given = pairs.array(cotangent, "cotangent", (pairs.rows,))
    return carry_out(_kith.pair_sums_vjp, pairs.core, slope, given, threads=threads)


def pair_sums_jvp(points: ArrayLike, index: ArrayLike, derivative: Any, tangent: ArrayLike | None = None, *,
                  queries: ArrayLike | None = None, query_tangent: ArrayLike | None = None, box: BoxLike = None,
                  offset: ArrayLike | None = None, threads: int | None = None) -> Floats:
    """The change of the sums over lists when points (and queries) move along tangents; see pair_sums_vjp."""
    pairs = _Pairs(points, index, queries, box, offset)
    slope = pairs.array(derivative, "derivative", pairs.index.shape)
    moves = (pairs.tangent(tangent, "tangent", pairs.points),
             None if pairs.queries is None else pairs.tangent(query_tangent, "query_tangent", pairs.queries))
    return carry_out(_kith.pair_sums_jvp, pairs.core, slope, *moves, threads=threads)


def _density_options(pairs: _Pairs, mass: ArrayLike | None, kernel: Kernel) -> dict[str, Any]:
    options: dict[str, Any] = {"kernel": kernel}
    if mass is not None:
        options["mass"] = values(mass, len(pairs.points), "mass")
    return options


def density(points: ArrayLike, index: ArrayLike, *, mass: ArrayLike | None = None, kernel: Kernel = "cubic_spline",
            box: BoxLike = None, threads: int | None = None) -> NDArray[np.float64]:
    """The density of kith.density, computed from the index of kith.knn; h is the distance to the last neighbor."""
    pairs = _Pairs(points, index, None, box, None)
    return carry_out(_kith.list_density, pairs.core, _density_options(pairs, mass, kernel), threads=threads)


def density_vjp(points: ArrayLike, index: ArrayLike, cotangent: ArrayLike, *, mass: ArrayLike | None = None,
                kernel: Kernel = "cubic_spline", box: BoxLike = None, threads: int | None = None,
                comm: Any = None) -> tuple[Floats, NDArray[np.float64]]:
    """The gradient of ``sum(cotangent * density)`` with respect to points and masses, including the change of h.
    ``comm``: as in distances_vjp."""
    if comm is not None:
        return _over_ranks().density_vjp(  # type: ignore[no-any-return]
            comm, points, index, cotangent, mass, kernel, box, threads)
    pairs = _Pairs(points, index, None, box, None)
    given = values(cotangent, pairs.rows, "cotangent", FLOAT64)
    return carry_out(_kith.list_density_vjp, pairs.core, _density_options(pairs, mass, kernel), given,
                     threads=threads)


def density_jvp(points: ArrayLike, index: ArrayLike, tangent: ArrayLike | None = None, *,
                mass_tangent: ArrayLike | None = None, mass: ArrayLike | None = None, kernel: Kernel = "cubic_spline",
                box: BoxLike = None, threads: int | None = None, comm: Any = None) -> NDArray[np.float64]:
    """The change of the density when points and masses move along tangents, including the change of h. ``comm``: as in
    distances_vjp."""
    if comm is not None:
        return _over_ranks().density_jvp(  # type: ignore[no-any-return]
            comm, points, index, tangent, mass_tangent, mass, kernel, box, threads)
    pairs = _Pairs(points, index, None, box, None)
    heavier = None if mass_tangent is None else values(mass_tangent, len(pairs.points), "mass_tangent", FLOAT64)
    return carry_out(_kith.list_density_jvp, pairs.core, _density_options(pairs, mass, kernel),
                     pairs.tangent(tangent, "tangent", pairs.points), heavier, threads=threads)


def _members(groups: Groups | ArrayLike) -> _kith.Members:
    if isinstance(groups, Groups):
        return groups._members
    label = integers(groups, "groups", np.int32)
    return _kith.label_members(label, int(label.max(initial=-1)) + 1)


def _halo_options(points: Floats, mass: ArrayLike | None, velocity: ArrayLike | None, box: BoxLike,
                  alpha: float) -> dict[str, Any]:
    options: dict[str, Any] = {"box": as_box(box)._core, "alpha": number(alpha, "alpha")}
    if mass is not None:
        options["mass"] = values(mass, len(points), "mass")
    if velocity is not None:
        options["velocity"] = as_points(velocity, "velocity")
    return options


def halos_vjp(points: ArrayLike, groups: Groups | ArrayLike, cotangent: Mapping[str, ArrayLike], *,
              mass: ArrayLike | None = None, velocity: ArrayLike | None = None, box: BoxLike = None, alpha: float = 0.0,
              threads: int | None = None, comm: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64]]:
    """Gradients of halo properties at fixed membership.

    Parameters
    ----------
    points : array_like, (n, dimension)
    groups : Groups or array_like of labels
    cotangent : dict
        Cotangents of any of the fields "mass", "center", "velocity", "inertia_radius", "velocity_dispersion",
        "shape_tensor", "shape" (the eigenvalues of the tensor) and "decorated_mass": arrays of the field's shape.
    alpha : float
        The derivative of the decorated mass is -alpha times that of the logarithm of the inertia radius.
    comm : mpi4py.MPI.Comm, optional
        The groups are then those of kith.fof over these ranks; points, masses and velocities those of this rank, and
        cotangents those of the rows of its catalogue. The bits are those of one process.

    Returns
    -------
    position, velocity, mass : ndarray
        Gradients of ``sum of cotangent * field`` in float64; velocity is None if no velocities were passed.
    """
    if comm is not None:
        return _over_ranks().halos_vjp(  # type: ignore[no-any-return]
            comm, points, groups, cotangent, mass, velocity, box, alpha, threads)
    chosen = as_points(points)
    given = {name: numbers(value, f"cotangent of {name}") for name, value in cotangent.items()}
    return carry_out(_kith.halos_vjp, chosen, _members(groups), _halo_options(chosen, mass, velocity, box, alpha),
                     given, threads=threads)


def halos_jvp(points: ArrayLike, groups: Groups | ArrayLike, *, tangent: ArrayLike | None = None,
              velocity_tangent: ArrayLike | None = None, mass_tangent: ArrayLike | None = None,
              mass: ArrayLike | None = None, velocity: ArrayLike | None = None, box: BoxLike = None, alpha: float = 0.0,
              threads: int | None = None, comm: Any = None) -> dict[str, NDArray[np.float64]]:
    """The change of halo properties when points, velocities and masses move along tangents; see halos_vjp."""
    if comm is not None:
        return _over_ranks().halos_jvp(  # type: ignore[no-any-return]
            comm, points, groups, tangent, velocity_tangent, mass_tangent, mass, velocity, box, alpha, threads)
    chosen = as_points(points)
    moves = [None if each is None else floats(each, "tangent")
             for each in (tangent, velocity_tangent, mass_tangent)]
    found = carry_out(_kith.halos_jvp, chosen, _members(groups), _halo_options(chosen, mass, velocity, box, alpha),
                      *moves, threads=threads)
    d = chosen.shape[1]
    shapes = {"center": (-1, d), "velocity": (-1, d), "shape": (-1, d), "shape_tensor": (-1, d, d)}
    return {name: value.reshape(shapes.get(name, (-1,))) for name, value in found.items()}


def shape_tensors(points: ArrayLike, groups: Groups | ArrayLike, *, mass: ArrayLike | None = None, box: BoxLike = None,
                  threads: int | None = None) -> NDArray[np.float64]:
    """The tensor sum m x x^T / sum m about the center of each group, with shape (groups, dimension, dimension)."""
    chosen = as_points(points)
    return carry_out(_kith.shape_tensors, chosen, _members(groups), _halo_options(chosen, mass, None, box, 0.0),
                     threads=threads)


def soft_mass_function(mass: ArrayLike, edge: ArrayLike, *, width: float = 0.1) -> NDArray[np.float64]:
    """Counts of halos in bins of mass with soft edges: logistic functions of this width in ln M."""
    return _kith.soft_mass_function(numbers(mass, "mass"), numbers(edge, "edge"), number(width, "width"))


def soft_mass_function_vjp(mass: ArrayLike, edge: ArrayLike, cotangent: ArrayLike, *,
                           width: float = 0.1) -> NDArray[np.float64]:
    """The gradient of ``sum(cotangent * soft_mass_function)`` with respect to the masses."""
    return _kith.soft_mass_function_vjp(numbers(mass, "mass"), numbers(edge, "edge"), number(width, "width"),
                                        numbers(cotangent, "cotangent"))


def _mesh(points: ArrayLike, weight: ArrayLike | None,
          cells: int | Sequence[int]) -> tuple[Floats, Floats | None, list[int]]:
    chosen = as_points(points)
    weights = None if weight is None else values(weight, len(chosen), "weight")
    return chosen, weights, per_axis(cells, chosen.shape[1], "cells")


def paint(points: ArrayLike, weight: ArrayLike | None = None, *, cells: int | Sequence[int], box: BoxLike,
          threads: int | None = None) -> NDArray[np.float64]:
    """Assigns points to a periodic mesh by cloud-in-cell. ``cells`` is the number of cells, one for all axes or one
    each."""
    chosen, weights, counts = _mesh(points, weight, cells)
    return carry_out(_kith.paint, chosen, weights, as_box(box)._core, counts, threads=threads).reshape(counts)


def paint_vjp(points: ArrayLike, weight: ArrayLike | None, cotangent: ArrayLike, *, cells: int | Sequence[int],
              box: BoxLike, threads: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient of ``sum(cotangent * paint)`` with respect to points and weights."""
    chosen, weights, counts = _mesh(points, weight, cells)
    given = numbers(cotangent, "cotangent")
    return carry_out(_kith.paint_vjp, chosen, weights, as_box(box)._core, counts, given, threads=threads)


def paint_jvp(points: ArrayLike, weight: ArrayLike | None, tangent: ArrayLike | None = None, *,
              weight_tangent: ArrayLike | None = None, cells: int | Sequence[int], box: BoxLike,
              threads: int | None = None) -> NDArray[np.float64]:
    """The change of the mesh when points and weights move along tangents."""
    chosen, weights, counts = _mesh(points, weight, cells)
    moves = None if tangent is None else np.ascontiguousarray(floats(tangent, "tangent"))
    if moves is not None and moves.shape != chosen.shape:
        raise ArgumentError(f"tangent: an array of shape {moves.shape}; expected {chosen.shape}")
    heavier = None if weight_tangent is None else values(weight_tangent, len(chosen), "weight_tangent", FLOAT64)
    return carry_out(_kith.paint_jvp, chosen, weights, as_box(box)._core, counts, moves, heavier,
                     threads=threads).reshape(counts)


def _shells(n: int, d: int, bins: int) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """For the modes of rfftn: |k| in units of the fundamental, the shell (``bins`` if none), and the number of modes
    that each represents."""
    wave, last = np.fft.fftfreq(n, 1 / n), np.fft.rfftfreq(n, 1 / n)
    k: NDArray[np.float64] = np.sqrt(sum(axis**2 for axis in np.meshgrid(*[wave] * (d - 1), last, indexing="ij")))
    # Each mode of the half that rfft returns counts twice, except those in planes that are their own opposite.
    times = np.broadcast_to(np.where((last == 0) | (last == n / 2), 1.0, 2.0), k.shape)
    shell = np.where(k < 0.5, bins, np.minimum((k - 0.5) * bins / (n / 2), bins)).astype(np.int32)
    return k.ravel(), shell.ravel(), times.ravel()


def _power_spectrum(mesh: Any, side: float, bins: int, xp: Any, add: Any) -> tuple[Any, Any]:
    """The power spectrum with the array module ``xp``; ``add(shell, weights)`` is its weighted bincount."""
    n, d = mesh.shape[0], mesh.ndim
    k, shell, times = _shells(n, d, bins)
    count = np.maximum(np.bincount(shell, times, bins + 1)[:bins], 1)
    mean_k = np.bincount(shell, times * k, bins + 1)[:bins] / count
    power = xp.abs(xp.fft.rfftn(mesh / xp.mean(mesh) - 1)) ** 2 * (side / n**2) ** d
    return mean_k * 2 * np.pi / side, add(shell, power.ravel() * times)[:bins] / count


def power_spectrum(mesh: NDArray[Any], side: float,
                   bins: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The power spectrum of a cubic mesh: (k, P) in shells of equal width up to the Nyquist frequency.

    ``k`` is the mean wave number of the modes in a shell, ``P`` the mean of |delta_k|^2 / V, where delta is the
    contrast mesh / mean - 1. The default of ``bins`` is half the number of cells of an axis. kith.jax has a
    differentiable version.
    """
    chosen = bins or mesh.shape[0] // 2
    return _power_spectrum(mesh, side, chosen, np, lambda shell, weight: np.bincount(shell, weight, chosen + 1))


class LinkSamples:
    """Samples of random links. ``label[s]`` has the groups of sample s, numbered as by kith.fof."""

    def __init__(self, core: _kith.CoreLinkSamples) -> None:
        self._core = core
        self.label: NDArray[np.int32] = core.labels().reshape(core.samples, core.points)
        self.count: NDArray[np.int64] = core.count()
        """The number of groups of each sample."""

    def __len__(self) -> int:
        return self._core.samples

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        return _samples_of, (core.samples, core.points, core.bits().tolist(), core.labels().tolist(),
                             core.count().tolist())

    def linked(self) -> NDArray[np.bool_]:
        """Whether each pair is linked, with shape (samples, pairs)."""
        rows = self._core.bits().reshape(-1, (len(self) + 7) // 8)
        linked: NDArray[np.bool_] = np.unpackbits(rows, axis=1, count=len(self), bitorder="little").T.astype(bool)
        return linked


def _samples_of(*arrays: Any) -> LinkSamples:
    return LinkSamples(_kith.CoreLinkSamples.make(*arrays))


class SoftLinks:
    """Random links between points. A pair at distance d is linked with the probability
    ``1 / (1 + exp(-alpha (l**2 - d**2) / l**2))``, where l is the linking length, and never beyond ``reach * l``.

    The random numbers depend only on (seed, i, j, sample).
    """

    def __init__(self, points: ArrayLike, *, linking_length: float, alpha: float = 5.0, reach: float = 2.0,
                 box: BoxLike = None, threads: int | None = None) -> None:
        self._points = as_points(points)
        self._threads = threads
        options = {"box": as_box(box)._core, "linking_length": number(linking_length, "linking_length"),
                   "alpha": number(alpha, "alpha"), "reach": number(reach, "reach")}
        self._core = carry_out(_kith.soft_links, self._points, options, threads=threads)
        self._given = {"linking_length": linking_length, "alpha": alpha, "reach": reach, "box": box,
                       "threads": threads}

    def __len__(self) -> int:
        return self._core.size

    def __reduce__(self) -> tuple[Any, ...]:
        return _links_of, (np.array(self._points), self._given)

    @property
    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The points i and j > i of each pair."""
        offset = self._core.offset()
        return np.repeat(np.arange(len(offset) - 1, dtype=np.int32), np.diff(offset)), self._core.second()

    @property
    def probability(self) -> Floats:
        """The probability of each pair, in the type of the points."""
        return self._core.probability().astype(self._points.dtype, copy=False)

    def sample(self, samples: int = 16, *, seed: int = 0, min_size: int = 1) -> LinkSamples:
        """Draws links and finds the groups of each sample."""
        options = {"samples": whole(samples, "samples"), "seed": whole(seed, "seed", 0),
                   "min_size": whole(min_size, "min_size", 0)}
        return LinkSamples(carry_out(_kith.sample_links, self._core, options, threads=self._threads))

    def log_probability(self, samples: LinkSamples) -> NDArray[np.float64]:
        """The log probability of each sample."""
        return carry_out(_kith.log_probability, self._core, samples._core, threads=self._threads)

    def log_probability_vjp(self, samples: LinkSamples, weight: ArrayLike) -> Floats:
        """The gradient of ``sum(weight * log_probability)`` with respect to the points. With the weights of
        score_weights, it is the score term of the gradient of an expected loss."""
        given = values(weight, len(samples), "weight", FLOAT64)
        return carry_out(_kith.log_probability_vjp, self._points, self._core, samples._core, given,
                         threads=self._threads)

    def relaxed(self, samples: int = 16, *, seed: int = 0, tau: float = 0.5, hard: bool = True) -> NDArray[np.float64]:
        """Links as numbers, with shape (samples, pairs): 1 and 0 if ``hard``, else relaxed with the temperature tau."""
        options = {"samples": whole(samples, "samples"), "seed": whole(seed, "seed", 0), "tau": number(tau, "tau"),
                   "hard": hard}
        return carry_out(_kith.relaxed_links, self._core, options, threads=self._threads)

    def relaxed_vjp(self, cotangent: ArrayLike, *, seed: int = 0, tau: float = 0.5) -> Floats:
        """The gradient of ``sum(cotangent * relaxed)``. Hard links have the gradient of the soft ones."""
        given = floats(cotangent, "cotangent")
        if given.ndim != 2:
            raise ArgumentError(f"cotangent: an array of shape {given.shape}; give the shape of relaxed: (samples, pairs)")
        options = {"samples": given.shape[0], "seed": whole(seed, "seed", 0), "tau": number(tau, "tau")}
        return carry_out(_kith.relaxed_links_vjp, self._points, self._core, options, given.ravel(),
                         threads=self._threads)


def _links_of(points: Floats, given: dict[str, Any]) -> SoftLinks:
    return SoftLinks(points, **given)


def score_weights(loss: ArrayLike, *, baseline: Baseline = "leave_one_out", advantage: Advantage = "plain",
                  clip: float = 10.0) -> NDArray[np.float64]:
    """The weights for log_probability_vjp from the losses of the samples.

    Parameters
    ----------
    loss : array_like
        One loss per sample.
    baseline : {"none", "leave_one_out", "batch_mean"}
        The first two give an unbiased gradient; "batch_mean" gives one that is too short by 1 - 1 / samples.
    advantage : {"plain", "normalized", "clipped"}
        "normalized" divides by the standard deviation, which changes the length of the gradient; "clipped" limits
        weights to +-``clip`` and is biased.
    """
    options = {"baseline": baseline, "advantage": advantage, "clip": number(clip, "clip")}
    return _kith.score_weights(numbers(loss, "loss"), options)


