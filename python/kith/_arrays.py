"""Input arrays: which are accepted, and which type and layout they are converted to.

The rule: float32 stays float32 and float64 stays float64; float16 and bfloat16 become float32, which holds
them exactly; bool, integers, longdouble and everything else that NumPy can convert to numbers become
float64. Rows whose numbers are adjacent in memory, in native byte order, are used in place; any other
layout (Fortran order, every second column, big-endian, reversed) is copied.
"""
from __future__ import annotations

from typing import Any, Sequence, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._errors import ArgumentError, ArgumentTypeError
from .typing import Floats, IndexType, Indices

Integer = TypeVar("Integer", bound=np.integer[Any])
Scalar = TypeVar("Scalar", bound=np.floating[Any])

Real = np.dtype[np.floating[Any]]
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


def _expect_plain(x: Any, name: str) -> None:
    """Units would be lost, and sparse matrices are objects to NumPy."""
    unit = getattr(x, "unit", None) if hasattr(x, "to_value") else None
    if unit is None and (hasattr(x, "to_value") or hasattr(x, "magnitude")):
        unit = getattr(x, "units", None)
    if unit is not None and str(unit) not in ("", "dimensionless"):
        raise ArgumentTypeError(f"{name}: values in units of {unit}; kith computes with plain numbers: convert all "
                                "lengths to one unit and pass their values, such as x.to_value(unit)")
    if hasattr(x, "tocsr") and hasattr(x, "toarray"):
        raise ArgumentTypeError(f"{name}: a sparse matrix; kith needs all coordinates: pass x.toarray()")


def _is_bfloat16(x: Any) -> bool:
    return str(getattr(x, "dtype", "")) == "torch.bfloat16"


def as_array(x: Any, name: str) -> NDArray[Any]:
    """Anything with DLPack, the array interface or nested sequences as a NumPy array, in place if possible."""
    _expect_plain(x, name)
    if _is_bfloat16(x):
        x = x.float()  # exact; NumPy has no such type
    if isinstance(x, np.ma.MaskedArray):
        if np.ma.is_masked(x):
            masked = np.count_nonzero(np.ma.getmaskarray(x))
            raise ArgumentError(f"{name}: a masked array with {masked} masked values; select the valid rows, "
                                "x[~x.mask.any(axis=1)].data, or fill with NaN and pass non_finite='drop'")
        return np.asarray(x.data)
    if isinstance(x, np.ndarray):
        return np.asarray(x)  # a subclass becomes the plain array under it
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass  # a type or device that DLPack cannot pass on: NumPy's message is clearer
    try:
        return np.asarray(x)
    except ValueError as error:
        raise ArgumentError(f"{name}: rows of different lengths; give as many numbers in each row") from error
    except (RuntimeError, TypeError) as error:  # torch: a tensor that requires a gradient
        raise ArgumentTypeError(f"{name}: {error}; convert it to a NumPy array of numbers") from error


def scalar_type(dtype: np.dtype[Any], name: str) -> Real:
    """The type in which the library computes with numbers of this type."""
    if dtype.kind == "c":
        raise ArgumentTypeError(f"{name}: complex data; coordinates are real numbers: pass the real and the "
                        "imaginary part as two coordinates")
    if dtype.kind in "SUV" and dtype.name != "bfloat16":
        raise ArgumentTypeError(f"{name}: values of type {dtype} are not numbers; convert them first, such as "
                                "x.astype(float)")
    if dtype.kind in "mM":
        raise ArgumentTypeError(f"{name}: times ({dtype}); convert them to numbers first")
    if dtype.kind == "f":
        return FLOAT32 if dtype.itemsize <= 4 else FLOAT64
    return FLOAT32 if dtype.name == "bfloat16" else FLOAT64


def _is_usable(a: NDArray[Any]) -> bool:
    """Whether the library can read the rows in place."""
    size = a.itemsize
    if not a.dtype.isnative or not a.flags.aligned:
        return False
    if a.shape[1] > 1 and a.strides[1] != size:
        return False
    return a.shape[0] <= 1 or (a.strides[0] >= a.shape[1] * size and a.strides[0] % size == 0)


def points(x: Any, name: str = "points", dtype: Real | None = None) -> Floats:
    """Rows of coordinates as the library reads them, in the given type or in the type that the rule above gives."""
    a = as_array(x, name)
    if a.ndim != 2:
        raise ArgumentError(f"{name}: an array of shape {a.shape}; give one row per point: (n, dimension)"
                         + ("; for one point x[None, :], for points on a line x[:, None]" if a.ndim == 1 else ""))
    wanted = scalar_type(a.dtype, name) if dtype is None else dtype
    scalar_type(a.dtype, name)
    if a.dtype == wanted and _is_usable(a):
        return a
    return _converted(a, wanted, name)


