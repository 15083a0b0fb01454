"""Catalogues of groups, halos, subhalos, and spheres of a given density."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _kith, mpi
from ._arrays import FLOAT64, is_single, number, numbers, points as as_points, small_integers, values
from ._box import Box, as_box
from ._call import CancelToken, Progress, carry_out
from ._catalogue import Catalogue
from ._errors import ArgumentError, ArgumentTypeError
from ._groups import Groups, _at_least_one, fof
from ._ranks import refuse
from ._roles import Roles, find_groups
from ._show import table
from ._snapshot import Snapshot
from ._tree import Tree, as_tree


def _mass_options(mass: Any, count: int) -> dict[str, Any]:
    """One mass for all, or one per point."""
    if mass is None:
        return {}
    if is_single(mass, "mass"):
        return {"same_mass": number(mass, "mass")}
    return {"mass": values(mass, count, "mass")}


def _velocity_option(velocity: Any) -> dict[str, Any]:
    return {} if velocity is None else {"velocity": as_points(velocity, "velocity")}


def _as_groups(groups: Any) -> Groups:
    return groups if isinstance(groups, Groups) else Groups(groups)


def peak_members(groups: Any, value: Any, *, peak: str = "largest") -> np.ndarray:
    """For each group, the index of the member with the largest ``value``, for example its density, or with the smallest
    one if ``peak="smallest"``, for example the distance to its k-th neighbor. Equal values are resolved by index."""
    if peak not in ("largest", "smallest"):
        raise ArgumentError(f"peak = {peak!r}; there are: largest, smallest")
    chosen = _as_groups(groups)
    per_point = values(value, len(chosen.label), "value")
    return carry_out(_kith.peak_members, chosen._members, per_point, peak == "smallest")


def centers(points: Any, groups: Any, *, kind: str = "potential", softening: float = 0.0, mass: Any = None,
            type: Any = None, types: Sequence[int] = (), box: Any = None, threads: int | None = None,
            progress: Progress = None, cancel: CancelToken | None = None) -> np.ndarray:
    """One center per group, as rows.

    Parameters
    ----------
    points, groups, mass, box
        See catalogue.
    kind : "potential", "shrinking" or "mass"
        The member with the deepest potential, the center of shrinking spheres, or the center of mass. The densest
        member is found by peak_members.
    softening : float
        The gravitational softening length of the potentials; a fifth of the linking length is a good choice.
    type, types : array_like of small integers, sequence of int
        The type of each point, and the types that may determine the center, such as dark matter alone.
    """
    chosen, groups = as_points(points), _as_groups(groups)
    options = {"box": as_box(box)._core, "kind": kind, "softening": softening, "types": list(types),
               **_mass_options(mass, len(chosen))}
    if type is not None:
        options["type"] = small_integers(type, len(chosen), "type")
    return carry_out(_kith.centers, chosen, groups._members, options, threads=threads, progress=progress,
                     cancel=cancel)


def catalogue(points: Any, groups: Any, *, mass: Any = None, velocity: Any = None, type: Any = None,
              types: int = 0, contaminating_types: Sequence[int] = (), gravity: float = 0.0, peak: Any = None,
              box: Any = None, threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None, device: str = "cpu") -> Catalogue:
    """The properties of all groups.

    Parameters
    ----------
    points : array_like, (n, dimension)
        The points that were grouped.
    groups : Groups, or array_like of labels
    mass : float or array_like, optional
        One mass for all points, or one per point. Default: 1.
    velocity : array_like, (n, dimension), optional
    type : array_like of small integers, optional
        The type of each point, for counts and masses per type; ``types`` is the number of types.
    contaminating_types : sequence of int
        The types of the low-resolution particles of a zoom simulation.
    gravity : float
        Newton's constant in velocity^2 length / mass, divided by the scale factor if lengths are comoving. It is
        needed for ``max_circular_velocity``; use 4.30091727e-9 for Mpc, km/s and Msun.
    peak : array_like, (groups, dimension), optional
        The centers that ``max_circular_velocity`` uses. Default: the centers of mass.
    box : float, sequence or Box, optional
        The box in which the groups were found.
    threads, progress, cancel, device
        See Tree. A device adds up the members; eigenvalues, roots and circular velocities are computed on the CPU, and
        so is everything if the device has no float64.

    Returns
    -------
    Catalogue
        Its bits depend neither on the number of threads nor on the device.
    """
    chosen, groups = as_points(points), _as_groups(groups)
    options = {"box": as_box(box)._core, "types": types, "contaminating_types": list(contaminating_types),
               "gravity": gravity, "peak": [] if peak is None else as_points(peak, "peak", FLOAT64).ravel().tolist(),
               **_mass_options(mass, len(chosen)), **_velocity_option(velocity)}
    if type is not None:
        options["type"] = small_integers(type, len(chosen), "type")
    core = carry_out(_kith.catalogue, chosen, groups._members, options, threads=threads, progress=progress,
                     cancel=cancel, device=device)
    about = {**_about(chosen, box), "linking_length": groups.linking_length, "gravity": gravity,
             "contaminating_types": list(contaminating_types)}
    return Catalogue._of(core, groups, about)


def _about(points: np.ndarray, box: Any) -> dict[str, Any]:
    """The facts about a call that the file keeps."""
    return {"points": len(points), "scalar": points.dtype.name, "box": as_box(box)}


def halos(points: Any, *, velocity: Any = None, mass: Any = None, b: float | None = None,
          linking_length: float | None = None, box: Any = None, min_size: int = 20,
          mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
          threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None, device: str = "cpu", comm: Any = None) -> Catalogue:
    """Finds friends-of-friends groups and computes their catalogue in one call. ``groups`` of the result has the
    labels. The parameters are those of kith.fof and kith.catalogue.

    You can pass a kith.Snapshot instead of points: ``kith.halos(kith.read_snapshot("snapshot.hdf5"), b=0.2)``. Box,
    velocities, masses and units are then taken from it, and the result equals that of the command ``kith fof``: dark
    matter (type 1) forms the groups; gas, stars and black holes join them; heavy particles of types 2 and 3 count as
    contaminating. If there is no type 1, all types form groups. Open the snapshot with ``types`` to leave some out.
    Where the linked particles do not fill the box, the mean separation follows from the particle mass.

    With ``comm``, a communicator of mpi4py, every rank passes its part of the points, velocities and masses and gets
    its rows of the catalogue, a kith.mpi.Halos.
    """
    if comm is not None:
        refuse(comm, "halos", snapshot=isinstance(points, Snapshot), progress=bool(progress),
               cancel=cancel is not None, device=device != "cpu")
        return mpi.halos(comm, points, velocity=velocity, mass=mass, b=b, linking_length=linking_length,  # type: ignore
                         box=box, min_size=min_size, mean_separation=mean_separation, volume=volume, strict=strict,
                         threads=threads)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    given: dict[str, Any] = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation,
                             "volume": volume, "strict": strict, "min_size": _at_least_one(min_size)}
    if isinstance(points, Snapshot):
        if velocity is not None or mass is not None:
            raise ArgumentTypeError("halos: the snapshot already has velocities and masses; to use others, pass arrays instead "
                            "of the snapshot")
        found = _snapshot_halos(points, points.box if box is None else as_box(box), given, how, device)
    else:
        chosen = as_points(points)
        groups = fof(chosen, box=box, **given, **how, device=device)
        found = catalogue(chosen, groups, mass=mass, velocity=velocity, box=box, **how, device=device)
    found.about["min_size"] = min_size
    found.about["strict"] = strict
    if b is not None:
        found.about["b"] = b
    return found


def _snapshot_halos(snapshot: Snapshot, box: Box, given: dict[str, Any], how: dict[str, Any],
                    device: str) -> Catalogue:
    roles = Roles(snapshot, how)
    if given["b"] is not None and given["mean_separation"] is None and given["volume"] is None:
        given = given | {"mean_separation": roles.separation(box)}
    position = roles.read("position")
    options = given | {"keep_roots": False, "box": box._core, "non_finite": None}
    groups = Groups._of(find_groups(roles, position, options, how | {"device": device}))
    columns: dict[str, Any] = {}
    if roles.has("mass"):
        columns = {"mass": roles.read("mass", FLOAT64), "gravity": roles.gravity}
    if roles.has("velocity"):
        columns["velocity"] = roles.read("velocity")
    if len(roles.types) > 1:
        columns |= {"type": roles.type, "types": max(snapshot.info["type_numbers"], roles.types[-1] + 1)}
    found = catalogue(position, groups, box=box, contaminating_types=roles.contaminating, **columns, **how,
                      device=device)
    found.about |= roles.about()
    return found


class Subhalos:
    """Groups inside groups, sorted by halo, then by size, largest first.

    Attributes
    ----------
    parent : ndarray
        The label of the halo that contains each subhalo.
    order, offset : ndarray
        Members of subhalo s: ``order[offset[s]:offset[s + 1]]``.
    catalogue : Catalogue
        The properties of the subhalos.
    """

    def __init__(self, parent: np.ndarray, order: np.ndarray, offset: np.ndarray, catalogue: Catalogue) -> None:
        self.parent = parent
        self.order = order
        self.offset = offset
        self.catalogue = catalogue

    def members(self, subhalo: int) -> np.ndarray:
        """Indices of the points of a subhalo, ascending."""
        return self.order[self.offset[subhalo]:self.offset[subhalo + 1]]

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"<kith.Subhalos: {len(self)} in {len(np.unique(self.parent))} halos>"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the first subhalos with their halos."""
        rows = [[s, self.parent[s], self.catalogue.size[s], self.catalogue.mass[s]] for s in range(min(10, len(self)))]
        return table(["", "halo", "size", "mass"], rows, f"{len(self)} subhalos in {len(np.unique(self.parent))} halos")


