"""What the groups are: catalogues, halos, subhalos."""
from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np

from . import _kith
from ._arrays import FLOAT64, points as as_points, small_integers, values
from ._box import Box, as_box
from ._call import CancelToken, Progress, carry_out
from ._groups import Groups, _at_least_one, fof
from ._roles import Roles, find_groups
from ._snapshot import Snapshot
from ._tree import Tree, as_tree


class Catalogue:
    """A table with one row per group; a group's row is its label. Every column is an attribute, an array with as
    many rows as there are groups:

    {columns}

    Columns that need velocities, types or masses are there only if those were given: see ``columns``. The page about
    the catalogue defines each of them.

    A catalogue is a table: ``h["mass"]`` is a column, ``h[0]`` a row, ``h[:3]`` or ``h[h.mass > 1e12]`` a catalogue of
    some rows; iterating gives rows.
    """

    def __init__(self, columns: dict[str, np.ndarray], groups: Groups | None = None,
                 about: dict[str, Any] | None = None, types: int = 0) -> None:
        self.columns = columns
        self.groups = groups
        self.about = {} if about is None else about
        self.types = types

    @classmethod
    def _of(cls, core: Any, groups: Groups | None, about: dict[str, Any]) -> Catalogue:
        return cls(core.columns(), groups, about, core.types)

    def __getattr__(self, name: str) -> np.ndarray:
        columns = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"catalogue: no column {name}; there are {', '.join(columns)}")

    def __dir__(self) -> Iterator[str]:
        return iter([*super().__dir__(), *self.columns])

    def __len__(self) -> int:
        return len(self.columns["size"])

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a row (a dict) by its number, or the catalogue of a slice, a mask or indices."""
        if isinstance(key, str):
            return getattr(self, key)
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"catalogue: row {key}; there are {len(self)}")
            return {name: column[key] for name, column in self.columns.items()}
        return self.select(key)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def keys(self) -> Iterator[str]:
        """Names of the columns."""
        return iter(self.columns)

    def sort(self, by: str, *, descending: bool = True) -> Catalogue:
        """A catalogue of all rows by a column of single numbers, the largest first; ties keep their order."""
        column = self[by]
        if column.ndim != 1:
            raise ValueError(f"sort: {by} has {column.shape[1:]} numbers in each row; sort by one")
        order = np.argsort(-column.astype(float) if descending else column, kind="stable")
        return self.select(order)

    @property
    def dimension(self) -> int:
        return self.columns["center"].shape[1]

    def select(self, rows: Any) -> Catalogue:
        """The catalogue of some rows: a mask, indices, or a slice."""
        chosen = {name: column[rows] for name, column in self.columns.items()}
        return Catalogue(chosen, None, self.about, self.types)

    def flat(self) -> dict[str, np.ndarray]:
        """Columns of one number each: ``center`` becomes ``center_0``, ``center_1``, ..."""
        flat: dict[str, np.ndarray] = {}
        for name, column in self.columns.items():
            if column.ndim == 1:
                flat[name] = column
                continue
            for place in np.ndindex(column.shape[1:]):
                flat["_".join([name, *map(str, place)])] = column[(slice(None), *place)]
        return flat

    def to_pandas(self) -> Any:
        """A DataFrame with the columns of ``flat``; the index is the label."""
        import pandas
        return pandas.DataFrame(self.flat()).rename_axis("label")

    def to_astropy(self) -> Any:
        """An astropy Table; columns keep their shapes."""
        from astropy.table import Table
        return Table(self.columns, meta=dict(self.about))

    def save(self, path: str | os.PathLike[str], *, style: str = "automatic", compression: int = 0) -> None:
        """Writes the catalogue, with the labels of the points if it has its groups.

        Parameters
        ----------
        path : path
            The ending says how, unless ``style`` does: .hdf5 and .h5 (as "gadget"), .npz, .csv.
        style : {"automatic", "gadget", "swift", "npz", "csv"}
            HDF5 as Gadget-4 and IllustrisTNG have it, as SWIFT has it, NumPy arrays, or a line per group.
        compression : int
            HDF5: gzip level 0 to 9.

        kith.read_catalogue reads it again (but for csv).
        """
        core = _kith.CoreCatalogue.make(self.columns, self.dimension, self.types)
        members = None if self.groups is None else self.groups._members
        label = None if self.groups is None or style == "csv" or os.fspath(path).endswith(".csv") else self.groups.label
        about = {name: value for name, value in self.about.items() if name != "box"}
        about |= {"dimension": self.dimension, "box": as_box(self.about.get("box"))._core}
        carry_out(_kith.write_catalogue, os.fspath(path), core, members, label, about,
                  {"style": style, "compression": compression})

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def mass_function(self, volume: float, **options: Any) -> MassFunction:
        """kith.mass_function of this catalogue's masses."""
        return mass_function(self.columns["mass"], volume, **options)

    def __repr__(self) -> str:
        return f"<kith.Catalogue: {len(self)} groups, columns {', '.join(self.columns)}>"

    def _repr_html_(self, rows: int = 10) -> str:
        """What a notebook shows: the first rows of columns of at most three numbers."""
        shown = {name: column for name, column in self.columns.items() if column[:1].size <= 3}
        head = "".join(f"<th>{name}</th>" for name in shown)
        body = "".join("<tr><td>{}</td>{}</tr>".format(row, "".join(f"<td>{_cell(c[row])}</td>" for c in shown.values()))
                       for row in range(min(rows, len(self))))
        more = f"<p>{len(self)} groups</p>"
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    """A number, or a few of them, in five digits."""
    return ", ".join(str(v) if isinstance(v, np.integer) else f"{v:.5g}" for v in np.atleast_1d(value))


