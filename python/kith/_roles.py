"""Halos of a snapshot by the rules of ``kith fof``: which particles form groups, which join them, and their mean
separation."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _kith
from ._call import carry_out
from ._snapshot import Snapshot

_GRAVITY = 6.6743e-8  # cgs
_MPC = 3.0856775814913673e24  # cm
_BARYONS = (0, 4, 5)  # gas, stars and black holes
_HEAVIER = 1.5  # low-resolution particles are at least 8 times heavier
_BARYON_FRACTION = 0.157  # Planck 2018; for files that have gas but no Omega_b
_SAME_SEPARATION = 0.01  # differences that constants and rounded masses may cause


class Roles:
    """The particles of a snapshot by type, ascending: types in ``link`` form groups, the others join them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        counts = {entry["type"]: entry["count"] for entry in snapshot.info["types"]}
        present = [type for type in sorted(counts) if not snapshot._types or type in snapshot._types]
        self.link = [1] if 1 in present else present
        self.contaminating = [type for type in (2, 3) if self.link == [1] and type in present
                              and self._mean_mass([type]) > _HEAVIER * self._mean_mass([1])]
        joining = [type for type in (*_BARYONS, *self.contaminating) if type in present and type not in self.link]
        self.types = sorted(self.link + joining)
        self.counts = [counts[type] for type in self.types]
        self.has_baryons = any(type not in self.link and type in counts for type in _BARYONS)

    def has(self, field: str) -> bool:
        return self.snapshot._core.has(field, self.types)

    def read(self, field: str, dtype: np.dtype | None = None) -> np.ndarray:
        return self.snapshot._read(field, self.types, 0, sum(self.counts), dtype or self.snapshot.dtype)

    def parts(self, position: np.ndarray) -> list[np.ndarray]:
        """Positions of each type."""
        return np.split(position, np.cumsum(self.counts)[:-1])

    @property
    def type(self) -> np.ndarray:
        return np.repeat(np.array(self.types, np.uint8), self.counts)

    @property
    def gravity(self) -> float:
        """Newton's constant in the units of the snapshot, for lengths as stored; 0 if the units are unknown."""
        units = self.snapshot.info["units"]
        if not self._has_units():
            return 0.0
        newton = _GRAVITY * units["mass"] / (units["length"] * units["velocity"]**2)
        return newton / (self.snapshot.info["background"]["scale_factor"] if units["is_comoving"] else 1)

    def separation(self, box: Any) -> float | None:
        """The mean separation that follows from the mass of the linked particles; None if they fill the box."""
        sides = box.sides(self.snapshot.info["dimension"])
        count = sum(n for type, n in zip(self.types, self.counts) if type in self.link)
        by_mass = self._separation_by_mass()
        if by_mass == 0 or count == 0:
            return None
        if not np.all(sides > 0):
            return by_mass
        by_number = math.cbrt(float(np.prod(sides)) / count)
        is_known = not self.has_baryons or self.snapshot.info["background"]["omega_b"] > 0
        return None if abs(by_mass / by_number - 1) <= (_SAME_SEPARATION if is_known else 0.1) else by_mass

    def about(self) -> dict[str, Any]:
        """The facts about the snapshot that the catalogue keeps."""
        info = self.snapshot.info
        units, background = info["units"], info["background"]
        facts = {"snapshot": info["files"][0], "type_numbers": info["type_numbers"], "types": self.types,
                 "counts": self.counts, "link_types": self.link,
                 "attach_types": [type for type in self.types if type not in self.link],
                 "time": info["time"], "is_cosmological": background["is_known"]}
        facts |= {f"unit_{name}": units[name] for name in ("length", "mass", "velocity")}
        facts |= {name: units[name] for name in ("is_per_h", "is_comoving")}
        return facts | {name: value for name, value in background.items() if name != "is_known"}

    def _has_units(self) -> bool:
        return all(self.snapshot.info["units"][name] > 0 for name in ("length", "mass", "velocity"))

    def _mean_mass(self, types: list[int]) -> float:
        core = self.snapshot._core
        count = core.size(types)
        if count == 0 or not core.has("mass", types):
            return 0.0
        return float(np.mean(self.snapshot._read("mass", types, 0, count, np.dtype(np.float64))))

    def _separation_by_mass(self) -> float:
        """(m / rho)^(1/3), where rho is the mean density of the linked kind of matter: dark matter alone if the file
        has baryons too. 0 if the file lacks the cosmology or the units."""
        info = self.snapshot.info
        units, background = info["units"], info["background"]
        is_enough = background["is_known"] and self._has_units() and info["dimension"] == 3
        if not is_enough:
            return 0.0
        baryons = background["omega_b"] or _BARYON_FRACTION * background["omega_m"]
        omega = background["omega_m"] - (baryons if self.has_baryons else 0)
        h = 1 if units["is_per_h"] else background["h"]  # 1/h in the unit of length cancels it
        hubble = 100 * h * (units["length"] / _MPC) / (units["velocity"] / 1e5)
        gravity = _GRAVITY * units["mass"] / (units["length"] * units["velocity"]**2)
        physical = 1 if units["is_comoving"] else (1 + background["redshift"])**3
        density = omega * 3 * hubble**2 / (8 * math.pi * gravity) * physical
        return math.cbrt(self._mean_mass(self.link) / density)


def find_groups(roles: Roles, position: np.ndarray, options: dict[str, Any], how: dict[str, Any]) -> Any:
    """Friends of friends of particles by role; labels in the order of the types."""
    parts = roles.parts(position)
    if len(parts) == 1:
        return carry_out(_kith.fof_points, parts[0], options, **how)
    is_attached = [type not in roles.link for type in roles.types]
    return carry_out(_kith.fof_types, parts, is_attached, options, **how)
