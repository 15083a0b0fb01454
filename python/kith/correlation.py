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
from typing import Any, Mapping

import numpy as np

from . import _kith
from ._arrays import FLOAT64, as_array, integers, number, numbers, points as as_points, values, whole
from ._box import as_box
from ._call import CancelToken, Progress, carry_out
from ._errors import ArgumentError, ArgumentTypeError

__all__ = ["Correlation", "PairHistogram", "comoving_distance", "count", "jackknife_regions", "load", "logspace",
           "multipoles", "nearest_regions", "pip_table", "read_bins", "sky_positions", "smu", "theta", "wp", "xi"]


@dataclass
class PairHistogram:
    """Pair counts in bins of one coordinate, (n,), or of two, (n, m).

    Counts of a set with itself contain every pair twice and no point with itself, as in Corrfunc. TreeCorr's npairs
    counts each pair once.
    """

    edges: np.ndarray
    """Of r, rp, s or theta (degrees): bin i is [edges[i], edges[i + 1])."""
    second_edges: np.ndarray | None
    """Of pi or mu."""
    weight: np.ndarray
    """Sums of products of weights; without weights the numbers of pairs."""
    counts: np.ndarray
    """Numbers of pairs as integers, also if there are weights."""
    total: float
    """All pairs of different points, at any separation."""
    mean_separation: np.ndarray | None = None
    left_out: np.ndarray | None = None
    """``weight`` without each region in turn: (regions, ...)."""
    left_out_total: np.ndarray | None = None