def _document_columns() -> None:
    """The list of columns comes from the table that writers and readers of files use."""
    columns = "\n    ".join(f"{name}\n        {words}" for name, words in _kith.catalogue_columns())
    Catalogue.__doc__ = (Catalogue.__doc__ or "").replace("{columns}", columns)


_document_columns()


class MassFunction(NamedTuple):
    """Groups per volume and logarithmic mass, a row per bin: ``density`` is dn / dlnM, with limits of one
    standard deviation."""

    edge: np.ndarray
    mass: np.ndarray
    count: np.ndarray  # type: ignore[assignment]
    density: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def mass_function(mass: Any, volume: float, *, bins_per_decade: int = 5, min_mass: float = 0.0,
                  max_mass: float = 0.0) -> MassFunction:
    """How many groups of each mass there are in a volume, with Poisson limits."""
    given = np.ascontiguousarray(mass, dtype=np.float64)
    options = {"volume": volume, "bins_per_decade": bins_per_decade, "min_mass": min_mass, "max_mass": max_mass}
    columns: Any = _kith.mass_function(given, options)
    return MassFunction(**columns)


def _mass_options(mass: Any, count: int) -> dict[str, Any]:
    """One mass for all, or one per point."""
    if mass is None:
        return {}
    if np.ndim(mass) == 0:
        return {"same_mass": float(mass)}
    return {"mass": values(mass, count, "mass")}


def _velocity_option(velocity: Any) -> dict[str, Any]:
    return {} if velocity is None else {"velocity": as_points(velocity, "velocity")}


def _as_groups(groups: Any) -> Groups:
    return groups if isinstance(groups, Groups) else Groups(groups)


def peak_members(groups: Any, value: Any, *, peak: str = "largest") -> np.ndarray:
    """For every group the index of the member with the largest ``value`` (its density), or with the "smallest" (the
    distance of its k-th neighbour), ties by index: an alternative center."""
    if peak not in ("largest", "smallest"):
        raise ValueError(f"peak = {peak!r}; there are: largest, smallest")
    chosen = _as_groups(groups)
    per_point = values(value, len(chosen.label), "value")
    return carry_out(_kith.peak_members, chosen._members, per_point, peak == "smallest")


