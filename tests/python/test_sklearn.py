"""The estimators: scikit-learn's own checks, and its answers."""
import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import cluster, neighbors
from sklearn.utils.estimator_checks import parametrize_with_checks

from kith.sklearn import DBSCAN, HDBSCAN, FriendsOfFriends, NearestNeighbors


@parametrize_with_checks([NearestNeighbors(), FriendsOfFriends(), DBSCAN(), HDBSCAN()])
def test_scikit_learns_checks(estimator, check):
    name = getattr(check, "func", check).__name__
    if isinstance(estimator, HDBSCAN) and name == "check_sample_weight_equivalence_on_dense_data":
        pytest.skip("it shuffles points, and clusters are numbered in their order; test_weights.py keeps the order")
    check(estimator)


@pytest.mark.parametrize("dimension", [2, 3, 10])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_neighbors(dimension, metric, rng):
    x, q = rng.random((300, dimension)), rng.random((20, dimension))
    ours = NearestNeighbors(n_neighbors=4, radius=0.4, metric=metric).fit(x)
    theirs = neighbors.NearestNeighbors(n_neighbors=4, radius=0.4, metric=metric).fit(x)
    for argument in (None, q):
        np.testing.assert_array_equal(ours.kneighbors(argument)[1], theirs.kneighbors(argument)[1])
        np.testing.assert_allclose(ours.kneighbors(argument)[0], theirs.kneighbors(argument)[0])
        mine, others = ours.radius_neighbors(argument), theirs.radius_neighbors(argument, sort_results=True)
        for a, b in zip(mine[1], others[1]):
            np.testing.assert_array_equal(a, b)
        for mode in ("connectivity", "distance"):
            np.testing.assert_allclose(ours.kneighbors_graph(argument, mode=mode).toarray(),
                                       theirs.kneighbors_graph(argument, mode=mode).toarray())
            np.testing.assert_allclose(ours.radius_neighbors_graph(argument, mode=mode).toarray(),
                                       theirs.radius_neighbors_graph(argument, mode=mode).toarray())


def test_groups_are_those_of_dbscan(rng):
    x = rng.random((500, 3))
    ours = FriendsOfFriends(linking_length=0.08).fit(x)
    theirs = cluster.DBSCAN(eps=0.08, min_samples=1).fit(x)
    pairs = set(zip(ours.labels_, theirs.labels_))
    assert len(pairs) == len(ours.sizes_) == theirs.labels_.max() + 1
    assert (np.diff(ours.sizes_) <= 0).all()
    assert FriendsOfFriends(linking_length=0.08, min_size=10).fit_predict(x).min() == -1


def test_dbscan_has_scikit_learns_attributes(rng):
    x = rng.random((800, 2))
    ours, theirs = DBSCAN(eps=0.04).fit(x), cluster.DBSCAN(eps=0.04).fit(x)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    np.testing.assert_array_equal(ours.labels_ < 0, theirs.labels_ < 0)
    assert len(set(zip(ours.labels_, theirs.labels_))) == len(set(theirs.labels_))


def test_hdbscan_has_hdbscans_attributes(rng):
    x = np.concatenate([rng.standard_normal((150, 2)) * s + c for s, c in ((0.1, 0), (0.3, 3), (0.05, 1))])
    ours = HDBSCAN(min_cluster_size=10).fit(x)
    theirs = cluster.HDBSCAN(min_cluster_size=10, copy=True).fit(x)
    assert np.mean(ours.labels_ != theirs.labels_) <= 0.02
    assert ours.probabilities_.shape == ours.outlier_scores_.shape == (450,)
    assert ours.single_linkage_tree_.to_numpy().shape == (449, 4)
    assert ours.minimum_spanning_tree_.to_numpy().shape == (449, 3)
    assert ours.condensed_tree_.to_numpy()["child_size"].max() >= 100


def test_a_periodic_box(rng):
    x = rng.random((300, 2))
    found = NearestNeighbors(box=1.0).fit(x).kneighbors([[0.0, 0.0]], 1)
    gap = np.minimum(x, 1 - x)
    assert found[1][0, 0] == np.argmin((gap**2).sum(axis=1))


@pytest.mark.parametrize("call, words", [
    (lambda x: NearestNeighbors(metric="cosine").fit(x), "there are: minkowski"),
    (lambda x: NearestNeighbors().fit(x).kneighbors(n_neighbors=30), "n_neighbors <= 29"),
    (lambda x: NearestNeighbors().fit(x).kneighbors(n_neighbors=0), "n_neighbors > 0"),
    (lambda x: NearestNeighbors().fit(x).kneighbors_graph(mode="similarity"), "Unsupported mode"),
    (lambda x: FriendsOfFriends(linking_length=-1).fit(x), "linking_length"),
])
def test_errors_say_what_is_wrong(call, words, rng):
    with pytest.raises(ValueError, match=words):
        call(rng.random((30, 3)))
