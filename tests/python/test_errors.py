"""Every public call with bad arguments: an exception of kith's own that names the argument, the fact and the remedy."""
import pickle
import re
import threading
import time

import numpy as np
import pytest

import kith

N = 40
X = np.random.default_rng(1).random((N, 3))
V = np.random.default_rng(2).normal(size=(N, 3))
GROUPS = np.arange(N) // 10


class Quantity(np.ndarray):
    """An array with a unit, as astropy's."""

    unit = "kpc"

    def to_value(self, unit):
        return np.asarray(self)


class Pint:
    """A number with a unit, as pint's."""

    magnitude, units = 3.0, "meter"


class Sparse:
    """As a matrix of scipy.sparse."""

    def tocsr(self):
        return self

    def toarray(self):
        return X


def with_unit(x):
    return np.asarray(x, dtype=float).view(Quantity)


# Each call as a function of one argument that may be bad: (name, call, a good value).
POINTS = {
    "Tree": kith.Tree,
    "KDTree": kith.KDTree,
    "knn": lambda x: kith.knn(x, k=2),
    "radius": lambda x: kith.radius(x, radius=0.1),
    "radius_count": lambda x: kith.radius_count(x, radius=0.1),
    "radius_pairs": lambda x: kith.radius_pairs(x, radius=0.1),
    "density": lambda x: kith.density(x, k=4),
    "kth_distance": lambda x: kith.kth_distance(x, k=4),
    "mean_distance": lambda x: kith.mean_distance(x, k=4),
    "fof": lambda x: kith.fof(x, linking_length=0.1),
    "redshift_fof": lambda x: kith.redshift_fof(x, linking_length=0.1, stretch=2.0),
    "halos": lambda x: kith.halos(x, linking_length=0.1),
    "catalogue": lambda x: kith.catalogue(x, GROUPS),
    "centers": lambda x: kith.centers(x, GROUPS),
    "subhalos": lambda x: kith.subhalos(x, GROUPS, velocity=V, linking_length=1.0),
    "overdensities": lambda x: kith.overdensities(x, X[:2], density=1.0),
    "dbscan": lambda x: kith.dbscan(x, 0.1),
    "spanning_tree": kith.spanning_tree,
    "hierarchy": kith.hierarchy,
    "hdbscan": kith.hdbscan,
    "left_balanced": kith.left_balanced,
    "queries": lambda x: kith.knn(X, x, k=2),
    "velocity": lambda x: kith.catalogue(X, GROUPS, velocity=x),
    "centers of spheres": lambda x: kith.overdensities(X, x, density=1.0),
    "Forest.insert": lambda x: kith.Forest(3).insert(x),
    "count": lambda x: kith.correlation.count(x, edges=[0, 0.1]),
    "xi": lambda x: kith.correlation.xi(x, edges=[0, 0.1], box=1.0),
    "jackknife_regions": lambda x: kith.correlation.jackknife_regions(x, 2),
    "SoftLinks": lambda x: kith.gradients.SoftLinks(x, linking_length=0.1),
    "paint": lambda x: kith.gradients.paint(x, cells=4, box=1.0),
    "shape_tensors": lambda x: kith.gradients.shape_tensors(x, GROUPS),
    "distances": lambda x: kith.gradients.distances(x, np.zeros((N, 1), np.int32)),
}
BAD_POINTS = {
    "ragged": [[1.0, 2.0, 3.0], [1.0, 2.0]],
    "sparse": Sparse(),
    "units": with_unit(X),
    "None inside": np.array([[1.0, None, 2.0]] * N, dtype=object),
    "words": np.array([["a", "b", "c"]] * N),
    "complex": X + 1j,
    "times": X.astype("datetime64[s]"),
    "NaN": np.where(np.arange(N)[:, None] == 3, np.nan, X),
    "one row": X[0],
    "nothing": None,
    "a number": 3.0,
    "33 dimensions": np.zeros((N, 33)),
}
VALUES = {
    "density mass": lambda m: kith.density(X, k=4, mass=m),
    "catalogue mass": lambda m: kith.catalogue(X, GROUPS, mass=m),
    "centers mass": lambda m: kith.centers(X, GROUPS, mass=m),
    "subhalos mass": lambda m: kith.subhalos(X, GROUPS, velocity=V, linking_length=1.0, mass=m),
    "overdensities mass": lambda m: kith.overdensities(X, X[:2], density=1.0, mass=m),
    "halos mass": lambda m: kith.halos(X, linking_length=0.1, mass=m),
    "weight": lambda m: kith.correlation.count(X, edges=[0, 0.1], weight=m),
    "list density mass": lambda m: kith.gradients.density(X, kith.knn(X, k=4).index, mass=m),
}
BAD_VALUES = {
    "NaN": np.where(np.arange(N) == 5, np.nan, 1.0),
    "infinite": np.where(np.arange(N) == 5, np.inf, 1.0),
    "too few": np.ones(N - 1),
    "units": with_unit(np.ones(N)),
    "words": np.array(["a"] * N),
    "None inside": np.array([None] * N, dtype=object),
    "ragged": [[1.0]] * (N - 1) + [[1.0, 2.0]],
}
LENGTHS = {
    "fof linking_length": lambda r: kith.fof(X, linking_length=r),
    "fof b": lambda r: kith.fof(X, b=r, box=1.0),
    "radius": lambda r: kith.radius(X, radius=r),
    "radius_count": lambda r: kith.radius_count(X, radius=r),
    "radius_pairs": lambda r: kith.radius_pairs(X, radius=r),
    "max_radius": lambda r: kith.knn(X, k=2, max_radius=r),
    "dbscan eps": lambda r: kith.dbscan(X, r),
    "stretch": lambda r: kith.redshift_fof(X, linking_length=0.1, stretch=r),
    "softening": lambda r: kith.centers(X, GROUPS, softening=r),
    "gravity": lambda r: kith.catalogue(X, GROUPS, gravity=r),
    "subhalos linking_length": lambda r: kith.subhalos(X, GROUPS, velocity=V, linking_length=r),
    "overdensities density": lambda r: kith.overdensities(X, X[:2], density=r),
    "selection_epsilon": lambda r: kith.hdbscan(X, selection_epsilon=r),
    "SoftLinks": lambda r: kith.gradients.SoftLinks(X, linking_length=r),
    "hierarchy length": lambda r: kith.hierarchy(X).count(r),
    "edges": lambda r: kith.correlation.count(X, edges=[0.0, r]),
}
BAD_LENGTHS = {"a word": "a", "NaN": np.nan, "negative": -1.0, "units": Pint(), "a list of words": ["a"]}
COUNTS = {
    "knn k": lambda k: kith.knn(X, k=k),
    "density k": lambda k: kith.density(X, k=k),
    "kth_distance k": lambda k: kith.kth_distance(X, k=k),
    "mean_distance k": lambda k: kith.mean_distance(X, k=k),
    "Forest.knn k": lambda k: _forest().knn(X, k=k),
    "fof min_size": lambda k: kith.fof(X, linking_length=0.1, min_size=k),
    "dbscan min_samples": lambda k: kith.dbscan(X, 0.1, k),
    "hdbscan min_samples": lambda k: kith.hdbscan(X, 5, k),
    "hdbscan min_cluster_size": lambda k: kith.hdbscan(X, k),
    "spanning_tree core_k": lambda k: kith.spanning_tree(X, k),
    "branches": lambda k: kith.hierarchy(X).branches(k),
    "regions": lambda k: kith.correlation.jackknife_regions(X, k),
    "samples": lambda k: kith.gradients.SoftLinks(X, linking_length=0.1).sample(k),
    "cells": lambda k: kith.gradients.paint(X, cells=k, box=1.0),
    "Forest dimension": kith.Forest,
}
BAD_COUNTS = {"0": 0, "-1": -1, "a word": "a", "1.5": 1.5, "None": None, "2**64": 2**64}
HUGE = {"knn k": 2**62, "density k": 2**62, "kth_distance k": 2**62, "Forest.knn k": 2**62}
BOXES = {
    "Tree": lambda b: kith.Tree(X, box=b),
    "knn": lambda b: kith.knn(X, k=2, box=b),
    "fof": lambda b: kith.fof(X, linking_length=0.1, box=b),
    "catalogue": lambda b: kith.catalogue(X, GROUPS, box=b),
    "xi": lambda b: kith.correlation.xi(X, edges=[0, 0.1], box=b),
    "Forest": lambda b: kith.Forest(3, box=b),
    "hdbscan": lambda b: kith.hdbscan(X, box=b),
    "Box": kith.Box,
}
BAD_BOXES = {"a word": "a", "units": with_unit([1.0]), "a matrix": np.ones((2, 2)), "NaN": np.nan, "negative": -1.0,
             "empty": [], "ragged": [1.0, [2.0, 3.0]]}
