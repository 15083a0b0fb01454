"""Names for the types of arguments and results, for annotations in your own code.

>>> from numpy.typing import ArrayLike
>>> from kith.typing import BoxLike
>>> def contacts(atoms: ArrayLike, box: BoxLike = None) -> kith.Pairs:
...     return kith.radius_pairs(atoms, radius=3.5, box=box)
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Protocol, Sequence, TypeAlias, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._box import Box
    from ._stored import StoredPoints
    from ._tree import Tree

__all__ = [
    "Advantage", "AngleUnit", "AnyPoints", "Baseline", "Border", "BoxLike", "Builder", "CenterKind", "Communicator", "Curve", "Edge",
    "Estimator", "FloatType", "Floats", "IndexType", "Indices", "Kernel", "LengthRule", "LengthsLike", "LineOfSight", "Memory", "Method", "NonFinite", "Order",
    "PathLike", "PointsLike", "Progress", "ProgressFunction", "RankWeight", "Selection", "Separation", "SplitAxis",
    "SubhaloMethod", "Transfer",
    "TreeOptions",
]

# Arguments.
BoxLike: TypeAlias = Union["Box", float, Sequence[float], "NDArray[np.floating[Any]]",
                           "NDArray[np.integer[Any]]", None]
PointsLike: TypeAlias = Union[ArrayLike, "Tree"]
AnyPoints: TypeAlias = Union[ArrayLike, "Tree", "StoredPoints"]
LengthsLike: TypeAlias = Union[float, Sequence[float], "NDArray[np.floating[Any]]", "NDArray[np.integer[Any]]", None]
PathLike: TypeAlias = Union[str, "os.PathLike[str]"]
FloatType: TypeAlias = Union[type[np.float32], type[np.float64], type[float], "np.dtype[np.floating[Any]]",
                             Literal["float32", "float64"]]
IndexType: TypeAlias = Union[type[np.int32], type[np.int64], "np.dtype[np.signedinteger[Any]]",
                             Literal["int32", "int64"]]

# Results: float32 or float64 as the points are, int32 or int64 as the number of points demands.
Floats: TypeAlias = "NDArray[np.floating[Any]]"
Indices: TypeAlias = "NDArray[np.signedinteger[Any]]"

# Choices.
Advantage: TypeAlias = Literal["plain", "normalized", "clipped"]
AngleUnit: TypeAlias = Literal["degrees", "radians"]
Baseline: TypeAlias = Literal["none", "leave_one_out", "batch_mean"]
Border: TypeAlias = Literal["nearest", "sklearn", "none"]
Builder: TypeAlias = Literal["packed", "cells"]
CenterKind: TypeAlias = Literal["potential", "shrinking", "mass"]
SubhaloMethod: TypeAlias = Literal["automatic", "subfind", "phase", "phase_fof"]
Curve: TypeAlias = Literal["automatic", "hilbert", "z", "kd"]
Edge: TypeAlias = Literal["critical200", "critical500", "mean200", "virial"]
Estimator: TypeAlias = Literal["landy_szalay", "natural"]
Kernel: TypeAlias = Literal["cubic_spline", "wendland_c2"]
LengthRule: TypeAlias = Literal["mean", "least", "largest"]
LineOfSight: TypeAlias = Literal["x", "y", "z", "midpoint"]
Method: TypeAlias = Literal["automatic", "predict", "walk"]
NonFinite: TypeAlias = Literal["error", "drop"]
Order: TypeAlias = Literal["input", "tree"]
RankWeight: TypeAlias = Literal["sqrt_rank", "inverse_rank", "equal"]
Selection: TypeAlias = Literal["eom", "leaf"]
Separation: TypeAlias = Literal["r", "rp_pi", "s_mu", "theta"]
SplitAxis: TypeAlias = Literal["widest", "cyclic", "variance"]
Transfer: TypeAlias = Literal["eisenstein_hu", "bbks"]


class ProgressFunction(Protocol):
    """Called with the name of the stage, how many of its steps are done, and how many there are."""

    def __call__(self, stage: str, done: int, total: int, /) -> object: ...


Progress: TypeAlias = Union[ProgressFunction, bool, None]


class TreeOptions(TypedDict, total=False):
    """Options of kith.Tree."""

    box: BoxLike
    builder: Builder
    curve: Curve
    split_axis: SplitAxis
    non_finite: NonFinite
    max_leaf_size: int
    coarsening: int
    max_volume_ratio: float


class Communicator(Protocol):
    """A communicator of mpi4py."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    def py2f(self) -> int: ...


class Memory(TypedDict):
    """The result of kith.estimate_memory, in bytes."""

    peak: int
    kept: int
