"""Correlation functions from Python: equal to plain NumPy and to scipy, saved and loaded."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest

import kith
from kith import correlation

EDGES = correlation.logspace(0.02, 0.3, 9)


def separations(x: np.ndarray, side: float) -> np.ndarray:
    gap = np.abs(x[:, None, :] - x[None, :, :])
    return np.minimum(gap, side - gap) if side else gap


def histogram(first: np.ndarray, second: np.ndarray, edges: np.ndarray, other: np.ndarray) -> np.ndarray:
    mask = ~np.eye(len(first), dtype=bool)
    return np.histogram2d(first[mask], second[mask], (edges, other))[0]


@pytest.fixture
def points() -> np.ndarray:
    return kith.sample.uniform(700, 3, seed=3).astype(np.float64)


def test_counts_equal_numpy(points: np.ndarray) -> None:
    gap = separations(points, 1.0)
    r = np.sqrt((gap**2).sum(axis=2))
    rp, pi = np.sqrt((gap[..., :2]**2).sum(axis=2)), gap[..., 2]
    mu = pi / np.where(r > 0, r, 1)
    found = correlation.count(points, edges=EDGES, box=1.0)
    assert found.counts is not None and found.counts.dtype == np.int64
    np.testing.assert_array_equal(found.counts, histogram(r, r, EDGES, np.array([0, 9.0]))[:, 0])
    found = correlation.count(points, edges=EDGES, box=1.0, separation="rp_pi", pi_max=0.4, pi_bins=4)
    np.testing.assert_array_equal(found.counts, histogram(rp, pi, EDGES, np.linspace(0, 0.4, 5)))
    found = correlation.count(points, edges=EDGES, box=1.0, separation="s_mu", mu_bins=5)
    np.testing.assert_array_equal(found.counts, histogram(r, mu, EDGES, np.arange(6) / 5))


def test_cross_counts_equal_scipy(points: np.ndarray) -> None:
    scipy_spatial = pytest.importorskip("scipy.spatial")
    others = kith.sample.uniform(500, 3, seed=4).astype(np.float64)
    weight, other_weight = np.arange(700) % 7, np.arange(500) % 5
    tree, other = scipy_spatial.cKDTree(points), scipy_spatial.cKDTree(others)
    for weights in (None, (weight, other_weight)):
        found = correlation.count(points, others, edges=EDGES, weight=None if weights is None else weight,
                                  other_weight=None if weights is None else other_weight)
        expected = np.diff(tree.count_neighbors(other, EDGES, weights=weights))
        np.testing.assert_allclose(found.weight, expected, rtol=1e-12)


def test_jackknife(points: np.ndarray) -> None:
    region = correlation.jackknife_regions(points, 8, box=1.0)
    assert set(region) == set(range(8))
    found = correlation.count(points, edges=EDGES, box=1.0, region=region)
    assert found.left_out is not None
    for k in range(8):
        less = correlation.count(points[region != k], edges=EDGES, box=1.0)
        np.testing.assert_array_equal(found.left_out[k], less.weight)


def test_pairwise_weights(points: np.ndarray) -> None:
    bits = np.random.default_rng(1).integers(0, 2**63, (700, 1), dtype=np.uint64)
    table = correlation.pip_table(1, 64)
    found = correlation.count(points, edges=EDGES, bits=bits, table=table)
    shared = np.array([[bin(int(a & b)).count("1") for b in bits[:, 0]] for a in bits[:, 0]])
    r = np.sqrt((separations(points, 0)**2).sum(axis=2))
    mask = ~np.eye(700, dtype=bool)
    expected = np.histogram(r[mask], EDGES, weights=table[shared][mask])[0]
    np.testing.assert_allclose(found.weight, expected, rtol=1e-12)


def test_statistics_and_files(points: np.ndarray, tmp_path: object) -> None:
    results = [correlation.xi(points, edges=EDGES, box=1.0, regions=10),
               correlation.wp(points, edges=EDGES, box=1.0, pi_max=0.3, regions=10),
               correlation.multipoles(points, edges=EDGES, box=1.0, regions=10),
               correlation.smu(points, points, edges=EDGES, mu_bins=4, line_of_sight="midpoint"),
               correlation.theta(correlation.sky_positions([0, 10, 20, 30.], [0, 5, 9, 3.]),
                                 correlation.sky_positions([1, 12, 25, 33.], [0, 5, 9, 3.]), edges=[1, 60.])]
    for result in results:
        path = f"{tmp_path}/{result.statistic}.npz"
        result.save(path)
        again = correlation.load(path)
        np.testing.assert_array_equal(again.value, result.value)
        assert again.statistic == result.statistic and again.separation == result.separation
        assert set(again.pairs) == set(result.pairs)
    assert results[0].xi is not None and results[0].error.shape == (9,)
    assert results[1].wp is not None and results[1].covariance.shape == (9, 9)
    assert results[2].multipoles.shape == (3, 9) and results[2].error.shape == (3, 9)
    assert results[3].xi.shape == (9, 4)


def test_tables_and_pictures(points: np.ndarray) -> None:
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    shown = [(correlation.xi(points, edges=EDGES, box=1.0, regions=10), ["xi", "xi_error"]),
             (correlation.wp(points, edges=EDGES, box=1.0, pi_max=0.3), ["wp"]),
             (correlation.multipoles(points, edges=EDGES, box=1.0, regions=5), ["xi0", "xi0_error", "xi2"]),
             (correlation.smu(points, edges=EDGES, box=1.0, mu_bins=3, regions=5), ["xi_0", "xi_0_error", "xi_2"])]
    for result, columns in shown:
        table = result.to_pandas()
        assert len(table) == 9 and set(columns) <= set(table.columns)
        np.testing.assert_array_equal(table[columns[0]], np.atleast_2d(result.value.reshape(
            3, 9)[0] if result.statistic == "multipoles" else result.value.reshape(9, -1)[:, 0])[0])
        assert result.plot().get_xlabel()
        matplotlib.pyplot.close("all")


def test_regions_of_others(points: np.ndarray) -> None:
    region = correlation.jackknife_regions(points, 5, box=1.0)
    np.testing.assert_array_equal(correlation.nearest_regions(points, region, points, box=1.0), region)
    found = correlation.count(points, points[:300], edges=EDGES, box=1.0, region=region, other_region=region[:300])
    less = correlation.count(points[region != 2], points[:300][region[:300] != 2], edges=EDGES, box=1.0)
    np.testing.assert_array_equal(found.left_out[2], less.weight)


def test_bins_of_corrfunc(tmp_path: object) -> None:
    path = f"{tmp_path}/bins"
    with open(path, "w") as file:
        file.write("0.1 0.2\n0.2 0.5\n")
    np.testing.assert_array_equal(correlation.read_bins(path), [0.1, 0.2, 0.5])


def test_errors(points: np.ndarray) -> None:
    with pytest.raises(ValueError, match="give randoms"):
        correlation.xi(points, edges=EDGES)
    with pytest.raises(ValueError, match="sort the edges"):
        correlation.count(points, edges=[2.0, 1.0])


def test_linear_power_has_the_amplitude_that_was_asked_for():
    k = np.logspace(-4, 2, 4000)
    x = 8 * k
    window = 3 * (np.sin(x) - x * np.cos(x)) / x**3
    variance = np.sum(k**3 * kith.sample.linear_power(k, sigma8=0.7) * window**2) * np.log(k[1] / k[0]) / (2 * np.pi**2)
    assert abs(variance**0.5 - 0.7) < 0.002


def test_xi_of_the_sample_universe_follows_linear_theory(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python")
    import correlation_universe
    found, theory = correlation_universe.main(32, tmp_path)
    assert np.abs(found.xi / theory - 1)[3:11].max() < 0.2
    assert (tmp_path / "correlation_universe.png").exists()