@dataclass
class Correlation:
    """A correlation function with its errors.

    ``xi`` has the shape (n,) or (n, m). For wp, ``xi`` is None and ``wp`` has the values. For multipoles,
    ``multipoles`` has the shape (3, n) for l = 0, 2, 4. ``value`` is the requested one of these, flattened in the order
    of ``covariance`` and ``samples``.
    """

    statistic: str
    separation: str
    edges: np.ndarray
    second_edges: np.ndarray | None
    value: np.ndarray
    error: np.ndarray | None = None
    """Jackknife errors, in the shape of the statistic."""
    covariance: np.ndarray | None = None
    samples: np.ndarray | None = None
    """The statistic without each region in turn: (regions, value.size)."""
    mean_separation: np.ndarray | None = None
    pairs: dict[str, np.ndarray] = field(default_factory=dict)
    """Pairs in bins: "DD", "DR", "RR"; with weights, sums of their products."""
    counts: dict[str, np.ndarray] = field(default_factory=dict)
    """Numbers of pairs in bins, also with weights, for which there is "DD" alone."""

    @property
    def center(self) -> np.ndarray:
        """The center of each bin: the geometric mean of its edges, or the arithmetic mean if it starts at 0."""
        low, high = self.edges[:-1], self.edges[1:]
        return np.where(low > 0, np.sqrt(low * high), (low + high) / 2)

    def _shaped(self, flat: np.ndarray) -> np.ndarray:
        n = len(self.edges) - 1
        if self.statistic == "multipoles":
            return flat.reshape(3, n)
        return flat.reshape(n, -1) if flat.size != n else flat

    @property
    def xi(self) -> np.ndarray | None:
        return self._shaped(self.value) if self.statistic == "xi" else None

    @property
    def wp(self) -> np.ndarray | None:
        return self.value if self.statistic == "wp" else None

    @property
    def multipoles(self) -> np.ndarray | None:
        return self._shaped(self.value) if self.statistic == "multipoles" else None

    def _columns(self) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
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

    def to_pandas(self) -> Any:
        """A DataFrame with one row per bin."""
        import pandas
        columns: dict[str, Any] = {"low": self.edges[:-1], "high": self.edges[1:], "center": self.center}
        for name, (value, error) in self._columns().items():
            columns[name] = value
            if error is not None:
                columns[f"{name}_error"] = error
        return pandas.DataFrame(columns)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the values with error bars and returns the axes.

        Multipoles are multiplied by s^2. A function of two coordinates is drawn as a map.
        """
        from .plot import _axes
        ax = _axes(ax)
        label = {"r": "$r$", "rp_pi": "$r_p$", "s_mu": "$s$", "theta": r"$\theta$ [degrees]"}[self.separation]
        if self.statistic == "xi" and self.value.size > len(self.edges) - 1:
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

    def save(self, path: Any) -> None:
        """Writes everything to an .npz file, which ``load`` reads."""
        arrays = {name: value for name, value in self.__dict__.items()
                  if isinstance(value, np.ndarray)}
        for kind, tables in (("pairs", self.pairs), ("counts", self.counts)):
            arrays |= {f"{kind}_{name}": value for name, value in tables.items()}
        np.savez(path, statistic=self.statistic, separation=self.separation, **arrays)


def load(path: Any) -> Correlation:
    """Reads a file that ``Correlation.save`` wrote."""
    with np.load(path) as file:
        given: dict[str, Any] = {name: file[name] for name in file.files}
    def tables(kind: str) -> dict[str, np.ndarray]:
        return {name[len(kind):]: given.pop(name) for name in list(given) if name.startswith(kind)}
    pairs, counts = tables("pairs_"), tables("counts_")
    words = {name: str(given.pop(name)) for name in ("statistic", "separation")}
    given.setdefault("second_edges", None)
    return Correlation(**words, **given, pairs=pairs, counts=counts)


def logspace(low: float, high: float, bins: int) -> np.ndarray:
    """The bins + 1 edges of logarithmic bins of equal width."""
    return np.logspace(np.log10(low), np.log10(high), bins + 1)


def read_bins(path: Any) -> np.ndarray:
    """Reads the edges from a bin file of Corrfunc: one line per bin, with its lower and upper edge."""
    rows = np.loadtxt(path, ndmin=2)
    if rows.shape[1] != 2 or not np.array_equal(rows[1:, 0], rows[:-1, 1]):
        raise ArgumentError(f"read_bins: {path} has no two columns of bins that follow each other")
    return np.append(rows[:, 0], rows[-1, 1])


def sky_positions(ra: Any, dec: Any, distance: Any = None) -> np.ndarray:
    """Cartesian coordinates around the observer from angles in degrees; without distances, unit vectors."""
    angle = numbers(ra, "ra")
    far = None if distance is None else values(distance, len(angle), "distance", FLOAT64)
    return _kith.sky_positions(angle, values(dec, len(angle), "dec", FLOAT64), far)


def comoving_distance(redshift: Any, omega_m: float = 0.31) -> np.ndarray:
    """Comoving distances in Mpc/h in a flat universe with matter and a cosmological constant."""
    return _kith.comoving_distance(numbers(redshift, "redshift"), number(omega_m, "omega_m"))


def jackknife_regions(points: Any, regions: int, *, box: Any = None, threads: int | None = None) -> np.ndarray:
    """A jackknife region for each point: runs of equal length along the curve of the tree."""
    return carry_out(_kith.jackknife_regions, as_points(points), whole(regions, "regions"), as_box(box)._core, threads=threads)


def nearest_regions(points: Any, region: Any, others: Any, *, box: Any = None,
                    threads: int | None = None) -> np.ndarray:
    """A region for each other point: that of the nearest of ``points``."""
    rows = as_points(points)
    return carry_out(_kith.nearest_regions, rows, integers(region, "region", np.int32),
                     as_points(others, "others", rows.dtype), as_box(box)._core, threads=threads)


def pip_table(words: int, realizations: int) -> np.ndarray:
    """A table of pairwise inverse probabilities: realizations / (realizations in which both points were selected)."""
    shared = np.arange(64 * words + 1, dtype=np.float64)
    return np.divide(realizations, shared, out=np.zeros_like(shared), where=shared > 0)


def _words(bits: Any, count: int, name: str) -> np.ndarray:
    """Rows of 64-bit words; signed numbers stand for their bits."""
    given = as_array(bits, f"bits of {name}")
    if given.dtype.kind not in "iu" or (count and (given.size == 0 or given.size % count)):
        raise ArgumentTypeError(f"bits of {name}: {given.dtype} of shape {given.shape}; give rows of uint64, as many for "
                                "each point")
    return np.ascontiguousarray(given).astype(np.uint64).reshape(count, -1 if count else 1)


def _set(points: Any, weight: Any, region: Any, bits: Any, name: str) -> tuple[Any, ...]:
    rows = as_points(points, name)
    return (rows, None if weight is None else values(weight, len(rows), f"weight of {name}", FLOAT64),
            None if region is None else integers(region, f"region of {name}", np.int32),
            None if bits is None else _words(bits, len(rows), name))


def _second_edges(separation: str, pi_max: float, pi_bins: int, mu_bins: int) -> np.ndarray | None:
    if separation == "rp_pi":
        return pi_max * np.arange(pi_bins + 1) / pi_bins
    return np.arange(mu_bins + 1) / mu_bins if separation == "s_mu" else None


def _some(array: np.ndarray, *shape: int) -> np.ndarray | None:
    return array.reshape(shape) if array.size else None


def count(points: Any, others: Any = None, *, edges: Any, separation: str = "r", line_of_sight: str = "z",
          pi_max: float = 40.0, pi_bins: int = 40, mu_bins: int = 20, box: Any = None, weight: Any = None,
          other_weight: Any = None, region: Any = None, other_region: Any = None, regions: int = 0,
          mean_separation: bool = False, bits: Any = None, other_bits: Any = None, table: Any = None,
          threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None) -> PairHistogram:
    """Counts pairs in bins of their separation: DD(r), DD(rp, pi), DD(s, mu) or DD(theta).

    Parameters
    ----------
    points, others : array_like, (n, d)
        The points, and a second set for cross counts.
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
    """
    bins = numbers(edges, "edges")
    space = as_box(box)
    if regions and region is None and others is None:
        region = jackknife_regions(points, regions, box=box, threads=threads)
    if region is not None and not regions:
        regions = int(max(np.max(region), -1 if other_region is None else np.max(other_region))) + 1
    first = _set(points, weight, region, bits, "points")
    second = None if others is None else _set(others, other_weight, other_region, other_bits, "others")
    options = {"separation": separation, "line_of_sight": line_of_sight, "edges": bins.tolist(), "pi_max": pi_max,
               "pi_bins": pi_bins, "mu_bins": mu_bins, "box": space._core, "regions": regions,
               "mean_separation": mean_separation, **_table_options(first, table)}
    found = carry_out(_kith.pair_histogram, first, second, options, threads=threads, progress=progress,
                      cancel=cancel)
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


def _correlation(points: Any, randoms: Any, statistic: str, separation: str, given: Mapping[str, Any]) -> Correlation:
    asked = dict(given)
    carry = {name: asked.pop(name) for name in ("threads", "progress", "cancel")}
    data = _set(points, asked.pop("weight"), asked.pop("region"), asked.pop("bits", None), "points")
    random_weight, random_region = asked.pop("random_weight"), asked.pop("random_region")
    random = None if randoms is None else _set(randoms, random_weight, random_region, None, "randoms")
    regions = asked.pop("regions")
    if data[2] is not None and not regions:
        regions = int(np.max(data[2])) + 1
    bins = numbers(asked.pop("edges"), "edges")
    box = as_box(asked.pop("box"))
    options = {**{name: value for name, value in asked.items() if value is not None and name != "table"},
               **_table_options(data, asked.get("table")), "statistic": statistic, "separation": separation,
               "edges": bins.tolist(), "regions": regions, "box": box._core}
    found = carry_out(_kith.correlation, data, random, options, **carry)
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
        The data and the random points.{volumes}
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

    Returns
    -------
    Correlation
    """