def _converted(a: NDArray[Any], wanted: np.dtype[Scalar], name: str) -> NDArray[Scalar]:
    if a.dtype.kind == "O":
        for place, each in np.ndenumerate(a):
            if each is None:
                raise ArgumentTypeError(f"{name}: element {list(place)} is None; give a number, or NaN with "
                                        "non_finite='drop'")
    try:
        return np.ascontiguousarray(a, dtype=wanted)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name}: values of type {a.dtype} are not numbers ({error}); give an array of "
                                "float64") from error


@overload
def values(x: Any, count: int, name: str) -> Floats: ...


@overload
def values(x: Any, count: int, name: str, dtype: np.dtype[Scalar]) -> NDArray[Scalar]: ...


def values(x: Any, count: int, name: str, dtype: Real | None = None) -> Floats:
    """One number per point."""
    a = as_array(x, name)
    if a.shape != (count,):
        raise ArgumentError(f"{name}: an array of shape {a.shape} for {count} points; give one number for each")
    wanted = scalar_type(a.dtype, name) if dtype is None else dtype
    return _converted(a, wanted, name)


def floats(x: Any, name: str) -> NDArray[np.float64]:
    """An array of float64, of any shape."""
    a = as_array(x, name)
    scalar_type(a.dtype, name)
    return _converted(a, FLOAT64, name)


def numbers(x: Any, name: str) -> NDArray[np.float64]:
    """Any number of float64, in one row."""
    return floats(x, name).ravel()


def integers(x: Any, name: str, dtype: type[Integer]) -> NDArray[Integer]:
    """An array of integers, of any shape."""
    a = as_array(x, name)
    if a.size and a.dtype.kind not in "biu":
        raise ArgumentTypeError(f"{name}: values of type {a.dtype}; give integers")
    limits = np.iinfo(dtype)
    if a.size and (int(a.min()) < limits.min or int(a.max()) > limits.max):
        raise ArgumentError(f"{name}: values from {a.min()} to {a.max()}; give integers from {limits.min} to "
                            f"{limits.max}")
    return np.ascontiguousarray(a, dtype=dtype)


def number(x: Any, name: str) -> float:
    """A single number."""
    _expect_plain(x, name)
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{name} = {x!r}; give a number") from error


def whole(x: Any, name: str, least: int = 1) -> int:
    """A whole number that the library can hold, of at least this."""
    if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)):
        raise ArgumentTypeError(f"{name} = {x!r}; give a whole number")
    if not least <= x < 2**63:
        raise ArgumentError(f"{name} = {x}; give " + (f"at least {least}" if x < least else "less than 2**63"))
    return int(x)


def is_single(x: Any, name: str) -> bool:
    """One value, not a sequence of them."""
    return as_array(x, name).ndim == 0


def per_axis(x: int | Sequence[int], axes: int, name: str) -> list[int]:
    """One number for all axes, or one each."""
    each: Any = [x] * axes if is_single(x, name) else x
    return [whole(one, name) for one in each]


def small_integers(x: Any, count: int, name: str) -> NDArray[np.uint8]:
    """One number from 0 to 255 per point."""
    a = as_array(x, name)
    if a.shape != (count,):
        raise ArgumentError(f"{name}: an array of shape {a.shape} for {count} points; give one number for each")
    if a.dtype.kind not in "biu" or (count and (a.min() < 0 or a.max() > 255)):
        raise ArgumentError(f"{name}: values must be integers from 0 to 255")
    return np.ascontiguousarray(a, dtype=np.uint8)


def rows_for(out: Any, shape: tuple[int, int], dtype: Real,
             index_types: tuple[IndexType, ...]) -> tuple[Indices, Floats]:
    """The arrays of ``out=(index, distance)`` if a search can write its rows there; raises otherwise."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise ArgumentTypeError("out: give two arrays, as the call returns them")
    for array, name, types in ((out[0], "indices", index_types), (out[1], "distances", (dtype,))):
        if not isinstance(array, np.ndarray) or array.dtype not in [np.dtype(each) for each in types]:
            allowed = " or ".join(np.dtype(each).name for each in types)
            raise ArgumentTypeError(f"out: the {name} need an array of {allowed}")
        if array.shape != shape:
            raise ArgumentError(f"out: {name} of shape {array.shape}; the result has the shape {shape}")
        if not array.flags.c_contiguous or not array.flags.writeable or not array.flags.aligned:
            raise ArgumentError(f"out: the {name} need a writable array with adjacent rows")
    return out[0], out[1]
