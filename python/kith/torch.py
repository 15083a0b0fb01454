"""Differentiable neighbors, halos and meshes for PyTorch, on the CPU.

>>> import torch, kith.torch as kt
>>> x = torch.rand(1000, 3, dtype=torch.float64, requires_grad=True)
>>> index, distance = kt.knn(x, k=8, box=1.0)
>>> distance.sum().backward()

The functions are torch.autograd.Function objects that call kith.gradients. Forward and backward run in C++ on the
memory of the tensors, in float32 and float64; half precision becomes float32, integers float64. A second derivative is
an error.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import torch

from . import gradients
from ._atoms import Edges, nearest_edges, radius_edges, systems_of
from ._errors import ArgumentTypeError, UnavailableError
from ._halos import catalogue
from ._groups import Groups, fof as _fof
from ._neighbors import knn as _knn
from .typing import Advantage, Baseline, BoxLike, Kernel

__all__ = ["Graph", "Halos", "density", "fof", "halos", "knn", "knn_graph", "paint", "radius_graph",
           "topological_loss"]


def _array(x: Any) -> Any:
    return None if x is None else x.detach().cpu().numpy()


def _tensor(x: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.array(x)).to(like.dtype)


def _floating(x: torch.Tensor, name: str = "points") -> torch.Tensor:
    """In a type that kith computes with, by the rule of kith.knn; derivatives pass through."""
    if not isinstance(x, torch.Tensor):
        raise ArgumentTypeError(f"{name}: {type(x).__name__}; give a torch.Tensor, such as torch.as_tensor(x)")
    if x.is_complex():
        raise ArgumentTypeError(f"{name}: complex data; pass the real and the imaginary part as two coordinates")
    if x.dtype in (torch.float32, torch.float64):
        return x
    return x.float() if x.is_floating_point() else x.double()


def _weights(x: torch.Tensor | None, points: torch.Tensor, name: str) -> torch.Tensor:
    """One number per point in the type of the points; 1 if none are given."""
    return torch.ones(len(points), dtype=points.dtype) if x is None else _floating(x, name).to(points.dtype)


class _NoMore(torch.autograd.Function):
    """A gradient whose own derivative is refused."""

    @staticmethod
    def forward(ctx: Any, gradient: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        raise UnavailableError("kith.torch: second derivatives are not available; take first derivatives alone, or "
                               "differentiate this part by differences")


def _once(function: Callable[..., Any]) -> Any:
    """A backward that can be differentiated no further. torch's once_differentiable forgets its error, and gives 0,
    where the cotangent does not depend on the points."""

    def backward(ctx: Any, *cotangent: Any) -> Any:
        with torch.no_grad():
            found = function(ctx, *cotangent)
        inputs = [each for each in (*ctx.saved_tensors, *cotangent)
                  if isinstance(each, torch.Tensor) and each.requires_grad]
        if not torch.is_grad_enabled() or not inputs:
            return found
        every = found if isinstance(found, tuple) else (found,)
        kept = tuple(_NoMore.apply(each, *inputs) if isinstance(each, torch.Tensor) else each for each in every)
        return kept if isinstance(found, tuple) else kept[0]

    return staticmethod(backward)


class _Knn(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, queries: Any, options: dict[str, Any]) -> Any:
        index, distance = _knn(_array(points), _array(queries), **options)
        index = torch.from_numpy(np.array(index))
        ctx.save_for_backward(points, index, *(() if queries is None else (queries,)))
        ctx.box, ctx.threads = options["box"], options["threads"]
        ctx.mark_non_differentiable(index)
        return index, _tensor(distance, points)

    @_once
    def backward(ctx: Any, _: Any, cotangent: torch.Tensor) -> Any:
        points, index, *queries = ctx.saved_tensors
        found = gradients.distances_vjp(_array(points), _array(index), _array(cotangent), box=ctx.box,
                                        queries=_array(queries[0]) if queries else None, threads=ctx.threads)
        if queries:
            return _tensor(found[0], points), _tensor(found[1], points), None
        return _tensor(found, points), None, None


def knn(points: torch.Tensor, queries: torch.Tensor | None = None, *, k: int, box: BoxLike = None,
        exclude_self: bool = False, threads: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """The k nearest neighbors, (index, distance) as in kith.knn; distances are differentiable."""
    options = {"k": k, "box": box, "exclude_self": exclude_self, "threads": threads}
    x = _floating(points)
    return _Knn.apply(x, None if queries is None else _floating(queries, "queries").to(x.dtype), options)


class _Density(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, mass: torch.Tensor, k: int, options: dict[str, Any]) -> Any:
        index = _knn(_array(points), k=k, box=options["box"], threads=options["threads"]).index
        ctx.save_for_backward(points, mass, torch.from_numpy(np.array(index)))
        ctx.options = options
        return _tensor(gradients.density(_array(points), index, mass=_array(mass), **options), points)

    @_once
    def backward(ctx: Any, cotangent: torch.Tensor) -> Any:
        points, mass, index = ctx.saved_tensors
        found = gradients.density_vjp(_array(points), _array(index), _array(cotangent), mass=_array(mass),
                                      **ctx.options)
        return _tensor(found[0], points), _tensor(found[1], mass), None, None


def density(points: torch.Tensor, *, k: int = 32, mass: torch.Tensor | None = None, kernel: Kernel = "cubic_spline",
            box: BoxLike = None, threads: int | None = None) -> torch.Tensor:
    """The SPH density of kith.density, differentiable with respect to points and masses, including the smoothing
    length."""
    x = _floating(points)
    return _Density.apply(x, _weights(mass, x, "mass"), k, {"kernel": kernel, "box": box, "threads": threads})


def fof(points: torch.Tensor, **options: Any) -> torch.Tensor:
    """The labels of kith.fof; the options are the same. Integers have no derivative."""
    return torch.from_numpy(np.array(_fof(_array(points), **options).label))


class Graph(NamedTuple):
    """A graph of neighbors: ``edge_index, shift, vector, distance``, sorted by (target, source).

    ``edge_index`` has the shape (2, edges): source and target, int64, as PyTorch Geometric wants them. ``shift`` has the
    whole numbers S of lattice vectors, and ``vector`` is x[target] - x[source] + S @ cell."""

    edge_index: torch.Tensor
    shift: torch.Tensor
    vector: torch.Tensor
    distance: torch.Tensor


def _lengths(vector: torch.Tensor) -> torch.Tensor:
    """With the derivative 0 where the length is 0."""
    d2 = (vector * vector).sum(dim=1)
    is_zero = d2 == 0
    return torch.where(is_zero, torch.zeros_like(d2), torch.where(is_zero, torch.ones_like(d2), d2).sqrt())


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
    return Graph(torch.stack([source, target]), shift, vector, _lengths(vector))


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


class _Halos(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, velocity: torch.Tensor, mass: torch.Tensor, label: torch.Tensor,
                options: dict[str, Any]) -> Any:
        ctx.save_for_backward(points, velocity, mass, label)
        ctx.options = options
        x, v, m = _array(points), _array(velocity), _array(mass)
        groups = Groups(_array(label))
        found = catalogue(x, groups, mass=m, velocity=v, box=options["box"], threads=options["threads"])
        tensor = gradients.shape_tensors(x, groups, mass=m, box=options["box"], threads=options["threads"])
        fields = (found.mass, found.center, found.velocity, found.inertia_radius, found.velocity_dispersion, tensor,
                  found.shape, found.mass)
        return tuple(_tensor(each, points) for each in fields)

    @_once
    def backward(ctx: Any, *cotangent: torch.Tensor) -> Any:
        points, velocity, mass, label = ctx.saved_tensors
        given = {name: _array(each) for name, each in zip(Halos._fields, cotangent) if bool(each.any())}
        found = gradients.halos_vjp(_array(points), _array(label), given, mass=_array(mass),
                                    velocity=_array(velocity), **ctx.options)
        return (*(_tensor(each, points) for each in found), None, None)


def halos(points: torch.Tensor, label: torch.Tensor, *, velocity: torch.Tensor | None = None,
          mass: torch.Tensor | None = None, box: BoxLike = None, alpha: float = 0.0,
          threads: int | None = None) -> Halos:
    """The properties of groups at fixed membership. ``alpha`` belongs to the decorated mass; see
    kith.gradients.halos_vjp."""
    x = _floating(points)
    moves = torch.zeros_like(x) if velocity is None else _floating(velocity, "velocity").to(x.dtype)
    return Halos(*_Halos.apply(x, moves, _weights(mass, x, "mass"), label,
                               {"box": box, "alpha": alpha, "threads": threads}))


class _Paint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, weight: torch.Tensor, options: dict[str, Any]) -> Any:
        ctx.save_for_backward(points, weight)
        ctx.options = options
        return _tensor(gradients.paint(_array(points), _array(weight), **options), points)

    @_once
    def backward(ctx: Any, cotangent: torch.Tensor) -> Any:
        points, weight = ctx.saved_tensors
        found = gradients.paint_vjp(_array(points), _array(weight), _array(cotangent), **ctx.options)
        return _tensor(found[0], points), _tensor(found[1], weight), None


def paint(points: torch.Tensor, weight: torch.Tensor | None = None, *, cells: int | Sequence[int], box: BoxLike,
          threads: int | None = None) -> torch.Tensor:
    """Assigns points to a periodic mesh by cloud-in-cell; differentiable with respect to points and weights."""
    x = _floating(points)
    return _Paint.apply(x, _weights(weight, x, "weight"), {"cells": cells, "box": box, "threads": threads})


class _LogProbability(torch.autograd.Function):
    """The log probability of samples of links minus its value: 0, with the right derivative."""

    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, links: gradients.SoftLinks, samples: gradients.LinkSamples) -> Any:
        ctx.save_for_backward(points)
        ctx.links, ctx.samples = links, samples
        return torch.zeros(len(samples), dtype=points.dtype)

    @_once
    def backward(ctx: Any, cotangent: torch.Tensor) -> Any:
        return _tensor(ctx.links.log_probability_vjp(ctx.samples, _array(cotangent)), cotangent), None, None


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
    score = (_tensor(weight, x) * _LogProbability.apply(x, links, drawn)).sum()
    return losses.mean() + score
