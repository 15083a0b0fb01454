"""kith.neighbor_list: its definition, ase's answer, and arguments."""
import itertools
import os

import numpy as np
import pytest

import kith


def brute(x, cell, pbc, cutoff, half=False, strict=False, self_interaction=False):
    """Every pair in every image that may be near: (i, j, S, d, D), in the order of the result."""
    axes = x.shape[1]
    flags = np.broadcast_to(pbc, axes)
    vectors = np.where(flags[:, None], cell, 0.0)
    dual = np.linalg.pinv(vectors)  # columns: coordinates along the periodic vectors
    rows = []
    for i, j in itertools.product(range(len(x)), repeat=2):
        along = -(x[j] - x[i]) @ dual
        reach = cutoff * np.linalg.norm(dual, axis=0)
        ranges = [range(int(np.floor(a - r)) - 1, int(np.ceil(a + r)) + 2) if flag else range(1)
                  for a, r, flag in zip(along, reach, flags)]
        for shift in itertools.product(*ranges):
            zero = (0,) * axes
            if i == j and shift == zero and not self_interaction:
                continue
            if half and (j < i or (j == i and shift < zero)):
                continue
            vector, d2 = [], 0.0
            for axis in range(axes):
                offset = 0.0
                for k in range(axes):
                    offset += shift[k] * vectors[k, axis]
                vector.append((x[j, axis] - x[i, axis]) + offset)
                d2 += vector[-1] * vector[-1]
            if d2 < cutoff * cutoff if strict else d2 <= cutoff * cutoff:
                rows.append((i, j, shift, np.sqrt(d2), vector))
    return rows


def as_rows(found):
    return [(i, j, tuple(shift), d, list(vector)) for i, j, shift, d, vector in zip(*(each.tolist() for each in found))]


def random_cell(rng, axes):
    cell = np.diag(0.3 + rng.random(axes)) + rng.choice([0, 0.3, 2]) * (rng.random((axes, axes)) - 0.5)
    cell *= np.exp(2 * rng.random() - 1)
    if rng.random() < 0.3:
        cell[rng.integers(axes)] *= 0.15
    return cell


def is_usable(cell, pbc):
    unit = cell[pbc] / np.linalg.norm(cell[pbc], axis=1)[:, None]
    return np.all(np.linalg.svd(unit, compute_uv=False) > 0.02)


