"""Differentiable neighbors, halos and meshes for PyTorch, on the CPU.

>>> import torch, kith.torch as kt
>>> x = torch.rand(1000, 3, dtype=torch.float64, requires_grad=True)
>>> index, distance = kt.knn(x, k=8, box=1.0)
>>> distance.sum().backward()

Values and first derivatives, in reverse and forward mode, are computed in C++ on the memory of the tensors, in float32
and float64; half precision becomes float32. Distances, densities and graphs have derivatives of any order, at fixed
neighbors; a second derivative of the others is an error. From PyTorch 2.0 on, torch.func works: ``grad``, ``jvp``, and
``vmap``, which runs one call after the other.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import torch

from . import gradients
from ._atoms import Edges, nearest_edges, radius_edges, systems_of
from ._box import as_box
from ._errors import ArgumentTypeError
from ._expressions import density_of_lists, lengths, list_distances
from ._halos import catalogue
from ._groups import Groups, fof as _fof
from ._neighbors import knn as _knn
from ._torch_products import Rule, apply, array as _array, find, tensor as _tensor
from .typing import Advantage, Baseline, BoxLike, Kernel

__all__ = ["Graph", "Halos", "density", "fof", "halos", "knn", "knn_graph", "paint", "radius_graph",
           "topological_loss"]


def _floating(x: torch.Tensor, name: str = "points") -> torch.Tensor:
    """In a type that kith computes with, by the rule of kith.knn; derivatives pass through."""
    if not isinstance(x, torch.Tensor):
        raise ArgumentTypeError(f"{name}: {type(x).__name__}; give a torch.Tensor, such as torch.as_tensor(x)")
    if x.is_complex():
        raise ArgumentTypeError(f"{name}: complex data; pass the real and the imaginary part as two coordinates")
    if not x.is_floating_point():
        raise ArgumentTypeError(f"{name}: {x.dtype}; integers have no derivatives, since they cannot change by small "
                                "amounts: pass x.double()")
    return x if x.dtype in (torch.float32, torch.float64) else x.float()


def _weights(x: torch.Tensor | None, points: torch.Tensor, name: str) -> torch.Tensor:
    """One number per point in the type of the points; 1 if none are given."""
    return torch.ones(points.shape[0], dtype=points.dtype) if x is None else _floating(x, name).to(points.dtype)


class _Distances(Rule):
    name = "knn"

    def __init__(self, dimension: int, box: BoxLike, threads: int | None) -> None:
        self.options: dict[str, Any] = {"box": box, "threads": threads}
        chosen = as_box(box)
        self.space = (chosen.sides(dimension).tolist(), chosen.origins(dimension).tolist())

    def gradient(self, inputs: Any, fixed: Any, cotangents: Any) -> Any:
        points, *queries = inputs
        found = gradients.distances_vjp(points, fixed[0], cotangents[0], queries=queries[0] if queries else None,
                                        **self.options)
        return found if queries else (found,)

    def tangent(self, inputs: Any, fixed: Any, tangents: Any) -> Any:
        points, *queries = inputs
        moves = {"queries": queries[0], "query_tangent": tangents[1]} if queries else {}
        return (gradients.distances_jvp(points, fixed[0], tangents[0], **moves, **self.options),)

    def expression(self, inputs: Any, fixed: Any) -> Any:
        return (list_distances(torch, inputs[0], inputs[-1], fixed[0].long(), *self.space),)


def knn(points: torch.Tensor, queries: torch.Tensor | None = None, *, k: int, box: BoxLike = None,
        exclude_self: bool = False, threads: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """The k nearest neighbors, (index, distance) as in kith.knn; distances are differentiable, at fixed neighbors."""
    x = _floating(points)
    inputs = (x,) if queries is None else (x, _floating(queries, "queries").to(x.dtype))
    index, distance = find(lambda *given: _knn(*given, k=k, box=box, exclude_self=exclude_self, threads=threads), *inputs)
    found, = apply(_Distances(x.shape[-1], box, threads), (distance,), (index,), inputs)
    return index, found


class _Density(Rule):
    name = "density"

    def __init__(self, dimension: int, options: dict[str, Any]) -> None:
        self.options = options
        chosen = as_box(options["box"])
        self.space = (chosen.sides(dimension).tolist(), chosen.origins(dimension).tolist())

    def search(self, k: int, x: Any, mass: Any) -> Any:
        index = _knn(x, k=k, box=self.options["box"], threads=self.options["threads"]).index
        return index, gradients.density(x, index, mass=mass, **self.options).astype(x.dtype)

    def gradient(self, inputs: Any, fixed: Any, cotangents: Any) -> Any:
        return gradients.density_vjp(inputs[0], fixed[0], cotangents[0], mass=inputs[1], **self.options)

    def tangent(self, inputs: Any, fixed: Any, tangents: Any) -> Any:
        return (gradients.density_jvp(inputs[0], fixed[0], tangents[0], mass=inputs[1], mass_tangent=tangents[1],
                                      **self.options),)

    def expression(self, inputs: Any, fixed: Any) -> Any:
        x, mass = inputs
        return (density_of_lists(torch, x, mass, fixed[0].long(), self.options["kernel"], *self.space),)


def density(points: torch.Tensor, *, k: int = 32, mass: torch.Tensor | None = None, kernel: Kernel = "cubic_spline",
            box: BoxLike = None, threads: int | None = None) -> torch.Tensor:
    """The SPH density of kith.density, differentiable with respect to points and masses, including the smoothing
    length, at fixed neighbors."""
    x = _floating(points)
    inputs = (x, _weights(mass, x, "mass"))
    rule = _Density(x.shape[-1], {"kernel": kernel, "box": box, "threads": threads})
    index, rho = find(lambda *given: rule.search(k, *given), *inputs)
    return apply(rule, (rho,), (index,), inputs)[0]


def fof(points: torch.Tensor, **options: Any) -> torch.Tensor:
    """The labels of kith.fof; the options are the same. Integers have no derivative."""
    return find(lambda x: (_fof(x, **options).label,), points)[0]


class Graph(NamedTuple):
    """A graph of neighbors: ``edge_index, shift, vector, distance``, sorted by (target, source).

    ``edge_index`` has the shape (2, edges): source and target, int64, as PyTorch Geometric wants them. ``shift`` has the
    whole numbers S of lattice vectors, and ``vector`` is x[target] - x[source] + S @ cell."""

    edge_index: torch.Tensor
    shift: torch.Tensor
    vector: torch.Tensor
    distance: torch.Tensor


def _graph(x: torch.Tensor, cell: Any, batch: Any, edges: Edges) -> Graph:
    """Vectors by operations of torch, so that derivatives of any order pass through."""
    source, target = torch.from_numpy(np.array(edges.source)), torch.from_numpy(np.array(edges.target))
    shift = torch.from_numpy(np.array(edges.shift))
    vector = x[target] - x[source]
    if cell is not None:
        lattice = torch.as_tensor(cell).to(x.dtype)
        if lattice.ndim < 2:
            lattice = torch.diag(lattice.expand(x.shape[1]))
        own = lattice if lattice.ndim == 2 else lattice[torch.as_tensor(batch, dtype=torch.int64)[source]]
        steps = shift.to(x.dtype)
        vector = vector + (steps @ own if own.ndim == 2 else (steps[:, :, None] * own).sum(dim=1))
    return Graph(torch.stack([source, target]), shift, vector, lengths(torch, vector))


def _plain(x: Any) -> Any:
    return _array(x) if isinstance(x, torch.Tensor) else x


def radius_graph(points: torch.Tensor, r: float, *, cell: Any = None, pbc: Any = None, batch: Any = None,
                 loop: bool = False, max_neighbors: int = 0, threads: int | None = None) -> Graph:
    """The graph of all points within a distance of each other, also through images of a periodic cell of any shape; see
    kith.neighbor_list for ``cell``, ``pbc`` and ``batch``. Vectors and distances are differentiable with respect to
    points and cell, any number of times. ``loop``: with edges of points to themselves. ``max_neighbors``: edges from
    the nearest alone; 0: from all."""
    x = _floating(points)
    systems = systems_of(_array(x), _plain(cell), _plain(pbc), _plain(batch))
    return _graph(x, cell, batch, radius_edges(systems, r, loop, max_neighbors, {"threads": threads}))


def knn_graph(points: torch.Tensor, k: int, *, cell: Any = None, pbc: Any = None, batch: Any = None, loop: bool = False,
              threads: int | None = None) -> Graph:
    """The graph of edges to each point from its k nearest neighbors or their images, by (d2, index, S); otherwise as
    radius_graph. Points of an open system with fewer neighbors have fewer edges."""
    x = _floating(points)
    systems = systems_of(_array(x), _plain(cell), _plain(pbc), _plain(batch))
    return _graph(x, cell, batch, nearest_edges(systems, k, loop, {"threads": threads}))


class Halos(NamedTuple):
    """Properties of groups, as in kith.Catalogue."""

    mass: torch.Tensor
    center: torch.Tensor
    velocity: torch.Tensor
    inertia_radius: torch.Tensor
    velocity_dispersion: torch.Tensor
    shape_tensor: torch.Tensor
    shape: torch.Tensor
    decorated_mass: torch.Tensor


class _HaloFields(Rule):
    name = "halos"

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.space = {name: options[name] for name in ("box", "threads")}

    def search(self, x: Any, v: Any, m: Any, label: Any) -> Any:
        groups = Groups(label)
        found = catalogue(x, groups, mass=m, velocity=v, **self.space)
        tensor = gradients.shape_tensors(x, groups, mass=m, **self.space)
        return [np.asarray(each).astype(x.dtype) for each in (
            found.mass, found.center, found.velocity, found.inertia_radius, found.velocity_dispersion, tensor, found.shape,
            found.mass)]

    def gradient(self, inputs: Any, fixed: Any, cotangents: Any) -> Any:
        given = {name: each for name, each in zip(Halos._fields, cotangents) if each.any()}
        return gradients.halos_vjp(inputs[0], fixed[0], given, velocity=inputs[1], mass=inputs[2], **self.options)

    def tangent(self, inputs: Any, fixed: Any, tangents: Any) -> Any:
        x, v, m = inputs
        found = gradients.halos_jvp(x, fixed[0], tangent=tangents[0], velocity_tangent=tangents[1],
                                    mass_tangent=tangents[2], velocity=v, mass=m, **self.options)
        return [found[name] for name in Halos._fields]


def halos(points: torch.Tensor, label: torch.Tensor, *, velocity: torch.Tensor | None = None,
          mass: torch.Tensor | None = None, box: BoxLike = None, alpha: float = 0.0,
          threads: int | None = None) -> Halos:
    """The properties of groups at fixed membership. ``alpha`` belongs to the decorated mass; see
    kith.gradients.halos_vjp."""
    x = _floating(points)
    moves = torch.zeros_like(x) if velocity is None else _floating(velocity, "velocity").to(x.dtype)
    inputs = (x, moves, _weights(mass, x, "mass"))
    rule = _HaloFields({"box": box, "alpha": alpha, "threads": threads})
    return Halos(*apply(rule, find(rule.search, *inputs, label), (label,), inputs))


class _Paint(Rule):
    name = "paint"

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def gradient(self, inputs: Any, fixed: Any, cotangents: Any) -> Any:
        x, weight = inputs
        return gradients.paint_vjp(x, weight, cotangents[0], **self.options)

    def tangent(self, inputs: Any, fixed: Any, tangents: Any) -> Any:
        x, weight = inputs
        return (gradients.paint_jvp(x, weight, tangents[0], weight_tangent=tangents[1], **self.options),)


def paint(points: torch.Tensor, weight: torch.Tensor | None = None, *, cells: int | Sequence[int], box: BoxLike,
          threads: int | None = None) -> torch.Tensor:
    """Assigns points to a periodic mesh by cloud-in-cell; differentiable with respect to points and weights."""
    x = _floating(points)
    inputs = (x, _weights(weight, x, "weight"))
    rule = _Paint({"cells": cells, "box": box, "threads": threads})
    mesh = find(lambda *given: (gradients.paint(*given, **rule.options).astype(given[0].dtype),), *inputs)
    return apply(rule, mesh, (), inputs)[0]


class _LogProbability(Rule):
    """The log probability of samples of links minus its value: 0, with the right derivative."""

    name = "topological_loss"

    def __init__(self, links: gradients.SoftLinks, samples: gradients.LinkSamples) -> None:
        self.links, self.samples = links, samples

    def gradient(self, inputs: Any, fixed: Any, cotangents: Any) -> Any:
        return (self.links.log_probability_vjp(self.samples, cotangents[0]),)


def topological_loss(points: torch.Tensor, loss: Callable[[Halos], torch.Tensor], *, linking_length: float,
                     alpha: float = 5.0, samples: int = 16, reach: float = 2.0, seed: int = 0, min_size: int = 1,
                     velocity: torch.Tensor | None = None, mass: torch.Tensor | None = None, box: BoxLike = None,
                     decoration: float = 0.0, baseline: Baseline = "leave_one_out", advantage: Advantage = "plain",
                     clip: float = 10.0, threads: int | None = None) -> torch.Tensor:
    """The mean of ``loss(halos)`` over samples of random links, with the gradient of its expectation; see
    kith.jax.topological_loss. Nothing is padded here."""
    x = _floating(points)
    links = gradients.SoftLinks(_array(x), linking_length=linking_length, alpha=alpha, reach=reach, box=box,
                                threads=threads)
    drawn = links.sample(samples, seed=seed, min_size=min_size)
    losses = torch.stack([loss(halos(x, torch.from_numpy(np.array(label)), velocity=velocity, mass=mass, box=box,
                                     alpha=decoration, threads=threads)) for label in drawn.label])
    weight = gradients.score_weights(_array(losses), baseline=baseline, advantage=advantage, clip=clip)
    change, = apply(_LogProbability(links, drawn), (torch.zeros(len(drawn), dtype=x.dtype),), (), (x,))
    score = (_tensor(weight, x) * change).sum()
    return losses.mean() + score
