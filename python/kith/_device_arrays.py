"""Arrays in the memory of a GPU: those of CuPy, JAX, PyTorch and Numba in, the same kind out."""
from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _kith
from ._arrays import as_array
from ._errors import ArgumentError, ArgumentTypeError

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class DeviceArray:
    """An array in the memory of a device of CUDA or HIP. CuPy, JAX, PyTorch and Numba read it in place, by
    ``__cuda_array_interface__`` or DLPack: ``cupy.asarray(a)``, ``torch.as_tensor(a)``, ``jax.dlpack.from_dlpack(a)``.
    Its values are complete; no stream has to be waited for."""

    __slots__ = ("shape", "dtype", "device", "_memory")

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike, device: str) -> None:
        self.shape = shape
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.device = device
        """"cuda:0" or "hip:0"."""
        self._memory = _kith.DeviceMemory(self.nbytes, device)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._memory.address, False), "strides": None,
                "stream": None, "version": 3}

    def __dlpack__(self, **_: Any) -> Any:
        return self._memory.tensor(self.dtype.kind, self.dtype.itemsize, list(self.shape))

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.device.split(":")
        return (2 if kind == "cuda" else 10), int(number)

    def numpy(self) -> NDArray[Any]:
        """A copy on the host."""
        copy = np.empty(self.shape, self.dtype)
        self._memory.read(copy.view(np.uint8).reshape(-1) if copy.size else np.empty(0, np.uint8))
        return copy

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<kith.DeviceArray: {self.dtype} {self.shape} on {self.device}>"


def to_device(x: ArrayLike, device: str = "gpu") -> DeviceArray:
    """A copy of an array in the memory of a device of CUDA or HIP, for calls with this ``device=``.

    >>> x = kith.to_device(points, "cuda:0")               # doctest: +SKIP
    >>> index, distance = kith.knn(x, k=8, device="cuda:0")  # doctest: +SKIP
    """
    values = np.ascontiguousarray(as_array(x, "to_device"))
    made = DeviceArray(values.shape, values.dtype, _kith.device_api(device))
    made._memory.write(values.view(np.uint8).reshape(-1) if values.size else np.empty(0, np.uint8))
    return made


def interface_of(x: Any) -> dict[str, Any] | None:
    """The description of an array on a GPU; None for everything else."""
    try:
        found = getattr(x, "__cuda_array_interface__", None)
    except RuntimeError as error:  # torch: a tensor that requires a gradient
        raise ArgumentTypeError(f"{error}; pass x.detach()") from error
    return found if isinstance(found, dict) else None


class _Addressed:
    """Memory at an address, as NumPy takes it."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": dtype.str, "version": 3}


def label(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of NumPy at an address of a device, to be passed on to the extension module, which runs its device there. It
    must not be read or printed: its memory is not that of the host."""
    return np.asarray(_Addressed(address, shape, dtype))


def rows_there(x: Any, name: str, device: str, dtype: np.dtype[Any] | None = None) -> NDArray[Any]:
    """Points in the memory of the device, as the extension module takes them; x must outlive the call."""
    found = interface_of(x)
    assert found is not None
    if device == "cpu":
        raise ArgumentError(f"{name}: an array in the memory of a GPU, and device = cpu; pass device='cuda' (or 'hip'), or copy "
                            "the array to the host")
    shape, kind = tuple(found["shape"]), np.dtype(found["typestr"])
    if len(shape) != 2:
        raise ArgumentError(f"{name}: an array of shape {shape}; give one row per point: (n, dimension)")
    if kind not in _FLOATS or (dtype is not None and kind != dtype):
        wanted = "float32 or float64" if dtype is None else str(dtype)
        raise ArgumentTypeError(f"{name}: values of type {kind} on {device}; convert them to {wanted} there")
    strides = found.get("strides")
    if strides is not None and shape[0] > 1 and tuple(strides) != (shape[1] * kind.itemsize, kind.itemsize):
        raise ArgumentError(f"{name}: rows with gaps or in another order on {device}; make the array contiguous")
    address = int(found["data"][0])
    if shape[0] > 0 and not _kith.holds(address, device):
        raise ArgumentError(f"{name}: not in the memory of {device}; name the device of the array ('cuda:1'), or copy it")
    return label(address, shape, kind)


def like(kind: type, array: DeviceArray) -> Any:
    """The array as one of the library that a type is from, without a copy."""
    library = kind.__module__.split(".")[0].replace("jaxlib", "jax")
    if library not in ("cupy", "jax", "torch"):
        return array
    module: Any = importlib.import_module(library)
    if library == "cupy":
        return module.asarray(array)
    return (module.dlpack if library == "jax" else module).from_dlpack(array)
