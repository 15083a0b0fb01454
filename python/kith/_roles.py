"""Halos of a snapshot by the rules of ``kith fof``: which particles form groups, which join them, and their mean
separation."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kith
from ._arrays import Real
from ._box import Box
from ._call import carry_out
from ._snapshot import Snapshot
from .typing import Floats


class Roles:
    """The particles of a snapshot by type, ascending: types in ``link`` form groups, the others join them."""

    def __init__(self, snapshot: Snapshot, how: dict[str, Any]) -> None:
        self.snapshot = snapshot
        self._core = snapshot._core
        self._how = how
        roles = carry_out(_kith.CoreSnapshot.roles, self._core, snapshot._types, **how)
        self.link: list[int] = roles["linked"]
        self.contaminating: list[int] = roles["contaminating"]
        self.types = sorted(self.link + roles["attached"])
        self.counts = [self._core.size([type]) for type in self.types]

    def has(self, field: str) -> bool:
        return self._core.has(field, self.types)

    def read(self, field: str, dtype: Real | None = None) -> Floats:
        return self.snapshot._read(field, self.types, 0, sum(self.counts), dtype or self.snapshot.dtype)

    def parts(self, position: Floats) -> list[Floats]:
        """Positions of each type."""
        return np.split(position, np.cumsum(self.counts)[:-1])

    @property
    def type(self) -> NDArray[np.uint8]:
        return np.repeat(np.array(self.types, np.uint8), self.counts)

    @property
    def gravity(self) -> float:
        """Newton's constant in the units of the snapshot, for lengths as stored; 0 if the units are unknown."""
        return self._core.gravity()

    @property
    def hubble_flow(self) -> float:
        """The expansion, velocity per length as stored; 0 if units or cosmology are unknown."""
        return self._core.hubble_flow()

    def separation(self, box: Box) -> float | None:
        """The mean separation that follows from the mass of the linked particles; None if they fill the box."""
        return carry_out(_kith.CoreSnapshot.separation_by_mass, self._core, self.link, box._core, **self._how)

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


def find_groups(roles: Roles, position: Floats, options: dict[str, Any],
                how: dict[str, Any]) -> _kith.CoreGroups:
    """Friends of friends of particles by role; labels in the order of the types."""
    parts = roles.parts(position)
    if len(parts) == 1:
        return carry_out(_kith.fof_points, parts[0], options, **how)
    is_attached = [type not in roles.link for type in roles.types]
    return carry_out(_kith.fof_types, parts, is_attached, options, **how)