_VOLUMES = """ Without randoms, the box must be periodic, and the expected pair
        counts follow from the volumes of the bins."""
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


def xi(points: Any, randoms: Any = None, *, edges: Any, box: Any = None, weight: Any = None,
       random_weight: Any = None, regions: int = 0, region: Any = None, random_region: Any = None,
       estimator: str = "landy_szalay", mean_separation: bool = False, bits: Any = None, table: Any = None,
       threads: int | None = None, progress: Progress = None, cancel: CancelToken | None = None) -> Correlation:
    return _correlation(points, randoms, "xi", "r", {n: v for n, v in locals().items()
                                                     if n not in ("points", "randoms")})


def wp(points: Any, randoms: Any = None, *, edges: Any, pi_max: float = 40.0, pi_bins: int = 40,
       line_of_sight: str | None = None, box: Any = None, weight: Any = None, random_weight: Any = None,
       regions: int = 0, region: Any = None, random_region: Any = None, estimator: str = "landy_szalay",
       mean_separation: bool = False, bits: Any = None, table: Any = None, threads: int | None = None,
       progress: Progress = None, cancel: CancelToken | None = None) -> Correlation:
    return _correlation(points, randoms, "wp", "rp_pi", {n: v for n, v in locals().items()
                                                         if n not in ("points", "randoms")})