def subhalos(points: Any, groups: Any, *, velocity: Any, linking_length: float, mass: Any = None,
             position_scale: float = 0.0, velocity_scale: float = 0.0, min_size: int = 20, box: Any = None,
             threads: int | None = None, progress: Progress = None,
             cancel: CancelToken | None = None) -> Subhalos:
    """Finds substructure: friends of friends in phase space among the members of each halo, with the distance
    d2 = |dx|^2 / position_scale^2 + |dv|^2 / velocity_scale^2.

    ``linking_length`` is in units of these scales. A scale of 0 is computed from the members of each halo. The other
    parameters are those of catalogue.
    """
    chosen = as_points(points)
    options = {"box": as_box(box)._core, "linking_length": linking_length, "position_scale": position_scale,
               "velocity_scale": velocity_scale, "min_size": min_size, **_mass_options(mass, len(chosen)),
               **_velocity_option(velocity)}
    parent, members, core = carry_out(_kith.subhalos, chosen, _as_groups(groups)._members, options, threads=threads,
                                      progress=progress, cancel=cancel)
    about = {**_about(chosen, box), "linking_length": linking_length}
    return Subhalos(parent, members.order(), members.offset().view(np.int64),
                    Catalogue._of(core, None, about))


class Overdensities(NamedTuple):
    """Masses, radii and numbers of points of spheres: one row per center, one column per density. Treat masses of
    fewer than 100 points as unresolved."""

    mass: np.ndarray
    radius: np.ndarray
    size: np.ndarray


