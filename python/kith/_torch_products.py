"""Functions of the library as functions of PyTorch: reverse and forward mode, batches, and derivatives of derivatives.

Values and first derivatives are the library's own; the derivatives of those come from an expression of torch, if there
is one. From PyTorch 2.0 on, all this works under torch.func as well.
"""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
import torch

from ._errors import UnavailableError

__all__ = ["Rule", "apply", "array", "find", "tensor"]

Tensors = Sequence[Any]

# PyTorch 1.13 has neither torch.func nor functions whose context is set up separately.
_HAS_TRANSFORMS = hasattr(torch, "func")


def array(x: Any) -> Any:
    return None if x is None else x.detach().cpu().numpy()


def tensor(x: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.array(x)).to(like.dtype)


class Rule:
    """A function of ``inputs``, given ``fixed`` arrays, and its products, all of NumPy arrays. ``expression`` has its
    outputs as expressions of torch."""

    name: str

    def gradient(self, inputs: Tensors, fixed: Tensors, cotangents: Tensors) -> Sequence[Any]:
        raise NotImplementedError

    def tangent(self, inputs: Tensors, fixed: Tensors, tangents: Tensors) -> Sequence[Any]:
        raise UnavailableError(f"kith.torch: forward mode of {self.name} is not available; use reverse mode, such as "
                               "backward()")

    def expression(self, inputs: Tensors, fixed: Tensors) -> Sequence[torch.Tensor]:
        raise UnavailableError(f"kith.torch: second derivatives of {self.name} are not available; take first derivatives "
                               "alone, or differentiate this part by differences")


Function = Callable[..., Any]


def _pull(function: Function, inputs: Tensors, cotangents: Tensors) -> tuple[Any, ...]:
    """The vector-Jacobian product of a function of tensors; differentiable."""
    if _HAS_TRANSFORMS:
        return tuple(torch.func.vjp(function, *inputs)[1](tuple(cotangents)))
    with torch.enable_grad():
        leaves = tuple(x if x.requires_grad else x.detach().requires_grad_() for x in inputs)
        outputs = [(y, c) for y, c in zip(function(*leaves), cotangents) if y.requires_grad]
        found = torch.autograd.grad([y for y, _ in outputs], leaves, [c for _, c in outputs], create_graph=True,
                                    allow_unused=True)
    return tuple(torch.zeros_like(x) if each is None else each for x, each in zip(inputs, found))


def _push(function: Function, inputs: Tensors, tangents: Tensors) -> tuple[Any, ...]:
    """The Jacobian-vector product; differentiable. It is called in forward mode, which PyTorch does not nest: the other
    product is linear in the cotangents, and its transpose is this one."""
    zeros = tuple(torch.zeros_like(y) for y in function(*inputs))
    return _pull(lambda *c: _pull(function, inputs, c), zeros, tangents)


def _one_after_the_other(function: Any) -> Any:
    """A batch as a loop."""

    def vmap(info: Any, axes: Any, *arguments: Any) -> Any:
        rows = [function.apply(*(x if axis is None else x.select(axis, i) for x, axis in zip(arguments, axes)))
                for i in range(info.batch_size)]
        return tuple(torch.stack(column) for column in zip(*rows)), (0,) * len(rows[0])

    return staticmethod(vmap)


def _function(function: Any) -> Any:
    """A class of functions for old and new versions of PyTorch."""
    if _HAS_TRANSFORMS:
        function.vmap = _one_after_the_other(function)
        return function
    run, keep = function.forward, function.setup_context

    def forward(ctx: Any, *arguments: Any) -> Any:
        found = run(*arguments)
        keep(ctx, arguments, found)
        return found

    function.forward = staticmethod(forward)
    return function


@_function
class _Find(torch.autograd.Function):
    """Tensors without derivative."""

    @staticmethod
    def forward(search: Function, *inputs: Any) -> Any:
        return tuple(torch.from_numpy(np.array(each)) for each in search(*(array(x) for x in inputs)))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output)


def find(search: Function, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The arrays that a search finds, without derivative."""
    return tuple(_Find.apply(search, *(x.detach() for x in inputs)))


def _given(moves: Tensors, like: Tensors) -> list[Any]:
    return [torch.zeros_like(x) if each is None else each for x, each in zip(like, moves)]


@_function
class _Product(torch.autograd.Function):
    """The gradient or the tangent of a rule: linear in the last tensors."""

    @staticmethod
    def forward(rule: Rule, kind: str, held: int, count: int, *tensors: Any) -> Any:
        fixed, inputs, last = tensors[:held], tensors[held:held + count], tensors[held + count:]
        found = getattr(rule, kind)(*(tuple(map(array, each)) for each in (inputs, fixed, last)))
        return tuple(tensor(each, inputs[0]) for each in found)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.rule, ctx.kind, ctx.held, ctx.count, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def expressed(ctx: Any) -> tuple[Function, Tensors]:
        """The product as an expression of inputs and last tensors."""
        rule, count, fixed = ctx.rule, ctx.count, ctx.saved_tensors[:ctx.held]

        def function(*tensors: Any) -> Any:
            return tuple(rule.expression(tensors, fixed))

        product = _pull if ctx.kind == "gradient" else _push
        return (lambda *tensors: product(function, tensors[:count], tensors[count:])), ctx.saved_tensors[ctx.held:]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        product, tensors = _Product.expressed(ctx)
        return (None,) * (4 + ctx.held) + _pull(product, tensors, cotangents)

    @staticmethod
    def jvp(ctx: Any, *moves: Any) -> Any:
        product, tensors = _Product.expressed(ctx)
        return _push(product, tensors, _given(moves[4 + ctx.held:], tensors))


@_function
class _Value(torch.autograd.Function):
    """Values that are known, with the derivatives of a rule."""

    @staticmethod
    def forward(rule: Rule, outputs: int, held: int, *tensors: Any) -> Any:
        return tuple(each.clone() for each in tensors[:outputs])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.rule, ctx.outputs, ctx.held, *tensors = inputs
        ctx.save_for_backward(*tensors[ctx.outputs:])
        ctx.save_for_forward(*tensors[ctx.outputs:])

    @staticmethod
    def product(ctx: Any, kind: str, last: Tensors) -> Any:
        return _Product.apply(ctx.rule, kind, ctx.held, len(ctx.saved_tensors) - ctx.held, *ctx.saved_tensors, *last)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return (None,) * (3 + ctx.outputs + ctx.held) + tuple(_Value.product(ctx, "gradient", cotangents))

    @staticmethod
    def jvp(ctx: Any, *moves: Any) -> Any:
        inputs = ctx.saved_tensors[ctx.held:]
        return tuple(_Value.product(ctx, "tangent", _given(moves[3 + ctx.outputs + ctx.held:], inputs)))


def apply(rule: Rule, values: Tensors, fixed: Tensors, inputs: Tensors) -> tuple[torch.Tensor, ...]:
    """The values of a rule's function, found before, as functions of the inputs."""
    return tuple(_Value.apply(rule, len(values), len(fixed), *values, *fixed, *inputs))
