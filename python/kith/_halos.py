"""Catalogues of groups, halos, subhalos, and spheres of a given density."""
from __future__ import annotations

from typing import Any, Literal, NamedTuple, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, mpi
from ._arrays import FLOAT64, is_single, number, numbers, points as as_points, small_integers, values
from ._box import Box, as_box
from ._call import CancelToken, carry_out
from ._catalogue import Catalogue
from ._errors import ArgumentError, ArgumentTypeError
from ._groups import Groups, _at_least_one, fof
from ._ranks import refuse
from ._roles import Roles, find_groups
from ._show import table
from ._snapshot import Snapshot
from ._stored import StoredGroups, StoredPoints, StoredSubhalos, box_of, catalogue_stored, stored_of, subhalos_stored
from ._tree import Tree, as_tree
from .typing import BoxLike, CenterKind, Communicator, Edge, Floats, PointsLike, Progress, SubhaloMethod


def _mass_options(mass: ArrayLike | None, count: int) -> dict[str, Any]:
    """One mass for all, or one per point."""
    if mass is None:
        return {}
    if is_single(mass, "mass"):
        return {"same_mass": number(mass, "mass")}
    return {"mass": values(mass, count, "mass")}


def _velocity_option(velocity: ArrayLike | None) -> dict[str, Any]:
    return {} if velocity is None else {"velocity": as_points(velocity, "velocity")}


def _as_groups(groups: Groups | ArrayLike) -> Groups:
    return groups if isinstance(groups, Groups) else Groups(groups)


def peak_members(groups: Groups | ArrayLike, value: ArrayLike, *,
                 peak: Literal["largest", "smallest"] = "largest") -> NDArray[np.int64]:
    """For each group, the index of the member with the largest ``value``, for example its density, or with the smallest
    one if ``peak="smallest"``, for example the distance to its k-th neighbor. Equal values are resolved by index."""
    if peak not in ("largest", "smallest"):
        raise ArgumentError(f"peak = {peak!r}; there are: largest, smallest")
    chosen = _as_groups(groups)
    per_point = values(value, len(chosen.label), "value")
    return carry_out(_kith.peak_members, chosen._members, per_point, peak == "smallest")