def edge_density(edge: str, *, omega_m: float = 0.31, omega_lambda: float = 0.69, redshift: float = 0.0,
                 hubble: float = 100.0, gravity: float = 4.30091727e-9) -> float:
    """The density, per comoving volume, that defines the edge of a halo: "critical200", "critical500", "mean200" or
    "virial". The defaults of ``hubble`` and ``gravity`` are in Mpc/h, km/s and Msun/h."""
    if not isinstance(edge, str):
        raise ArgumentTypeError(f"edge_density: edge = {edge!r}; there are: critical200, critical500, mean200, virial")
    return _kith.edge_density(edge, {"omega_m": omega_m, "omega_lambda": omega_lambda, "redshift": redshift,
                                     "hubble": hubble, "gravity": gravity})


def overdensities(points: Any, centers: Any, *, density: Any, mass: Any = None, within: Any = None,
                  mass_guess: Any = None, box: Any = None, threads: int | None = None,
                  progress: Progress = None, cancel: CancelToken | None = None) -> Overdensities:
    """Finds the spheres around the centers that have the given mean densities, counting all points.

    Parameters
    ----------
    points : array_like or Tree
    centers : array_like, (m, dimension)
    density : float or sequence of float
        Mass per length^dimension; kith.edge_density returns the usual choices.
    mass : float or array_like, optional
        One mass for all points, or one per point.
    within : array_like, optional
        For each center, the radius inside which the density must be reached, for example the radius of the group.
    mass_guess : array_like, optional
        For each center, an estimate of the mass, so that the search starts near the edge. It affects the run time,
        not the result.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree: Tree = as_tree(points, box, **how)
    rows = as_points(centers, "centers", FLOAT64)
    if rows.shape[1] != tree.dimension:
        raise ArgumentError(f"overdensities: centers of dimension {rows.shape[1]} for points of dimension "
                            f"{tree.dimension}; give one row of coordinates per center")
    options = {"density": numbers(density, "density").tolist(), **_mass_options(mass, tree.input_size)}
    for name, given in (("within", within), ("mass_guess", mass_guess)):
        if given is not None:
            options[name] = values(given, len(rows), name)
    return Overdensities(*carry_out(_kith.overdensities, tree._core, np.ascontiguousarray(rows).ravel(),
                                    options, **how))