def centers(points: Any, groups: Any, *, kind: str = "potential", softening: float = 0.0, mass: Any = None,
            type: Any = None, types: Sequence[int] = (), box: Any = None, threads: int | None = None,
            progress: Progress = None, cancel: CancelToken | None = None) -> np.ndarray:
    """A center for every group, a row each.

    Parameters
    ----------
    points, groups, mass, box
        As in catalogue.
    kind : "potential", "shrinking" or "mass"
        The member with the deepest potential, the center of shrinking spheres, or the center of mass. The densest
        member is found by peak_members.
    softening : float
        Of the potentials; a fifth of the linking length is a good choice.
    type, types : array_like of small integers, sequence of int
        Members of these types alone decide, such as dark matter.
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
              cancel: CancelToken | None = None) -> Catalogue:
    """The properties of all groups.

    Parameters
    ----------
    points : array_like, (n, dimension)
        The points that the groups are of.
    groups : Groups, or array_like of labels
    mass : float or array_like, optional
        Of all points, or of each; 1 if not given.
    velocity : array_like, (n, dimension), optional
    type : array_like of small integers, optional
        Of each point, for counts and masses per type; ``types`` says how many there are.
    contaminating_types : sequence of int
        Low-resolution particles of a zoom run.
    gravity : float
        Newton's constant in velocity^2 length / mass (divided by the scale factor if lengths are comoving), for
        ``max_circular_velocity``; 4.30091727e-9 fits Mpc, km/s and Msun.
    peak : array_like, (groups, dimension), optional
        Centers for that; the centers of mass if not given.
    box : float, sequence or Box, optional
        That of the groups.
    threads, progress, cancel
        See Tree.

    Returns
    -------
    Catalogue
        The same bits for any number of threads.
    """
    chosen, groups = as_points(points), _as_groups(groups)
    options = {"box": as_box(box)._core, "types": types, "contaminating_types": list(contaminating_types),
               "gravity": gravity, "peak": [] if peak is None else as_points(peak, "peak", FLOAT64).ravel().tolist(),
               **_mass_options(mass, len(chosen)), **_velocity_option(velocity)}
    if type is not None:
        options["type"] = small_integers(type, len(chosen), "type")
    core = carry_out(_kith.catalogue, chosen, groups._members, options, threads=threads, progress=progress,
                     cancel=cancel)
    about = {**_about(chosen, box), "linking_length": groups.linking_length, "gravity": gravity,
             "contaminating_types": list(contaminating_types)}
    return Catalogue._of(core, groups, about)


def _about(points: np.ndarray, box: Any) -> dict[str, Any]:
    """What was asked about which points."""
    return {"points": len(points), "scalar": points.dtype.name, "box": as_box(box)}


def read_catalogue(path: str | os.PathLike[str]) -> Catalogue:
    """A catalogue that kith wrote (HDF5 or npz), with its groups if the file has labels."""
    core, label, facts = carry_out(_kith.read_catalogue, os.fspath(path))
    groups = Groups(label) if len(label) else None
    facts["box"] = Box._of(facts["box"])
    if groups is not None:
        groups.linking_length = facts["linking_length"]
    return Catalogue._of(core, groups, facts)


def halos(points: Any, *, velocity: Any = None, mass: Any = None, b: float | None = None,
          linking_length: float | None = None, box: Any = None, min_size: int = 20,
          mean_separation: float | None = None, volume: float | None = None, strict: bool = False,
          threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None) -> Catalogue:
    """Friends of friends and their catalogue in one call; ``halos.groups`` has the labels. The parameters are
    those of kith.fof and kith.catalogue.

    Instead of points it takes a kith.Snapshot: ``kith.halos(kith.read_snapshot("snapshot.hdf5"), b=0.2)``. Its box,
    velocities, masses and units are used, and the result is that of ``kith fof``: dark matter (type 1) makes the
    groups, gas, stars and black holes join them, and heavy particles of types 2 and 3 count as contaminating.
    Without type 1 all types make groups. Open the snapshot with ``types`` to leave some out. The mean separation
    follows from the particle mass where the linked particles do not fill the box.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    given: dict[str, Any] = {"linking_length": linking_length, "b": b, "mean_separation": mean_separation,
                             "volume": volume, "strict": strict, "min_size": _at_least_one(min_size)}
    if isinstance(points, Snapshot):
        if velocity is not None or mass is not None:
            raise TypeError("halos: a snapshot has velocities and masses of its own; give its arrays to use others")
        found = _snapshot_halos(points, points.box if box is None else as_box(box), given, how)
    else:
        chosen = as_points(points)
        groups = fof(chosen, box=box, **given, **how)
        found = catalogue(chosen, groups, mass=mass, velocity=velocity, box=box, **how)
    found.about["min_size"] = min_size
    found.about["strict"] = strict
    if b is not None:
        found.about["b"] = b
    return found


