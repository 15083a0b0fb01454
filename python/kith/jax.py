"""Differentiable neighbors, halos and topologies for JAX, on the CPU and, untested on real ones, on GPUs.

>>> import jax, kith.jax as kj
>>> def loss(x):
...     label, count = kj.fof(x, linking_length=0.01, box=1.0, min_size=20)
...     halos = kj.halos(x, label, box=1.0, max_groups=1000)
...     return kj.paint(halos.center, halos.mass, cells=32, box=1.0).var()
>>> gradient = jax.grad(loss)(x)

The functions are called from compiled programs through XLA's foreign function interface. They work under ``jit``,
``grad``, ``jvp``, ``jacfwd`` and ``vmap`` (which runs one call after the other), in float32 and float64; distances and
densities also under ``hessian``, at fixed lists of neighbors. Their first derivatives are the products of
kith.gradients. ``links`` and ``topological_loss`` have reverse mode alone. Shapes are static: ``max_groups`` and
``max_pairs`` reserve space for groups and pairs, and it is an error if they are too small.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import ArrayLike

from . import _kith
from ._arrays import number, per_axis, whole
from ._atoms import Edges, nearest_edges, radius_edges, systems_of
from ._box import as_box
from ._errors import ArgumentError, ArgumentTypeError
from ._expressions import density_of_lists, lengths, list_distances
from ._jax_products import Products
from ._neighbors import _checked_k
from .gradients import _power_spectrum
from .typing import Advantage, Baseline, BoxLike, Kernel

__all__ = ["Graph", "Halos", "LinkedPairs", "density", "fof", "halos", "knn", "knn_graph", "links", "paint",
           "power_spectrum", "radius_graph", "soft_mass_function", "topological_loss"]

_handlers: dict[str, dict[str, Any]] = getattr(_kith, "xla_handlers")
for _platform, _of_platform in _handlers.items():
    for _name, _handler in _of_platform.items():
        jax.ffi.register_ffi_target(f"kith_{_name}", _handler, platform=_platform)

_KERNELS = ("cubic_spline", "wendland_c2")


def _differentiable(*fixed: int) -> Callable[[Callable[..., Any]], Any]:
    """A function with its own derivative, in all but the fixed arguments."""
    return lambda function: jax.custom_jvp(function, nondiff_argnums=fixed)


def _reversible(*fixed: int) -> Callable[[Callable[..., Any]], Any]:
    """The same in reverse mode alone."""
    return lambda function: jax.custom_vjp(function, nondiff_argnums=fixed)


class _Static(tuple[tuple[str, Any], ...]):
    """Options of a call: hashable, as static arguments must be."""

    def attributes(self) -> dict[str, Any]:
        return {name: np.array(value) if isinstance(value, tuple) else value for name, value in tuple(self)}


def _options(d: int, box: BoxLike, threads: int | None, **more: Any) -> _Static:
    chosen = as_box(box)
    fixed = {"side": tuple(chosen.sides(d)), "origin": tuple(chosen.origins(d)), "threads": np.int64(threads or 0)}
    for name, value in more.items():
        fixed[name] = np.int64(value) if isinstance(value, (bool, int, np.integer)) else np.float64(value)
    return _Static(sorted(fixed.items()))


def _call(name: str, results: Any, *arguments: Any, options: _Static) -> Any:
    return jax.ffi.ffi_call(f"kith_{name}", results, vmap_method="sequential")(*arguments, **options.attributes())


def _like(shape: Any, dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def _points(x: Any, name: str = "points") -> jax.Array:
    x = jnp.asarray(x)
    if x.ndim != 2:
        raise ArgumentError(f"{name}: an array of shape {x.shape}; give one row per point: (n, dimension)")
    return _real(x, name)


def _real(x: jax.Array, name: str) -> jax.Array:
    if jnp.issubdtype(x.dtype, jnp.integer) or x.dtype == jnp.bool_:
        raise ArgumentTypeError(f"{name}: {x.dtype}; integers have no derivatives, since they cannot change by small "
                                "amounts: give float32 or float64")
    if x.dtype not in (jnp.float32, jnp.float64):
        raise ArgumentTypeError(f"{name}: {x.dtype}; give float32 or float64")
    return x


def _weights(given: ArrayLike | None, x: jax.Array, name: str) -> jax.Array:
    """One number per point in the type of the points; 1 if none are given."""
    return jnp.ones(x.shape[0], x.dtype) if given is None else _real(jnp.asarray(given), name).astype(x.dtype)


def _none(x: Any) -> Any:
    """The tangent or cotangent of an array of integers."""
    return np.zeros(x.shape, jax.dtypes.float0)


def _only(options: _Static, *names: str) -> _Static:
    return _Static(item for item in options if item[0] in names)


def _of_same_shape(arrays: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_like(each.shape, each.dtype) for each in arrays)


# Neighbors

@_differentiable(1, 2)
def _knn(arrays: Any, k: int, options: _Static) -> Any:
    rows = arrays[-1].shape[0]
    return _call("knn", (_like((rows, k), jnp.int32), _like((rows, k), arrays[0].dtype)), *arrays, options=options)


def _distances_tangent(options: _Static, fixed: Any, inputs: Any, moves: Any) -> Any:
    (index,), (x, *queries), (by_points, *by_queries) = fixed, inputs, moves
    return (_call("distances_jvp", _like(index.shape, x.dtype), x, index, by_points, *queries, *by_queries,
                  options=options),)


def _distances_gradient(options: _Static, fixed: Any, inputs: Any, cotangents: Any) -> Any:
    return _call("distances_vjp", _of_same_shape(inputs), inputs[0], fixed[0], cotangents[0], *inputs[1:],
                 options=options)


def _distances_expression(options: _Static, fixed: Any, inputs: Any) -> Any:
    chosen = dict(options)
    return (list_distances(jnp, inputs[0], inputs[-1], fixed[0], chosen["side"], chosen["origin"]),)


_distances = Products("distances", tangent=_distances_tangent, gradient=_distances_gradient,
                      expression=_distances_expression)


@_knn.defjvp
def _knn_tangent(k: int, options: _Static, given: Any, moves: Any) -> Any:
    (arrays,), (tangents,) = given, moves
    index, distance = _knn(arrays, k, options)
    change, = _distances.tangent(_only(options, "side", "origin", "threads"), (index,), arrays, tangents)
    return (index, distance), (_none(index), change)


def knn(points: ArrayLike, queries: ArrayLike | None = None, *, k: int, box: BoxLike = None, exclude_self: bool = False,
        threads: int | None = None) -> tuple[jax.Array, jax.Array]:
    """The k nearest neighbors, (index, distance) as in kith.knn. Distances are differentiable any number of times, at
    fixed neighbors; a distance of 0 has derivatives 0."""
    x = _points(points)
    arrays = (x,) if queries is None else (x, _points(queries, "queries").astype(x.dtype))
    k = _checked_k("knn", {"k": k})["k"]
    return _knn(arrays, k, _options(x.shape[1], box, threads, k=k, exclude_self=exclude_self))


class Graph(NamedTuple):
    """A graph of neighbors: ``edge_index, shift, vector, distance``, sorted by (target, source).

    ``edge_index`` has the shape (2, max_edges): source and target. ``shift`` has the whole numbers S of lattice
    vectors, and ``vector`` is x[target] - x[source] + S @ cell. Rows beyond the last edge have source and target n,
    the number of points, which ``jax.ops.segment_sum`` leaves out, and vectors of 0."""

    edge_index: jax.Array
    shift: jax.Array
    vector: jax.Array
    distance: jax.Array


def _padded(edges: Edges, points: int, max_edges: int) -> Any:
    count = len(edges.source)
    if count > max_edges:
        raise ArgumentError(f"max_edges = {max_edges} for {count} edges; give at least as many")
    ends = np.full((2, max_edges), points, np.int32)
    shift = np.zeros((max_edges, edges.shift.shape[1]), np.int32)
    ends[0, :count], ends[1, :count], shift[:count] = edges.source, edges.target, edges.shift
    return ends, shift


def _graph(points: Any, cell: Any, pbc: Any, batch: Any, max_edges: int | None,
           search: Callable[[Any], Edges]) -> Graph:
    """Edges from the host, vectors by operations of jax."""
    x = _points(points)
    n, axes = x.shape
    lattice = None if cell is None else jnp.asarray(cell, x.dtype)
    if lattice is not None and lattice.ndim < 2:
        lattice = jnp.diag(jnp.broadcast_to(lattice, (axes,)))

    def find(positions: Any, vectors: Any, most: int | None) -> Any:
        chosen = None if vectors is None else np.asarray(vectors, np.float64)
        edges = search(systems_of(np.asarray(positions), chosen, pbc, batch))
        return _padded(edges, n, len(edges.source) if most is None else most)

    if max_edges is None:
        if isinstance(x, Tracer) or isinstance(lattice, Tracer):
            raise ArgumentError("max_edges is missing; shapes must be known under jit and grad: give the most edges that "
                                "there can be")
        ends, shift = (jnp.asarray(each) for each in find(x, lattice, None))
    else:
        most = whole(max_edges, "max_edges", 0)
        shapes = (_like((2, most), jnp.int32), _like((most, axes), jnp.int32))
        ends, shift = jax.pure_callback(lambda *given: find(given[0], given[1] if len(given) > 1 else None, most), shapes,
                                        *(jax.lax.stop_gradient(each) for each in (x, lattice) if each is not None),
                                        vmap_method="sequential")
    is_edge = (ends[0] < n)[:, None]
    vector = x.at[ends[1]].get(mode="clip") - x.at[ends[0]].get(mode="clip") if n else jnp.zeros(shift.shape, x.dtype)
    if lattice is not None:
        steps = shift.astype(x.dtype)
        own = lattice if lattice.ndim == 2 else lattice[jnp.asarray(batch)].at[ends[0]].get(mode="clip")
        vector = vector + (steps @ own if own.ndim == 2 else (steps[:, :, None] * own).sum(axis=1))
    vector = jnp.where(is_edge, vector, 0)
    return Graph(ends, shift, vector, lengths(jnp, vector))


def radius_graph(points: ArrayLike, r: float, *, cell: Any = None, pbc: Any = None, batch: Any = None,
                 loop: bool = False, max_neighbors: int = 0, max_edges: int | None = None,
                 threads: int | None = None) -> Graph:
    """The graph of all points within a distance of each other, also through images of a periodic cell of any shape; see
    kith.neighbor_list for ``cell``, ``pbc`` and ``batch``, which are not traced but for the cell. Vectors and distances
    are differentiable with respect to points and cell, any number of times. ``max_edges`` is needed under jit and grad;
    it is an error if there are more. ``loop``: with edges of points to themselves. ``max_neighbors``: edges from the
    nearest alone; 0: from all."""
    return _graph(points, cell, pbc, batch, max_edges,
                  lambda systems: radius_edges(systems, r, loop, max_neighbors, {"threads": threads}))


def knn_graph(points: ArrayLike, k: int, *, cell: Any = None, pbc: Any = None, batch: Any = None, loop: bool = False,
              max_edges: int | None = None, threads: int | None = None) -> Graph:
    """The graph of edges to each point from its k nearest neighbors or their images, by (d2, index, S); otherwise as
    radius_graph. ``max_edges`` is at most k times the number of points."""
    return _graph(points, cell, pbc, batch, max_edges,
                  lambda systems: nearest_edges(systems, k, loop, {"threads": threads}))


@_differentiable(2, 3)
def _density(x: Any, mass: Any, k: int, options: _Static) -> Any:
    n = x.shape[0]
    return _call("density", (_like((n,), x.dtype), _like((n, k), jnp.int32)), x, mass, options=options)


def _density_change(options: _Static, fixed: Any, inputs: Any, moves: Any) -> Any:
    x = inputs[0]
    return (_call("density_jvp", _like((x.shape[0],), x.dtype), *inputs, *fixed, *moves, options=options),)


def _density_gradient(options: _Static, fixed: Any, inputs: Any, cotangents: Any) -> Any:
    return _call("density_vjp", _of_same_shape(inputs), *inputs, *fixed, *cotangents, options=options)


def _density_expression(options: _Static, fixed: Any, inputs: Any) -> Any:
    chosen = dict(options)
    x, mass = inputs
    return (density_of_lists(jnp, x, mass, fixed[0], _KERNELS[chosen["kernel"]], chosen["side"], chosen["origin"]),)


_densities = Products("density", tangent=_density_change, gradient=_density_gradient, expression=_density_expression)


@_density.defjvp
def _density_tangent(k: int, options: _Static, given: Any, moves: Any) -> Any:
    rho, index = _density(*given, k, options)
    change, = _densities.tangent(options, (index,), given, moves)
    return (rho, index), (change, _none(index))


def density(points: ArrayLike, *, k: int = 32, mass: ArrayLike | None = None, kernel: Kernel = "cubic_spline",
            box: BoxLike = None, threads: int | None = None) -> jax.Array:
    """The SPH density of kith.density, differentiable any number of times with respect to points and masses, including
    the smoothing length, at fixed neighbors."""
    x = _points(points)
    weight = _weights(mass, x, "mass")
    if kernel not in _KERNELS:
        raise ArgumentError(f"density: kernel = {kernel!r}; there are: {', '.join(_KERNELS)}")
    k = _checked_k("density", {"k": k})["k"]
    return _density(x, weight, k, _options(x.shape[1], box, threads, k=k, kernel=_KERNELS.index(kernel)))[0]


# Groups

def fof(points: ArrayLike, *, linking_length: float, box: BoxLike = None, min_size: int = 1,
        threads: int | None = None) -> tuple[jax.Array, jax.Array]:
    """Friends of friends: (labels as in kith.fof, number of groups). Integers have no derivative."""
    x = jax.lax.stop_gradient(_points(points))
    options = _options(x.shape[1], box, threads, linking_length=number(linking_length, "linking_length"),
                       min_size=whole(min_size, "min_size"))
    return tuple(_call("fof", (_like((x.shape[0],), jnp.int32), _like((), jnp.int32)), x, options=options))


class Halos(NamedTuple):
    """Properties of groups, padded with zeros to max_groups rows. The fields are those of kith.Catalogue."""

    count: jax.Array  # type: ignore[assignment, unused-ignore]
    size: jax.Array
    mass: jax.Array
    center: jax.Array
    velocity: jax.Array
    inertia_radius: jax.Array
    velocity_dispersion: jax.Array
    shape_tensor: jax.Array
    shape: jax.Array
    decorated_mass: jax.Array


@_differentiable(4, 5)
def _halos(x: Any, velocity: Any, mass: Any, label: Any, room: int, options: _Static) -> Any:
    d, t = x.shape[1], x.dtype
    shapes = (_like((), jnp.int32), _like((room,), jnp.int32), _like((room,), t), _like((room, d), t),
              _like((room, d), t), _like((room,), t), _like((room,), t), _like((room, d, d), t), _like((room, d), t))
    found = tuple(_call("halos", shapes, x, velocity, mass, label, options=options))
    return (*found, found[2])


def _halos_change(options: _Static, fixed: Any, inputs: Any, moves: Any) -> Any:
    (x, _, _), (room, rest) = inputs, (dict(options)["room"], _without_room(options))
    d, t = x.shape[1], x.dtype
    shapes = ((room,), (room, d), (room, d), (room,), (room,), (room, d, d), (room, d), (room,))
    return _call("halos_jvp", tuple(_like(shape, t) for shape in shapes), *inputs, *fixed, *moves, options=rest)


def _halos_gradient(options: _Static, fixed: Any, inputs: Any, cotangents: Any) -> Any:
    return _call("halos_vjp", _of_same_shape(inputs), *inputs, *fixed, *cotangents, options=_without_room(options))


def _without_room(options: _Static) -> _Static:
    return _only(options, "alpha", "side", "origin", "threads")


_halo_fields = Products("halos", tangent=_halos_change, gradient=_halos_gradient)


@_halos.defjvp
def _halos_tangent(room: int, options: _Static, given: Any, moves: Any) -> Any:
    found = _halos(*given, room, options)
    changes = _halo_fields.tangent(_Static([*options, ("room", room)]), given[3:], given[:3], moves[:3])
    return found, (_none(found[0]), _none(found[1]), *changes)


def halos(points: ArrayLike, label: ArrayLike, *, max_groups: int, velocity: ArrayLike | None = None,
          mass: ArrayLike | None = None, box: BoxLike = None, alpha: float = 0.0, threads: int | None = None) -> Halos:
    """The properties of groups at fixed membership, differentiable with respect to points, velocities and masses.

    ``decorated_mass`` equals the mass, but has the derivative -alpha d ln(inertia_radius) with respect to positions: a
    halo that contracts gains mass. More than ``max_groups`` groups are an error.
    """
    x = _points(points)
    moves = jnp.zeros_like(x) if velocity is None else _real(jnp.asarray(velocity), "velocity").astype(x.dtype)
    weight = _weights(mass, x, "mass")
    options = _options(x.shape[1], box, threads, alpha=number(alpha, "alpha"))
    return Halos(*_halos(x, moves, weight, jnp.asarray(label, jnp.int32), whole(max_groups, "max_groups"),
                         options))


def soft_mass_function(mass: ArrayLike, edge: ArrayLike, *, width: float = 0.1) -> jax.Array:
    """Counts of halos in bins of mass with soft edges, as in kith.gradients.soft_mass_function. Rows of mass 0, such as
    the padding of halos, are not counted."""
    m, edges = jnp.asarray(mass), jnp.asarray(edge)
    there = m > 0
    u = (jnp.log(jnp.where(there, m, 1.0))[:, None] - jnp.log(edges)) / width
    above = jnp.where(there[:, None], jax.nn.sigmoid(u), 0.0).sum(axis=0)
    return above[:-1] - above[1:]


# Meshes

@_differentiable(2, 3)
def _paint(x: Any, weight: Any, cells: tuple[int, ...], options: _Static) -> Any:
    return _call("paint", _like(cells, x.dtype), x, weight, options=options)


def _paint_change(options: _Static, fixed: Any, inputs: Any, moves: Any) -> Any:
    x, cells = inputs[0], dict(options)["cells"]
    return (_call("paint_jvp", _like(cells, x.dtype), *inputs, *moves, options=_without_cells(options)),)


def _paint_gradient(options: _Static, fixed: Any, inputs: Any, cotangents: Any) -> Any:
    return _call("paint_vjp", _of_same_shape(inputs), *inputs, *cotangents, options=_without_cells(options))


def _without_cells(options: _Static) -> _Static:
    return _only(options, "side", "origin", "threads")


_meshes = Products("paint", tangent=_paint_change, gradient=_paint_gradient)


@_paint.defjvp
def _paint_tangent(cells: tuple[int, ...], options: _Static, given: Any, moves: Any) -> Any:
    change, = _meshes.tangent(_Static([*options, ("cells", cells)]), (), given, moves)
    return _paint(*given, cells, options), change


def paint(points: ArrayLike, weight: ArrayLike | None = None, *, cells: int | Sequence[int], box: BoxLike,
          threads: int | None = None) -> jax.Array:
    """Assigns points to a periodic mesh by cloud-in-cell; differentiable with respect to points and weights."""
    x = _points(points)
    weights = _weights(weight, x, "weight")
    counts = tuple(per_axis(cells, x.shape[1], "cells"))
    return _paint(x, weights, counts, _options(x.shape[1], box, threads))


def power_spectrum(mesh: jax.Array, side: float, bins: int | None = None) -> tuple[Any, jax.Array]:
    """The power spectrum (k, P) of a cubic mesh; P is differentiable. See kith.gradients.power_spectrum."""
    bins = bins or mesh.shape[0] // 2
    return _power_spectrum(mesh, side, bins, jnp, lambda shell, weight: jnp.bincount(shell, weight, length=bins + 1))


# Random links

class LinkedPairs(NamedTuple):
    """Random links as numbers: ``link[s, e]`` is 1 if pair e is linked in sample s. Point i is paired with the points
    ``second[offset[i]:offset[i + 1]]``. There are ``count`` pairs; the rest is padding."""

    link: jax.Array
    offset: jax.Array
    second: jax.Array
    count: jax.Array  # type: ignore[assignment, unused-ignore]


@_reversible(1, 2, 3)
def _links(x: Any, samples: int, room: int, options: _Static) -> Any:
    shapes = (_like((samples, room), x.dtype), _like((x.shape[0] + 1,), jnp.int32), _like((room,), jnp.int32),
              _like((), jnp.int32))
    return tuple(_call("links", shapes, x, options=options))


def _links_forward(x: Any, samples: int, room: int, options: _Static) -> Any:
    found = _links(x, samples, room, options)
    return found, (x, found[1], found[2])


def _links_backward(samples: int, room: int, options: _Static, kept: Any, cotangent: Any) -> Any:
    x, offset, second = kept
    return (_call("links_vjp", _like(x.shape, x.dtype), x, offset, second, cotangent[0], options=options),)


_links.defvjp(_links_forward, _links_backward)


def links(points: ArrayLike, *, linking_length: float, max_pairs: int, alpha: float = 5.0, samples: int = 16,
          reach: float = 2.0, tau: float = 0.5, seed: int = 0, box: BoxLike = None,
          threads: int | None = None) -> LinkedPairs:
    """Samples of random links (see kith.gradients.SoftLinks) with a straight-through estimator: forward they are 1 or
    0, backward they have the derivative of their Gumbel relaxation at temperature ``tau``."""
    x = _points(points)
    options = _options(x.shape[1], box, threads, linking_length=number(linking_length, "linking_length"),
                       alpha=number(alpha, "alpha"), reach=number(reach, "reach"), tau=number(tau, "tau"),
                       samples=whole(samples, "samples"), seed=whole(seed, "seed", 0))
    return LinkedPairs(*_links(x, samples, whole(max_pairs, "max_pairs"), options))


@_reversible(4)
def _log_probability(x: Any, offset: Any, second: Any, bits: Any, options: _Static) -> Any:
    """The log probability minus its value: 0, with the right derivative."""
    return jnp.zeros(dict(options)["samples"], x.dtype)


def _log_probability_forward(x: Any, offset: Any, second: Any, bits: Any, options: _Static) -> Any:
    return _log_probability(x, offset, second, bits, options), (x, offset, second, bits)


def _log_probability_backward(options: _Static, kept: Any, cotangent: Any) -> Any:
    x, offset, second, bits = kept
    gradient = _call("score", _like(x.shape, x.dtype), x, offset, second, bits, cotangent, options=options)
    return gradient, _none(offset), _none(second), _none(bits)


_log_probability.defvjp(_log_probability_forward, _log_probability_backward)


def _advantages(loss: jax.Array, baseline: str, advantage: str, clip: float) -> jax.Array:
    """As kith.gradients.score_weights, times the number of samples."""
    count, mean = loss.shape[0], loss.mean()
    if baseline not in ("none", "leave_one_out", "batch_mean"):
        raise ArgumentError(f"baseline = {baseline!r}; give none, leave_one_out or batch_mean")
    if advantage not in ("plain", "normalized", "clipped"):
        raise ArgumentError(f"advantage = {advantage!r}; give plain, normalized or clipped")
    if baseline == "leave_one_out" and count < 2:
        raise ArgumentError("samples = 1; leave_one_out wants at least 2")
    weight = {"none": loss, "batch_mean": loss - mean,
              "leave_one_out": (loss - mean) * (count / max(count - 1, 1))}[baseline]
    if advantage == "normalized":
        return weight / (loss.std() + 1e-8)
    return jnp.clip(weight, -clip, clip) if advantage == "clipped" else weight


def topological_loss(points: ArrayLike, loss: Callable[[Halos], jax.Array], *, linking_length: float, max_groups: int,
                     max_pairs: int, alpha: float = 5.0, samples: int = 16, reach: float = 2.0, seed: Any = 0,
                     min_size: int = 1, velocity: ArrayLike | None = None, mass: ArrayLike | None = None,
                     box: BoxLike = None, decoration: float = 0.0, baseline: Baseline = "leave_one_out",
                     advantage: Advantage = "plain", clip: float = 10.0, threads: int | None = None) -> jax.Array:
    """The mean of ``loss(halos)`` over samples of random links, with the gradient of its expectation.

    The gradient is the score term (REINFORCE) plus the pathwise term. It is unbiased for the baselines "none" and
    "leave_one_out" with the plain advantage; see kith.gradients.score_weights for the others.

    Parameters
    ----------
    points : array, (n, dimension)
    loss : function of Halos
        A function of the halos of a sample. Rows beyond ``halos.count`` are padding, with mass 0.
    linking_length, alpha, reach
        A pair at distance d is linked with probability sigmoid(alpha (l**2 - d**2) / l**2), up to reach * l.
    max_groups, max_pairs : int
        The space for the groups of a sample and for all pairs within reach; an error if it is too small.
    seed : int
        Below 2**32. It may be traced, so that a compiled function can use a new seed at each step.
    decoration : float
        The ``alpha`` of the decorated mass; see halos.
    """
    x = _points(points)
    n = x.shape[0]
    options = _options(x.shape[1], box, threads, linking_length=number(linking_length, "linking_length"),
                       alpha=number(alpha, "alpha"), reach=number(reach, "reach"), samples=samples, min_size=min_size)
    shapes = (_like((n + 1,), jnp.int32), _like((max_pairs,), jnp.int32),
              _like((max_pairs, (samples + 7) // 8), jnp.uint8), _like((samples, n), jnp.int32),
              _like((samples,), jnp.int32), _like((), jnp.int32))
    offset, second, bits, label, _, _ = _call("sample", shapes, jax.lax.stop_gradient(x),
                                              jnp.asarray(seed, jnp.uint32), options=options)

    def of_sample(each: jax.Array) -> jax.Array:
        return loss(halos(x, each, max_groups=max_groups, velocity=velocity, mass=mass, box=box, alpha=decoration,
                          threads=threads))

    losses = jax.lax.map(of_sample, label)
    weight = jax.lax.stop_gradient(_advantages(losses, baseline, advantage, clip)).astype(x.dtype)
    return losses.mean() + (weight * _log_probability(x, offset, second, bits, options)).mean()
