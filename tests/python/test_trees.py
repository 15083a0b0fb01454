"""Halos through time: merger trees from arrays, and their files."""
import itertools

import numpy as np
import pytest

import kith


def labeled(*halos):
    """IDs and labels of halos that list their members."""
    ids = [i for halo in halos for i in halo]
    return np.array(ids, np.uint64), np.repeat(np.arange(len(halos)), [len(halo) for halo in halos])


LARGE, SMALL = list(range(10)), list(range(10, 15))
PASSAGE = [labeled(LARGE, SMALL), labeled(LARGE + SMALL), labeled(SMALL, LARGE), labeled(LARGE),
           labeled(LARGE, SMALL), labeled(LARGE + SMALL)]


def test_a_known_history_is_found():
    trees = kith.trees(PASSAGE)
    assert len(trees) == 9 and "9 halos in 6 snapshots, 1 trees" in repr(trees)
    halos = list(zip(trees.snapshot.tolist(), trees.label.tolist()))
    main, merged = [(5, 0), (4, 0), (3, 0), (2, 1), (1, 0), (0, 0)], [(4, 1), (2, 0), (0, 1)]
    assert halos == main + merged
    assert trees.descendant.tolist() == [-1, 0, 1, 2, 3, 4, 0, 6, 7]
    assert trees.first_progenitor.tolist() == [1, 2, 3, 4, 5, -1, 7, 8, -1]
    assert trees.next_progenitor.tolist() == [-1, 6] + [-1] * 7
    assert trees.main_branch(0) == slice(0, 6) and trees.main_branch(6) == slice(6, 9)
    assert trees.progenitors(0) == slice(0, 9) and trees.progenitors(1) == slice(1, 6)
    assert trees.roots.tolist() == [0] and (trees.root == 0).all()
    assert trees.is_flyby.tolist() == [False] * 8 + [True]
    assert trees.members.tolist() == [15, 10, 10, 10, 15, 10, 5, 5, 5]
    time, mass = trees.mass_history(0)
    assert time.tolist() == [0, 1, 2, 3, 4, 5] and mass.tolist() == [10, 15, 10, 10, 10, 15]
    assert trees.half_mass_time(0) == 0 and trees.half_mass_time(0, [40, 1, 1, 1, 20, 1, 1, 1, 1]) == 1
    np.testing.assert_array_equal(trees.merger_ratios(), [0] * 6 + [5 / 15, 0, 0])
    assert trees.last_major_merger(0) == 0 and trees.last_major_merger(0, ratio=0.5) == -1
    assert trees.merger_rate().tolist() == [0, 0, 0, 0, 0, 1]
    assert trees.margin[0] == 0 and trees.margin[1] == 1 and 0 < trees.margin[8] <= 1


def test_reach_limits_gaps():
    direct = kith.trees(PASSAGE, reach=1)
    assert (direct.snapshot[direct.descendant[direct.descendant >= 0]] - direct.snapshot[direct.descendant >= 0] == 1).all()
    assert len(direct.roots) == 2 and not direct.is_flyby.any()


def plummer_spheres(*centers, sizes, seed):
    """Positions of spheres of particles; a sphere without a center is dispersed in the box of side 10."""
    rng = np.random.default_rng(seed)
    return np.concatenate([
        rng.uniform(0, 10, (size, 3)) if center is None else
        center + kith.sample.plummer(size, radius=0.05, max_radius=0.3, seed=seed + k)
        for k, (center, size) in enumerate(zip(centers, sizes))])


