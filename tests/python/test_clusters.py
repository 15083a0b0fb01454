"""DBSCAN, spanning trees, hierarchies and HDBSCAN* against NumPy, scipy and scikit-learn."""
import copy
import pickle

import numpy as np
import pytest

import kith


def partition(label):
    """Sets of points as a list that does not depend on how they are numbered; noise apart."""
    groups = {}
    for i, each in enumerate(label):
        if each >= 0:
            groups.setdefault(each, []).append(i)
    return sorted(groups.values())


def clumps(rng, n, dimension):
    centers = rng.random((6, dimension))
    spread = rng.choice([0.01, 0.03, 0.1], (6, 1))
    which = rng.integers(0, 6, n)
    return centers[which] + spread[which] * rng.standard_normal((n, dimension))


def mutual_reachability(x, core_k):
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    core = np.sort(d, axis=1)[:, core_k - 1]
    return np.maximum(d, np.maximum(core[:, None], core[None]))


@pytest.mark.parametrize("dimension", [1, 2, 3, 7])
@pytest.mark.parametrize("min_samples", [1, 2, 5, 20])
def test_dbscan_is_that_of_scikit_learn(dimension, min_samples, rng):
    cluster = pytest.importorskip("sklearn.cluster")
    for x in (clumps(rng, 700, dimension), rng.integers(0, 6, (300, dimension)) / 2.0):
        for eps in (0.02, 0.08, 0.5):
            theirs = cluster.DBSCAN(eps=eps, min_samples=min_samples).fit(x)
            ours = kith.dbscan(x, eps, min_samples, border="sklearn")
            assert partition(ours.label) == partition(theirs.labels_)
            np.testing.assert_array_equal(np.flatnonzero(ours.is_core), theirs.core_sample_indices_)
            nearest = kith.dbscan(x, eps, min_samples)
            np.testing.assert_array_equal(nearest.label < 0, theirs.labels_ < 0)


def test_dbscan_of_two_is_fof(rng):
    x = rng.random((2000, 3))
    clusters = kith.dbscan(x, 0.05, 2, box=1.0)
    np.testing.assert_array_equal(np.asarray(clusters), kith.fof(x, linking_length=0.05, box=1.0, min_size=2).label)
    again = pickle.loads(pickle.dumps(clusters))
    np.testing.assert_array_equal(again.is_core, clusters.is_core)
    halos = kith.catalogue(x, clusters, box=1.0)
    assert len(halos) == clusters.count


def test_border_points_need_links(rng):
    x = clumps(rng, 500, 2)
    one = kith.dbscan(x, 0.03, 8)
    three = kith.dbscan(x, 0.03, 8, border_links=3)
    none = kith.dbscan(x, 0.03, 8, border="none")
    assert (one.label >= 0).sum() >= (three.label >= 0).sum() >= (none.label >= 0).sum()
    np.testing.assert_array_equal(none.label >= 0, one.is_core)


@pytest.mark.parametrize("core_k", [1, 2, 5])
def test_spanning_tree_weighs_what_scipys_does(core_k, rng):
    graph = pytest.importorskip("scipy.sparse.csgraph")
    for x in (rng.random((300, 3)), clumps(rng, 300, 2)):
        tree = kith.spanning_tree(x, core_k)
        theirs = graph.minimum_spanning_tree(mutual_reachability(x, core_k))
        assert tree.index.shape == (299, 2) and (tree.index[:, 0] < tree.index[:, 1]).all()
        assert (np.diff(tree.length) >= 0).all()
        assert tree.length.sum() == pytest.approx(theirs.sum(), rel=1e-12)


def test_hierarchy_is_scipys_linkage_and_fof(rng):
    linkage = pytest.importorskip("scipy.cluster.hierarchy").linkage
    x = rng.random((400, 2))
    every = kith.hierarchy(x)
    np.testing.assert_allclose(every.linkage, linkage(x, "single"), rtol=1e-12)
    periodic = kith.hierarchy(kith.Tree(x, box=1.0))
    lengths = np.array([0.01, 0.03, 0.05, 0.2])
    groups, points, largest = periodic.count(lengths, min_size=3)
    for i, length in enumerate(lengths):
        expected = kith.fof(x, linking_length=length, box=1.0, min_size=3)
        np.testing.assert_array_equal(periodic.groups(length, min_size=3).label, expected.label)
        assert groups[i] == expected.count and points[i] == expected.size.sum()
        assert largest[i] == kith.fof(x, linking_length=length, box=1.0).size.max()
    branches = every.branches(5)
    assert np.isinf(branches.death).sum() == 1 and (branches.size >= 5).all()
    assert (branches.persistence >= 0).all()


def from_the_first_point(edges):
    """The ends of each edge of a tree, the one nearer to point 0 first, as Prim's algorithm finds them."""
    order = pytest.importorskip("scipy.sparse.csgraph").breadth_first_order
    matrix = pytest.importorskip("scipy.sparse").coo_matrix
    n = len(edges) + 1
    _, parent = order(matrix((np.ones(n - 1), edges.T), shape=(n, n)).tocsr(), 0, directed=False)
    return np.where((parent[edges[:, 1]] == edges[:, 0])[:, None], edges, edges[:, ::-1])


def single_linkage(x, min_samples):
    """Our spanning tree in scikit-learn's own single linkage."""
    linkage = pytest.importorskip("sklearn.cluster._hdbscan._linkage")
    tree = kith.spanning_tree(x, min_samples)
    edges, ends = np.empty(len(tree), dtype=linkage.MST_edge_dtype), from_the_first_point(tree.index)
    edges["current_node"], edges["next_node"], edges["distance"] = ends[:, 0], ends[:, 1], tree.length
    return linkage.make_single_linkage(edges)


