"""KDTree compared with scipy's, and its intended differences."""
import pickle

import brute
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import point_sets

import kith

spatial = pytest.importorskip("scipy.spatial")


def both(x, side=None):
    return kith.KDTree(x, boxsize=side), spatial.KDTree(np.asarray(x, float), boxsize=side)


@given(point_sets(max_dimension=4), st.sampled_from([1, 2, 5, [1], [2, 4], 80]),
       st.sampled_from([np.inf, 0.25]), st.sampled_from([1, 2, 3, np.inf]))
@settings(max_examples=120, deadline=None)
def test_query(points, k, bound, p):
    x, side = points
    x = np.minimum(x, np.nextafter(side, 0)) if side else x  # scipy refuses what rounding put on the edge
    ours, theirs = both(x, side)
    queries = np.random.default_rng(0).random((2, 7, x.shape[1])).astype(x.dtype)
    d, i = ours.query(queries, k=k, distance_upper_bound=bound, p=p)
    expected, index = theirs.query(queries, k=k, distance_upper_bound=bound, p=p)
    assert d.shape == expected.shape and i.shape == index.shape and i.dtype == index.dtype
    np.testing.assert_allclose(d, expected, rtol=1e-5 if x.dtype == np.float32 else 1e-13)
    assert d.dtype == x.dtype
    assert ((i == len(x)) == np.isinf(d)).all()


@given(point_sets(max_dimension=4), st.floats(0.0, 0.6), st.sampled_from([1, 2, np.inf]))
@settings(max_examples=60, deadline=None)
def test_balls_pairs_counts_and_matrices(points, r, p):
    x, side = points
    x = np.minimum(x.astype(np.float64), np.nextafter(side, 0)) if side else x.astype(np.float64)
    ours, theirs = both(x, side)
    r = r + 1e-9  # no distance of the coarse grid, so that rounding decides nothing
    mine, others = ours.query_ball_point(x, r, p=p), theirs.query_ball_point(x, r, p=p)
    assert mine.shape == others.shape and all(a == b for a, b in zip(mine, others))
    np.testing.assert_array_equal(ours.query_ball_point(x, r, p=p, return_length=True),
                                  theirs.query_ball_point(x, r, p=p, return_length=True))
    assert ours.query_pairs(r, p=p) == theirs.query_pairs(r, p=p)
    assert ours.query_ball_tree(ours, r, p=p) == [sorted(a) for a in theirs.query_ball_tree(theirs, r, p=p)]
    radii = [r, r / 3, 5.0]
    np.testing.assert_array_equal(ours.count_neighbors(ours, radii, p=p), theirs.count_neighbors(theirs, radii, p=p))
    matrix = ours.sparse_distance_matrix(ours, r, p=p)
    np.testing.assert_allclose(matrix.toarray(), theirs.sparse_distance_matrix(theirs, r, p=p).toarray(), rtol=1e-12)


def test_one_point_is_answered_as_many(rng):
    for dtype in (np.float32, np.float64):
        x = rng.random((3000, 3)).astype(dtype)
        tree = kith.KDTree(x)
        d, i = tree.query(x[:50] + dtype(0.01), k=6)
        for row in range(50):
            one_d, one_i = tree.query(x[row] + dtype(0.01), k=6)
            np.testing.assert_array_equal(one_d, d[row])
            np.testing.assert_array_equal(one_i, i[row])
            d1, i1 = tree.query(x[row] + dtype(0.01), distance_upper_bound=d[row, 0] * 2 + 1e-6)
            assert (d1, i1) == (d[row, 0], i[row, 0]) and isinstance(i1, np.intp)
        far_d, far_i = tree.query([9.0, 9, 9], k=2, distance_upper_bound=1.0)
        assert np.isinf(far_d).all() and far_i.tolist() == [3000, 3000]


def test_the_upper_bound_is_strict():
    tree = kith.KDTree([[0.0], [1.0], [2.0]])
    for query in ([0.0], [[0.0]]):
        d, i = tree.query(query, k=3, distance_upper_bound=1.0)
        assert np.ravel(i).tolist() == [0, 3, 3] and np.ravel(d).tolist() == [0.0, np.inf, np.inf]
        d, i = tree.query(query, k=3, distance_upper_bound=np.nextafter(1.0, 2))
        assert np.ravel(i).tolist() == [0, 1, 3]