def test_planted_spheres_have_the_tree_that_was_planted():
    """B passes through A, C dissolves for two snapshots, D merges with A; E and F exchange members."""
    sizes = [500, 300, 200, 120, 400, 350]
    first = np.concatenate([[0], np.cumsum(sizes)])
    a, b, c, d, e, f = [np.array(x) for x in ([2, 2, 2], [5, 2, 2], [8, 2, 2], [2, 5, 5], [5, 5, 8], [8, 8, 8])]
    times = [(a, b, c, d, e, f), (a, a, None, d, e, f), (a, b, None, d, e, f), (a, b, c, d, e, f), (a, b, c, a, e, f)]
    rng = np.random.default_rng(5)
    snapshots, halo = [], []
    for t, centers in enumerate(times):
        x = plummer_spheres(*centers, sizes=sizes, seed=10 * t + 1)
        if t >= 3:  # the outer quarter of E for that of F
            moved = np.concatenate([np.arange(first[k + 1] - 80, first[k + 1]) for k in (4, 5)])
            x[moved] = x[np.roll(moved, 80)]
        order = rng.permutation(len(x))  # halos are numbered anew
        groups = kith.fof(x[order], linking_length=0.08, box=10, min_size=80)
        snapshots.append((order, groups.label))
        label = np.empty(len(x), int)
        label[order] = groups.label
        halo.append([np.bincount(label[i:i + 100] + 1).argmax() - 1 for i in first[:-1]])
    trees = kith.trees(snapshots, weight="equal")
    row = {(s, h): r for r, (s, h) in enumerate(zip(trees.snapshot.tolist(), trees.label.tolist()))}

    def branch(sphere, *snapshots):
        return [row[s, halo[s][sphere]] for s in snapshots]

    expected = [branch(0, 0, 1, 2, 3, 4), branch(1, 0, 2, 3, 4), branch(2, 0, 3, 4), branch(3, 0, 1, 2, 3),
                branch(4, 0, 1, 2, 3, 4), branch(5, 0, 1, 2, 3, 4)]
    assert sorted(r for rows in expected for r in rows) == list(range(len(trees)))  # and no other halo
    descendant = {early: late for rows in expected for early, late in zip(rows, rows[1:])}
    descendant |= {rows[-1]: -1 for rows in expected} | {expected[3][-1]: expected[0][-1]}
    assert trees.descendant.tolist() == [descendant[r] for r in range(len(trees))]
    for sphere, rows in enumerate(expected):  # and each sphere is a main branch
        branch_rows = trees.main_branch(rows[-1])
        assert list(range(branch_rows.start, branch_rows.stop)) == rows[::-1], sphere
    assert np.flatnonzero(trees.is_flyby).tolist() == [expected[1][0]] and not trees.is_swap.any()
    assert trees.root[expected[3][-1]] == expected[0][-1] and len(trees.roots) == 5


def test_halos_that_vanish_have_orphans(tmp_path):
    trees = kith.trees(PASSAGE[:3] + [labeled(LARGE + SMALL[2:]), labeled(LARGE), labeled(SMALL[:2], LARGE)], reach=2,
                       orphans=True)
    orphans = np.flatnonzero(trees.is_orphan)
    assert trees.snapshot[orphans].tolist() == [5, 4, 3] and trees.members[orphans].tolist() == [1, 1, 1]
    vanished = trees.first_progenitor[orphans[-1]]
    assert (trees.snapshot[vanished], trees.label[vanished]) == (2, 0) and not trees.is_orphan[vanished]
    hosts = [(int(trees.snapshot[r]), int(trees.label[r])) if r >= 0 else None for r in trees.host[orphans]]
    assert hosts == [(5, 0), None, None]  # its first particle is dispersed, and found in another halo
    into = trees.host[vanished]
    assert (trees.snapshot[into], trees.label[into]) == (3, 0)
    plain = kith.trees(PASSAGE[:3] + [labeled(LARGE + SMALL[2:]), labeled(LARGE), labeled(SMALL[:2], LARGE)], reach=2)
    assert not plain.is_orphan.any() and (plain.host == -1).all()
    np.testing.assert_array_equal(trees.merger_rate(), plain.merger_rate())
    trees.write(tmp_path / "t.hdf5")
    again = kith.read_trees(tmp_path / "t.hdf5")
    for name in ("descendant", "host", "is_orphan", "score", "snapshot", "label"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))


def random_history(rng, snapshots=5):
    return [(rng.permutation(200)[:150], np.append(rng.integers(-1, 9, 149), 8)) for _ in range(snapshots)]


