"""Correlation functions from exact pair counts, with jackknife errors from the same pass.

>>> import kith
>>> x = kith.sample.uniform(10000, 3)
>>> edges = kith.correlation.logspace(0.02, 0.2, 8)
>>> result = kith.correlation.xi(x, edges=edges, box=1.0, regions=27)
>>> result.xi.shape, result.error.shape
((8,), (8,))
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, mpi
from ._arrays import FLOAT64, as_array, integers, number, numbers, points as as_points, values, whole
from ._box import as_box
from ._call import CancelToken, carry_out
from ._errors import ArgumentError, ArgumentTypeError
from ._ranks import agreed, agreed_rows, largest, refuse
from ._stored import StoredPoints, box_of
from .typing import BoxLike, Communicator, Estimator, LineOfSight, PathLike, Progress, Separation

__all__ = ["Correlation", "PairHistogram", "comoving_distance", "count", "jackknife_regions", "load", "logspace",
           "multipoles", "nearest_regions", "pip_table", "read_bins", "sky_positions", "smu", "theta", "wp", "xi"]

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass
class PairHistogram:
    """Pair counts in bins of one coordinate, (n,), or of two, (n, m).

    Counts of a set with itself contain every pair twice and no point with itself, as in Corrfunc. TreeCorr's npairs
    counts each pair once.
    """

    edges: NDArray[np.float64]
    """Of r, rp, s or theta (degrees): bin i is [edges[i], edges[i + 1])."""
    second_edges: NDArray[np.float64] | None
    """Of pi or mu."""
    weight: NDArray[np.float64]
    """Sums of products of weights; without weights the numbers of pairs."""
    counts: NDArray[np.int64]
    """Numbers of pairs as integers, also if there are weights."""
    total: float
    """All pairs of different points, at any separation."""
    mean_separation: NDArray[np.float64] | None = None
    left_out: NDArray[np.float64] | None = None
    """``weight`` without each region in turn: (regions, ...)."""
    left_out_total: NDArray[np.float64] | None = None


@dataclass
class Correlation:
    """A correlation function with its errors.

    ``xi`` has the shape (n,) or (n, m). For wp, ``xi`` is None and ``wp`` has the values. For multipoles,
    ``multipoles`` has the shape (3, n) for l = 0, 2, 4. ``value`` is the requested one of these, flattened in the order
    of ``covariance`` and ``samples``.
    """

    statistic: Literal["xi", "wp", "multipoles"]
    separation: Separation
    edges: NDArray[np.float64]
    second_edges: NDArray[np.float64] | None
    value: NDArray[np.float64]
    error: NDArray[np.float64] | None = None
    """Jackknife errors, in the shape of the statistic."""
    covariance: NDArray[np.float64] | None = None
    samples: NDArray[np.float64] | None = None
    """The statistic without each region in turn: (regions, value.size)."""
    mean_separation: NDArray[np.float64] | None = None
    pairs: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Pairs in bins: "DD", "DR", "RR"; with weights, sums of their products."""
    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Numbers of pairs in bins, also with weights, for which there is "DD" alone."""

    @property
    def center(self) -> NDArray[np.float64]:
        """The center of each bin: the geometric mean of its edges, or the arithmetic mean if it starts at 0."""
        low, high = self.edges[:-1], self.edges[1:]
        return np.where(low > 0, np.sqrt(low * high), (low + high) / 2)

    def _shaped(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        n = len(self.edges) - 1
        if self.statistic == "multipoles":
            return flat.reshape(3, n)
        return flat.reshape(n, -1) if flat.size != n else flat

    @property
    def xi(self) -> NDArray[np.float64] | None:
        return self._shaped(self.value) if self.statistic == "xi" else None

    @property
    def wp(self) -> NDArray[np.float64] | None:
        return self.value if self.statistic == "wp" else None

    @property
    def multipoles(self) -> NDArray[np.float64] | None:
        return self._shaped(self.value) if self.statistic == "multipoles" else None

    def _columns(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64] | None]]:
        """The column names of a bin of the first coordinate: values and errors."""
        n = len(self.edges) - 1
        table = self.value.reshape(3, n) if self.statistic == "multipoles" else self.value.reshape(n, -1).T
        errors: Any = [None] * len(table)
        if self.error is not None:
            errors = self.error if self.statistic == "multipoles" else self.error.reshape(n, -1).T
        if self.statistic == "multipoles":
            names = ["xi0", "xi2", "xi4"]
        else:
            names = [self.statistic] if len(table) == 1 else [f"xi_{j}" for j in range(len(table))]
        return dict(zip(names, zip(table, errors)))

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with one row per bin."""
        import pandas
        columns: dict[str, Any] = {"low": self.edges[:-1], "high": self.edges[1:], "center": self.center}
        for name, (value, error) in self._columns().items():
            columns[name] = value
            if error is not None:
                columns[f"{name}_error"] = error
        return pandas.DataFrame(columns)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the values with error bars and returns the axes.

        Multipoles are multiplied by s^2. A function of two coordinates is drawn as a map.
        """
        from .plot import _axes
        ax = _axes(ax)
        label = {"r": "$r$", "rp_pi": "$r_p$", "s_mu": "$s$", "theta": r"$\theta$ [degrees]"}[self.separation]
        if self.statistic == "xi" and self.value.size > len(self.edges) - 1:
            assert self.second_edges is not None
            shown = ax.pcolormesh(self.edges, self.second_edges, self._shaped(self.value).T, **options)
            ax.figure.colorbar(shown, ax=ax, label=r"$\xi$")
            ax.set(xlabel=label, ylabel=r"$\pi$" if self.separation == "rp_pi" else r"$\mu$")
            return ax
        is_multipoles = self.statistic == "multipoles"
        scale = self.center**2 if is_multipoles else np.ones(len(self.edges) - 1)
        for name, (value, error) in self._columns().items():
            given = {"fmt": "o-", "markersize": 4, "capsize": 2, "label": f"l = {name[2:]}" if is_multipoles else None}
            ax.errorbar(self.center, scale * value, None if error is None else scale * error, **{**given, **options})
        ylabel = {"xi": r"$\xi$", "wp": "$w_p$", "multipoles": r"$s^2 \xi_l$"}[self.statistic]
        ax.set(xlabel=label, ylabel=ylabel, xscale="log")
        if is_multipoles:
            ax.legend()
        elif np.all(self.value > 0):
            ax.set_yscale("log")
        return ax

    def save(self, path: PathLike) -> None:
        """Writes everything to an .npz file, which ``load`` reads."""
        arrays: dict[str, Any] = {name: value for name, value in self.__dict__.items()
                  if isinstance(value, np.ndarray)}
        for kind, tables in (("pairs", self.pairs), ("counts", self.counts)):
            arrays |= {f"{kind}_{name}": value for name, value in tables.items()}
        np.savez(path, statistic=self.statistic, separation=self.separation, **arrays)


def load(path: PathLike) -> Correlation:
    """Reads a file that ``Correlation.save`` wrote."""
    with np.load(path) as file:
        given: dict[str, Any] = {name: file[name] for name in file.files}
    def tables(kind: str) -> dict[str, NDArray[Any]]:
        return {name[len(kind):]: given.pop(name) for name in list(given) if name.startswith(kind)}
    pairs, counts = tables("pairs_"), tables("counts_")
    words: dict[str, Any] = {name: str(given.pop(name)) for name in ("statistic", "separation")}
    given.setdefault("second_edges", None)
    return Correlation(**words, **given, pairs=pairs, counts=counts)


def logspace(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """The bins + 1 edges of logarithmic bins of equal width."""
    return np.logspace(np.log10(low), np.log10(high), bins + 1)


def read_bins(path: PathLike) -> NDArray[np.float64]:
    """Reads the edges from a bin file of Corrfunc: one line per bin, with its lower and upper edge."""
    rows = np.loadtxt(path, ndmin=2)
    if rows.shape[1] != 2 or not np.array_equal(rows[1:, 0], rows[:-1, 1]):
        raise ArgumentError(f"read_bins: {path} has no two columns of bins that follow each other")
    return np.append(rows[:, 0], rows[-1, 1])


def sky_positions(ra: ArrayLike, dec: ArrayLike, distance: ArrayLike | None = None) -> NDArray[np.float64]:
    """Cartesian coordinates around the observer from angles in degrees; without distances, unit vectors."""
    angle = numbers(ra, "ra")
    far = None if distance is None else values(distance, len(angle), "distance", FLOAT64)
    return _kith.sky_positions(angle, values(dec, len(angle), "dec", FLOAT64), far)


def comoving_distance(redshift: ArrayLike, omega_m: float = 0.31) -> NDArray[np.float64]:
    """Comoving distances in Mpc/h in a flat universe with matter and a cosmological constant."""
    return _kith.comoving_distance(numbers(redshift, "redshift"), number(omega_m, "omega_m"))


def jackknife_regions(points: ArrayLike, regions: int, *, box: BoxLike = None, threads: int | None = None,
                      comm: Communicator | None = None) -> NDArray[np.int32]:
    """A jackknife region for each point: runs of equal length along the curve of the tree. With ``comm``, for the
    points of this rank, among those of all ranks."""
    if comm is not None:
        rows = agreed_rows(comm, points, lambda x: x)
        made: NDArray[np.int32] = mpi._ask(
            comm, "jackknife_regions", lambda: (rows, whole(regions, "regions"), as_box(box)._core), threads)
        return made
    return carry_out(_kith.jackknife_regions, as_points(points), whole(regions, "regions"), as_box(box)._core, threads=threads)


def nearest_regions(points: ArrayLike, region: Any, others: Any, *, box: BoxLike = None, threads: int | None = None,
                    comm: Communicator | None = None) -> NDArray[np.int32]:
    """A region for each other point: that of the nearest of ``points``, with ``comm`` of the points of all ranks."""
    if comm is not None:
        own = agreed_rows(comm, points, lambda x: x)
        found: NDArray[np.int32] = mpi._ask(comm, "nearest_regions", lambda: (
            own, integers(region, "region", np.int32), mpi._other_points(others, "others", own), as_box(box)._core),
            threads)
        return found
    rows = as_points(points)
    return carry_out(_kith.nearest_regions, rows, integers(region, "region", np.int32),
                     as_points(others, "others", rows.dtype), as_box(box)._core, threads=threads)


def pip_table(words: int, realizations: int) -> NDArray[np.float64]:
    """A table of pairwise inverse probabilities: realizations / (realizations in which both points were selected)."""
    shared = np.arange(64 * words + 1, dtype=np.float64)
    return np.divide(realizations, shared, out=np.zeros_like(shared), where=shared > 0)


def _words(bits: Any, count: int, name: str) -> NDArray[np.uint64]:
    """Rows of 64-bit words; signed numbers are taken as bits."""
    given = as_array(bits, f"bits of {name}")
    if given.dtype.kind not in "iu" or (count and (given.size == 0 or given.size % count)):
        raise ArgumentTypeError(f"bits of {name}: {given.dtype} of shape {given.shape}; give rows of uint64, as many for "
                                "each point")
    return np.ascontiguousarray(given).astype(np.uint64).reshape(count, -1 if count else 1)


def _set(points: ArrayLike | StoredPoints, weight: Any, region: Any, bits: Any, name: str) -> tuple[Any, ...]:
    if isinstance(points, StoredPoints):
        if name != "points" or weight is not None or region is not None or bits is not None:
            raise ArgumentTypeError("stored points are counted among themselves, without weights, regions and bits; "
                                    "leave others and randoms out, or load the points")
        return points._core, None, None, None
    rows = as_points(points, name)
    return (rows, None if weight is None else values(weight, len(rows), f"weight of {name}", FLOAT64),
            None if region is None else integers(region, f"region of {name}", np.int32),
            None if bits is None else _words(bits, len(rows), name))


def _given_set(comm: Communicator | None, points: Any, *columns: Any) -> tuple[Any, ...]:
    """A set with its columns; over ranks, that of this rank, which may be ``[]``."""
    return _set(points, *columns) if comm is None else agreed_rows(comm, points, lambda rows: _set(rows, *columns))


def _checked(comm: Communicator | None, name: str, points: Any, edges: Any, box: Any, progress: Any,
             *facts: bool) -> tuple[NDArray[np.float64], Any]:
    """The edges and the box. Over ranks, the facts decide which calls follow."""
    if comm is not None:
        refuse(comm, name, progress=bool(progress), stored=isinstance(points, StoredPoints))
        mpi._same_kind(comm, name, *facts)
        return agreed(comm, lambda: (numbers(edges, "edges"), as_box(box)._core))
    return numbers(edges, "edges"), box_of(points, box)


def _is_given(comm: Communicator | None, column: Any) -> bool:
    """Whether this rank, or another one, has the column."""
    return column is not None if comm is None else bool(largest(comm, [column is not None])[0])


def _region_count(comm: Communicator | None, regions: Any, *given: Any) -> int:
    """The number of regions: ``regions``, or as many as the largest of the given ones says."""
    def read() -> tuple[int, int]:
        found = [int(np.max(each)) + 1 for each in given if each is not None and np.size(each)]
        return whole(regions, "regions", 0), max(found, default=0)
    if comm is None:
        asked, found = read()
        return asked or found
    asked, found = agreed(comm, read)
    most, least, found = (int(each) for each in largest(comm, [asked, -asked, found]))
    if most != -least:
        raise ArgumentError(f"regions = {-least} to {most} on different ranks; pass the same on all ranks")
    return most or found


def _count_pairs(name: str, comm: Communicator | None, first: Any, second: Any, options: dict[str, Any],
                 table: Any, threads: int | None, progress: Any, cancel: CancelToken | None) -> dict[str, Any]:
    """A histogram or a correlation function of the core."""
    if comm is None:
        found: dict[str, Any] = carry_out(getattr(_kith, name), first, second, {**options, **_table_options(first, table)},
                                          threads=threads, progress=progress, cancel=cancel)
        return found
    words = int(largest(comm, [0 if first[3] is None else first[3].shape[1] * (len(first[0]) > 0)])[0])
    if words and not len(first[0]):
        first = (*first[:3], np.empty((0, words), np.uint64))
    return mpi._ask(comm, name, lambda: (first, second, {**options, **_table_options(first, table)}),  # type: ignore[no-any-return]
                    threads, cancel)


def _second_edges(separation: str, pi_max: float, pi_bins: int, mu_bins: int) -> NDArray[np.float64] | None:
    if separation == "rp_pi":
        return pi_max * np.arange(pi_bins + 1) / pi_bins
    return np.arange(mu_bins + 1) / mu_bins if separation == "s_mu" else None


def _some(array: NDArray[np.float64], *shape: int) -> NDArray[np.float64] | None:
    return array.reshape(shape) if array.size else None


def count(points: ArrayLike | StoredPoints, others: ArrayLike | None = None, *, edges: ArrayLike, separation: Separation = "r",
          line_of_sight: LineOfSight = "z", pi_max: float = 40.0, pi_bins: int = 40, mu_bins: int = 20,
          box: BoxLike = None, weight: ArrayLike | None = None, other_weight: ArrayLike | None = None,
          region: ArrayLike | None = None, other_region: ArrayLike | None = None, regions: int = 0,
          mean_separation: bool = False, bits: ArrayLike | None = None, other_bits: ArrayLike | None = None,
          table: ArrayLike | None = None, threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None, comm: Communicator | None = None) -> PairHistogram:
    """Counts pairs in bins of their separation: DD(r), DD(rp, pi), DD(s, mu) or DD(theta).

    Parameters
    ----------
    points, others : array_like, (n, d)
        The points, and a second set for cross counts. Points from kith.open_points are counted among themselves,
        without weights and regions.
    edges : array_like
        Bin i is [edges[i], edges[i + 1]) in r, rp, s, or theta. Theta is in degrees, and points are unit vectors.
    separation : {"r", "rp_pi", "s_mu", "theta"}
    line_of_sight : {"x", "y", "z", "midpoint"}
        An axis, or the direction from the origin to the midpoint of each pair.
    pi_max, pi_bins, mu_bins
        The range and number of the linear bins of the second coordinate.
    weight, other_weight : array_like, optional
        A weight for each point; a pair counts the product of its two weights.
    region, other_region : array_like of int, optional
        The jackknife region of each point, numbered from 0. ``left_out`` has the counts without each region.
    regions : int
        The number of regions. Without ``region``, they are made along the curve of the tree.
    bits, other_bits, table : optional
        Pairwise weights: the weight of a pair is multiplied by ``table[number of bits set in both points]``. ``bits``
        has rows of uint64.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the points are distributed. Each rank passes its part, or ``[]``, and all get
        the result of one process. Ranks divide the pairs; each holds all points.
    """
    bins, space = _checked(comm, "count", points, edges, box, progress, others is not None)
    if (_region_count(comm, regions) and not _is_given(comm, region) and others is None
            and not isinstance(points, StoredPoints)):
        region = jackknife_regions(points, regions, box=box, threads=threads, comm=comm)
    regions = _region_count(comm, regions, region, other_region)
    first = _given_set(comm, points, weight, region, bits, "points")
    _expect_none(points, others)
    second = None if others is None else _given_set(comm, others, other_weight, other_region, other_bits, "others")
    options = {"separation": separation, "line_of_sight": line_of_sight, "edges": bins.tolist(), "pi_max": pi_max,
               "pi_bins": pi_bins, "mu_bins": mu_bins, "box": space, "regions": regions,
               "mean_separation": mean_separation}
    found = _count_pairs("pair_histogram", comm, first, second, options, table, threads, progress, cancel)
    other_edges = _second_edges(separation, pi_max, pi_bins, mu_bins)
    shape = (len(bins) - 1,) if other_edges is None else (len(bins) - 1, len(other_edges) - 1)
    return PairHistogram(bins, other_edges, found["weight"].reshape(shape), found["counts"].reshape(shape),
                         found["total"], _some(found["mean_separation"], *shape),
                         _some(found["left_out"], regions, *shape), _some(found["left_out_total"], regions))


def _table_options(first: tuple[Any, ...], table: Any) -> dict[str, Any]:
    if table is None:
        return {}
    if first[3] is None:
        raise ArgumentError("table: pairwise weights need the bits of each point")
    return {"words": first[3].shape[1], "table": numbers(table, "table").tolist()}


def _expect_none(points: Any, others: Any) -> None:
    """Stored points are counted among themselves."""
    if isinstance(points, StoredPoints) and others is not None:
        _set(points, None, None, None, "others")


def _correlation(points: ArrayLike | StoredPoints, randoms: ArrayLike | None, statistic: Literal["xi", "wp", "multipoles"],
                 separation: Separation, given: Mapping[str, Any]) -> Correlation:
    asked = dict(given)
    carry = [asked.pop(name) for name in ("threads", "progress", "cancel")]
    comm, table = asked.pop("comm"), asked.pop("table", None)
    bins, box = _checked(comm, "correlation", points, asked.pop("edges"), asked.pop("box"), carry[1],
                         randoms is not None)
    data = _given_set(comm, points, asked.pop("weight"), asked.pop("region"), asked.pop("bits", None), "points")
    _expect_none(points, randoms)
    random_weight, random_region = asked.pop("random_weight"), asked.pop("random_region")
    random = None if randoms is None else _given_set(comm, randoms, random_weight, random_region, None, "randoms")
    regions = _region_count(comm, asked.pop("regions"), data[2])
    options = {**{name: value for name, value in asked.items() if value is not None}, "statistic": statistic,
               "separation": separation, "edges": bins.tolist(), "regions": regions, "box": box}
    found = _count_pairs("correlation", comm, data, random, options, table, *carry)
    second = _second_edges(separation, options.get("pi_max", 40.0), found["pi_bins"], options.get("mu_bins", 20))
    size = found["value"].size
    result = Correlation(statistic, separation, bins, second, found["value"], None,
                         _some(found["covariance"], size, size), _some(found["samples"], regions, size))
    if found["error"].size:
        result.error = result._shaped(found["error"])
    shape = (len(bins) - 1,) if second is None or len(second) == 2 else (len(bins) - 1, len(second) - 1)
    names = {"DD": "data_data", "DR": "data_randoms", "RR": "randoms_randoms"}
    result.pairs = {name: found[key]["weight"].reshape(shape) for name, key in names.items()
                    if found[key]["weight"].size}
    result.counts = {name: found[key]["counts"].reshape(shape) for name, key in names.items()
                     if found[key]["counts"].size}
    result.mean_separation = _some(found["data_data"]["mean_separation"], *shape)
    return result


_DOC = """

    Parameters
    ----------
    points, randoms : array_like, (n, d)
        The data and the random points.{volumes}{stored}
    edges : array_like
        Bin i is [edges[i], edges[i + 1]).{extra}
    weight, random_weight : array_like, optional
        A weight for each point; a pair counts the product of its two weights.
    regions : int
        The number of jackknife regions, with equal numbers of points along the curve of the tree.
    region, random_region : array_like of int, optional
        The region of each point, instead of those.
    estimator : {{"landy_szalay", "natural"}}
        The estimator; used with randoms only.
    bits, table : optional
        Pairwise weights of the data; see ``count`` and ``pip_table``.
    comm : mpi4py.MPI.Comm, optional
        See ``count``.

    Returns
    -------
    Correlation
    """
_VOLUMES = """ Without randoms, the box must be periodic, and the expected pair
        counts follow from the volumes of the bins."""
_STORED = """ Points from kith.open_points are data
        without randoms, weights and regions."""
_BOX = """
    box : float, sequence or Box, optional
        The sides of the periodic box. Default: open space.
    mean_separation : bool
        Whether to compute the mean separation of the pairs in each bin."""
_SIGHT = """
    line_of_sight : {"x", "y", "z", "midpoint"}
        An axis (default "z"), or, for surveys, the direction from the origin to the midpoint of each pair."""
_PI = """
    pi_max, pi_bins : float, int
        Pairs are counted up to pi_max along the line of sight, in bins of equal width.""" + _SIGHT
_MU = """
    mu_bins : int
        The number of bins of equal width from 0 to 1.""" + _SIGHT


def xi(points: ArrayLike | StoredPoints, randoms: ArrayLike | None = None, *, edges: ArrayLike, box: BoxLike = None,
       weight: ArrayLike | None = None, random_weight: ArrayLike | None = None, regions: int = 0,
       region: ArrayLike | None = None, random_region: ArrayLike | None = None, estimator: Estimator = "landy_szalay",
       mean_separation: bool = False, bits: ArrayLike | None = None, table: ArrayLike | None = None,
       threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
       comm: Communicator | None = None) -> Correlation:
    return _correlation(points, randoms, "xi", "r", {n: v for n, v in locals().items()
                                                     if n not in ("points", "randoms")})


def wp(points: ArrayLike | StoredPoints, randoms: ArrayLike | None = None, *, edges: ArrayLike, pi_max: float = 40.0,
       pi_bins: int = 40, line_of_sight: LineOfSight | None = None, box: BoxLike = None,
       weight: ArrayLike | None = None, random_weight: ArrayLike | None = None, regions: int = 0,
       region: ArrayLike | None = None, random_region: ArrayLike | None = None, estimator: Estimator = "landy_szalay",
       mean_separation: bool = False, bits: ArrayLike | None = None, table: ArrayLike | None = None,
       threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
       comm: Communicator | None = None) -> Correlation:
    return _correlation(points, randoms, "wp", "rp_pi", {n: v for n, v in locals().items()
                                                         if n not in ("points", "randoms")})


def smu(points: ArrayLike | StoredPoints, randoms: ArrayLike | None = None, *, edges: ArrayLike, mu_bins: int = 20,
        line_of_sight: LineOfSight | None = None, box: BoxLike = None, weight: ArrayLike | None = None,
        random_weight: ArrayLike | None = None, regions: int = 0, region: ArrayLike | None = None,
        random_region: ArrayLike | None = None, estimator: Estimator = "landy_szalay", mean_separation: bool = False,
        bits: ArrayLike | None = None, table: ArrayLike | None = None, threads: int | None = None,
        progress: Progress = None, cancel: CancelToken | None = None, comm: Communicator | None = None) -> Correlation:
    return _correlation(points, randoms, "xi", "s_mu", {n: v for n, v in locals().items()
                                                        if n not in ("points", "randoms")})


def multipoles(points: ArrayLike | StoredPoints, randoms: ArrayLike | None = None, *, edges: ArrayLike, mu_bins: int = 20,
               line_of_sight: LineOfSight | None = None, box: BoxLike = None, weight: ArrayLike | None = None,
               random_weight: ArrayLike | None = None, regions: int = 0, region: ArrayLike | None = None,
               random_region: ArrayLike | None = None, estimator: Estimator = "landy_szalay",
               mean_separation: bool = False, bits: ArrayLike | None = None, table: ArrayLike | None = None,
               threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None,
               comm: Communicator | None = None) -> Correlation:
    return _correlation(points, randoms, "multipoles", "s_mu", {n: v for n, v in locals().items()
                                                                if n not in ("points", "randoms")})


def theta(points: ArrayLike, randoms: ArrayLike, *, edges: ArrayLike, weight: ArrayLike | None = None,
          random_weight: ArrayLike | None = None, regions: int = 0, region: ArrayLike | None = None,
          random_region: ArrayLike | None = None, estimator: Estimator = "landy_szalay", bits: ArrayLike | None = None,
          table: ArrayLike | None = None, threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None, comm: Communicator | None = None) -> Correlation:
    given = {n: v for n, v in locals().items() if n not in ("points", "randoms")}
    return _correlation(points, randoms, "xi", "theta", {**given, "box": None})


def _in_box(extra: str) -> str:
    return _DOC.format(volumes=_VOLUMES, stored=_STORED, extra=extra + _BOX)


xi.__doc__ = "The correlation function xi(r)." + _in_box("")
wp.__doc__ = "The projected correlation function wp(rp): twice the integral of xi(rp, pi) up to pi_max." + _in_box(_PI)
smu.__doc__ = ("The correlation function xi(s, mu) of distance and cosine of the angle to the line of sight."
               + _in_box(_MU))
multipoles.__doc__ = "The multipoles l = 0, 2, 4 of xi(s, mu)." + _in_box(_MU)
theta.__doc__ = ("The angular correlation function w(theta) of unit vectors (see ``sky_positions``), with angles in degrees."
                 + _DOC.format(volumes="", stored="", extra=""))