def centers(points: ArrayLike | StoredPoints, groups: Groups | ArrayLike | StoredGroups, *,
            kind: CenterKind = "potential", softening: float = 0.0, mass: ArrayLike | None = None,
            type: ArrayLike | None = None, types: Sequence[int] = (), box: BoxLike = None,
            threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None, comm: Communicator | None = None) -> NDArray[np.float64]:
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
    if comm is not None:
        refuse(comm, "centers", progress=bool(progress))
        return mpi.centers(comm, points, groups, kind=kind, softening=softening, mass=mass, type=type,  # type: ignore
                           types=types, box=box, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    given = {"kind": kind, "softening": softening, "types": list(types)}
    if isinstance(points, StoredPoints):
        _expect_no_columns("centers", {"mass": mass, "type": type})
        options = {**given, "box": box_of(points, box), **_mass_options(mass, len(points))}
        return carry_out(_kith.centers_stored, points._core, stored_of("centers", groups), options, points._types, **how)
    chosen, groups = as_points(points), _groups_in_memory("centers", groups)
    options = {**given, "box": as_box(box)._core, **_mass_options(mass, len(chosen))}
    if type is not None:
        options["type"] = small_integers(type, len(chosen), "type")
    return carry_out(_kith.centers, chosen, groups._members, options, **how)


def catalogue(points: ArrayLike | StoredPoints, groups: Groups | ArrayLike | StoredGroups, *, mass: ArrayLike | None = None,
              velocity: ArrayLike | None = None, type: ArrayLike | None = None, types: int = 0,
              contaminating_types: Sequence[int] = (), gravity: float = 0.0, peak: ArrayLike | None = None,
              box: BoxLike = None, threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None, device: str = "cpu", comm: Communicator | None = None) -> Catalogue:
    """The properties of all groups.

    Parameters
    ----------
    points : array_like, (n, dimension), or StoredPoints
        The points that were grouped. Velocities, masses and types of stored points are those of their snapshot.
    groups : Groups, or array_like of labels, or StoredGroups
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

    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the points are distributed; see kith.mpi.catalogue.

    Returns
    -------
    Catalogue
        Its bits depend neither on the number of threads nor on the device.
    """
    if comm is not None:
        refuse(comm, "catalogue", progress=bool(progress), device=device != "cpu")
        return mpi.catalogue(comm, points, groups, mass=mass, velocity=velocity, type=type,  # type: ignore
                             types=types, contaminating_types=contaminating_types, gravity=gravity, peak=peak,
                             box=box, threads=threads, cancel=cancel)
    if isinstance(points, StoredPoints):
        return _catalogue_of_stored(points, groups, {"box": box, "mass": mass, "velocity": velocity, "type": type,
                                                     "peak": peak, "types": types, "gravity": gravity,
                                                     "contaminating_types": contaminating_types},
                                    {"threads": threads, "progress": progress, "cancel": cancel})
    chosen, groups = as_points(points), _groups_in_memory("catalogue", groups)
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


def _catalogue_of_stored(points: StoredPoints, groups: Any, given: dict[str, Any], how: dict[str, Any]) -> Catalogue:
    stored_of("catalogue", groups)
    _expect_no_columns("catalogue", given)
    peak = [] if given["peak"] is None else as_points(given["peak"], "peak", FLOAT64).ravel().tolist()
    options = {"box": box_of(points, given["box"]), "types": given["types"], "gravity": given["gravity"], "peak": peak,
               "contaminating_types": list(given["contaminating_types"]), **_mass_options(given["mass"], len(points))}
    return catalogue_stored(points, groups, options, **how)


def _groups_in_memory(call: str, groups: Groups | ArrayLike | StoredGroups) -> Groups:
    if isinstance(groups, StoredGroups):
        raise ArgumentTypeError(f"{call}: stored groups belong to stored points; pass what kith.open_points returned")
    return _as_groups(groups)


def _expect_no_columns(call: str, given: dict[str, Any]) -> None:
    """Fields of stored points are read with them; there may be one mass for all."""
    for name in ("velocity", "type", "mass"):
        if given.get(name) is not None and (name != "mass" or np.ndim(given[name]) > 0):
            raise ArgumentTypeError(f"{call}: {name} of stored points is that of their snapshot; leave it out")


def _about(points: Floats, box: BoxLike) -> dict[str, Any]:
    """The facts about a call that the file keeps."""
    return {"points": len(points), "scalar": points.dtype.name, "box": as_box(box)}


def halos(points: ArrayLike | Snapshot, *, velocity: ArrayLike | None = None, mass: ArrayLike | None = None,
          b: float | None = None, linking_length: float | None = None, box: BoxLike = None, min_size: int = 20,
          mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
          threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None, device: str = "cpu",
          comm: Communicator | None = None) -> Catalogue:
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
               device=device != "cpu")
        return mpi.halos(comm, points, velocity=velocity, mass=mass, b=b, linking_length=linking_length,  # type: ignore
                         box=box, min_size=min_size, mean_separation=mean_separation, volume=volume, strict=strict,
                         threads=threads, cancel=cancel)
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
    label : ndarray of int32
        The subhalo of each point; -1 for none.
    order, offset : ndarray
        Members of subhalo s: ``order[offset[s]:offset[s + 1]]``.
    catalogue : Catalogue
        The properties of the subhalos.
    host : ndarray
        The smallest subhalo around each one; -1 for none. This and the rest are empty for "phase_fof".
    most_bound : ndarray
        The index of the most bound member of each subhalo.
    peak : ndarray, (subhalos, dimension)
        Where it is.
    by_binding : ndarray
        Members as in ``order``, but the most bound one of each subhalo first.
    """

    def __init__(self, parts: dict[str, Any], about: dict[str, Any]) -> None:
        self.parent: NDArray[np.int64] = parts["parent"]
        self.label: NDArray[np.int32] = parts["label"]
        self.order: NDArray[np.uint32] = parts["members"].order()
        self.offset: NDArray[np.int64] = parts["members"].offset().view(np.int64)
        self.catalogue = Catalogue._of(parts["catalogue"], None, about)
        self.host: NDArray[np.int64] = parts["host"]
        self.most_bound: NDArray[np.int64] = parts["most_bound"]
        self.peak: NDArray[np.float64] = parts["peak"]
        self.by_binding: NDArray[np.uint32] = parts["by_binding"]

    def members(self, subhalo: int) -> NDArray[np.uint32]:
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


@overload
def subhalos(points: StoredPoints, groups: StoredGroups, *, linking_length: float | None = ...,
             method: SubhaloMethod = ..., mass: float | None = ..., types: int = ..., position_scale: float = ...,
             velocity_scale: float = ..., gravity: float | None = ..., softening: float | None = ...,
             hubble_flow: float | None = ..., density_neighbors: int = ..., link_neighbors: int = ...,
             min_size: int = ..., box: BoxLike = ..., threads: int | None = ..., progress: Progress = ...,
             cancel: CancelToken | None = ...) -> StoredSubhalos: ...
@overload
def subhalos(points: ArrayLike | Snapshot, groups: Groups | ArrayLike, *, velocity: ArrayLike | None = ...,
             linking_length: float | None = ..., method: SubhaloMethod = ..., mass: ArrayLike | None = ...,
             type: ArrayLike | None = ..., types: int = ..., position_scale: float = ..., velocity_scale: float = ...,
             gravity: float | None = ..., softening: float | None = ..., hubble_flow: float | None = ...,
             thermal_energy: ArrayLike | None = ..., density_neighbors: int = ..., link_neighbors: int = ...,
             min_size: int = ..., box: BoxLike = ..., threads: int | None = ..., progress: Progress = ...,
             cancel: CancelToken | None = ..., comm: Communicator | None = ...) -> Subhalos: ...
def subhalos(points: Any, groups: Any, *, velocity: ArrayLike | None = None,
             linking_length: float | None = None, method: SubhaloMethod = "automatic", mass: ArrayLike | None = None,
             type: ArrayLike | None = None, types: int = 0, position_scale: float = 0.0, velocity_scale: float = 0.0,
             gravity: float | None = None, softening: float | None = None, hubble_flow: float | None = None,
             thermal_energy: ArrayLike | None = None, density_neighbors: int = 64, link_neighbors: int = 20,
             min_size: int = 20, box: BoxLike = None, threads: int | None = None, progress: Progress = None,
             cancel: CancelToken | None = None,
             comm: Communicator | None = None) -> Subhalos | StoredSubhalos:
    """Finds the subhalos of each halo.

    "subfind" takes each dense region of a halo, up to the saddle point where it meets a larger one, and keeps those of
    its members that are bound by the gravity of the others; the rest is left to the region around. A halo's own bound
    members form a subhalo as well, mostly the first. "phase" does the same for regions around seeds in phase space,
    which it finds level by level, with linking lengths that follow from the members. "phase_fof" is friends of friends
    in phase space among the members of each halo, with the distance d2 = |dx|^2 / position_scale^2 +
    |dv|^2 / velocity_scale^2.

    Parameters
    ----------
    points : array_like, (n, dimension), or Snapshot, or StoredPoints
        Velocities, masses and types of stored points are those of their snapshot. With a snapshot, the particles are those of kith.halos, type after type, and everything that is not given is
        taken from it: box, velocities, masses, types, gravity, expansion; the softening is a fifth of the linking
        length of the groups.
    groups : Groups, or array_like of labels, or StoredGroups
        The halos: kith.halos(snapshot, b=0.2).groups.
    velocity : array_like, (n, dimension)
        Peculiar velocities.
    method : {"automatic", "subfind", "phase", "phase_fof"}
        "automatic" is "phase_fof" if a linking length is given, otherwise "subfind".
    linking_length, position_scale, velocity_scale : float
        For "phase_fof": the length is in units of the scales; a scale of 0 is computed from the members of each halo.
    gravity : float
        For "subfind" and "phase": Newton's constant in velocity^2 length / mass, divided by the scale factor if lengths
        are comoving.
    softening : float
        Potentials are -sum m / sqrt(r^2 + softening^2): the softening length of the simulation. Default: 0.
    hubble_flow : float
        The expansion H(z) in velocity per length; for comoving lengths, H(z) times the scale factor. Default: 0.
    thermal_energy : array_like, optional
        Thermal energy per mass of each point, in velocity^2.
    density_neighbors, link_neighbors : int
        For "subfind": neighbors of the density, and those among which the two nearest denser ones are linked.
    mass, type, types, box, threads, progress, cancel, comm
        As for catalogue.

    Returns
    -------
    Subhalos, or StoredSubhalos of StoredPoints
    """
    if comm is not None:
        refuse(comm, "subhalos", stored=isinstance(points, StoredPoints), snapshot=isinstance(points, Snapshot), progress=bool(progress), type=type is not None,
               thermal_energy=thermal_energy is not None)
        return mpi.subhalos(comm, points, groups, velocity=velocity, mass=mass, method=method,  # type: ignore
                            linking_length=linking_length, position_scale=position_scale,
                            velocity_scale=velocity_scale, gravity=gravity or 0.0, softening=softening or 0.0,
                            hubble_flow=hubble_flow or 0.0, density_neighbors=density_neighbors,
                            link_neighbors=link_neighbors, min_size=min_size, box=box, threads=threads, cancel=cancel)
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}

    def or_0(given: float | None) -> float:
        return 0.0 if given is None else given

    def asked() -> dict[str, Any]:
        return {"method": method, "linking_length": or_0(linking_length), "position_scale": position_scale,
                "velocity_scale": velocity_scale, "min_size": min_size, "gravity": or_0(gravity),
                "softening": or_0(softening), "hubble_flow": or_0(hubble_flow),
                "density_neighbors": density_neighbors, "link_neighbors": link_neighbors, "types": types}

    if isinstance(points, StoredPoints):
        _expect_no_columns("subhalos", {"velocity": velocity, "mass": mass, "type": type})
        if thermal_energy is not None:
            raise ArgumentTypeError("subhalos: thermal energies of stored points are not read; leave thermal_energy out")
        stored = {"box": box_of(points, box), **asked(), **_mass_options(mass, len(points))}
        return subhalos_stored(points, groups, stored, how)
    sets = _groups_in_memory("subhalos", groups)
    if isinstance(points, Snapshot):
        roles = Roles(points, how)
        box = points.box if box is None else box
        velocity = roles.read("velocity") if velocity is None else velocity
        mass = roles.read("mass", FLOAT64) if mass is None and roles.has("mass") else mass
        gravity = roles.gravity if gravity is None else gravity
        hubble_flow = roles.hubble_flow if hubble_flow is None else hubble_flow
        softening = 0.2 * sets.linking_length if softening is None else softening
        if type is None and len(roles.types) > 1:
            type, types = roles.type, max(points.info["type_numbers"], roles.types[-1] + 1)
        points = roles.read("position")
    chosen = as_points(points)
    options = {"box": as_box(box)._core, **asked(), **_mass_options(mass, len(chosen)), **_velocity_option(velocity)}
    if type is not None:
        options["type"] = small_integers(type, len(chosen), "type")
    if thermal_energy is not None:
        options["thermal_energy"] = values(thermal_energy, len(chosen), "thermal_energy")
    parts = carry_out(_kith.subhalos, chosen, sets._members, options, **how)
    about = {**_about(chosen, box), "linking_length": or_0(linking_length), "gravity": or_0(gravity)}
    return Subhalos(parts, about)


class Overdensities(NamedTuple):
    """Masses, radii and numbers of points of spheres: one row per center, one column per density. Treat masses of
    fewer than 100 points as unresolved."""

    mass: NDArray[np.float64]
    radius: NDArray[np.float64]
    size: NDArray[np.int64]


def edge_density(edge: Edge, *, omega_m: float = 0.31, omega_lambda: float = 0.69, redshift: float = 0.0,
                 hubble: float = 100.0, gravity: float = 4.30091727e-9) -> float:
    """The density, per comoving volume, that defines the edge of a halo: "critical200", "critical500", "mean200" or
    "virial". The defaults of ``hubble`` and ``gravity`` are in Mpc/h, km/s and Msun/h."""
    if not isinstance(edge, str):
        raise ArgumentTypeError(f"edge_density: edge = {edge!r}; there are: critical200, critical500, mean200, virial")
    return _kith.edge_density(edge, {"omega_m": omega_m, "omega_lambda": omega_lambda, "redshift": redshift,
                                     "hubble": hubble, "gravity": gravity})


def overdensities(points: PointsLike | StoredPoints, centers: ArrayLike, *, density: ArrayLike, mass: ArrayLike | None = None,
                  within: ArrayLike | None = None, mass_guess: ArrayLike | None = None, box: BoxLike = None,
                  threads: int | None = None, progress: Progress = None,
                  cancel: CancelToken | None = None, comm: Communicator | None = None) -> Overdensities:
    """Finds the spheres around the centers that have the given mean densities, counting all points.

    Parameters
    ----------
    points : array_like or Tree, or StoredPoints
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
    if comm is not None:
        refuse(comm, "overdensities", progress=bool(progress))
        spheres: Overdensities = mpi.overdensities(comm, points, centers, density=density, mass=mass, within=within,
                                                   mass_guess=mass_guess, box=box, threads=threads, cancel=cancel)
        return spheres
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    searched: Tree | StoredPoints
    if isinstance(points, StoredPoints):
        _expect_no_columns("overdensities", {"mass": mass})
        searched, (count, dimension) = points, points.shape
    else:
        searched = as_tree(points, box, **how)
        count, dimension = searched.input_size, searched.dimension
    rows = as_points(centers, "centers", FLOAT64)
    if rows.shape[1] != dimension:
        raise ArgumentError(f"overdensities: centers of dimension {rows.shape[1]} for points of dimension "
                            f"{dimension}; give one row of coordinates per center")
    options = {"density": numbers(density, "density").tolist(), **_mass_options(mass, count)}
    for name, given in (("within", within), ("mass_guess", mass_guess)):
        if given is not None:
            options[name] = values(given, len(rows), name)
    flat = np.ascontiguousarray(rows).ravel()
    if isinstance(searched, StoredPoints):
        return Overdensities(*carry_out(_kith.overdensities_stored, searched._core, flat, options,
                                        box_of(searched, box), **how))
    return Overdensities(*carry_out(_kith.overdensities, searched._core, flat, options, **how))