@pytest.mark.parametrize("min_cluster_size, min_samples", [(5, 5), (15, 3), (2, 1), (40, 10)])
@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_hdbscan_is_scikit_learns_on_our_tree(min_cluster_size, min_samples, method, rng):
    theirs = pytest.importorskip("sklearn.cluster._hdbscan._tree")
    for x in (clumps(rng, 900, 2), clumps(rng, 500, 3), rng.random((300, 2)), rng.integers(0, 9, (400, 2)) * 1.0):
        linkage = single_linkage(x, min_samples)
        ours = kith.hierarchy(x, min_samples)
        np.testing.assert_array_equal(ours.linkage[:, 3], linkage["cluster_size"])
        for options in ({}, {"allow_single_cluster": True}, {"cluster_selection_epsilon": 0.05},
                        {"cluster_selection_epsilon": 0.2, "allow_single_cluster": True}, {"max_cluster_size": 100}):
            try:
                labels, probabilities = theirs.tree_to_labels(linkage, min_cluster_size=min_cluster_size,
                                                              cluster_selection_method=method, **options)
            except TypeError:  # scikit-learn's search by epsilon does not work with NumPy 2.4
                assert "cluster_selection_epsilon" in options
                continue
            found = ours.condense(min_cluster_size, selection=method,
                                  selection_epsilon=options.get("cluster_selection_epsilon", 0.0),
                                  allow_single_cluster=options.get("allow_single_cluster", False),
                                  max_cluster_size=options.get("max_cluster_size"))
            np.testing.assert_array_equal(found.label, labels, err_msg=str(options))
            np.testing.assert_allclose(found.probability, probabilities, rtol=1e-12)
        condensed = theirs._condense_tree(linkage, min_cluster_size)
        for name, value in (("parent", "parent"), ("child", "child"), ("lambda_", "value"), ("size", "cluster_size")):
            np.testing.assert_array_equal(getattr(found.condensed_tree, name), condensed[value])


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_hdbscan_is_scikit_learns_without_ties(method, rng):
    """Labels and their numbers are equal where no two distances are: each point is its own core distance."""
    cluster = pytest.importorskip("sklearn.cluster")
    for _ in range(20):
        x = clumps(rng, 300, 2)
        theirs = cluster.HDBSCAN(min_cluster_size=8, min_samples=1, cluster_selection_method=method, copy=True).fit(x)
        ours = kith.hdbscan(x, 8, 1, selection=method)
        np.testing.assert_array_equal(ours.label, theirs.labels_)
        np.testing.assert_allclose(ours.probability, theirs.probabilities_, rtol=1e-9)


def test_a_single_cluster_may_be_too_large(rng):
    """All points are one cluster of all points; scikit-learn and hdbscan count only those in clusters below it."""
    x = rng.standard_normal((60, 2))
    for limit, count in ((None, 1), (60, 1), (59, 0)):
        found = kith.hdbscan(x, 25, allow_single_cluster=True, max_cluster_size=limit)
        assert found.count == count


def copies(value):
    return pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)


def test_results_can_be_pickled_and_copied(rng):
    x = clumps(rng, 400, 2)
    x[7] = np.nan
    tree = kith.spanning_tree(x, 5, non_finite="drop", box=(0.0, 3.0))
    every = kith.hierarchy(kith.spanning_tree(x, non_finite="drop"))
    found = kith.hdbscan(x, 8, non_finite="drop")
    for again in copies(tree):
        np.testing.assert_array_equal(again.index, tree.index)
        np.testing.assert_array_equal(again.length, tree.length)
        np.testing.assert_array_equal(kith.hierarchy(again).linkage, kith.hierarchy(tree).linkage)
    for again in copies(every):
        np.testing.assert_array_equal(again.linkage, every.linkage)
        np.testing.assert_array_equal(again.groups(0.05).label, every.groups(0.05).label)
    for again in copies(found):
        np.testing.assert_array_equal(again.label, found.label)
        np.testing.assert_array_equal(again.hierarchy.linkage, found.hierarchy.linkage)
        np.testing.assert_array_equal(again.condensed_tree.child, found.condensed_tree.child)
        np.testing.assert_array_equal(again.hierarchy.condense(8).label, found.label)
    with pytest.raises(OSError, match="spanning_tree"):
        kith._clusters._spanning_tree_of(tree._core.to_bytes()[:-1])


def test_outlier_scores(rng):
    x = np.concatenate([rng.standard_normal((200, 2)) * 0.05, [[3.0, 3.0]], rng.standard_normal((200, 2)) * 0.05 + 1])
    score = kith.hdbscan(x, 10).outlier_score
    assert score.argmax() == 200 and 0 <= score.min() and score.max() <= 1


@pytest.mark.parametrize("call, words", [
    (lambda x: kith.dbscan(x, 0.0), "eps = 0"),
    (lambda x: kith.dbscan(x, 1.0, 0), "min_samples = 0"),
    (lambda x: kith.dbscan(x, 1.0, border="far"), "border"),
    (lambda x: kith.spanning_tree(x, 0), "core_k = 0"),
    (lambda x: kith.spanning_tree(x, 99), "core_k = 99 of 30 points"),
    (lambda x: kith.hdbscan(x, 1), "min_cluster_size = 1"),
    (lambda x: kith.hierarchy(x, 2).groups(1.0), "core_k = 2"),
])
def test_errors_say_what_is_wrong(call, words, rng):
    with pytest.raises(ValueError, match=words):
        call(rng.random((30, 2)))