def test_the_trees_own_points(rng):
    x = rng.random((2000, 3), dtype=np.float32)
    tree = kith.KDTree(x)
    own, same, other = tree.query(k=5), tree.query(x, k=5), tree.query(x.copy(), k=5)
    for found in (same, other):
        np.testing.assert_array_equal(found[0], own[0])
        np.testing.assert_array_equal(found[1], own[1])
    index, distance = brute.knn(x, x, 4, exclude_self=True)
    for argument in (None, x, x.copy()):
        d, i = tree.query(argument, k=4, exclude_self=True)
        np.testing.assert_array_equal(i, index)
        np.testing.assert_array_equal(d, distance)
    with pytest.raises(ValueError, match="exclude_self"):
        tree.query(x + 1, k=4, exclude_self=True)


@pytest.mark.parametrize("k", [1, 5])
def test_results_in_arrays_of_the_caller(k, rng):
    tree, q = kith.KDTree(rng.random((300, 3))), rng.random((4, 10, 3))
    for x, rows in ((None, 300), (tree.data, 300), (q, 40)):
        out = np.empty((rows, k)), np.empty((rows, k), np.intp)
        expected = tree.query(x, k=k, distance_upper_bound=0.2)
        found = tree.query(x, k=k, distance_upper_bound=0.2, out=out)
        for mine, theirs, memory in zip(found, expected, out):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.shape == theirs.shape and np.shares_memory(mine, memory)
    with pytest.raises(ValueError, match="one integer"):
        tree.query(k=[1, 2], out=out)
    with pytest.raises(TypeError, match="int64"):
        tree.query(q, k=k, out=(out[0], out[0]))


def test_ties_go_by_index():
    d, i = kith.KDTree(kith.sample.grid(5, 2)).query(None, k=5)
    index, distance = brute.knn(kith.sample.grid(5, 2), kith.sample.grid(5, 2), 5)
    np.testing.assert_array_equal(i, index)
    np.testing.assert_array_equal(d, distance)


def test_points_outside_the_box_are_wrapped(rng):
    x = rng.random((500, 2))
    inside, outside = kith.KDTree(x, boxsize=1.0), kith.KDTree(x + rng.integers(-3, 4, x.shape), boxsize=1.0)
    np.testing.assert_array_equal(inside.query(x, k=3)[1], outside.query(x, k=3)[1])


def test_query_radius(rng):
    x = rng.random((800, 3))
    tree = kith.KDTree(x)
    found = tree.query_radius(x[:20], 0.15)
    expected = brute.within(x, x[:20], 0.15)
    assert [found[i].index.tolist() for i in range(20)] == expected
    index, distance = tree.query_radius(x[:20], 0.15, format="lists")
    assert [list(part) for part in index] == expected and [len(part) for part in distance] == [len(e) for e in expected]
    assert len(tree.query_radius(None, 0.05)) == 800
    with pytest.raises(ValueError, match="csr"):
        tree.query_radius(x, 0.1, format="coo")


def test_radii_below_zero_find_nothing(rng):
    x = rng.random((50, 2))
    tree = kith.KDTree(x)
    found = tree.query_ball_point(x[:3], [0.5, -1.0, 0.0])
    assert len(found[0]) > 0 and found[1] == [] and found[2] == [2]
    assert tree.query_ball_point(x[:3], [0.5, -1.0, 0.0], return_length=True).tolist()[1:] == [0, 1]
    assert tree.query_pairs(-1.0) == set()


@pytest.mark.parametrize("workers", [1, 3, 64, -1])
def test_workers(workers, rng):
    x = rng.random((3000, 4))
    tree = kith.KDTree(x)
    np.testing.assert_array_equal(tree.query(x, k=5, workers=workers)[1], tree.query(x, k=5)[1])
    with pytest.raises(ValueError, match="workers"):
        tree.query(x, workers=0)


