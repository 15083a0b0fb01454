"""Neighbors, matches, groups and clusters by angle, on the sky or on the globe.

>>> index, angle = kith.sky.knn(ra, dec, k=5)
>>> index, angle = kith.sky.match(ra1, dec1, ra2, dec2, max_angle=1 / 3600)
>>> groups = kith.sky.fof(ra, dec, angle=0.01)

Positions are right ascension and declination (or longitude and latitude) in degrees, or in radians with
``unit="radians"``; limits and results are angles in the same unit. astropy's quantities are converted, and a SkyCoord
takes the place of ``ra, dec``. Every position becomes a unit vector in float64, and angles compare as chords, ties by
index. The page about the sky has the exact definitions.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _clusters, _groups, _kith, _neighbors
from ._arrays import FLOAT64, floats, is_single, number, values
from ._call import CancelToken, carry_out
from ._clusters import Clusters, HdbscanClusters, Hierarchy, SpanningTree
from ._errors import ArgumentError, ArgumentTypeError
from ._groups import Groups
from ._mpi_sky import Sky
from ._neighbors import NeighborLists
from ._tree import Tree
from .typing import AngleUnit, Border, Communicator, Floats, IndexType, Indices, NonFinite, Progress, Selection

__all__ = ["Matches", "Neighbors", "Pairs", "dbscan", "fof", "hdbscan", "hierarchy", "knn", "match", "pairs", "radius",
           "radius_count", "spanning_tree", "tree", "unit_vectors"]

_SHORT = {"degrees": "deg", "radians": "rad"}


class Neighbors(NamedTuple):
    """Rows of neighbors, nearest first: ``index, angle = kith.sky.knn(...)``. Rows with fewer than k neighbors end in
    index -1 and angle infinity."""

    index: Indices  # type: ignore[assignment]
    angle: NDArray[np.float64]


class Matches(NamedTuple):
    """The nearest position in the other catalogue: ``index, angle = kith.sky.match(...)``; index -1 and angle infinity
    where there is none within ``max_angle``."""

    index: Indices  # type: ignore[assignment]
    angle: NDArray[np.float64]


class Pairs(NamedTuple):
    """Pairs i < j of positions, sorted by i, then by angle."""

    i: Indices
    j: Indices
    angle: NDArray[np.float64]


def unit_vectors(ra: Any, dec: Any = None, *, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
                 threads: int | None = None) -> NDArray[np.float64]:
    """The unit vectors (cos dec cos ra, cos dec sin ra, sin dec) of positions, with the same bits on every machine.
    With non_finite="drop", positions that are not numbers become NaN; otherwise they are an error."""
    return _one("unit_vectors", unit, non_finite, {"threads": threads}, ra, dec)


def tree(ra: Any, dec: Any = None, *, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
         threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None) -> Tree:
    """A tree of the unit vectors, for several searches: the functions of this module take it in the place of ``ra`` of
    the positions that are searched, without a ``dec``."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    return Tree(_one("tree", unit, non_finite, how, ra, dec), non_finite=non_finite, **how)


def knn(ra: Any, dec: Any = None, query_ra: Any = None, query_dec: Any = None, *, k: int, exclude_self: bool = False,
        max_angle: Any = None, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
        index_dtype: IndexType | None = None, threads: int | None = None, progress: Progress = None,
        cancel: CancelToken | None = None, comm: Communicator | None = None) -> Neighbors:
    """Finds the k nearest positions on the sky, sorted by (chord, index).

    Parameters
    ----------
    ra, dec : array_like, Quantity
        The positions to search; or a SkyCoord, or a tree of kith.sky.tree, in the place of both.
    query_ra, query_dec : optional
        The positions whose neighbors to find. Default: the positions themselves; each is then its own first neighbor.
    k : int
        At least 1. Rows with fewer neighbors end in index -1 and angle infinity.
    exclude_self : bool
        Leave out each position itself, by its index. Only without queries.
    max_angle : float or Quantity, optional
        Return only neighbors within this angle, inclusive.
    unit : {"degrees", "radians"}
        The unit of positions, limits and results; quantities are converted to it.
    non_finite : {"error", "drop"}
        What to do with positions that are NaN or infinite: their rows get -1 and infinity.
    index_dtype : int32 or int64
        The type of the indices. Default: int32 where it can hold them.
    threads, progress, cancel
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the positions are distributed, as are the queries. Every rank makes the call
        and gets its rows; positions are numbered rank by rank.

    Returns
    -------
    Neighbors
        ``index, angle``: arrays of shape (m, k).
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "knn", lambda: _places("knn", ra, dec, query_ra, query_dec), unit, non_finite, how,
                   lambda _: _most("sky.knn: max_angle", max_angle, unit), index_dtype=index_dtype is not None)
        return Neighbors(*over.knn(k, exclude_self))
    return _nearest("knn", k, exclude_self, max_angle, unit, non_finite, index_dtype, how,
                    ra, dec, query_ra, query_dec)


def match(ra1: Any, dec1: Any, ra2: Any = None, dec2: Any = None, *, max_angle: Any = None,
          unit: AngleUnit = "degrees", non_finite: NonFinite = "error", index_dtype: IndexType | None = None,
          threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None, comm: Communicator | None = None) -> Matches:
    """Finds for each position of a first catalogue the nearest one of a second: ``match(ra1, dec1, ra2, dec2)``, or
    ``match(first, second)`` for two SkyCoords. Several positions may have the same match.

    The parameters are those of knn. Returns Matches: arrays ``index``, into the second catalogue, and ``angle``.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "match", lambda: _places("match", *_second_first(ra1, dec1, ra2, dec2)), unit, non_finite, how,
                   lambda _: _most("sky.match: max_angle", max_angle, unit), index_dtype=index_dtype is not None)
        index, angle = over.knn(1, False)
        return Matches(index[:, 0], angle[:, 0])
    near = _nearest("match", 1, False, max_angle, unit, non_finite, index_dtype, how,
                    *_second_first(ra1, dec1, ra2, dec2))
    return Matches(near.index[:, 0], near.angle[:, 0])


