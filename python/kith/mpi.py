"""Points that are distributed over MPI ranks. The parameter ``comm`` of kith.fof, kith.knn and other functions calls
the functions here, which have a few options more.

They need mpi4py, and the extension module kith._mpi, which is built where CMake finds MPI: it must be the MPI that
mpi4py uses. Every rank makes the call, with its points and the same options, and gets the results for its points. Calls
run on the thread that makes them. Ctrl-C on one rank ends the call on all ranks.
"""
from __future__ import annotations

import functools
import importlib
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _kith
from ._arrays import FLOAT64, as_array, integers, is_single, number, numbers, points as as_points, small_integers, \
    values, whole
from ._box import Box, as_box
from ._call import CancelToken
from ._errors import ArgumentError, ArgumentTypeError
from ._ranks import agreed, agreed_rows, communicator, largest
from .typing import RankWeight, SubhaloMethod

__all__ = ["Clusters", "Domains", "Groups", "Halos", "HdbscanClusters", "Subhalos", "catalogue", "centers", "dbscan", "density", "fof",
           "halos", "hdbscan", "hierarchy", "knn", "kth_distance", "match", "mean_distance", "overdensities", "radius",
           "radius_count", "redshift_fof", "spanning_tree", "subhalos"]

Rows = NDArray[Any]
# Reads the arguments of a call, given the module and the points of this rank; returns the collective call.
Prepare = Callable[[Any, Rows], Callable[..., Any]]


@functools.cache
def _module() -> Any:
    """kith._mpi, if it was built with the MPI that mpi4py uses."""
    from mpi4py import MPI
    try:
        module = importlib.import_module("kith._mpi")
    except ImportError as error:
        raise ImportError(f"comm: this kith was built without MPI ({error}); where the MPI of your mpi4py is installed, "
                          "build it with: pip install --no-binary kith kith") from error
    built, used = module.library_version(), MPI.Get_library_version()
    if built.strip("\0\n ") != used.strip("\0\n "):
        raise ImportError(f"comm: kith was built with {built.splitlines()[0]}, and mpi4py uses {used.splitlines()[0]}; "
                          "build both with the same MPI")
    return module


def _as_call(threads: int | None, cancel: CancelToken | None) -> Any:
    count = 0 if threads is None else whole(threads, "threads", -2**31)
    if count >= 2**31:
        raise ArgumentError(f"threads = {count}; give less than 2^31")
    if cancel is not None and not isinstance(cancel, CancelToken):
        raise ArgumentTypeError(f"cancel = {cancel!r}; give a kith.CancelToken")
    return _kith.Call(count, None, cancel, "cpu")


def _same_kind(comm: Any, name: str, *facts: bool) -> None:
    """Raises on all ranks if a fact about the arguments, which decides the function that is called, differs between them."""
    found = largest(comm, [float(sign * fact) for fact in facts for sign in (1, -1)])
    if any(found[::2] != -found[1::2]):
        raise ArgumentTypeError(f"{name}: arguments of another kind on different ranks; pass the same on all ranks")