WORDS = {
    "builder": lambda w: kith.Tree(X, builder=w),
    "curve": lambda w: kith.Tree(X, curve=w),
    "order": lambda w: kith.knn(X, k=2, order=w),
    "method": lambda w: kith.knn(X, k=2, method=w),
    "kernel": lambda w: kith.density(X, kernel=w),
    "border": lambda w: kith.dbscan(X, 0.1, border=w),
    "selection": lambda w: kith.hdbscan(X, selection=w),
    "kind": lambda w: kith.centers(X, GROUPS, kind=w),
    "separation": lambda w: kith.correlation.count(X, edges=[0, 0.1], separation=w),
    "line_of_sight": lambda w: kith.redshift_fof(X, linking_length=0.1, stretch=2.0, line_of_sight=w),
    "non_finite": lambda w: kith.fof(X, linking_length=0.1, non_finite=w),
    "peak": lambda w: kith.peak_members(GROUPS, np.ones(N), peak=w),
    "edge": kith.edge_density,
}
BAD_WORDS = {"unknown": "sideways", "a number": 3}


def _forest():
    forest = kith.Forest(3)
    forest.insert(X)
    return forest


# None means a default there, and properties at fixed membership are NaN where a member is.
GOOD = {("queries", "nothing"), ("velocity", "nothing"), ("hdbscan min_samples", "None"), ("catalogue", "NaN"),
        ("centers", "NaN"), ("subhalos", "NaN"), ("velocity", "NaN"), ("paint", "NaN"), ("shape_tensors", "NaN"),
        ("distances", "NaN")}


