"""knn, radius and reductions of neighborhoods, against brute force."""
import brute
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import point_sets

import kith


@given(point_sets(), st.integers(1, 70), st.booleans(), st.sampled_from([np.inf, 0.3]))
@settings(max_examples=150, deadline=None)
def test_knn_of_the_points_themselves(points, k, exclude_self, max_radius):
    x, side = points
    index, distance = kith.knn(x, k=k, box=side, exclude_self=exclude_self, max_radius=max_radius)
    expected = brute.knn(x, x, k, side, max_radius, exclude_self)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_array_equal(distance, expected[1])
    assert index.dtype == np.int32 and distance.dtype == x.dtype


@given(point_sets(), st.integers(1, 20), st.integers(0, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_knn_of_other_points(points, k, queries, seed):
    x, side = points
    q = np.random.default_rng(seed).random((queries, x.shape[1])) * (side or 1.0)
    index, distance = kith.knn(x, q, k=k, box=side, index_dtype=np.int64)
    expected = brute.knn(x, q, k, side)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_array_equal(distance, expected[1])
    assert index.dtype == np.int64


@given(point_sets(), st.floats(0, 1.5), st.booleans())
@settings(max_examples=100, deadline=None)
def test_radius_lists_counts_and_pairs(points, radius, is_tree):
    x, side = points
    source = kith.Tree(x, box=side) if is_tree else x
    box = None if is_tree else side
    expected = brute.within(x, x, radius, side)
    found = kith.radius(source, radius=radius, box=box)
    assert [found[i].index.tolist() for i in range(len(found))] == expected
    assert kith.radius_count(source, radius=radius, box=box).tolist() == [len(e) for e in expected]
    pairs = kith.radius_pairs(source, radius=radius, box=box)
    assert list(zip(pairs.i, pairs.j)) == [(i, j) for i, row in enumerate(expected) for j in row if j > i]


def test_a_radius_for_each_query(rng):
    x, q = rng.random((200, 3)), rng.random((50, 3))
    radii = rng.random(50) * 0.4
    found = kith.radius(x, q, radius=radii)
    for i in range(50):
        assert found[i].index.tolist() == brute.within(x, q[i:i + 1], radii[i])[0]
    with pytest.raises(ValueError, match="radius: an array of shape .* for 50 points"):
        kith.radius(x, q, radius=radii[:7])


def test_lists_can_be_cut_to_the_nearest(rng):
    x = rng.random((300, 2))
    found = kith.radius(x, radius=0.2, max_neighbors=4)
    full = brute.within(x, x, 0.2)
    assert [found[i].index.tolist() for i in range(300)] == [row[:4] for row in full]
    assert found.truncated == sum(len(row) > 4 for row in full)


def test_rows_in_tree_order(rng):
    tree = kith.Tree(rng.random((500, 3), dtype=np.float32))
    by_input, by_tree = kith.knn(tree, k=3), kith.knn(tree, k=3, order="tree")
    np.testing.assert_array_equal(by_tree.index, by_input.index[tree.order()])


@pytest.mark.parametrize("order", ["input", "tree"])
@pytest.mark.parametrize("scalar, number", [(np.float32, np.int32), (np.float32, np.int64), (np.float64, np.int64)])
def test_rows_in_arrays_of_the_caller(order, scalar, number, rng):
    tree, q = kith.Tree(rng.random((500, 3)).astype(scalar)), rng.random((70, 3))
    for queries in (None, q):
        expected = kith.knn(tree, queries, k=3, order=order, max_radius=0.1)
        out = np.full(expected.index.shape, 7, number), np.full(expected.index.shape, 7, scalar)
        found = kith.knn(tree, queries, k=3, order=order, max_radius=0.1, out=out)
        assert found.index is out[0] and found.distance is out[1]
        np.testing.assert_array_equal(found.index, expected.index)
        np.testing.assert_array_equal(found.distance, expected.distance)


def test_rows_that_do_not_fit_are_refused(rng):
    x = rng.random((20, 3), dtype=np.float32)
    index, distance = kith.knn(x, k=4)
    for out, error in [(index, TypeError), ((index, distance, index), TypeError),
                       ((index.astype(np.int16), distance), TypeError),
                       ((index, distance.astype(np.float64)), TypeError),
                       ((index.tolist(), distance), TypeError), ((index[:, :3], distance), ValueError),
                       ((index[:10], distance), ValueError), ((index[::-1], distance), ValueError)]:
        with pytest.raises(error, match="out"):
            kith.knn(x, k=4, out=out)
    distance.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        kith.knn(x, k=4, out=(index, distance))
    with pytest.raises(TypeError, match="out"):
        kith.knn(x, k=4, index_dtype=np.int64, out=(index, distance.copy()))


@pytest.mark.parametrize("p", [1, 3.5, np.inf])
def test_other_norms(p, rng):
    x, q = rng.random((300, 3)), rng.random((20, 3))
    gap = np.abs(q[:, None] - x[None])
    expected = gap.max(axis=2) if np.isinf(p) else (gap**p).sum(axis=2) ** (1 / p)
    index, distance = kith.knn(x, q, k=7, p=p)
    order = np.argsort(expected, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(index, order)
    np.testing.assert_allclose(distance, np.take_along_axis(expected, order, 1), rtol=1e-13)


@pytest.mark.parametrize("kernel", ["cubic_spline", "wendland_c2"])
def test_density_of_a_lattice_is_its_mean(kernel):
    x = kith.sample.grid(12, side=12.0)  # one point per unit volume
    density = kith.density(x, k=81, kernel=kernel, mass=2.0, box=12.0)
    np.testing.assert_allclose(density, 2.0, rtol=0.05)
    np.testing.assert_array_equal(density, kith.density(x, k=81, kernel=kernel, mass=np.full(len(x), 2.0), box=12.0))


def test_distances_of_the_kth_and_their_mean(rng):
    x = rng.random((400, 3))
    _, distance = brute.knn(x, x, 9, exclude_self=True)
    np.testing.assert_array_equal(kith.kth_distance(x, k=9, exclude_self=True), distance[:, -1])
    np.testing.assert_allclose(kith.mean_distance(x, k=9, exclude_self=True), distance.mean(axis=1), rtol=1e-14)


def test_dropped_points_keep_their_rows(rng):
    x = rng.random((50, 2))
    x[7, 1] = np.nan
    with pytest.raises(ValueError, match="7"):
        kith.knn(x, k=1)
    tree = kith.Tree(x, non_finite="drop")
    index, distance = kith.knn(tree, k=2)
    assert (tree.size, tree.input_size) == (49, 50)
    assert index[7].tolist() == [-1, -1] and np.isinf(distance[7]).all()
    assert index[8, 0] == 8 and 7 not in index


@pytest.mark.parametrize("call, error, words", [
    (lambda x: kith.knn(x, k=0), ValueError, "knn: k = 0"),
    (lambda x: kith.kth_distance(x, k=-1), ValueError, "kth_distance: k = -1"),
    (lambda x: kith.knn(x, k=1.5), TypeError, "knn: k = 1.5"),
    (lambda x: kith.knn(x, k=1, max_radius=-1), ValueError, "radius"),
    (lambda x: kith.knn(x, x[:, :2], k=1), ValueError, "dimension"),
    (lambda x: kith.knn(x, k=1, order="curve"), ValueError, "there are: input, tree"),
    (lambda x: kith.knn(x, k=1, index_dtype=np.int16), TypeError, "int32 or int64"),
    (lambda x: kith.knn(x[0], k=1), ValueError, r"one row per point.*x\[:, None\]"),
    (lambda x: kith.knn(x, k=1, box=[1.0, 1.0]), ValueError, "box"),
    (lambda x: kith.knn(kith.Tree(x), k=1, box=1.0), ValueError, "the tree has"),
    (lambda x: kith.radius(x, radius=-0.1), ValueError, "radius"),
    (lambda x: kith.density(x, kernel="gauss"), ValueError, "cubic_spline"),
    (lambda x: kith.density(x, mass=np.ones(3)), ValueError, "mass"),
    (lambda x: kith.knn(np.zeros((3, 40)), k=1), ValueError, "32"),
])
def test_errors_say_what_is_wrong(call, error, words, rng):
    with pytest.raises(error, match=words):
        call(rng.random((20, 3)))