def _second_first(*given: Any) -> tuple[Any, ...]:
    """The two catalogues of a match: the one that is searched, then the queries."""
    first, second = _catalogues("match", *given)
    if second is None:
        raise ArgumentError("sky.match: one catalogue; give two, match(ra1, dec1, ra2, dec2)")
    return (*_flat(second), *_flat(first))


def _nearest(call: str, k: int, exclude_self: bool, max_angle: Any, unit: AngleUnit, non_finite: NonFinite,
             index_dtype: IndexType | None, how: dict[str, Any], *given: Any) -> Neighbors:
    limit = _most(f"sky.{call}: max_angle", max_angle, unit)
    searched, queries = _searched(call, unit, non_finite, how, *given)
    index, distance = _neighbors.knn(searched, queries, k=k, exclude_self=exclude_self, max_radius=limit,
                                     index_dtype=index_dtype, **how)
    return Neighbors(index, _angles(distance, unit, how))


def radius(ra: Any, dec: Any = None, query_ra: Any = None, query_dec: Any = None, *, angle: Any,
           exclude_self: bool = False, sorted: bool = True, max_neighbors: int = 0, unit: AngleUnit = "degrees",
           non_finite: NonFinite = "error", index_dtype: IndexType | None = None, threads: int | None = None,
           progress: Progress = None, cancel: CancelToken | None = None,
           comm: Communicator | None = None) -> NeighborLists:
    """Finds all positions within an angle (inclusive) of each position, or of each query. ``angle`` is one number, or
    one per query. ``distance`` of the result has the angles. The other parameters are those of knn and kith.radius."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "radius", lambda: _places("radius", ra, dec, query_ra, query_dec), unit, non_finite, how,
                   lambda rows: _limits("sky.radius: angle", angle, rows, unit), index_dtype=index_dtype is not None)
        return over.radius(exclude_self, max_neighbors)  # type: ignore[no-any-return]
    searched, queries = _searched("radius", unit, non_finite, how, ra, dec, query_ra, query_dec)
    limits = _limits("sky.radius: angle", angle, _rows(searched, queries), unit)
    found = _neighbors.radius(searched, queries, radius=limits, exclude_self=exclude_self,
                              sorted=sorted, max_neighbors=max_neighbors, index_dtype=index_dtype, **how)
    found.distance = _angles(found.distance, unit, how)
    return found


def radius_count(ra: Any, dec: Any = None, query_ra: Any = None, query_dec: Any = None, *, angle: Any,
                 exclude_self: bool = False, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
                 threads: int | None = None, progress: Progress = None,
                 cancel: CancelToken | None = None, comm: Communicator | None = None) -> NDArray[np.int64]:
    """Counts the positions within an angle of each position, or of each query; see radius."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "radius_count", lambda: _places("radius_count", ra, dec, query_ra, query_dec), unit, non_finite,
                   how, lambda rows: _limits("sky.radius_count: angle", angle, rows, unit))
        return over.radius_count(exclude_self)
    searched, queries = _searched("radius_count", unit, non_finite, how, ra, dec, query_ra, query_dec)
    limits = _limits("sky.radius_count: angle", angle, _rows(searched, queries), unit)
    return _neighbors.radius_count(searched, queries, radius=limits, exclude_self=exclude_self, **how)