@pytest.mark.parametrize("main_branch", ["history", "score"])
def test_links_follow_from_matches(main_branch, rng):
    """The rule of links, from kith.match of all pairs of snapshots."""
    for _ in range(5):
        sets = random_history(rng)
        trees = kith.trees(sets, reach=2, main_branch=main_branch)
        match = {(s, t): kith.match(*sets[s], *sets[t]) for s, t in itertools.combinations(range(5), 2)}
        claimed, expected = set(), {}
        for s in range(4, -1, -1):
            found = {}
            for h in range(9):
                options = [(t, int(match[s, t].best[h])) for t in range(s + 1, min(s + 3, 5)) if match[s, t].best[h] >= 0]
                mutual = [(t, b) for t, b in options if match[s, t].is_mutual[h] and (t, b) not in claimed]
                found[h] = (mutual + options + [None])[0], bool(mutual)
            claimed |= {to for to, is_mutual in found.values() if is_mutual}
            expected.update({(s, h): link for h, link in found.items()})
        halos = list(zip(trees.snapshot.tolist(), trees.label.tolist()))
        for row, halo in enumerate(halos):
            to = trees.descendant[row]
            assert (halos[to] if to >= 0 else None, trees.is_mutual[row]) == expected[halo]
            first = trees.first_progenitor[row]
            assert first < 0 or first == row + 1


def test_threads_do_not_matter(rng):
    sets = random_history(rng)
    one, four = kith.trees(sets, threads=1), kith.trees(sets, threads=4)
    for name in ("descendant", "score", "second", "is_mutual", "snapshot", "label"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))


def test_the_order_of_particles_matters_within_halos_alone(rng):
    sets = random_history(rng)
    orders = [np.argsort(label, kind="stable") for _, label in sets]
    sorted_sets = [(ids[order], label[order]) for (ids, label), order in zip(sets, orders)]
    a, b = kith.trees(sets), kith.trees(sorted_sets)
    np.testing.assert_array_equal(a.descendant, b.descendant)
    np.testing.assert_array_equal(a.score, b.score)


@pytest.mark.parametrize("format, name", [("gadget4", "t.hdf5"), ("sublink", "t"), ("lhalotree", "t.0")])
def test_files_keep_trees(format, name, tmp_path, rng):
    trees = kith.trees(random_history(rng))
    trees.write(tmp_path / name, format)
    again = kith.read_trees(tmp_path / name)
    for name in ("snapshot", "label", "members", "descendant", "first_progenitor", "next_progenitor", "last_progenitor",
                 "main_leaf", "root", "roots"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))
    if format == "gadget4":
        for name in ("score", "second_score", "second", "is_mutual", "is_flyby", "is_swap", "best_progenitor", "time"):
            np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))


def test_snapshots_without_halos_have_none():
    empty = (np.array([], np.uint64), np.array([], np.int32))
    trees = kith.trees([empty, labeled(LARGE), empty, labeled(LARGE), empty])
    assert trees.descendant.tolist() == [-1, 0] and trees.snapshot.tolist() == [3, 1]
    assert len(kith.trees([])) == 0 and len(kith.trees([empty])) == 0


def test_a_tree_is_drawn():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    trees = kith.trees(PASSAGE)
    ax = trees.plot()
    assert len(ax.lines) == 8 and len(ax.collections[0].get_offsets()) == 9
    assert sum(line.get_linestyle() == ":" for line in ax.lines) == 2
    assert len(kith.plot.merger_tree(trees, 0, least=0.9, ax=pyplot.figure().subplots()).lines) == 5
    pyplot.close("all")


@pytest.mark.parametrize("call, words", [
    (lambda: kith.trees(PASSAGE, reach=0), "reach"),
    (lambda: kith.trees(PASSAGE, main_branch="mass"), "mass"),
    (lambda: kith.trees(PASSAGE, weight="mass"), "choose from equal"),
    (lambda: kith.trees([PASSAGE[0], "file.hdf5"]), "not both"),
    (lambda: kith.trees([([1, 1], [0, 0])]), "twice a member"),
    (lambda: kith.trees(PASSAGE).main_branch(9), "row 9 of 9"),
    (lambda: kith.trees(PASSAGE).write("t.hdf5", "json"), "choose from gadget4"),
    (lambda: kith.trees(PASSAGE).merger_ratios([1.0]), "1 numbers for 9 halos"),
])
def test_wrong_arguments_are_named(call, words):
    with pytest.raises((kith.ArgumentError, kith.ArgumentTypeError), match=words):
        call()


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(kith.FileError, match="nothing.hdf5"):
        kith.trees([tmp_path / "nothing.hdf5"])
    with pytest.raises(kith.FileError, match="nothing.hdf5"):
        kith.read_trees(tmp_path / "nothing.hdf5")
