"""Derivatives of the library's functions as linear primitives of JAX.

A function's Jacobian-vector product (``tangent``) and vector-Jacobian product (``gradient``) are the transposes of each
other: JAX gets forward mode from the first and reverse mode from the second, each in the library's own bits. The
derivatives of the products themselves come from an expression of jax.numpy, if there is one.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Callable, Hashable, Sequence

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._errors import UnavailableError

__all__ = ["Products"]

Arrays = Sequence[Any]


def _one_after_the_other(primitive: Any, arguments: Arrays, axes: Sequence[Any], **fixed: Any) -> Any:
    """A batch as a loop."""
    batched = [jnp.moveaxis(x, axis, 0) for x, axis in zip(arguments, axes) if axis is not None]

    def one(rows: Any) -> Any:
        row = iter(rows)
        return primitive.bind(*(x if axis is None else next(row) for x, axis in zip(arguments, axes)),
                              **fixed)

    found = jax.lax.map(one, batched)
    return found, [0] * len(found)


def _is_zero(x: Any) -> bool:
    return isinstance(x, ad.Zero)


def _sum(terms: Sequence[Any], like: Arrays) -> list[Any]:
    """Of rows of tangents; zeros if there are none."""
    if not terms:
        return [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in like]
    return list(terms[0]) if len(terms) == 1 else [a + b for a, b in zip(*terms)]


class Products:
    """Both products of a function of ``inputs``, given ``fixed`` arrays that have no derivative and static options.

    ``tangent(options, fixed, inputs, tangents)`` and ``gradient(options, fixed, inputs, cotangents)`` call the library.
    ``expression(options, fixed, inputs)`` has the function's outputs in jax.numpy. All return sequences.
    """

    def __init__(self, name: str, *, tangent: Callable[..., Any], gradient: Callable[..., Any],
                 expression: Callable[..., Any] | None = None) -> None:
        self.name, self._expression = name, expression
        self._tangent = self._primitive(f"kith_{name}_jvp", tangent)
        self._gradient = self._primitive(f"kith_{name}_vjp", gradient)
        for primitive, other in ((self._tangent, self._gradient), (self._gradient, self._tangent)):
            ad.primitive_jvps[primitive] = partial(self._differentiate, primitive)
            ad.primitive_transposes[primitive] = partial(self._transpose, other)

    def tangent(self, options: Hashable, fixed: Arrays, inputs: Arrays, tangents: Arrays) -> list[Any]:
        """The change of the outputs when the inputs move along tangents; differentiable."""
        found: list[Any] = self._tangent.bind(*fixed, *inputs, *tangents, options=options, held=len(fixed),
                                              inputs=len(inputs))
        return found

    def _primitive(self, name: str, call: Callable[..., Any]) -> Any:
        def run(*arguments: Any, options: Any, held: int, inputs: int) -> list[Any]:
            end = held + inputs
            return list(call(options, arguments[:held], arguments[held:end], arguments[end:]))

        def shapes(*arguments: Any, **fixed: Any) -> list[Any]:
            found = jax.eval_shape(partial(run, **fixed), *(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arguments))
            return [ShapedArray(x.shape, x.dtype) for x in found]

        primitive: Any = Primitive(name)
        primitive.multiple_results = True
        primitive.def_impl(run)
        primitive.def_abstract_eval(shapes)
        mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=True))
        batching.primitive_batchers[primitive] = partial(_one_after_the_other, primitive)
        return primitive

    def _transpose(self, other: Any, cotangents: Arrays, *arguments: Any, options: Any, held: int, inputs: int) -> Any:
        """Each product is linear in its last arguments, and the other one is its transpose."""
        end = held + inputs
        given = [ad.instantiate_zeros(each) for each in cotangents]
        found = other.bind(*arguments[:end], *given, options=options, held=held, inputs=inputs)
        return [None] * end + [each if ad.is_undefined_primal(x) else None for x, each in zip(arguments[end:], found)]

    def _differentiate(self, primitive: Any, arguments: Arrays, moves: Arrays, **fixed: Any) -> Any:
        """The derivative by the last arguments is the product itself; that by the inputs is of second order."""
        start, end = fixed["held"], fixed["held"] + fixed["inputs"]
        out = primitive.bind(*arguments, **fixed)
        terms = []
        if not all(map(_is_zero, moves[end:])):
            terms.append(primitive.bind(*arguments[:end], *map(ad.instantiate_zeros, moves[end:]), **fixed))
        if not all(map(_is_zero, moves[start:end])):
            product = self._expressed(primitive, fixed["options"], arguments[:start], arguments[end:])
            terms.append(jax.jvp(product, tuple(arguments[start:end]),
                                 tuple(map(ad.instantiate_zeros, moves[start:end])))[1])
        return out, _sum(terms, out)

    def _expressed(self, primitive: Any, options: Any, held: Arrays, last: Arrays) -> Callable[..., Any]:
        """The product as a function of the inputs alone, by the expression."""
        expression = self._expression
        if expression is None:
            raise UnavailableError(f"kith.jax: second derivatives of {self.name} are not available; take first derivatives "
                                   "alone, or differentiate this part by differences")

        def function(*inputs: Any) -> tuple[Any, ...]:
            return tuple(expression(options, held, inputs))

        def tangent(*inputs: Any) -> list[Any]:
            return list(jax.jvp(function, inputs, tuple(last))[1])

        def gradient(*inputs: Any) -> list[Any]:
            return list(jax.vjp(function, *inputs)[1](tuple(last)))

        return tangent if primitive is self._tangent else gradient
