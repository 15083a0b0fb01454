"""kith.cells: groups, counts and nearest neighbors by the definition of kith.neighbor_list."""
import numpy as np
import pytest
from test_atoms import brute, is_usable, random_cell

import kith


def any_system(rng):
    while True:
        axes = int(rng.integers(1, 4))
        cell, pbc = random_cell(rng, axes), rng.random(axes) < 0.7
        if is_usable(cell, pbc):
            return rng.normal(size=(int(rng.integers(1, 12)), axes)) @ cell, cell, pbc


@pytest.mark.parametrize("seed", range(25))
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    x, cell, pbc = any_system(rng)
    cutoff = 0.2 + rng.random()
    rows = brute(x, cell, pbc, cutoff, self_interaction=True)
    counts = np.bincount([row[0] for row in rows], minlength=len(x))
    assert np.array_equal(kith.cells.radius_count(x, radius=cutoff, cell=cell, pbc=pbc), counts)
    inside = kith.cells.radius_count(x, radius=cutoff, cell=cell, pbc=pbc, exclude_self=True)
    assert np.array_equal(inside, counts - 1)
    root = np.arange(len(x))
    for _ in x:
        for i, j, *_ in rows:
            root[i] = root[j] = min(root[i], root[j])
    groups = kith.cells.fof(x, linking_length=cutoff, cell=cell, pbc=pbc, keep_roots=True)
    assert np.array_equal(groups.root, root) and groups.linking_length == cutoff
    each = kith.cells.fof(x, linking_length=np.full(len(x), cutoff), cell=cell, pbc=pbc)
    assert np.array_equal(each.label, groups.label)
    index, distance, shift = kith.cells.knn(x, k=4, cell=cell, pbc=pbc)
    assert index.shape == distance.shape == (len(x), 4) and shift.shape == (len(x), 4, x.shape[1])
    for i in range(len(x)):
        near = sorted((sum(v * v for v in D), j, S, d) for at, j, S, d, D in rows if at == i)[:4]
        assert [(j, S, d) for _, j, S, d in near] == [
            (j, tuple(S), d) for j, S, d in zip(index[i].tolist(), shift[i].tolist(), distance[i].tolist())][:len(near)]


def test_a_box_is_the_box_of_other_calls():
    x = np.random.default_rng(1).random((3000, 3))
    plain = kith.fof(x, linking_length=0.05, box=1, min_size=2)
    assert np.array_equal(kith.cells.fof(x, linking_length=0.05, cell=1, min_size=2).label, plain.label)
    assert np.array_equal(kith.cells.radius_count(x, radius=0.1, cell=1), kith.radius_count(x, radius=0.1, box=1))
    index, distance, _ = kith.cells.knn(x, k=5, cell=np.eye(3))
    near = kith.knn(x, k=5, box=1)
    assert np.array_equal(index, near.index)
    np.testing.assert_allclose(distance, near.distance, rtol=1e-14)


def test_batches():
    rng = np.random.default_rng(2)
    parts = [rng.random((n, 3)) * 5 for n in (20, 0, 30)]
    cells = np.stack([np.eye(3) * side for side in (5.0, 6.0, 5.5)])
    batch = np.repeat(np.arange(3), [len(part) for part in parts])
    index, distance, shift = kith.cells.knn(np.concatenate(parts), k=6, cell=cells, batch=batch)
    first = 0
    for part, cell in zip(parts, cells):
        own = kith.cells.knn(part, k=6, cell=cell)
        rows = slice(first, first + len(part))
        assert np.array_equal(index[rows], own.index + first) and np.array_equal(shift[rows], own.shift)
        first += len(part)
    groups = kith.cells.fof(np.concatenate(parts), linking_length=100, cell=cells, batch=batch)
    assert groups.size.tolist() == [30, 20]


def test_ase():
    build = pytest.importorskip("ase.build")
    copper = build.bulk("Cu", "fcc", a=3.6)
    index, distance, shift = kith.cells.knn(copper, k=12, exclude_self=True)
    assert not index.any() and np.allclose(distance, 3.6 / np.sqrt(2))
    assert np.allclose(np.linalg.norm(shift[0] @ copper.cell.array, axis=1), distance[0])
    assert kith.cells.radius_count(copper, radius=3.6 * 1.001).tolist() == [1 + 12 + 6]
    pair = build.molecule("H2O") + build.molecule("H2O")
    pair.positions[3:] += 20
    assert kith.cells.fof(pair, linking_length=1.2).size.tolist() == [3, 3]


@pytest.mark.parametrize("call, words", [
    (lambda x: kith.cells.fof(x, linking_length=0), "cells.fof: linking_length = 0; give a positive"),
    (lambda x: kith.cells.fof(x, linking_length=[1.0]), r"linking_length: an array of shape \(1,\) for 2 points"),
    (lambda x: kith.cells.fof(x, linking_length=1, min_size=0), "cells.fof: min_size = 0"),
    (lambda x: kith.cells.fof(x, linking_length="far"), "cells.fof: linking_length = 'far'; give a number"),
    (lambda x: kith.cells.knn(x, k=0), "cells.knn: k = 0"),
    (lambda x: kith.cells.radius_count(x, radius=-1), "cells.radius_count: radius = -1"),
    (lambda x: kith.cells.radius_count(x, radius=1, pbc=True), "pbc without a cell"),
    (lambda x: kith.cells.knn(np.full((2, 3), np.nan), k=1), "cells.knn: coordinate 0 of atom 0 is nan"),
])
def test_wrong_arguments(call, words):
    with pytest.raises(kith.Error, match=words):
        call(np.zeros((2, 3)))
