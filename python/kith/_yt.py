"""Particles that yt has loaded."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from ._box import Box
from ._errors import ArgumentError, ArgumentTypeError
from .typing import FloatType


class YtParticles:
    """Particles of a yt dataset as arrays; made by kith.from_yt.

    Attributes
    ----------
    position, velocity, mass, id : ndarray
        Comoving positions in Mpc/h, velocities in km/s, masses in Msun/h, ids. ``fields`` lists those that exist; the
        others are None. Without a cosmology, lengths are in Mpc and masses in Msun.
    box : Box
        The domain, periodic on the axes on which yt has it so.
    redshift : float
    units : str
        The units of length, mass and velocity, as kith.write_snapshot and kith.read_snapshot take them.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]], box: Box, redshift: float, units: str) -> None:
        self.position = arrays["position"]
        self.velocity = arrays.get("velocity")
        self.mass = arrays.get("mass")
        self.id = arrays.get("id")
        self.fields = tuple(arrays)
        self.box = box
        self.redshift = redshift
        self.units = units

    def __len__(self) -> int:
        return len(self.position)

    def __repr__(self) -> str:
        return f"<kith.YtParticles: {len(self)} particles, {', '.join(self.fields)}, {self.units}>"


def from_yt(dataset: Any, *, type: str | None = None, dtype: FloatType = np.float64) -> YtParticles:
    """Reads the particles of a dataset that yt has loaded: RAMSES, Enzo, AMReX and everything else that yt reads.

    Parameters
    ----------
    dataset : yt dataset or data object
        The result of yt.load, or a part of it such as ``ds.sphere(...)``.
    type : str, optional
        The particle type in yt, such as "DM", "PartType1" or "nbody". Default: "DM", "dark_matter", "nbody", "all" or
        "io", the first of them that exists.
    dtype : dtype, optional
        float32 or float64.

    Returns
    -------
    YtParticles
        In the units that halo catalogues use: comoving Mpc/h, Msun/h and km/s.
    """
    data = dataset.all_data() if hasattr(dataset, "all_data") else dataset
    if not hasattr(data, "ds"):
        raise ArgumentTypeError(f"from_yt: {dataset.__class__.__name__} is not a dataset of yt; pass what yt.load returns")
    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ArgumentTypeError(f"from_yt: dtype {np.dtype(dtype)}; coordinates are float32 or float64")
    ds = data.ds
    kind = _chosen_type(ds, type)
    is_cosmological = bool(getattr(ds, "cosmological_simulation", False))
    length, mass = ("Mpccm/h", "Msun/h") if is_cosmological else ("Mpc", "Msun")

    def read(name: str, unit: str) -> NDArray[Any]:
        return np.ascontiguousarray(data[kind, name].to_value(unit), dtype)

    arrays = {"position": read("particle_position", length)}
    known = {name for family, name in ds.derived_field_list if family == kind}
    if "particle_velocity" in known or {"particle_velocity_x", "particle_position_x"} <= known:
        arrays["velocity"] = read("particle_velocity", "km/s")
    if "particle_mass" in known:
        arrays["mass"] = read("particle_mass", mass)
    if "particle_index" in known:
        arrays["id"] = np.asarray(data[kind, "particle_index"], np.uint64)
    width = ds.domain_width.to_value(length)
    sides = [float(side) if periodic else 0.0 for side, periodic in zip(width, ds.periodicity)]
    box = Box(sides, [float(edge) for edge in ds.domain_left_edge.to_value(length)])
    units = "Mpc/h,Msun/h,km/s" if is_cosmological else "Mpc,Msun,km/s"
    return YtParticles(arrays, box, float(getattr(ds, "current_redshift", 0.0)) if is_cosmological else 0.0, units)


def _chosen_type(ds: Any, asked: str | None) -> str:
    kinds: Sequence[str] = sorted({family for family, name in ds.derived_field_list if name == "particle_position"})
    wanted = [asked] if asked else ["DM", "dark_matter", "nbody", "all", "io"]
    for kind in wanted:
        if kind in kinds:
            return kind
    raise ArgumentError(f"from_yt: no particles of type {' or '.join(wanted)}; the dataset has {', '.join(kinds) or 'none'}")