def pairs(ra: Any, dec: Any = None, *, angle: Any, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
          index_dtype: IndexType | None = None, threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None, comm: Communicator | None = None) -> Pairs:
    """Finds all pairs i < j of positions within an angle (inclusive), sorted by i, then by (chord, j). With ``comm``
    each rank gets those whose i is one of its positions."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "pairs", lambda: _places("pairs", ra, dec), unit, non_finite, how,
                   lambda _: _limit("sky.pairs: angle", angle, unit), index_dtype=index_dtype is not None)
        return Pairs(*over.pairs())
    searched, _ = _searched("pairs", unit, non_finite, how, ra, dec)
    i, j, distance = _neighbors.radius_pairs(searched, radius=_limit("sky.pairs: angle", angle, unit),
                                             index_dtype=index_dtype, **how)
    return Pairs(i, j, _angles(distance, unit, how))


def fof(ra: Any, dec: Any = None, *, angle: Any, min_size: int = 1, keep_roots: bool = False,
        unit: AngleUnit = "degrees", non_finite: NonFinite = "error", threads: int | None = None,
        progress: Progress = None, cancel: CancelToken | None = None, comm: Communicator | None = None) -> Groups:
    """Finds friends-of-friends groups on the sky: positions within the linking angle are friends, and a group is a set
    of positions connected by friendship.

    ``linking_length`` of the result is the chord of the angle. The parameters are those of knn and kith.fof. With
    ``comm`` the result is a kith.mpi.Groups.
    """
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "fof", lambda: _places("fof", ra, dec), unit, non_finite, how,
                   lambda _: _limit("sky.fof: angle", angle, unit, may_be_zero=False))
        return over.fof(min_size, keep_roots)  # type: ignore[return-value]
    searched, _ = _searched("fof", unit, non_finite, how, ra, dec)
    return _groups.fof(searched, linking_length=_limit("sky.fof: angle", angle, unit, may_be_zero=False),
                       min_size=min_size, keep_roots=keep_roots, **how)


def dbscan(ra: Any, dec: Any = None, *, eps: Any, min_samples: int = 5, sample_weight: ArrayLike | None = None,
           border: Border = "nearest", border_links: int = 1, unit: AngleUnit = "degrees",
           non_finite: NonFinite = "error", threads: int | None = None, progress: Progress = None,
           cancel: CancelToken | None = None, comm: Communicator | None = None) -> Clusters:
    """DBSCAN on the sky: ``eps`` is an angle. The parameters are those of knn and kith.dbscan. With ``comm`` the result
    is a kith.mpi.Clusters."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "dbscan", lambda: _places("dbscan", ra, dec), unit, non_finite, how,
                   lambda _: _limit("sky.dbscan: eps", eps, unit, may_be_zero=False))
        return over.dbscan(min_samples, sample_weight, border, border_links)  # type: ignore[return-value]
    searched, _ = _searched("dbscan", unit, non_finite, how, ra, dec)
    return _clusters.dbscan(searched, _limit("sky.dbscan: eps", eps, unit, may_be_zero=False), min_samples,
                            sample_weight=sample_weight, border=border, border_links=border_links, **how)


def spanning_tree(ra: Any, dec: Any = None, *, core_k: int = 1, sample_weight: ArrayLike | None = None,
                  unit: AngleUnit = "degrees", non_finite: NonFinite = "error", threads: int | None = None,
                  progress: Progress = None, cancel: CancelToken | None = None,
                  comm: Communicator | None = None) -> SpanningTree:
    """The minimum spanning tree on the sky, whose lengths are angles. The other parameters are those of knn and
    kith.spanning_tree; with ``comm``, every rank gets the tree of all positions."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "spanning_tree", lambda: _places("spanning_tree", ra, dec), unit, non_finite, how, lambda _: None)
        return over.spanning_tree(core_k, sample_weight)  # type: ignore[no-any-return]
    searched, _ = _searched("spanning_tree", unit, non_finite, how, ra, dec)
    return _spanning_tree(searched, core_k, sample_weight, unit, how)


def _spanning_tree(searched: Tree, core_k: int, sample_weight: ArrayLike | None, unit: AngleUnit,
                   how: dict[str, Any]) -> SpanningTree:
    return _in_angles(_clusters.spanning_tree(searched, core_k, sample_weight=sample_weight, **how), unit)


def _in_angles(chords: SpanningTree, unit: AngleUnit) -> SpanningTree:
    return SpanningTree(_kith.sky_spanning_tree(chords._core, {"unit": unit}))


def hierarchy(ra: Any, dec: Any = None, *, core_k: int = 1, sample_weight: ArrayLike | None = None,
              unit: AngleUnit = "degrees", non_finite: NonFinite = "error", threads: int | None = None,
              progress: Progress = None, cancel: CancelToken | None = None,
              comm: Communicator | None = None) -> Hierarchy:
    """The groups on the sky at all linking angles; its lengths are angles. See kith.hierarchy."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        return _clusters.hierarchy(spanning_tree(ra, dec, core_k=core_k, sample_weight=sample_weight, unit=unit,
                                                 non_finite=non_finite, comm=comm, **how), threads=threads, cancel=cancel)
    searched, _ = _searched("hierarchy", unit, non_finite, how, ra, dec)
    return _clusters.hierarchy(_spanning_tree(searched, core_k, sample_weight, unit, how), **how)


