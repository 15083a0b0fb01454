"""kith.fof with a linking length for each point."""
import numpy as np
import pytest

import kith

RULES = {"mean": lambda a, b: (a + b) * a.dtype.type(0.5), "least": np.minimum, "largest": np.maximum}


def brute(x, length, rule, box):
    """The component of each point, named by its lowest member."""
    dx = np.abs(x[:, None] - x[None])
    if box is not None:
        dx = np.minimum(dx, x.dtype.type(box) - dx)
    d2 = np.zeros(dx.shape[:2], x.dtype)
    for axis in range(x.shape[1]):
        d2 += dx[..., axis] * dx[..., axis]
    pair = RULES[rule](length[:, None], length[None])
    near = d2 <= pair * pair
    name = np.arange(len(x))
    while True:
        least = np.where(near, name[None], len(x)).min(axis=1)
        if np.array_equal(least, name):
            return name
        name = least


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("box", [None, 1.0])
def test_equals_the_definition(rule, dtype, box):
    rng = np.random.default_rng(1)
    for _ in range(5):
        x = rng.random((300, 3)).astype(dtype)
        length = (0.08 * np.exp(rng.normal(size=300))).astype(dtype)
        groups = kith.fof(x, linking_length=length, rule=rule, box=box, keep_roots=True)
        assert np.array_equal(groups.root, brute(x, length, rule, box))
        tree = kith.Tree(x, box=box)
        assert np.array_equal(kith.fof(tree, linking_length=length, rule=rule).label, groups.label)


def test_equal_lengths_are_one_length():
    x = np.random.default_rng(2).random((5000, 3))
    one = kith.fof(x, linking_length=0.03, box=1, min_size=2)
    for rule in (None, *RULES):
        assert np.array_equal(kith.fof(x, linking_length=np.full(5000, 0.03), rule=rule, box=1, min_size=2).label, one.label)


@pytest.mark.parametrize("sight", ["z", "midpoint"])
def test_redshift_space(sight):
    x = np.random.default_rng(3).random((2000, 3)) + 5
    options = {"line_of_sight": sight, "stretch": 4.0}
    one = kith.redshift_fof(x, linking_length=0.04, **options)
    assert np.array_equal(kith.redshift_fof(x, linking_length=np.full(2000, 0.04), **options).label, one.label)
    length = np.where(np.arange(2000) < 1000, 0.02, 0.06)
    counts = [kith.redshift_fof(x, linking_length=length, rule=rule, **options).count
              for rule in ("largest", "mean", "least")]
    assert counts == sorted(counts) and counts[0] < counts[1] < counts[2]


def test_redshift_space_along_an_axis_is_fof_of_compressed_points():
    rng = np.random.default_rng(4)
    x, length = rng.random((1000, 3)), 0.03 + 0.05 * rng.random(1000)
    groups = kith.redshift_fof(x, linking_length=length, rule="mean", line_of_sight="y", stretch=3.0)
    assert np.array_equal(groups.label, kith.fof(x / [1, 3, 1], linking_length=length, rule="mean").label)


@pytest.mark.parametrize("options, words", [
    ({"linking_length": [1.0]}, "shape (1,) for 2 points"),
    ({"linking_length": [1.0, -1.0]}, "linking length -1 of point 1"),
    ({"linking_length": [1.0, 1.0], "b": 0.2}, "leave them 0"),
    ({"linking_length": [1.0, 1.0], "rule": "most"}, "there are: mean, least, largest"),
    ({"linking_length": 1.0, "rule": "mean"}, "without a linking_length for each point"),
    ({"linking_length": [1.0, 1.0], "attached": np.zeros((1, 2))}, "one array of points in memory"),
    ({"linking_length": [1.0, 1.0], "device": "gpu"}, "fof"),
])
def test_wrong_arguments(options, words):
    with pytest.raises(kith.Error) as error:
        kith.fof(np.zeros((2, 2)), **options)
    assert words in str(error.value)
