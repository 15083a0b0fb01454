"""Which devices there are."""
from __future__ import annotations

from typing import NamedTuple

from . import _kith


class Device(NamedTuple):
    """A device of CUDA, HIP or OpenCL, for ``device=`` of a call."""

    name: str
    """"gpu:0" for the first; "gpu" is short for it."""
    model: str
    platform: str
    """The driver."""
    version: str
    is_gpu: bool
    memory: int
    """In bytes."""
    compute_units: int
    has_float64: bool
    refusal: str
    """Why it cannot be used; empty if it can."""
    pci_address: str
    """"0000:3b:00.0", another name for ``device=``; empty if the driver does not report it."""
    uuid: str
    """As in nvidia-smi, also a name; empty if the driver does not report it."""
    api: str
    """"cuda:0", "hip:0" or "opencl:1": another name, by the interface."""


def devices() -> list[Device]:
    """The devices of this machine: those of CUDA, of HIP, then of OpenCL.

    >>> kith.devices()                                     # doctest: +SKIP
    [Device(name='gpu:0', model='NVIDIA A100-SXM4-80GB', ...)]

    Raises RuntimeError (its ``code`` is "unavailable") if there are none and a library of an interface is missing."""
    return [Device(*facts) for facts in _kith.devices()]
