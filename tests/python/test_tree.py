"""Trees: what they show, and trees in files and pickles."""
import copy
import pickle

import numpy as np
import pytest

import kith


@pytest.fixture
def tree(rng):
    return kith.Tree(rng.random((3000, 3), dtype=np.float32) * 5, box=kith.Box(5.0, origin=-1.0))


def same(one, other):
    assert repr(one) == repr(other) and one.box == other.box
    np.testing.assert_array_equal(one.order(), other.order())
    np.testing.assert_array_equal(kith.knn(one, k=5).index, kith.knn(other, k=5).index)


def test_what_a_tree_shows(tree):
    assert (tree.size, len(tree), tree.dimension, tree.dtype) == (3000, 3000, 3, np.float32)
    assert tree.box == kith.Box(5.0, origin=-1.0) and tree.curve == "hilbert" and tree.builder == "packed"
    assert sorted(tree.order()) == list(range(3000))
    place = tree.coordinates()
    assert place.shape == (3000, 3) and place.min() >= -1 and place.max() < 4
    for number in range(tree.planes):
        plane = tree.plane(number)
        for i in (0, len(plane) - 1):
            points = place[plane.begin[i]:plane.end[i]]
            np.testing.assert_array_equal(points.min(axis=0), plane.lower[i])
            np.testing.assert_array_equal(points.max(axis=0), plane.upper[i])
    assert len(tree.plane(-1)) == 1
    with pytest.raises(IndexError, match="plane 99"):
        tree.plane(99)
    tree.check()


@pytest.mark.parametrize("dimension, curve", [(1, "z"), (2, "hilbert"), (3, "hilbert"), (4, "kd"), (9, "kd")])
def test_the_curve_is_chosen_by_dimension(rng, dimension, curve):
    points = rng.random((50, dimension))
    assert kith.Tree(points).curve == curve and kith.Tree(points, builder="cells").curve == "z"
    assert kith.Tree(points, curve="hilbert").curve == "hilbert"


def test_cells(rng):
    tree = kith.Tree(rng.random((500, 2)), builder="cells", max_leaf_size=8)
    leaves, cells = tree.plane(0), tree.cells(0)
    assert (leaves.end - leaves.begin <= 8).all() and tree.curve == "z"
    assert (cells.lower <= leaves.lower).all() and (leaves.upper <= cells.upper).all()


def test_files(tree, tmp_path, refuses_damage):
    path = tmp_path / "tree.kith"
    tree.save(path)
    same(tree, kith.Tree.load(path))
    same(tree, kith.Tree.load(str(path), verify=False))
    refuses_damage(path, kith.Tree.load)
    with pytest.raises(OSError, match="No such file"):
        kith.Tree.load(tmp_path / "none.kith")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(tree, protocol):
    same(tree, pickle.loads(pickle.dumps(tree, protocol)))
    same(tree, copy.deepcopy(tree))


def test_damaged_pickles_are_errors(tree):
    kind, (data,) = tree.__reduce__()
    with pytest.raises(OSError):
        kind(data[:-5])
    with pytest.raises(OSError):
        kind(b"nonsense")


def test_boxes():
    assert kith.Box(2.0) == kith.Box([2.0]) and kith.Box(2.0) != kith.Box(2.0, origin=1.0)
    assert pickle.loads(pickle.dumps(kith.Box([1, 2, 0], origin=[0, 1, 0]))) == kith.Box([1, 2, 0], origin=[0, 1, 0])
    assert not kith.Box().is_periodic and kith.Box([0, 1]).is_periodic
    with pytest.raises(ValueError, match="box"):
        kith.Box(-1.0)
    with pytest.raises(ValueError, match="one side"):
        kith.Box([[1.0]])


def test_memory_is_foretold(tree):
    estimate = kith.estimate_memory(3000, 3, np.float32)
    assert estimate["kept"] >= tree.memory / 2 and estimate["peak"] >= estimate["kept"]


def test_an_empty_tree():
    tree = kith.Tree(np.empty((0, 3)))
    assert tree.planes == 0 and len(kith.knn(tree, k=2).index) == 0
    index, distance = kith.knn(tree, [[0.0, 0, 0]], k=2)
    assert index.tolist() == [[-1, -1]] and np.isinf(distance).all()
    assert kith.fof(tree, linking_length=1.0).count == 0