def table(calls, values):
    return [pytest.param(call, value, id=f"{name}-{what}") for name, call in calls.items()
            for what, value in values.items() if calls is not POINTS and calls is not COUNTS
            or (name, what) not in GOOD]


def expect_refusal(call, value):
    with pytest.raises(kith.Error) as caught:
        call(value)
    message = str(caught.value)
    assert isinstance(caught.value, (ValueError, TypeError)), message
    assert caught.value.code in ("invalid_argument", "non_finite", "too_large")
    if call is not kith.KDTree:  # it has scipy's words
        assert ";" in message or ": " in message, f"no remedy: {message}"
    assert "incompatible function arguments" not in message and "dimensions are not allowed" not in message


@pytest.mark.parametrize("call, value", table(POINTS, BAD_POINTS) + table(VALUES, BAD_VALUES)
                         + table(LENGTHS, BAD_LENGTHS) + table(COUNTS, BAD_COUNTS) + table(BOXES, BAD_BOXES)
                         + table(WORDS, BAD_WORDS)
                         + [pytest.param(COUNTS[name], k, id=f"{name}-{k}") for name, k in HUGE.items()])
def test_bad_arguments(call, value):
    expect_refusal(call, value)


@pytest.mark.parametrize("calls, good", [(POINTS, X), (VALUES, np.ones(N)), (COUNTS, 3), (BOXES, 1.0)])
def test_good_arguments_pass(calls, good):
    """The tables are about the bad value, not about a call that never works."""
    for call in calls.values():
        call(good)


