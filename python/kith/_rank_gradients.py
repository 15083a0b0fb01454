"""Products with derivatives over MPI ranks: the parameter ``comm`` of kith.gradients."""
from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from . import _kith
from ._arrays import FLOAT64, floats, number, numbers, values
from ._errors import ArgumentError
from ._ranks import agreed_rows, attempt, communicator, largest
from .mpi import Groups, _Space, _as_call, _box_of, _masses, _module, _other_points, _same_kind, _velocities

__all__ = ["density_jvp", "density_vjp", "distances_jvp", "distances_vjp", "halos_jvp", "halos_vjp"]


def _over_ranks(name: str, comm: Any, points: Any, index: Any, queries: Any, box: Any, threads: int | None,
                prepare: Callable[[Any, int, Any], Callable[..., Any]], *facts: bool) -> tuple[Any, Any]:
    """The result of a call on the lists of all ranks, and the lists of this one. A rank without points or rows may pass
    ``[]``."""
    from .gradients import _Pairs, _index
    _same_kind(communicator(comm), name, queries is not None, *facts)
    rows, error = attempt(lambda: _index(index) if np.size(index) else np.empty((0, 0), np.int64))
    k = int(largest(comm, [rows.shape[1] if rows is not None and rows.ndim == 2 else 0])[0])

    def read(x: Any) -> tuple[Any, Any, Any]:
        if error is not None:
            raise error
        lists = np.empty((0, k), np.int64) if rows is None or rows.size == 0 else rows
        pairs = _Pairs(x, lists, _other_points(queries, "queries", x), box, None)
        from mpi4py import MPI
        return prepare(_module(), MPI._addressof(comm), pairs), _as_call(threads, None), pairs

    question, call, pairs = agreed_rows(comm, points, read)
    return question(call), pairs


def distances_vjp(comm: Any, points: Any, index: Any, cotangent: Any, queries: Any, box: Any, threads: int | None) -> Any:
    def prepare(module: Any, ranks: int, pairs: Any) -> Callable[..., Any]:
        given = floats(cotangent, "cotangent").reshape(pairs.index.shape) if not np.size(cotangent) else cotangent
        return module.distances_vjp(  # type: ignore[no-any-return]
            ranks, pairs.core, pairs.array(given, "cotangent", pairs.index.shape))

    return _over_ranks("distances_vjp", comm, points, index, queries, box, threads, prepare)[0]


def _tangent(pairs: Any, given: Any, name: str, of: Any) -> Any:
    if of is None or given is None:
        return None
    return np.empty(of.shape, pairs.dtype) if len(of) == 0 else pairs.tangent(given, name, of)


def distances_jvp(comm: Any, points: Any, index: Any, tangent: Any, queries: Any, query_tangent: Any, box: Any,
                  threads: int | None) -> Any:
    def prepare(module: Any, ranks: int, pairs: Any) -> Callable[..., Any]:
        return module.distances_jvp(ranks, pairs.core,  # type: ignore[no-any-return]
                                    _tangent(pairs, tangent, "tangent", pairs.points),
                                    _tangent(pairs, query_tangent, "query_tangent", pairs.queries))

    found, pairs = _over_ranks("distances_jvp", comm, points, index, queries, box, threads, prepare,
                               tangent is not None, query_tangent is not None)
    return found.reshape(pairs.index.shape)


def _density_options(pairs: Any, mass: Any, kernel: str) -> dict[str, Any]:
    options: dict[str, Any] = {"kernel": kernel}
    if mass is not None:
        options["mass"] = values(mass, len(pairs.points), "mass")
    return options


def density_vjp(comm: Any, points: Any, index: Any, cotangent: Any, mass: Any, kernel: str, box: Any,
                threads: int | None) -> Any:
    def prepare(module: Any, ranks: int, pairs: Any) -> Callable[..., Any]:
        given = values(cotangent, pairs.rows, "cotangent", FLOAT64)
        return module.density_vjp(ranks, pairs.core, _density_options(pairs, mass, kernel), given)  # type: ignore[no-any-return]

    return _over_ranks("density_vjp", comm, points, index, None, box, threads, prepare, mass is not None)[0]


def density_jvp(comm: Any, points: Any, index: Any, tangent: Any, mass_tangent: Any, mass: Any, kernel: str, box: Any,
                threads: int | None) -> Any:
    def prepare(module: Any, ranks: int, pairs: Any) -> Callable[..., Any]:
        heavier = None if mass_tangent is None else values(mass_tangent, len(pairs.points), "mass_tangent", FLOAT64)
        return module.density_jvp(ranks, pairs.core, _density_options(pairs, mass, kernel),  # type: ignore[no-any-return]
                                  _tangent(pairs, tangent, "tangent", pairs.points), heavier)

    return _over_ranks("density_jvp", comm, points, index, None, box, threads, prepare, mass is not None,
                       tangent is not None, mass_tangent is not None)[0]


def _halo_options(x: Any, groups: Groups, mass: Any, velocity: Any, box: Any, alpha: float) -> dict[str, Any]:
    options = {"box": _box_of(groups, box), "alpha": number(alpha, "alpha"), "mass": _masses(mass, len(x)),
               "velocity": _velocities(velocity, x)}
    return {name: value for name, value in options.items() if value is not None}


def halos_vjp(comm: Any, points: Any, groups: Any, cotangent: Mapping[str, Any], mass: Any, velocity: Any, box: Any,
              alpha: float, threads: int | None) -> Any:
    def prepare(module: Any, x: Any) -> Callable[..., Any]:
        given = {name: numbers(value, f"cotangent of {name}") for name, value in cotangent.items()}
        options = _halo_options(x, groups, mass, velocity, box, alpha)
        return module.halos_vjp(x, groups._core, options, given)  # type: ignore[no-any-return]

    return _Space(comm, points).run("halos_vjp", prepare, mass is not None, velocity is not None, groups=groups,
                                    threads=threads)[0]


def _moves(given: Any, name: str, shape: tuple[int, ...]) -> Any:
    if given is None:
        return None
    array = np.ascontiguousarray(floats(given, name))
    if array.size and array.shape != shape:
        raise ArgumentError(f"{name}: an array of shape {array.shape}; expected {shape}")
    return array.reshape(shape)


def halos_jvp(comm: Any, points: Any, groups: Any, tangent: Any, velocity_tangent: Any, mass_tangent: Any, mass: Any,
              velocity: Any, box: Any, alpha: float, threads: int | None) -> Any:
    def prepare(module: Any, x: Any) -> Callable[..., Any]:
        return module.halos_jvp(  # type: ignore[no-any-return]
            x, groups._core, _halo_options(x, groups, mass, velocity, box, alpha), _moves(tangent, "tangent", x.shape),
            _moves(velocity_tangent, "velocity_tangent", x.shape), _moves(mass_tangent, "mass_tangent", (len(x),)))

    found, domains = _Space(comm, points).run("halos_jvp", prepare, mass is not None, velocity is not None,
                                              tangent is not None, velocity_tangent is not None, mass_tangent is not None,
                                              groups=groups, threads=threads)
    d = domains._points.shape[1]
    shapes = {"center": (-1, d), "velocity": (-1, d), "shape": (-1, d), "shape_tensor": (-1, d, d)}
    missing = () if velocity is not None else ("velocity", "velocity_dispersion")
    return {name: value.reshape(shapes.get(name, (-1,))) for name, value in found.items() if name not in missing}
