"""Weights in clusters, and clusters of new points: definitions, scikit-learn and hdbscan."""
import pickle

import numpy as np
import pytest

import kith


def clumps(rng, n, dimension=2):
    center = rng.random((6, dimension))
    return center[rng.integers(6, size=n)] + rng.normal(0, 0.03, (n, dimension))


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b)) and np.array_equal(np.less(a, 0), np.less(b, 0))


def test_dbscan_as_scikit_learn(rng):
    cluster = pytest.importorskip("sklearn.cluster")
    ours = pytest.importorskip("kith.sklearn")
    x = clumps(rng, 500)
    for weight in (rng.integers(0, 5, 500) / 4, rng.random(500), rng.normal(0.5, 1, 500)):
        theirs = cluster.DBSCAN(eps=0.02, min_samples=4).fit(x, sample_weight=weight)
        mine = kith.dbscan(x, 0.02, 4, sample_weight=weight, border="sklearn")
        assert np.array_equal(np.flatnonzero(mine.is_core), theirs.core_sample_indices_)
        assert same_partition(mine.label, theirs.labels_)
        fitted = ours.DBSCAN(eps=0.02, min_samples=4).fit(x, sample_weight=weight)
        assert np.array_equal(fitted.labels_, mine.label)
    assert np.array_equal(kith.dbscan(kith.Tree(x), 0.02, 4, sample_weight=np.ones(500)), kith.dbscan(x, 0.02, 4))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_whole_weights_are_repeated_points(rng, dimension):
    x = clumps(rng, 300, dimension)
    weight = rng.integers(1, 6, 300)
    first = np.concatenate([[0], np.cumsum(weight)[:-1]])
    for selection in ("eom", "leaf"):
        repeated = kith.hdbscan(np.repeat(x, weight, axis=0), 12, 7, selection=selection)
        weighted = kith.hdbscan(x, 12, 7, sample_weight=weight, selection=selection)
        assert np.array_equal(weighted.label, repeated.label[first])
        assert np.array_equal(weighted.probability, repeated.probability[first])
        assert np.array_equal(weighted.outlier_score, repeated.outlier_score[first])
        np.testing.assert_allclose(weighted.stability, repeated.stability, rtol=1e-9)
    assert weighted.condensed_tree.weight.sum() >= weight.sum()
    half = kith.hdbscan(x, 12, 7, sample_weight=weight, min_cluster_weight=12.0)
    assert np.array_equal(half.label, kith.hdbscan(x, 12, 7, sample_weight=weight).label)
    again = pickle.loads(pickle.dumps(weighted))
    assert np.array_equal(again.predict(x)[0], weighted.predict(x)[0])


def test_core_distances_are_sums_of_weights(rng):
    x, weight = clumps(rng, 200), rng.random(200)
    tree = kith.spanning_tree(x, 3, sample_weight=weight)
    index, distance = kith.knn(x, k=200)
    enough = np.cumsum(weight[index], axis=1) >= 3
    core = np.take_along_axis(distance, np.argmax(enough, axis=1)[:, None], 1)[:, 0]
    i, j = tree.index.T
    apart = np.sqrt(((x[i] - x[j]) ** 2).sum(1))
    np.testing.assert_allclose(tree.length, np.maximum(apart, np.maximum(core[i], core[j])), rtol=1e-12)


def test_prediction_as_hdbscan(rng):
    hdbscan = pytest.importorskip("hdbscan")
    x, q = clumps(rng, 800), np.concatenate([clumps(rng, 150), rng.random((50, 2))])
    theirs = hdbscan.HDBSCAN(min_cluster_size=15, min_samples=9, prediction_data=True).fit(x)
    mine = kith.hdbscan(x, 15, 10)
    assert same_partition(mine.label, theirs.labels_)
    name = dict(zip(mine.label, theirs.labels_)) | {-1: -1}
    label, probability = mine.predict(q)
    expected, strength = hdbscan.approximate_predict(theirs, q)
    assert np.mean([name[one] for one in label] == expected) > 0.98
    agree = np.array([name[one] for one in label]) == expected
    assert np.mean(np.isclose(probability[agree], strength[agree])) > 0.95


def test_prediction_keeps_labels(rng):
    x = clumps(rng, 500, 3)
    clusters = kith.hdbscan(x, 10)
    assert np.array_equal(clusters.predict(x)[0], clusters.label)
    made = kith.hierarchy(x, 10).condense(10)
    assert np.array_equal(made.predict(x, tree=kith.Tree(x))[0], clusters.label)
    with pytest.raises(kith.Error, match="have no points"):
        made.predict(x)
    with pytest.raises(kith.Error, match="made from one another"):
        made.predict(x, tree=kith.Tree(x[:9]))


@pytest.mark.parametrize("weight, words", [
    ([1.0], "1 weights for 30 points"), (np.zeros(30), "weight 0 is 0"), (np.full(30, np.nan), "nan"),
    (np.full(30, 0.1), "add up to 3"), (["a"] * 30, "not numbers"),
])
def test_errors_say_what_is_wrong(rng, weight, words):
    with pytest.raises(kith.Error, match=words):
        kith.hdbscan(rng.random((30, 2)), 5, sample_weight=weight)
