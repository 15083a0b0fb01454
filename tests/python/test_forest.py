"""Forests: after insertions and removals, the answers of one tree over the points that are left. Splits and left-balanced trees."""
import copy
import pickle
import threading

import numpy as np
import pytest

import kith


def history(rng, forest, steps=12):
    """Batches that come and go; the rows that are left, by index."""
    rows = {}
    for _ in range(steps):
        if rows and rng.random() < 0.35:
            gone = rng.choice(list(rows), rng.integers(1, len(rows) + 1), replace=False)
            forest.remove(gone)
            for index in gone:
                del rows[int(index)]
        else:
            points = rng.random((rng.integers(0, 300), forest.dimension)).round(2)
            first = forest.insert(points)
            rows.update(enumerate(points.astype(forest.dtype), first))
    return rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimension, box", [(2, None), (3, 1.0), (5, None)])
def test_forests_equal_one_tree(rng, dimension, box, dtype):
    forest = kith.Forest(dimension, box=box, dtype=dtype)
    rows = history(rng, forest)
    rows.update(enumerate(np.zeros((4, dimension), dtype), forest.insert(np.zeros((4, dimension)))))
    left = np.array(sorted(rows))
    points = np.array([rows[i] for i in left])
    np.testing.assert_array_equal(forest.indices(), left)
    np.testing.assert_array_equal(forest.coordinates(), points)
    assert forest.coordinates().dtype == dtype and len(forest) == len(left) and forest.box == kith.Tree(points, box=box).box
    queries = rng.random((40, dimension)).round(2)
    near, expected = forest.knn(queries, k=9, max_radius=0.5), kith.knn(points, queries, k=9, box=box, max_radius=0.5)
    np.testing.assert_array_equal(near.index, np.where(expected.index >= 0, left[expected.index], -1))
    np.testing.assert_array_equal(near.distance, expected.distance)
    reach = rng.random(40) * 0.3
    lists, balls = forest.radius(queries, radius=reach), kith.radius(points, queries, radius=reach, box=box)
    np.testing.assert_array_equal(lists.offset, balls.offset)
    np.testing.assert_array_equal(lists.index, left[balls.index])
    np.testing.assert_array_equal(lists.distance, balls.distance)
    np.testing.assert_array_equal(forest.radius_count(queries, radius=reach, threads=2), balls.count)
    assert forest.radius(queries, radius=0.4, max_neighbors=3).count.max() <= 3


def same(one, other):
    assert one.box == other.box and one.dtype == other.dtype and one.inserted == other.inserted
    np.testing.assert_array_equal(one.indices(), other.indices())
    np.testing.assert_array_equal(one.coordinates(), other.coordinates())


def test_files_pickles_and_copies(rng, tmp_path, refuses_damage):
    forest = kith.Forest(3, box=kith.Box(2.0, origin=-1.0), dtype=np.float32)
    history(rng, forest)
    path = tmp_path / "points.forest"
    forest.save(path)
    same(kith.Forest.load(path), forest)
    same(pickle.loads(pickle.dumps(forest)), forest)
    for other in (forest.copy(), copy.copy(forest), copy.deepcopy(forest)):
        same(other, forest)
        other.insert(np.zeros((1, 3)))
        assert len(other) == len(forest) + 1
    refuses_damage(path, kith.Forest.load)


def test_errors_leave_a_forest_as_it_was(rng):
    forest = kith.Forest(2)
    forest.insert(rng.random((20, 2)))
    before = forest.copy()
    for wrong, kind in [(lambda: forest.insert(rng.random((3, 3))), ValueError),
                        (lambda: forest.insert([[0, np.nan]]), ValueError),
                        (lambda: forest.insert(rng.random(3)), ValueError),
                        (lambda: forest.remove([3, 20]), ValueError),
                        (lambda: forest.remove([3, 3]), ValueError),
                        (lambda: forest.remove([0.5]), TypeError),
                        (lambda: forest.knn([[0, 0]], k=0), ValueError),
                        (lambda: forest.radius([[0, 0]], radius=-1), ValueError),
                        (lambda: kith.Forest(0), ValueError),
                        (lambda: kith.Forest(33), ValueError),
                        (lambda: kith.Forest(2, dtype=complex), TypeError)]:
        with pytest.raises(kind):
            wrong()
    same(forest, before)
    assert 3 in forest and 20 not in forest and -1 not in forest and "x" not in forest
    forest.remove(3)
    assert 3 not in forest and len(forest) == 19 and "19 points in 2 dimensions" in repr(forest)


def test_threads_search_while_one_changes(rng):
    forest = kith.Forest(3)
    forest.insert(rng.random((2000, 3)))
    queries, failures, is_over = rng.random((50, 3)), [], threading.Event()

    def search():
        while not is_over.is_set():
            index, distance = forest.knn(queries, k=4, threads=1)
            if (index < 0).any() or (np.diff(distance, axis=1) < 0).any():
                failures.append(index)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        first = forest.insert(rng.random((100, 3)))
        forest.remove(np.arange(first, first + 50))
    is_over.set()
    for thread in threads:
        thread.join()
    assert not failures and len(forest) == 2000 + 30 * 50


@pytest.mark.parametrize("split_axis", ["widest", "cyclic", "variance"])
def test_splits_part_the_children(rng, split_axis):
    tree = kith.Tree(rng.normal(size=(3000, 3)), curve="kd", split_axis=split_axis)
    place = tree.coordinates()
    for number in range(1, tree.planes):
        plane, below, splits = tree.plane(number), tree.plane(number - 1), tree.splits(number)
        assert len(splits) == len(plane) and splits.axis.shape == splits.value.shape == (len(plane), 7)
        for node in range(0, len(plane), 3):
            if plane.last[node] - plane.first[node] < 8:
                continue
            middle = below.begin[plane.first[node] + 4]
            axis, value = splits.axis[node, 0], splits.value[node, 0]
            assert place[plane.begin[node]:middle, axis].max() <= value == place[middle:plane.end[node], axis].min()
    assert (tree.splits(0).axis == -1).all()
    with pytest.raises(ValueError, match="kd"):
        kith.Tree(place).splits(1)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 100, 257])
def test_left_balanced_trees(rng, n):
    points = rng.integers(0, 10, (n, 2)).astype(float)
    index, axis = kith.left_balanced(points, split_axis="cyclic")
    assert sorted(index) == list(range(n)) and len(axis) == n

    def below(node):
        return [] if node >= n else [node, *below(2 * node + 1), *below(2 * node + 2)]

    for node in range(n):
        assert axis[node] == (node + 1).bit_length() % 2 ^ 1
        own = (points[index[node], axis[node]], index[node])
        assert all((points[index[i], axis[node]], index[i]) < own for i in below(2 * node + 1))
        assert all((points[index[i], axis[node]], index[i]) > own for i in below(2 * node + 2))
    tree_index, _ = kith.left_balanced(kith.Tree(points), split_axis="cyclic", threads=2)
    np.testing.assert_array_equal(tree_index, index)
    with pytest.raises(ValueError, match="split_axis"):
        kith.left_balanced(points, split_axis="longest")
