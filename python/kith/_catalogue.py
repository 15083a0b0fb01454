"""Catalogues: tables with one row per group."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import numbers
from ._box import Box, as_box
from ._call import carry_out
from ._errors import ArgumentError
from ._groups import Groups
from ._isolate import examine
from ._show import Page, show, table
from .typing import Floats, PathLike

if TYPE_CHECKING:
    import astropy.table
    import pandas


class Catalogue:
    """A table of groups. Row i describes the group with label i. Every column is an attribute, an array with one
    row per group:

    {columns}

    Columns that need velocities, types or masses exist only if you passed those; ``columns`` lists what there is. The
    page about catalogues defines each column.

    Indexing works as for a table: ``h["mass"]`` is a column, ``h[0]`` is a row, and ``h[:3]`` or ``h[h.mass > 1e12]``
    is a catalogue of the selected rows. Iteration yields rows.
    """

    def __init__(self, columns: dict[str, NDArray[Any]], groups: Groups | None = None,
                 about: dict[str, Any] | None = None, types: int = 0) -> None:
        self.columns = columns
        self.groups = groups
        self.about = {} if about is None else about
        self.types = types

    @classmethod
    def _of(cls, core: _kith.CoreCatalogue, groups: Groups | None, about: dict[str, Any]) -> Catalogue:
        return cls(core.columns(), groups, about, core.types)

    def __getattr__(self, name: str) -> NDArray[Any]:
        columns: dict[str, NDArray[Any]] = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"catalogue: no column {name}; there are {', '.join(columns)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __len__(self) -> int:
        return len(self.columns["size"])

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, key: slice | NDArray[Any] | list[int] | list[bool]) -> Catalogue: ...

    def __getitem__(self, key: Any) -> Any:
        """A column by name, a row (a dict) by number, or a catalogue of the rows in a slice, mask or index array."""
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
        """All rows, sorted by a column of scalars, largest first; equal values keep their order."""
        column = self[by]
        if column.ndim != 1:
            raise ArgumentError(f"sort: {by} has {column.shape[1:]} numbers in each row; sort by one")
        order = np.argsort(-column.astype(float) if descending else column, kind="stable")
        return self.select(order)

    @property
    def dimension(self) -> int:
        return int(self.columns["center"].shape[1])

    def select(self, rows: slice | NDArray[Any] | list[int] | list[bool]) -> Catalogue:
        """A catalogue of the rows that a mask, an index array or a slice selects."""
        chosen = {name: column[rows] for name, column in self.columns.items()}
        return Catalogue(chosen, None, self.about, self.types)

    def flat(self) -> dict[str, NDArray[Any]]:
        """The table as scalar columns: ``center`` becomes ``center_0``, ``center_1``, ..."""
        flat: dict[str, NDArray[Any]] = {}
        for name, column in self.columns.items():
            if column.ndim == 1:
                flat[name] = column
                continue
            for place in np.ndindex(column.shape[1:]):
                flat["_".join([name, *map(str, place)])] = column[(slice(None),) + place]
        return flat

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the columns of ``flat``; the index is the label."""
        import pandas
        return pandas.DataFrame(self.flat()).rename_axis("label")

    def to_astropy(self) -> astropy.table.Table:
        """An astropy Table; columns keep their shapes."""
        from astropy.table import Table
        return Table(self.columns, meta=dict(self.about))

    def save(self, path: PathLike, *, style: Literal["automatic", "gadget", "swift", "npz", "csv"] = "automatic",
             compression: int = 0) -> None:
        """Writes the catalogue to a file, with the labels of the points if ``groups`` is known.

        Parameters
        ----------
        path : path
            With style "automatic", the ending decides: .hdf5 and .h5 mean "gadget", .npz and .csv themselves.
        style : {"automatic", "gadget", "swift", "npz", "csv"}
            HDF5 in the layout of Gadget-4 and IllustrisTNG, HDF5 in the layout of SWIFT, NumPy arrays, or text with one
            line per group.
        compression : int
            The gzip level of HDF5 datasets, 0 to 9.

        kith.read_catalogue reads HDF5 and npz files back.
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

    def mass_function(self, volume: float, *, bins_per_decade: int = 5, min_mass: float = 0.0,
                      max_mass: float = 0.0) -> MassFunction:
        """kith.mass_function of this catalogue's masses."""
        return mass_function(self.columns["mass"], volume, bins_per_decade=bins_per_decade, min_mass=min_mass,
                             max_mass=max_mass)

    def __repr__(self) -> str:
        return f"<kith.Catalogue: {len(self)} groups, columns {', '.join(self.columns)}>"

    def _repr_html_(self, rows: int = 10) -> str:
        """The table that a notebook shows: the first rows, columns of at most three numbers."""
        shown = {name: column for name, column in self.columns.items() if column[:1].size <= 3}
        body = [[row, *(column[row] for column in shown.values())] for row in range(min(rows, len(self)))]
        return table(["", *shown], body, f"{len(self)} groups")

    def show(self, points: ArrayLike | None = None, *, output: PathLike | None = None, height: int = 760,
             **options: Any) -> Page:
        """Shows the page of ``kith report`` about these groups: in a frame in a notebook, else in a browser. The program
        kith makes it; see kith.report.

        Parameters
        ----------
        points : array_like, (n, dimension), optional
            The points that the groups were made of, for pictures and profiles. Not needed if the catalogue comes from a
            file, which names its snapshot.
        output : path, optional
            The file for the page. Default: a temporary one, which is removed when Python ends.
        height : int
            The height of the frame in pixels.
        **options
            Options of ``kith report``, with underscores: ``picture_size=600``.
        """
        return show(self, points, output, height, options)


def _document_columns() -> None:
    """Fills in the list of columns from the table that the file writers and readers use."""
    columns = "\n    ".join(f"{name}\n        {words}" for name, words in _kith.catalogue_columns())
    Catalogue.__doc__ = (Catalogue.__doc__ or "").replace("{columns}", columns)


_document_columns()


class MassFunction(NamedTuple):
    """The number of groups per volume and logarithmic mass, one row per bin. ``density`` is dn / dlnM; ``lower``
    and ``upper`` are its Poisson limits of one standard deviation."""

    edge: NDArray[np.float64]
    mass: NDArray[np.float64]
    count: NDArray[np.int64]  # type: ignore[assignment]
    density: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def mass_function(mass: ArrayLike, volume: float, *, bins_per_decade: int = 5, min_mass: float = 0.0,
                  max_mass: float = 0.0) -> MassFunction:
    """The mass function: counts and densities of groups in logarithmic bins of mass, with Poisson limits."""
    given = numbers(mass, "mass_function: mass")
    options = {"volume": volume, "bins_per_decade": bins_per_decade, "min_mass": min_mass, "max_mass": max_mass}
    columns: Any = _kith.mass_function(given, options)
    return MassFunction(**columns)


def read_catalogue(path: PathLike, *, isolate: bool = False) -> Catalogue:
    """Reads a catalogue that kith wrote (HDF5 or npz), with its groups if the file has labels.

    Parameters
    ----------
    path : path
    isolate : bool
        Whether a child process reads the file first, as in kith.read_snapshot: for files that you do not trust.
    """
    if isolate:
        examine("catalogue", os.fspath(path), {})
    core, label, facts = carry_out(_kith.read_catalogue, os.fspath(path))
    groups = Groups(label) if len(label) else None
    facts["box"] = Box._of(facts["box"])
    if groups is not None:
        groups.linking_length = facts["linking_length"]
    return Catalogue._of(core, groups, facts)