@pytest.mark.parametrize("seed", range(40))
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    axes = int(rng.integers(1, 4))
    cell, pbc = random_cell(rng, axes), rng.random(axes) < 0.7
    if not is_usable(cell, pbc):
        return
    x = (rng.random((int(rng.integers(1, 8)), axes)) - 0.3) * rng.choice([1, 4]) @ cell
    options = {"half": bool(seed % 2), "strict": bool(seed // 2 % 2), "self_interaction": seed % 5 == 0}
    cutoff = float(np.exp(2 * rng.random() - 1.5))
    found = kith.neighbor_list("ijSdD", x, cutoff, cell, pbc, **options)
    assert as_rows(found) == brute(x, cell, pbc, cutoff, **options)


def multiset(i, j, shift):
    return sorted(zip(i.tolist(), j.tolist(), map(tuple, shift.tolist())))


@pytest.mark.parametrize("seed", range(4))
def test_finds_the_pairs_of_ase(seed):
    ase = pytest.importorskip("ase")
    from ase.neighborlist import neighbor_list
    rng = np.random.default_rng(1000 + seed)
    for _ in range(int(12 * float(os.environ.get("KITH_CASES", 1)))):
        pbc = rng.random(3) < 0.7
        cell = random_cell(rng, 3)
        if not is_usable(cell, np.full(3, True)):
            continue
        n = int(np.exp(rng.random() * 2.5))
        atoms = ase.Atoms(numbers=rng.choice([1, 6, 8], n), positions=(rng.random((n, 3)) * 3 - 1) @ cell, cell=cell,
                          pbc=pbc)
        height = abs(np.linalg.det(cell)) / max(np.linalg.norm(np.cross(cell[k - 1], cell[k])) for k in range(3))
        cutoff = float(height * np.exp(np.log(0.1) + rng.random() * np.log(30)))
        crowd = cutoff**3 / abs(np.linalg.det(cell))
        if n * crowd > 30 or crowd < 1e-3:  # ase would take seconds
            continue
        ours = kith.neighbor_list("ijSdD", atoms, cutoff, strict=True)
        theirs = neighbor_list("ijSdD", atoms, cutoff)
        assert multiset(*ours[:3]) == multiset(*theirs[:3])
        order = np.lexsort((*theirs[2].T[::-1], theirs[1], theirs[0]))
        assert np.allclose(ours[3], theirs[3][order], rtol=1e-12, atol=1e-12 * cutoff)
        assert np.allclose(ours[4], theirs[4][order], rtol=0, atol=1e-10 * (cutoff + np.abs(atoms.positions).max()))


def test_cutoffs_of_atoms_and_kinds_are_those_of_ase():
    ase = pytest.importorskip("ase")
    from ase.neighborlist import neighbor_list
    rng = np.random.default_rng(3)
    atoms = ase.Atoms("H4O3C2", positions=rng.random((9, 3)) * 4, cell=[[4, 0, 0], [1, 4, 0], [0, 1, 5]], pbc=True)
    radii = rng.random(9) * 2
    assert multiset(*kith.neighbor_list("ijS", atoms, radii, strict=True)) == multiset(*neighbor_list("ijS", atoms, radii))
    for cutoff in ({("H", "O"): 2.5, ("C", "C"): 4.1}, {(1, 8): 2.5, (6, 1): 3.0}):
        found = kith.neighbor_list("ijS", atoms, cutoff, strict=True)
        assert multiset(*found) == multiset(*neighbor_list("ijS", atoms, cutoff))


def test_a_batch_is_its_systems():
    rng = np.random.default_rng(5)
    sizes, cells = [3, 0, 7, 1], np.stack([random_cell(rng, 3) for _ in range(4)])
    x = rng.random((11, 3))
    batch = np.repeat(np.arange(4), sizes)
    pbc = rng.random((4, 3)) < 0.5
    found = kith.neighbor_list("ijSdD", x, 0.9, cells, pbc, batch=batch)
    first, alone = 0, []
    for size, cell, flags in zip(sizes, cells, pbc):
        part = kith.neighbor_list("ijSdD", x[first:first + size], 0.9, cell, flags)
        alone.append((part[0] + first, part[1] + first, *part[2:]))
        first += size
    for ours, theirs in zip(found, zip(*alone)):
        assert np.array_equal(ours, np.concatenate(theirs))
    same = kith.neighbor_list("ijS", x, 0.9, cells[0], batch=batch)
    assert np.array_equal(batch[same[0]], batch[same[1]])


class Crystal:
    """The attributes of atoms that the call reads."""

    def __init__(self, positions, cell, pbc):
        self.positions, self.cell, self.pbc = positions, cell, pbc


def test_several_atoms_are_a_batch():
    rng = np.random.default_rng(6)
    each = [Crystal(rng.random((n, 3)), np.eye(3) * 1.5, [True, n > 2, True]) for n in (2, 5)]
    together = kith.neighbor_list("ij", each, 1.0)
    one, other = (kith.neighbor_list("ij", atoms, 1.0) for atoms in each)
    assert np.array_equal(together[0], np.concatenate([one[0], other[0] + 2]))


def test_results_by_request():
    x = np.array([[0.0, 0, 0], [1, 0, 0]])
    assert kith.neighbor_list("d", x, 1.5).tolist() == [1, 1]
    d, i = kith.neighbor_list("di", x, 1.5)
    assert i.dtype == np.int32 and d.dtype == np.float64
    assert kith.neighbor_list("i", x, 1.5, index_dtype=np.int64).dtype == np.int64
    assert kith.neighbor_list("S", x[:, :2], 1.0, 1.0).shape == (18, 2)
    assert kith.neighbor_list("j", x, 1.5, np.eye(3) * 9, False).tolist() == [1, 0]
    assert len(kith.neighbor_list("j", np.zeros((0, 3)), 1.5, 2.0)) == 0


@pytest.mark.parametrize("arguments, options, words", [
    (("ijx", np.zeros((1, 3)), 1.0), {}, "quantities = 'ijx'"),
    (("", np.zeros((1, 3)), 1.0), {}, "quantities = ''"),
    (("ij", np.zeros((1, 4)), 1.0), {}, "4 coordinates"),
    (("ij", np.zeros((1, 3)), 1.0, np.eye(2)), {}, "array of shape (2, 2) for 3 axes"),
    (("ij", np.zeros((1, 3)), 1.0, None, True), {}, "pbc without a cell"),
    (("ij", np.zeros((1, 3)), 1.0, 1.0, [True, False]), {}, "pbc: an array of shape (2,)"),
    (("ij", np.zeros((1, 3)), 1.0, np.ones((2, 3, 3))), {}, "2 cells"),
    (("ij", np.zeros((2, 3)), 1.0), {"batch": [1, 0]}, "must not decrease"),
    (("ij", np.zeros((2, 3)), 1.0, np.stack([np.eye(3)] * 2)), {"batch": [0, 2]}, "system 2 of 2"),
    (("ij", np.zeros((2, 3)), [1.0, 2, 3]), {}, "shape (3,) for 2 points"),
    (("ij", np.zeros((2, 3)), {("H", "H"): 1}), {}, "a dictionary of kinds"),
    (("ij", np.zeros((2, 3)), -1.0), {}, "cutoff = -1"),
    (("ij", np.full((2, 3), np.nan), 1.0), {}, "coordinate 0 of atom 0 is nan"),
    (("ij", np.zeros((2, 3)), 1.0), {"index_dtype": np.float64}, "index_dtype"),
])
def test_wrong_arguments(arguments, options, words):
    with pytest.raises(kith.Error) as error:
        kith.neighbor_list(*arguments, **options)
    assert words in str(error.value)