def test_weights():
    x = np.linspace(0, 1, 4).reshape(-1, 1)
    tree = kith.KDTree(x)
    ones = np.ones(4, "f4")
    radii = np.linspace(0, 10, 9)
    plain = tree.count_neighbors(tree, radii)
    for weights in ((ones, ones), (ones, None), (None, ones), ones):
        np.testing.assert_array_equal(plain, tree.count_neighbors(tree, radii, weights=weights))
    for i in range(4):
        weight = ones.copy()
        weight[i] = 0
        fewer = kith.KDTree(x[weight != 0])
        np.testing.assert_array_equal(tree.count_neighbors(tree, radii, weights=(weight, weight)),
                                      fewer.count_neighbors(fewer, radii))
        with pytest.raises(ValueError, match="tuple"):
            tree.count_neighbors(fewer, radii, weights=weight)
    with pytest.raises(ValueError, match="Number of weights"):
        tree.count_neighbors(tree, radii, weights=ones[:-1])
    for workers in (1, 2, -1):
        np.testing.assert_array_equal(plain, tree.count_neighbors(tree, radii, workers=workers))
    with pytest.raises(ValueError, match="workers|threads"):
        tree.count_neighbors(tree, radii, workers=-3)
    assert isinstance(tree.count_neighbors(tree, 0.5), int)
    assert isinstance(tree.count_neighbors(tree, 0.5, weights=ones), float)


def test_trees_of_different_types_and_boxes(rng):
    x, y = rng.random((100, 3), dtype=np.float32), rng.random((120, 3))
    ours = kith.KDTree(x, boxsize=1.0), kith.KDTree(y)
    theirs = spatial.KDTree(x, boxsize=1.0), spatial.KDTree(y, boxsize=1.0)
    assert ours[0].query_ball_tree(ours[1], 0.2) == [sorted(a) for a in theirs[0].query_ball_tree(theirs[1], 0.2)]
    assert ours[0].count_neighbors(ours[1], 0.2) == theirs[0].count_neighbors(theirs[1], 0.2)


def test_attributes_pickle_and_copies(rng):
    x = rng.random((300, 3))
    tree = kith.KDTree(x, boxsize=[1.0, 2.0, 0.0], leafsize=7)
    assert tree.data is x and (tree.n, tree.m, tree.leafsize) == (300, 3, 7)
    assert kith.KDTree(x, copy_data=True).data is not x
    assert sorted(tree.indices) == list(range(300)) and tree.size > 300 / 8
    again = pickle.loads(pickle.dumps(tree))
    assert type(again) is kith.KDTree and again.boxsize.tolist() == [1.0, 2.0, 0.0]
    np.testing.assert_array_equal(again.query(x, k=3)[1], tree.query(x, k=3)[1])


@pytest.mark.parametrize("call, error", [
    (lambda t, x: t.query(x[:, :2]), ValueError), (lambda t, x: t.query(x, k=0), ValueError),
    (lambda t, x: t.query(x[0], k=0), ValueError),
    (lambda t, x: t.query(x, k=None), ValueError), (lambda t, x: t.query(x, p=0.5), ValueError),
    (lambda t, x: t.query(x * 1j), TypeError), (lambda t, x: t.query(x[0] * 1j), TypeError),
    (lambda t, x: t.query(x * np.nan), ValueError), (lambda t, x: t.query(x[0] * np.nan), ValueError),
    (lambda t, x: t.query_ball_point(x, [0.1, 0.2]), ValueError),
    (lambda t, x: t.query_pairs(0.1, output_type="list"), ValueError),
    (lambda t, x: t.sparse_distance_matrix(t, 0.1, output_type="csc"), ValueError),
    (lambda t, x: t.count_neighbors(t, [[0.1]]), ValueError),
    (lambda t, x: t.query_ball_tree(type(t)(x[:, :2]), 0.1), ValueError),
    (lambda t, x: type(t)(x[0]), ValueError), (lambda t, x: type(t)(x, leafsize=0), ValueError),
])
def test_errors_are_scipys(call, error, rng):
    x = rng.random((30, 3))
    for tree in both(x):
        with pytest.raises(error):
            call(tree, x)


def test_errors_where_scipy_has_none(rng):
    tree = kith.KDTree(rng.random((30, 3)))
    with pytest.raises(ValueError, match="at least 1"):
        tree.query(tree.data, k=[0, 1])
    with pytest.raises(ValueError, match="1<=p"):
        tree.query_pairs(0.1, p=0)
    with pytest.raises(TypeError, match="kith.KDTree"):
        tree.count_neighbors(spatial.KDTree(tree.data), 0.1)
    assert tree.count_neighbors(tree, [-1.0, 5.0]).tolist() == [0, 900]