def hdbscan(ra: Any, dec: Any = None, *, min_cluster_size: int = 5, min_samples: int | None = None,
            sample_weight: ArrayLike | None = None, min_cluster_weight: float | None = None,
            selection: Selection = "eom", selection_epsilon: Any = 0.0, allow_single_cluster: bool = False,
            max_cluster_size: int | None = None, unit: AngleUnit = "degrees", non_finite: NonFinite = "error",
            threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
            comm: Communicator | None = None) -> HdbscanClusters:
    """HDBSCAN* on the sky. Densities lambda are 1 / angle, and ``selection_epsilon`` is an angle. The parameters are
    those of knn and kith.hdbscan. With ``comm`` the result is a kith.mpi.HdbscanClusters."""
    how: dict[str, Any] = {"threads": threads, "progress": progress, "cancel": cancel}
    if comm is not None:
        over = Sky(comm, "hdbscan", lambda: _places("hdbscan", ra, dec), unit, non_finite, how,
                   lambda _: _angle("sky.hdbscan: selection_epsilon", selection_epsilon, unit))
        return over.hdbscan(min_cluster_size, min_samples, sample_weight, min_cluster_weight,  # type: ignore[return-value]
                            selection, over.limit, allow_single_cluster, max_cluster_size)
    searched, _ = _searched("hdbscan", unit, non_finite, how, ra, dec)
    core_k = _clusters.neighbor_of_core(searched, min_cluster_size, min_samples, sample_weight)
    everything = hierarchy(searched, core_k=core_k, sample_weight=sample_weight, unit=unit, **how)
    clusters = everything.condense(min_cluster_size, min_cluster_weight=min_cluster_weight, selection=selection,
                                   selection_epsilon=_angle("sky.hdbscan: selection_epsilon", selection_epsilon, unit),
                                   allow_single_cluster=allow_single_cluster, max_cluster_size=max_cluster_size,
                                   threads=threads)
    clusters._searched = searched
    return clusters


def _is_coordinate(x: Any) -> bool:
    """Whether it is a SkyCoord or a frame of astropy, or something that looks like one."""
    return hasattr(x, "spherical") and hasattr(x.spherical, "lon")


def _catalogues(call: str, *given: Any) -> list[Any]:
    """One or two catalogues: pairs of ra and dec, or SkyCoords and trees in their place; None for one not given."""
    parts = list(given)
    found: list[Any] = []
    while parts and len(found) < 2:
        first = parts.pop(0)
        if first is None:
            continue
        if _is_coordinate(first) or isinstance(first, Tree):
            found.append(first)
        elif parts and parts[0] is not None:
            found.append((first, parts.pop(0)))
        else:
            raise ArgumentTypeError(f"sky.{call}: ra without dec; give both, or a SkyCoord")
    if any(part is not None for part in parts):
        raise ArgumentTypeError(f"sky.{call}: more positions than the call takes; a SkyCoord is both ra and dec")
    if not found:
        raise ArgumentTypeError(f"sky.{call}: no positions; give ra and dec, or a SkyCoord")
    return found + [None] * (2 - len(found))


def _flat(catalogue: Any) -> tuple[Any, Any]:
    return catalogue if isinstance(catalogue, tuple) else (catalogue, None)


def _plain(x: Any, unit: AngleUnit) -> Any:
    """A quantity as numbers in this unit; numbers as they are."""
    if unit not in _SHORT:
        raise ArgumentError(f"unit = {unit!r}; there are: degrees, radians")
    if hasattr(x, "to_value") and getattr(x, "unit", None) is not None and str(x.unit) != "":
        return x.to_value(_SHORT[unit])
    return x