def _snapshot_halos(snapshot: Snapshot, box: Box, given: dict[str, Any], how: dict[str, Any]) -> Catalogue:
    roles = Roles(snapshot)
    if given["b"] is not None and given["mean_separation"] is None and given["volume"] is None:
        given = given | {"mean_separation": roles.separation(box)}
    position = roles.read("position")
    options = given | {"keep_roots": False, "box": box._core, "non_finite": None}
    groups = Groups._of(find_groups(roles, position, options, how))
    columns: dict[str, Any] = {}
    if roles.has("mass"):
        columns = {"mass": roles.read("mass", FLOAT64), "gravity": roles.gravity}
    if roles.has("velocity"):
        columns["velocity"] = roles.read("velocity")
    if len(roles.types) > 1:
        columns |= {"type": roles.type, "types": max(snapshot.info["type_numbers"], roles.types[-1] + 1)}
    found = catalogue(position, groups, box=box, contaminating_types=roles.contaminating, **columns, **how)
    found.about |= roles.about()
    return found


class Subhalos:
    """Groups inside groups, ordered by halo, then by falling size.

    Attributes
    ----------
    parent : ndarray
        The halo of each subhalo.
    order, offset : ndarray
        Members of subhalo s: ``order[offset[s]:offset[s + 1]]``.
    catalogue : Catalogue
        Their properties.
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


def subhalos(points: Any, groups: Any, *, velocity: Any, linking_length: float, mass: Any = None,
             position_scale: float = 0.0, velocity_scale: float = 0.0, min_size: int = 20, box: Any = None,
             threads: int | None = None, progress: Progress = None,
             cancel: CancelToken | None = None) -> Subhalos:
    """Friends of friends in phase space among the members of each halo, with
    d2 = |dx|^2 / position_scale^2 + |dv|^2 / velocity_scale^2.

    ``linking_length`` is in units of the scales; a scale of 0 is taken from each halo's own members. Other
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
    """Masses, radii and numbers of points of spheres: a row per center, a column per density. Masses of fewer than 100
    points are not resolved."""

    mass: np.ndarray
    radius: np.ndarray
    size: np.ndarray


def edge_density(edge: str, *, omega_m: float = 0.31, omega_lambda: float = 0.69, redshift: float = 0.0,
                 hubble: float = 100.0, gravity: float = 4.30091727e-9) -> float:
    """The density of an edge ("critical200", "critical500", "mean200", "virial") per comoving volume; the defaults
    of ``hubble`` and ``gravity`` fit Mpc/h, km/s and Msun/h."""
    return _kith.edge_density(edge, {"omega_m": omega_m, "omega_lambda": omega_lambda, "redshift": redshift,
                                     "hubble": hubble, "gravity": gravity})


def overdensities(points: Any, centers: Any, *, density: Any, mass: Any = None, within: Any = None,
                  mass_guess: Any = None, box: Any = None, threads: int | None = None,
                  progress: Progress = None, cancel: CancelToken | None = None) -> Overdensities:
    """Spheres about the centers whose mean density, over all points, equals the given ones.

    Parameters
    ----------
    points : array_like or Tree
    centers : array_like, (m, dimension)
    density : float or sequence of float
        Mass per length^dimension; kith.edge_density gives the usual ones.
    mass : float or array_like, optional
        Of the points.
    within : array_like, optional
        Of each center: the radius inside which the density must be reached, such as the group's own.
    mass_guess : array_like, optional
        Of each center, to begin near the edge; only the time depends on it.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    tree: Tree = as_tree(points, box, **how)
    rows = as_points(centers, "centers", FLOAT64)
    options = {"density": np.atleast_1d(density).astype(float).tolist(), **_mass_options(mass, tree.input_size)}
    for name, given in (("within", within), ("mass_guess", mass_guess)):
        if given is not None:
            options[name] = values(given, len(rows), name)
    return Overdensities(*carry_out(_kith.overdensities, tree._core, np.ascontiguousarray(rows).ravel(),
                                    options, **how))