@pytest.mark.parametrize("call, words", [
    (lambda: kith.knn([[1.0, 2.0], [1.0]], k=1), "points: rows of different lengths"),
    (lambda: kith.knn(Sparse(), k=1), r"x\.toarray\(\)"),
    (lambda: kith.knn(with_unit(X), k=1), "units of kpc"),
    (lambda: kith.gradients.paint(X, cells=2**31, box=1.0), "use fewer"),
    (lambda: kith.overdensities(X, np.zeros((3, 6)), density=1.0), "centers of dimension 6"),
    (lambda: kith.fof(X, linking_length=Pint()), "linking_length"),
    (lambda: kith.knn(np.array([[1.0, None]], dtype=object), k=1), r"element \[0, 1\] is None"),
    (lambda: kith.knn(X, k=2**62), "k = 4611686018427387904; .*ask for fewer"),
    (lambda: kith.hdbscan(X, 5, 41), "min_samples = 41 of 40 points"),
    (lambda: kith.Tree(X, box="a"), "box"),
    (lambda: kith.density(X, mass=np.nan), "mass nan"),
    (lambda: kith.correlation.count(2 * X, edges=[0, 1], separation="theta"), "unit vectors"),
    (lambda: kith.Tree(X, max_leaf_size="a"), "max_leaf_size = 'a'; give a whole number"),
])
def test_messages_name_fact_and_remedy(call, words):
    with pytest.raises(kith.Error, match=words):
        call()


def test_astropy_units_are_not_dropped():
    units = pytest.importorskip("astropy.units")
    for call in (lambda: kith.knn(X * units.Mpc, k=1), lambda: kith.fof(X, linking_length=0.1 * units.Mpc),
                 lambda: kith.Tree(X, box=1.0 * units.kpc), lambda: kith.catalogue(X, GROUPS, mass=np.ones(N) * units.kg),
                 lambda: kith.radius(X, radius=3 * units.m)):
        with pytest.raises(kith.Error, match="unit|give a number"):
            call()
    kith.knn(X * units.dimensionless_unscaled, k=1)


def test_half_precision_is_converted():
    half = X.astype(np.float16)
    assert kith.knn(half, k=2).distance.dtype == np.float32
    torch = pytest.importorskip("torch", exc_type=ImportError)
    brain = torch.tensor(X).to(torch.bfloat16)
    np.testing.assert_array_equal(kith.knn(brain, k=2).index, kith.knn(brain.float().numpy(), k=2).index)


def test_exceptions_are_kiths_and_pythons(tmp_path):
    with pytest.raises(kith.Error) as caught:
        kith.Tree.load(tmp_path / "none")
    assert isinstance(caught.value, OSError) and caught.value.code == "io"
    with pytest.raises(kith.Error) as caught:
        kith.Tree([[np.nan]])
    assert isinstance(caught.value, ValueError) and caught.value.code == "non_finite"
    with pytest.raises(kith.Error) as caught:
        kith.Tree(X, device="gpu:99")
    assert isinstance(caught.value, (RuntimeError, ValueError))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value) and again.code == caught.value.code


def test_a_token_raises_cancelled():
    """A program that cancels its own call can catch that as any other error."""
    token = kith.CancelToken()
    token.cancel()
    with pytest.raises(kith.Cancelled) as caught:
        kith.knn(np.random.default_rng(3).random((5000, 3)), k=8, cancel=token)
    assert isinstance(caught.value, RuntimeError) and caught.value.code == "cancelled"
    assert not isinstance(caught.value, KeyboardInterrupt)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("curve", ["automatic", "z", "kd"])
def test_points_that_change_during_a_call(d, curve):
    """A thread of the caller spoils the points: an error or an answer, never a crash."""
    rng = np.random.default_rng(d)
    good = rng.random((20000, d))
    x = good.copy()
    is_over = threading.Event()

    def spoil():
        bad = (np.nan, np.inf, -np.inf, 1e300, -1e300, -5.0)
        while not is_over.is_set():
            for value in bad:
                x[rng.integers(len(x), size=300), rng.integers(d)] = value
            x[:] = good

    thread = threading.Thread(target=spoil)
    thread.start()
    errors, answers, end = 0, 0, time.monotonic() + 0.6
    try:
        while time.monotonic() < end:
            try:
                tree = kith.Tree(x, curve=curve)
                kith.knn(tree, x[:2000], k=4)
                kith.fof(tree, linking_length=0.01)
                answers += 1
            except kith.Error as error:
                assert re.search("finite|changed", str(error)), error
                errors += 1
    finally:
        is_over.set()
        thread.join()
    assert errors + answers > 0