def _angle(what: str, angle: Any, unit: AngleUnit, may_be_zero: bool = True) -> float:
    """One angle in this unit, checked; ``what`` as in "sky.fof: angle"."""
    plain = number(_plain(angle, unit), what)
    if not (plain > 0 or may_be_zero and plain == 0):
        raise ArgumentError(f"{what} = {plain:g} {unit}; give " + ("0 or more" if may_be_zero else "a positive angle"))
    return plain


def _limit(what: str, angle: Any, unit: AngleUnit, may_be_zero: bool = True) -> float:
    """The chord of one angle."""
    return _kith.sky_chord(_angle(what, angle, unit, may_be_zero), {"unit": unit})


def _most(what: str, angle: Any, unit: AngleUnit) -> float:
    """The chord of one angle; None: no limit."""
    return np.inf if angle is None else _limit(what, angle, unit)


def _limits(what: str, angle: Any, rows: int, unit: AngleUnit) -> Any:
    """The chord of one angle, or of one for each row."""
    plain = _plain(angle, unit)
    if is_single(plain, what):
        return _limit(what, plain, unit)
    chords = values(plain, rows, what, FLOAT64).copy()
    wrong = np.flatnonzero(~(chords >= 0))
    if wrong.size:
        raise ArgumentError(f"{what}[{wrong[0]}] = {chords[wrong[0]]:g} {unit}; give 0 or more")
    _kith.sky_chords(chords, {"unit": unit})
    return chords


def _rows(searched: Tree, queries: Floats | None) -> int:
    return searched.input_size if queries is None else len(queries)


def _vectors(catalogue: Any, unit: AngleUnit, non_finite: NonFinite, how: dict[str, Any]) -> NDArray[np.float64]:
    if not isinstance(catalogue, tuple):
        place = catalogue.spherical
        catalogue = (place.lon, place.lat)
    ra = np.atleast_1d(floats(_plain(catalogue[0], unit), "ra"))
    if ra.ndim != 1:
        raise ArgumentError(f"ra: an array of shape {ra.shape}; give one number per position")
    dec = values(np.atleast_1d(floats(_plain(catalogue[1], unit), "dec")), len(ra), "dec", FLOAT64)
    return carry_out(_kith.sky_vectors, ra, dec, {"unit": unit, "non_finite": non_finite}, **how)


def _one(call: str, unit: AngleUnit, non_finite: NonFinite, how: dict[str, Any], ra: Any,
         dec: Any) -> NDArray[np.float64]:
    catalogue, more = _catalogues(call, ra, dec)
    if more is not None or isinstance(catalogue, Tree):
        raise ArgumentTypeError(f"sky.{call}: give one catalogue, ra and dec or a SkyCoord")
    return _vectors(catalogue, unit, non_finite, how)


def _places(call: str, *given: Any) -> tuple[Any, Any]:
    """The catalogue that is searched, and the queries, in its frame; None for no queries."""
    catalogue, queries = _catalogues(call, *given)
    if len(given) == 2 and queries is not None:
        raise ArgumentTypeError(f"sky.{call}: two catalogues; give one")
    if isinstance(queries, Tree):
        raise ArgumentTypeError(f"sky.{call}: a tree as queries; give their ra and dec, or a SkyCoord")
    if queries is not None and _is_coordinate(queries) and _is_coordinate(catalogue):
        queries = queries if catalogue.is_equivalent_frame(queries) else queries.transform_to(catalogue)
    return catalogue, queries


def _searched(call: str, unit: AngleUnit, non_finite: NonFinite, how: dict[str, Any],
              *given: Any) -> tuple[Tree, NDArray[np.float64] | None]:
    """The tree of the first catalogue, and the unit vectors of the queries."""
    catalogue, queries = _places(call, *given)
    if isinstance(catalogue, Tree):
        _plain(0, unit)
        searched = catalogue
        if searched.dimension != 3 or searched.dtype != FLOAT64 or searched.box.is_periodic:
            raise ArgumentError(f"sky.{call}: {searched!r} is not one of unit vectors; give one of kith.sky.tree")
    else:
        searched = Tree(_vectors(catalogue, unit, non_finite, how), non_finite=non_finite, **how)
    return searched, None if queries is None else _vectors(queries, unit, non_finite, how)


def _angles(chords: Floats, unit: AngleUnit, how: dict[str, Any]) -> NDArray[np.float64]:
    """Turns the chords of a result, in float64, into angles in place."""
    angles: NDArray[np.float64] = np.asarray(chords, dtype=np.float64)
    carry_out(_kith.sky_angles, angles, {"unit": unit}, **how)
    return angles