def smu(points: Any, randoms: Any = None, *, edges: Any, mu_bins: int = 20, line_of_sight: str | None = None,
        box: Any = None, weight: Any = None, random_weight: Any = None, regions: int = 0, region: Any = None,
        random_region: Any = None, estimator: str = "landy_szalay", mean_separation: bool = False, bits: Any = None,
        table: Any = None, threads: int | None = None, progress: Progress = None,
        cancel: CancelToken | None = None) -> Correlation:
    return _correlation(points, randoms, "xi", "s_mu", {n: v for n, v in locals().items()
                                                        if n not in ("points", "randoms")})


def multipoles(points: Any, randoms: Any = None, *, edges: Any, mu_bins: int = 20, line_of_sight: str | None = None,
               box: Any = None, weight: Any = None, random_weight: Any = None, regions: int = 0, region: Any = None,
               random_region: Any = None, estimator: str = "landy_szalay", mean_separation: bool = False,
               bits: Any = None, table: Any = None, threads: int | None = None, progress: Progress = None,
               cancel: CancelToken | None = None) -> Correlation:
    return _correlation(points, randoms, "multipoles", "s_mu", {n: v for n, v in locals().items()
                                                                if n not in ("points", "randoms")})


def theta(points: Any, randoms: Any, *, edges: Any, weight: Any = None, random_weight: Any = None, regions: int = 0,
          region: Any = None, random_region: Any = None, estimator: str = "landy_szalay", bits: Any = None,
          table: Any = None, threads: int | None = None, progress: Progress = None,
          cancel: CancelToken | None = None) -> Correlation:
    given = {n: v for n, v in locals().items() if n not in ("points", "randoms")}
    return _correlation(points, randoms, "xi", "theta", {**given, "box": None})


def _in_box(extra: str) -> str:
    return _DOC.format(volumes=_VOLUMES, extra=extra + _BOX)


xi.__doc__ = "The correlation function xi(r)." + _in_box("")
wp.__doc__ = "The projected correlation function wp(rp): twice the integral of xi(rp, pi) up to pi_max." + _in_box(_PI)
smu.__doc__ = ("The correlation function xi(s, mu) of distance and cosine of the angle to the line of sight."
               + _in_box(_MU))
multipoles.__doc__ = "The multipoles l = 0, 2, 4 of xi(s, mu)." + _in_box(_MU)
theta.__doc__ = ("The angular correlation function w(theta) of unit vectors (see ``sky_positions``), with angles in degrees."
                 + _DOC.format(volumes="", extra=""))