class Domains:
    """The points of all ranks, distributed so that each rank has a region of space, for several calls: pass them in
    place of the points.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    points : array_like, (n, dimension)
        The points of this rank, or ``[]`` if it has none. Do not change them while the domains are used.
    box : float, sequence or Box, optional
        The periods of the axes.
    ids : array_like of int64, optional
        A different number for each point of all ranks. They are the indices in results, and resolve ties. Default:
        points are numbered rank by rank.
    weight : array_like, optional
        For "curve", a number of 0 or more for each point, such as its cost: the ranks get about the same sum of weights
        instead of the same number of points. Results are the same. Pass weights on all ranks or on none.
    distribution : {"curve", "kd", "keep"}
        Equal runs of points along the space-filling curve, the cells of a kd-tree, or "keep": the points stay where
        they are, if each rank already has one region of space.
    non_finite : {"error", "drop"}
        What to do with points that have a NaN or infinite coordinate.
    threads, cancel
        See kith.Tree. A token that one rank cancels stops the call on all.
    """

    def __init__(self, comm: Any, points: Any, *, box: Any = None, ids: Any = None, weight: Any = None,
                 distribution: str = "curve", non_finite: str | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> None:
        def read(x: Rows) -> tuple[Callable[..., Any], Any, Rows]:
            return self._prepare(comm, x, box, ids, weight, distribution, non_finite), _as_call(threads, cancel), x

        make, call, self._points = agreed_rows(comm, points, read)
        self._core = make(call)

    @staticmethod
    def _prepare(comm: Any, x: Rows, box: Any, ids: Any, weight: Any, distribution: str,
                 non_finite: str | None) -> Callable[..., Any]:
        if distribution not in ("curve", "kd", "keep"):
            raise ArgumentError(f"distribution = {distribution!r}; there are curve, kd and keep")
        if non_finite not in (None, "error", "drop"):
            raise ArgumentError(f"non_finite = {non_finite!r}; there are error and drop")
        options = {"box": as_box(box)._core, "distribution": distribution, "non_finite": non_finite,
                   "ids": None if ids is None else _checked_ids(ids, len(x)),
                   "weight": None if weight is None else values(weight, len(x), "weight", FLOAT64)}
        from mpi4py import MPI
        return _module().domains(MPI._addressof(communicator(comm)), x, options)  # type: ignore[no-any-return]

    @classmethod
    def _of(cls, core: Any, points: Rows) -> Domains:
        domains = object.__new__(cls)
        domains._core, domains._points = core, points
        return domains

    @property
    def total(self) -> int:
        """The number of points of all ranks, without those that were dropped."""
        return int(self._core.total)

    def __len__(self) -> int:
        """The number of points that this rank has now."""
        return int(self._core.size)

    def __repr__(self) -> str:
        return f"<kith.mpi.Domains: {len(self)} of {self.total} points>"


class _Space:
    """The points of a call, as arrays or as domains."""

    def __init__(self, comm: Any, points: Any, **options: Any) -> None:
        self.comm = comm
        self.points = points
        self.options = options

    def run(self, name: str, prepare: Prepare, *facts: bool, groups: Any = None, threads: int | None = None,
            cancel: CancelToken | None = None) -> tuple[Any, Domains]:
        """The result of a call and the domains. Errors of one rank, those of prepare too, are exceptions on all."""
        given = self.points if isinstance(self.points, Domains) else None
        _same_kind(communicator(self.comm), name, given is not None, *facts)

        def read(x: Rows) -> tuple[Any, Callable[..., Any] | None, Callable[..., Any], Rows]:
            call, module, make = _as_call(threads, cancel), _module(), None
            if groups is not None and not isinstance(groups, Groups):
                raise ArgumentTypeError(f"{name}: groups = {type(groups).__name__}; give the kith.mpi.Groups of these points")
            if given is not None:
                self._expect_no_options(name)
            elif groups is None:
                make = Domains._prepare(self.comm, x, self.options.get("box"), self.options.get("ids"), None,
                                        "keep" if self.options.get("keep") else "curve", self.options.get("non_finite"))
            return call, make, prepare(module, x), x

        call, make, question, x = agreed_rows(self.comm, self.points, read) if given is None else \
            agreed(self.comm, lambda: read(given._points))
        domains = given if given is not None else groups.domains if groups is not None else Domains._of(make(call), x)  # type: ignore[misc]
        return question(domains._core, call), domains

    def _expect_no_options(self, name: str) -> None:
        names = [key for key, value in self.options.items() if value is not None and value is not False]
        if names:
            raise ArgumentError(f"{name}: {', '.join(names)}: the domains already have these; pass them to kith.mpi.Domains")


def _checked_ids(ids: Any, count: int) -> NDArray[np.int64]:
    array = as_array(ids, "ids")
    if array.shape != (count,):
        raise ArgumentError(f"ids: an array of shape {array.shape} for {count} points; give one for each")
    return integers(array, "ids", np.int64)


def _masses(mass: Any, count: int) -> NDArray[np.float64] | None:
    """One mass for each point; nothing for none."""
    if mass is None:
        return None
    if is_single(mass, "mass"):
        return np.full(count, number(mass, "mass"))
    return values(mass, count, "mass", FLOAT64)


def _velocities(velocity: Any, x: Rows) -> Rows | None:
    if velocity is None:
        return None
    array = as_array(velocity, "velocity")
    rows = x if array.shape == (0,) and len(x) == 0 else np.ascontiguousarray(as_points(array, "velocity"))
    if rows.shape != x.shape:
        raise ArgumentError(f"velocity: an array of shape {rows.shape} for points of shape {x.shape}")
    return rows


def _other_points(rows: Any, name: str, x: Rows, dtype: Any = None) -> Rows | None:
    """Queries or centers of this rank; ``[]`` for none."""
    if rows is None:
        return None
    array = as_array(rows, name)
    if array.shape == (0,):
        return np.empty((0, x.shape[1]), x.dtype if dtype is None else dtype)
    chosen = as_points(array, name, x.dtype if dtype is None else dtype)
    if chosen.shape[1] != x.shape[1]:
        raise ArgumentError(f"{name}: of dimension {chosen.shape[1]} for points of dimension {x.shape[1]}")
    return chosen


# ---- neighbors

def knn(comm: Any, points: Any, queries: Any = None, *, k: int, box: Any = None, exclude_self: bool = False,
        max_radius: float = np.inf, strict: bool = False, p: float = 2.0, ids: Any = None, keep: bool = False,
        non_finite: str | None = None, threads: int | None = None,
        cancel: CancelToken | None = None) -> tuple[NDArray[np.int64], Rows]:
    """The k nearest neighbors of every point of this rank among the points of all ranks: global indices and distances.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    points : array_like, (n, dimension), or Domains
        The points of this rank, or ``[]`` if it has none.
    queries : array_like, optional
        Other points whose neighbors to find, or ``[]`` on ranks without any; on all ranks or on none.
    ids : array_like of int64, optional
        A different number for each point of all ranks; they resolve ties.
    keep : bool
        Set this if each rank already has the points of one region: points then stay on their ranks.
    k, box, exclude_self, max_radius, strict, p, threads, cancel
        See kith.knn.
    """
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        options = {"k": whole(k, "knn: k"), "exclude_self": bool(exclude_self), "strict": bool(strict),
                   "max_radius": number(max_radius, "knn: max_radius"), "p": number(p, "knn: p")}
        return module.knn(_other_points(queries, "queries", x), options)  # type: ignore[no-any-return]

    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    found: tuple[NDArray[np.int64], Rows]
    found, _ = space.run("knn", prepare, queries is not None, threads=threads, cancel=cancel)
    return found


def _prepare_radius(name: str, queries: Any, given: Any, **options: Any) -> Prepare:
    """One radius for all queries, or one for each."""
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        chosen = _other_points(queries, "queries", x)
        count = len(x) if chosen is None else len(chosen)
        radii = {"radius": number(given, "radius")} if is_single(given, "radius") else \
            {"radii": values(given, count, "radius", FLOAT64)}
        return getattr(module, name)(chosen, {**options, **radii})  # type: ignore[no-any-return]
    return prepare


def _has_many(given: Any) -> bool:
    try:
        return np.ndim(given) > 0
    except ValueError:
        return False  # refused later, on all ranks


def radius(comm: Any, points: Any, queries: Any = None, *, radius: Any, box: Any = None, strict: bool = False,
           exclude_self: bool = False, max_neighbors: int = 0, p: float = 2.0, ids: Any = None, keep: bool = False,
           non_finite: str | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> Any:
    """All neighbors within a radius of every point of this rank, nearest first, with global indices: a
    kith.NeighborLists. See kith.radius and kith.mpi.knn for the parameters."""
    from ._neighbors import NeighborLists
    prepare = _prepare_radius("radius", queries, radius, strict=bool(strict), exclude_self=bool(exclude_self),
                              max_neighbors=max_neighbors, p=p)
    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    found, _ = space.run("radius", prepare, queries is not None, _has_many(radius), threads=threads, cancel=cancel)
    return NeighborLists(*found)


def radius_count(comm: Any, points: Any, queries: Any = None, *, radius: Any, box: Any = None, strict: bool = False,
                 exclude_self: bool = False, p: float = 2.0, ids: Any = None, keep: bool = False,
                 non_finite: str | None = None, threads: int | None = None,
                 cancel: CancelToken | None = None) -> NDArray[np.int64]:
    """Counts the neighbors within a radius of every point of this rank. The parameters are those of radius."""
    prepare = _prepare_radius("radius_count", queries, radius, strict=bool(strict), exclude_self=bool(exclude_self), p=p)
    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    found: NDArray[np.int64]
    found, _ = space.run("radius_count", prepare, queries is not None, _has_many(radius), threads=threads,
                         cancel=cancel)
    return found


def density(comm: Any, points: Any, *, k: int = 32, kernel: str = "cubic_spline", mass: Any = None, box: Any = None,
            ids: Any = None, keep: bool = False, non_finite: str | None = None, threads: int | None = None,
            cancel: CancelToken | None = None) -> NDArray[np.float64]:
    """The density at every point of this rank from its k nearest points on all ranks; see kith.density.

    ``mass`` has one value per point of this rank. Pass it on all ranks or on none.
    """
    factor = 1.0

    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        nonlocal factor
        if kernel not in ("cubic_spline", "wendland_c2"):
            raise ArgumentError(f"density: kernel = {kernel!r}; there are cubic_spline and wendland_c2")
        is_same = mass is None or is_single(mass, "mass")
        if mass is not None and is_same:
            factor = number(mass, "density: mass")  # later: the bits of one process
        if not np.isfinite(factor):
            raise ArgumentError(f"density: mass {factor}; it must be finite")
        return module.density(None if is_same else _masses(mass, len(x)),  # type: ignore[no-any-return]
                              {"k": whole(k, "density: k"), "kernel": kernel})

    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    found: NDArray[np.float64]
    found, _ = space.run("density", prepare, threads=threads, cancel=cancel)
    most, least = largest(comm, [factor, -factor])
    if most != -least:
        raise ArgumentError(f"density: a mass from {-least} to {most} on different ranks; pass the same number on all "
                            "ranks, or one for each point")
    return found if factor == 1 else found * factor


def _reduced(name: str, comm: Any, points: Any, k: int, exclude_self: bool, options: dict[str, Any],
             **how: Any) -> NDArray[np.float64]:
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        return getattr(module, name)(  # type: ignore[no-any-return]
            {"k": whole(k, f"{name}: k"), "exclude_self": bool(exclude_self)})

    found: NDArray[np.float64]
    found, _ = _Space(comm, points, **options).run(name, prepare, **how)
    return found


def kth_distance(comm: Any, points: Any, *, k: int, exclude_self: bool = False, box: Any = None, ids: Any = None,
                 keep: bool = False, non_finite: str | None = None, threads: int | None = None,
                 cancel: CancelToken | None = None) -> NDArray[np.float64]:
    """The distance from every point of this rank to its k-th neighbor on all ranks; see kith.kth_distance."""
    return _reduced("kth_distance", comm, points, k, exclude_self,
                    {"box": box, "ids": ids, "keep": keep, "non_finite": non_finite}, threads=threads, cancel=cancel)


def mean_distance(comm: Any, points: Any, *, k: int, exclude_self: bool = False, box: Any = None, ids: Any = None,
                  keep: bool = False, non_finite: str | None = None, threads: int | None = None,
                  cancel: CancelToken | None = None) -> NDArray[np.float64]:
    """The mean distance from every point of this rank to its k nearest neighbors; see kith.mean_distance."""
    return _reduced("mean_distance", comm, points, k, exclude_self,
                    {"box": box, "ids": ids, "keep": keep, "non_finite": non_finite}, threads=threads, cancel=cancel)


# ---- groups

class Groups:
    """Groups over all ranks.

    Attributes
    ----------
    label : ndarray of int64
        The group of every point of this rank, -1 for points of groups below ``min_size``.
    root : ndarray of int64
        The lowest global index in the group of every point. Only with ``keep_roots``.
    count : int
        The number of groups on all ranks.
    first : int
        The label of the first group whose row is on this rank.
    size : ndarray of int64
        The number of points of each group on this rank.
    lowest : ndarray of int64
        The lowest global index in each group on this rank. Points are numbered rank by rank, unless you pass ``ids``.
    linking_length : float
        The linking length, rounded to the type of the points.
    domains : Domains
        The points of all ranks, for more calls; None of groups in redshift space.
    """

    def __init__(self, core: Any, domains: Any) -> None:
        self._core = core
        self.domains = domains
        self.label: NDArray[np.int64] = core.label()
        self.root: NDArray[np.int64] = core.root()
        self.size: NDArray[np.int64] = core.size()
        self.lowest: NDArray[np.int64] = core.lowest()
        self.count = int(core.count)
        self.first = int(core.first)
        self.linking_length = float(core.linking_length)

    def __len__(self) -> int:
        return self.count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Rows:
        return np.array(self.label, dtype=dtype, copy=True)

    def __repr__(self) -> str:
        return f"<kith.mpi.Groups: {self.count} groups, {len(self.label)} points of this rank>"


class Halos:
    """The rows of a catalogue that this rank has: those of the groups ``first``, ``first`` + 1, and so on.

    The columns are attributes with the names of kith.Catalogue: ``size``, ``mass``, ``center``, ``velocity``,
    ``radius`` and so on. The rows of all ranks, one rank after the other, are those of one process, bit for bit.

    Attributes
    ----------
    groups : Groups, or None for subhalos
        The labels of the points of this rank.
    columns : dict of str to ndarray
        All columns by name.
    first : int
        The group of the first row.
    """

    def __init__(self, comm: Any, core: Any, groups: Groups | None, first: int) -> None:
        self.groups = groups
        self.first = first
        columns: dict[str, Rows] = core.columns()
        # A table without rows does not know which columns there are.
        known = comm.allgather(list(columns) if len(columns["size"]) else None)
        names = next((each for each in known if each is not None), list(columns))
        self.columns = {name: columns[name] for name in names}

    def __getattr__(self, name: str) -> Rows:
        columns = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(f"halos: no column {name}; there are {', '.join(columns)}")
        return columns[name]  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.columns["size"])

    def __repr__(self) -> str:
        return f"<kith.mpi.Halos: {len(self)} rows" + (f" of {self.groups.count}>" if self.groups else ">")


def _box_of(groups: Groups, box: Any) -> Any:
    """The box in which groups were found; another one is refused."""
    own = Box._of(groups.domains._core.box)
    if box is not None and as_box(box) != own:
        raise ArgumentError(f"box: the groups were found in {own!r}; leave it out")
    return own._core


def _linking(call: str, min_size: int, strict: bool, **lengths: Any) -> dict[str, Any]:
    """The options of friends of friends."""
    read = {name: None if each is None else number(each, f"{call}: {name}") for name, each in lengths.items()}
    return {**read, "min_size": whole(min_size, "fof: min_size"), "strict": bool(strict)}


def _rule(call: str, rule: str | None, has_many: bool) -> dict[str, Any]:
    if rule is not None and not has_many:
        raise ArgumentError(f"{call}: rule = {rule!r} without a linking_length for each point; leave it out")
    return {"rule": rule or "mean"}


def fof(comm: Any, points: Any, *, linking_length: Any = None, rule: str | None = None, b: float | None = None,
        box: Any = None, min_size: int = 1, mean_separation: float | None = None, volume: float | None = None,
        strict: bool = False, keep_roots: bool = False, ids: Any = None, keep: bool = False,
        non_finite: str | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> Groups:
    """Friends of friends over the ranks of a communicator, with the same labels as in one process.

    Parameters
    ----------
    comm, points, ids, keep
        See kith.mpi.knn.
    linking_length : float or array_like
        One length, or one for each point of this rank; on all ranks the same kind.
    rule, b, box, min_size, mean_separation, volume, strict, keep_roots, non_finite, threads, cancel
        See kith.fof.
    """
    has_many = linking_length is not None and _has_many(linking_length)

    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        options = {**_linking("fof", min_size, strict, linking_length=None if has_many else linking_length, b=b,
                              mean_separation=mean_separation, volume=volume), "keep_roots": bool(keep_roots)}
        how = _rule("fof", rule, has_many)
        if has_many:
            return module.fof_by_lengths(  # type: ignore[no-any-return]
                values(linking_length, len(x), "linking_length", FLOAT64), how, options)
        return module.fof(options)  # type: ignore[no-any-return]

    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    return Groups(*space.run("fof", prepare, has_many, threads=threads, cancel=cancel))


def redshift_fof(comm: Any, points: Any, *, line_of_sight: str = "z", stretch: float, linking_length: Any = None,
                 rule: str | None = None, b: float | None = None, observer: Sequence[float] | None = None,
                 box: Any = None, min_size: int = 1, mean_separation: float | None = None,
                 volume: float | None = None, strict: bool = False, non_finite: str | None = None,
                 threads: int | None = None, cancel: CancelToken | None = None) -> Groups:
    """Friends of friends in redshift space over the ranks of a communicator, with the same labels as in one process.

    Parameters
    ----------
    comm, points
        See kith.mpi.knn; arrays alone, no Domains.
    linking_length : float or array_like
        One length, or one for each point of this rank; on all ranks the same kind.
    line_of_sight, stretch, rule, b, observer, box, min_size, mean_separation, volume, strict, non_finite, threads, cancel
        See kith.redshift_fof.

    Returns
    -------
    Groups
        Their ``domains`` are None.
    """
    name = "redshift_fof"
    has_many = linking_length is not None and _has_many(linking_length)
    _same_kind(communicator(comm), name, has_many)

    def read(x: Rows) -> tuple[Callable[..., Any], Any]:
        from mpi4py import MPI
        options = {**_linking(name, min_size, strict, linking_length=None if has_many else linking_length, b=b,
                              mean_separation=mean_separation, volume=volume),
                   "box": as_box(box)._core, "non_finite": non_finite}
        sight = {"line_of_sight": line_of_sight, "stretch": number(stretch, "redshift_fof: stretch"),
                 "observer": None if observer is None else [number(each, "redshift_fof: observer") for each in observer]}
        length = values(linking_length, len(x), "linking_length", FLOAT64) if has_many else None
        return _module().redshift_fof(MPI._addressof(comm), x, length, _rule(name, rule, has_many), options,
                                      sight), _as_call(threads, cancel)

    question, call = agreed_rows(comm, points, read)
    return Groups(question(call), None)


class Clusters(Groups):
    """Clusters over all ranks: groups, with ``is_core``, which says of each point of this rank whether it is a core
    point."""

    is_core: NDArray[np.bool_]


def dbscan(comm: Any, points: Any, eps: float, min_samples: int = 5, *, sample_weight: Any = None, box: Any = None,
           border: str = "nearest", border_links: int = 1, ids: Any = None, keep: bool = False,
           non_finite: str | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> Clusters:
    """DBSCAN over the ranks of a communicator, with the same labels as in one process.

    Parameters
    ----------
    comm, points, ids, keep
        See kith.mpi.knn.
    sample_weight : array_like, optional
        One for each point of this rank; on all ranks or on none.
    eps, min_samples, box, border, border_links, non_finite, threads, cancel
        See kith.dbscan.
    """
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        weight = None if sample_weight is None else values(sample_weight, len(x), "sample_weight", FLOAT64)
        return module.dbscan({"eps": number(eps, "dbscan: eps"),  # type: ignore[no-any-return]
                              "min_samples": whole(min_samples, "dbscan: min_samples"), "border": border,
                              "border_links": whole(border_links, "dbscan: border_links"), "sample_weight": weight})

    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    (core, is_core), domains = space.run("dbscan", prepare, threads=threads, cancel=cancel)
    clusters = Clusters(core, domains)
    clusters.is_core = is_core.view(np.bool_)
    return clusters


def halos(comm: Any, points: Any, *, velocity: Any = None, mass: Any = None, gravity: float = 0.0,
          min_size: int = 20, threads: int | None = None, cancel: CancelToken | None = None, **options: Any) -> Halos:
    """Finds friends-of-friends groups over the ranks of a communicator and computes their catalogue.

    The parameters are those of kith.mpi.fof, and ``velocity``, ``mass`` and ``gravity`` of kith.mpi.catalogue.
    """
    groups = fof(comm, points, min_size=min_size, threads=threads, cancel=cancel, **options)
    return catalogue(comm, points, groups, velocity=velocity, mass=mass, gravity=gravity, threads=threads,
                     cancel=cancel)


def catalogue(comm: Any, points: Any, groups: Groups, *, mass: Any = None, velocity: Any = None, type: Any = None,
              types: int = 0, contaminating_types: Sequence[int] = (), gravity: float = 0.0, peak: Any = None,
              box: Any = None, threads: int | None = None, cancel: CancelToken | None = None) -> Halos:
    """The properties of groups, of which each rank gets some rows.

    Parameters
    ----------
    points, groups
        The points of this rank, and what kith.mpi.fof found among them.
    mass, velocity, type
        One for each point of this rank; on all ranks or on none.
    peak : array_like, optional
        One center for each row of this rank.
    types, contaminating_types, gravity
        See kith.catalogue.
    """
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        options = {"box": _box_of(groups, box), "mass": _masses(mass, len(x)), "velocity": _velocities(velocity, x),
                   "types": types, "contaminating_types": list(contaminating_types),
                   "gravity": number(gravity, "catalogue: gravity"),
                   "type": None if type is None else small_integers(type, len(x), "type"),
                   "peak": [] if peak is None else as_points(peak, "peak", FLOAT64).ravel().tolist()}
        return module.catalogue(x, groups._core, options)  # type: ignore[no-any-return]

    core, _ = _Space(comm, points).run("catalogue", prepare, groups=groups, threads=threads, cancel=cancel)
    return Halos(comm, core, groups, groups.first)


def centers(comm: Any, points: Any, groups: Groups, *, kind: str = "potential", softening: float = 0.0,
            mass: Any = None, type: Any = None, types: Sequence[int] = (), box: Any = None,
            threads: int | None = None, cancel: CancelToken | None = None) -> NDArray[np.float64]:
    """One center for each row of groups that this rank has; see kith.centers and kith.mpi.catalogue."""
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        options = {"box": _box_of(groups, box), "kind": kind, "softening": number(softening, "centers: softening"),
                   "types": list(types), "mass": _masses(mass, len(x)),
                   "type": None if type is None else small_integers(type, len(x), "type")}
        return module.centers(x, groups._core, options)  # type: ignore[no-any-return]

    found: NDArray[np.float64]
    found, _ = _Space(comm, points).run("centers", prepare, groups=groups, threads=threads, cancel=cancel)
    return found


def overdensities(comm: Any, points: Any, centers: Any, *, density: Any, mass: Any = None, within: Any = None,
                  mass_guess: Any = None, box: Any = None, ids: Any = None, keep: bool = False,
                  non_finite: str | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> Any:
    """Spheres of given mean densities around the centers of this rank, counting the points of all ranks: a
    kith.Overdensities. A rank without centers passes ``[]``. See kith.overdensities and kith.mpi.knn."""
    from ._halos import Overdensities

    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        rows = _other_points([] if centers is None else centers, "centers", x, FLOAT64)
        assert rows is not None
        options: dict[str, Any] = {"density": numbers(density, "density").tolist(), "mass": _masses(mass, len(x))}
        for name, given in (("within", within), ("mass_guess", mass_guess)):
            if given is not None:
                options[name] = values(given, len(rows), name)
        return module.overdensities(np.ascontiguousarray(rows).ravel(), options)  # type: ignore[no-any-return]

    space = _Space(comm, points, box=box, ids=ids, keep=keep, non_finite=non_finite)
    found, _ = space.run("overdensities", prepare, mass is not None, threads=threads, cancel=cancel)
    return Overdensities(*found)


class Subhalos(NamedTuple):
    """The subhalos that begin on this rank, sorted by halo, then by size.

    ``index[offset[s]:offset[s + 1]]`` are the global indices of the members of subhalo s that are here. Those before
    ``offset[0]`` belong to a subhalo that began on a rank before, and the last one may continue on the next rank.


    For bound subhalos, ``host`` has rows of all ranks, ``most_bound`` global indices, ``peak`` the places of the most bound
    members, and ``by_binding`` members as ``index``, but the most bound one first. They are empty for phase_fof.
    """

    parent: NDArray[np.int64]
    index: NDArray[np.int64]  # type: ignore[assignment]
    offset: NDArray[np.int64]
    catalogue: Halos
    host: NDArray[np.int64]
    most_bound: NDArray[np.int64]
    peak: NDArray[np.float64]
    by_binding: NDArray[np.int64]


def subhalos(comm: Any, points: Any, groups: Groups, *, velocity: Any, linking_length: float | None = None,
             method: SubhaloMethod = "automatic", mass: Any = None, position_scale: float = 0.0,
             velocity_scale: float = 0.0, gravity: float = 0.0, softening: float = 0.0, hubble_flow: float = 0.0,
             density_neighbors: int = 64, link_neighbors: int = 20, min_size: int = 20, box: Any = None,
             threads: int | None = None, cancel: CancelToken | None = None) -> Subhalos:
    """The subhalos of each group; see kith.subhalos and kith.mpi.catalogue. For bound subhalos, a group on several
    ranks is gathered on the rank that owns it, which has its subhalos."""
    def prepare(module: Any, x: Rows) -> Callable[..., Any]:
        reals = {name: number(each, f"subhalos: {name}") for name, each in
                 (("linking_length", 0.0 if linking_length is None else linking_length),
                  ("position_scale", position_scale), ("velocity_scale", velocity_scale), ("gravity", gravity),
                  ("softening", softening), ("hubble_flow", hubble_flow))}
        counts = {name: whole(each, f"subhalos: {name}", 0) for name, each in
                  (("min_size", min_size), ("density_neighbors", density_neighbors),
                   ("link_neighbors", link_neighbors))}
        options = {**reals, **counts, "method": method, "box": _box_of(groups, box),
                   "velocity": _velocities(velocity, x), "mass": _masses(mass, len(x))}
        return module.subhalos(x, groups._core, options)  # type: ignore[no-any-return]

    found, _ = _Space(comm, points).run("subhalos", prepare, groups=groups, threads=threads, cancel=cancel)
    parent, index, offset, core, host, most_bound, peak, by_binding = found
    first = comm.exscan(len(parent)) or 0
    return Subhalos(parent, index, offset, Halos(comm, core, None, first), host, most_bound, peak, by_binding)


# ---- histories

def match(comm: Any, ids_a: Any, labels_a: Any, ids_b: Any, labels_b: Any, *, weight: RankWeight = "sqrt_rank",
          most_bound: int | None = None, threads: int | None = None, cancel: CancelToken | None = None) -> Any:
    """Matches the objects of two sets, of which this rank has a part; see kith.match. Every rank gets the rows of all
    objects: two dictionaries, one for each direction."""
    from ._histories import _arguments
    return _ask(comm, "match", lambda: _arguments(ids_a, labels_a, ids_b, labels_b, weight, most_bound), threads, cancel)


# ---- calls without domains

def _ask(comm: Any, name: str, arguments: Callable[[], tuple[Any, ...]], threads: int | None,
         cancel: CancelToken | None = None) -> Any:
    """A call of the module with the communicator and these arguments. If one rank refuses its own, all raise."""
    def prepare() -> tuple[Callable[..., Any], Any]:
        call, module = _as_call(threads, cancel), _module()
        from mpi4py import MPI
        return getattr(module, name)(MPI._addressof(comm), *arguments()), call

    question, call = agreed(communicator(comm), prepare)
    return question(call)


# These use the functions above.
from ._mpi_clusters import HdbscanClusters, hdbscan, hierarchy, spanning_tree  # noqa: E402  pylint: disable=wrong-import-position
