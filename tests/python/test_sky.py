"""kith.sky against brute force over unit vectors, astropy and scikit-learn."""
import numpy as np
import pytest

import kith


def positions(rng, n):
    ra = rng.uniform(-30, 390, n)
    dec = np.degrees(np.arcsin(rng.uniform(-1, 1, n)))
    dec[:5] = [90, 90, -90, 89.9999999, -90]
    ra[5:8] = [0, 360, -360]
    dec[5:8] = 12.5
    ra[8], dec[8] = ra[9] + 180, -dec[9]
    return ra, dec


def chords2(first, second):
    """d2 of all pairs, axis by axis as the contract has it."""
    d2 = np.zeros((len(first), len(second)))
    for axis in range(3):
        dx = np.abs(first[:, None, axis] - second[None, :, axis])
        d2 = d2 + dx * dx
    return d2


@pytest.fixture
def catalogue(rng):
    return positions(rng, 400)


def test_unit_vectors(catalogue):
    ra, dec = catalogue
    v = kith.sky.unit_vectors(ra, dec)
    a, d = np.radians(ra), np.radians(dec)
    np.testing.assert_allclose(v, np.stack([np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)], 1), atol=2e-15)
    assert np.array_equal(v[:2], [[0, 0, 1], [0, 0, 1]])
    assert np.array_equal(v[5], v[6]) and np.array_equal(v[5], v[7])
    np.testing.assert_allclose(v, kith.sky.unit_vectors(a, d, unit="radians"), atol=1e-15)


def test_neighbors_are_those_of_all_pairs(catalogue, rng):
    queries = positions(rng, 50)
    v, q = kith.sky.unit_vectors(*catalogue), kith.sky.unit_vectors(*queries)
    d2 = chords2(q, v)
    order = np.lexsort((np.broadcast_to(np.arange(len(v)), d2.shape), d2))
    index, angle = kith.sky.knn(*catalogue, *queries, k=7)
    assert np.array_equal(index, order[:, :7])
    chord = np.sqrt(np.take_along_axis(d2, order[:, :7], 1))
    np.testing.assert_allclose(angle, np.degrees(2 * np.arcsin(chord / 2)), rtol=1e-14)
    near = kith.sky.match(*queries, *catalogue)
    assert np.array_equal(near.index, index[:, 0]) and np.array_equal(near.angle, angle[:, 0])
    limited = kith.sky.match(*queries, *catalogue, max_angle=3.0)
    assert np.array_equal(limited.index, np.where(angle[:, 0] <= 3, index[:, 0], -1))
    lists = kith.sky.radius(*catalogue, *queries, angle=20.0)
    limit = (2 * np.sin(np.radians(10))) ** 2
    assert np.array_equal(lists.count, np.sum(d2 <= limit, 1))
    assert np.array_equal(lists.count, kith.sky.radius_count(*catalogue, *queries, angle=20.0))
    each = kith.sky.radius_count(*catalogue, *queries, angle=np.linspace(0, 180, 50))
    assert each[-1] == len(v) and np.array_equal(each, kith.sky.radius(*catalogue, *queries, angle=np.linspace(0, 180, 50)).count)


def test_groups_and_clusters_are_those_of_unit_vectors(catalogue):
    v = kith.sky.unit_vectors(*catalogue)
    chord = 2 * np.sin(np.radians(2))
    assert np.array_equal(kith.sky.fof(*catalogue, angle=4.0), kith.fof(v, linking_length=chord))
    assert np.array_equal(kith.sky.dbscan(*catalogue, eps=4.0, min_samples=3), kith.dbscan(v, chord, 3))
    i, j, angle = kith.sky.pairs(*catalogue, angle=4.0)
    plain = kith.radius_pairs(v, radius=chord)
    assert np.array_equal(i, plain.i) and np.array_equal(j, plain.j)
    tree = kith.sky.spanning_tree(*catalogue)
    plain = kith.spanning_tree(v)
    assert np.array_equal(tree.index, plain.index)
    np.testing.assert_allclose(tree.length, np.degrees(2 * np.arcsin(plain.length / 2)), rtol=1e-14)
    groups = kith.sky.hierarchy(*catalogue).groups(4.0)
    assert np.array_equal(groups, kith.sky.fof(*catalogue, angle=4.0))


def test_units_and_trees(catalogue):
    ra, dec = catalogue
    index, angle = kith.sky.knn(ra, dec, k=3)
    again = kith.sky.knn(np.radians(ra), np.radians(dec), k=3, unit="radians")
    np.testing.assert_allclose(np.degrees(again.angle), angle, atol=1e-6)
    tree = kith.sky.tree(ra, dec)
    assert np.array_equal(kith.sky.knn(tree, k=3).angle, angle)
    assert np.array_equal(kith.sky.knn(tree, None, ra[:9], dec[:9], k=3).index, index[:9])
    assert kith.sky.knn(10.0, 20.0, k=1).index.shape == (1, 1)


def test_positions_that_are_not_numbers():
    ra, dec = [0, np.nan, 1], [0, 0, 0]
    with pytest.raises(kith.Error, match="position 1"):
        kith.sky.knn(ra, dec, k=1)
    index, angle = kith.sky.knn(ra, dec, k=1, non_finite="drop")
    assert index.ravel().tolist() == [0, -1, 2] and np.isinf(angle[1, 0])


@pytest.mark.parametrize("call, words", [
    (lambda: kith.sky.knn([0.0], k=1), "ra without dec"),
    (lambda: kith.sky.knn([0, 1], [0], k=1), "dec"),
    (lambda: kith.sky.knn([0], [91], k=1), "declination 91"),
    (lambda: kith.sky.knn([0], [0], k=0), "k = 0"),
    (lambda: kith.sky.knn([0], [0], k=1, unit="hours"), "there are: degrees, radians"),
    (lambda: kith.sky.match([0], [0]), "one catalogue"),
    (lambda: kith.sky.match([0], [0], [0], [0], max_angle=-1), r"sky\.match: max_angle = -1 degrees; give 0 or more"),
    (lambda: kith.sky.knn([0], [0], k=1, max_angle="far"), r"sky\.knn: max_angle = 'far'; give a number"),
    (lambda: kith.sky.fof([0], [0], angle=0, unit="radians"), r"sky\.fof: angle = 0 radians; give a positive angle"),
    (lambda: kith.sky.fof([0], [0], angle=-1), r"sky\.fof: angle = -1 degrees"),
    (lambda: kith.sky.dbscan([0], [0], eps=0), r"sky\.dbscan: eps = 0 degrees; give a positive angle"),
    (lambda: kith.sky.pairs([0], [0], angle=np.nan), r"sky\.pairs: angle = nan degrees; give 0 or more"),
    (lambda: kith.sky.radius([0, 1], [0, 1], angle=[1, -2]), r"sky\.radius: angle\[1\] = -2 degrees; give 0 or more"),
    (lambda: kith.sky.radius_count([0, 1], [0, 1], angle=[1] * 3), r"sky\.radius_count: angle: .* for 2 points"),
    (lambda: kith.sky.hdbscan([0] * 9, [0] * 9, selection_epsilon=-1), r"sky\.hdbscan: selection_epsilon = -1 degrees"),
    (lambda: kith.sky.hdbscan([0] * 9, [0] * 9, min_cluster_size=0), r"hdbscan: min_cluster_size = 0"),
    (lambda: kith.sky.hierarchy([0]), r"sky\.hierarchy: ra without dec"),
    (lambda: kith.sky.unit_vectors([0]), r"sky\.unit_vectors: ra without dec"),
    (lambda: kith.sky.match(kith.sky.tree([0], [0]), kith.sky.tree([0], [0])), r"sky\.match: a tree as queries"),
    (lambda: kith.sky.match([0], [0], kith.Tree(np.zeros((3, 2)))), r"sky\.match: <.*> is not one of unit vectors"),
    (lambda: kith.sky.fof(kith.Tree(np.zeros((3, 3), np.float32)), angle=1), r"sky\.fof: <.*> is not one of unit"),
    (lambda: kith.sky.fof(kith.Tree(np.zeros((3, 3)), box=1), angle=1), r"sky\.fof: <.*> is not one of unit"),
    (lambda: kith.sky.hdbscan([0], [0]), "min_samples = 5 of 1"),
    (lambda: kith.sky.knn([[0, 1]], [[0, 1]], k=1), "one number per position"),
])
def test_errors_say_what_is_wrong(call, words):
    with pytest.raises(kith.Error, match=words):
        call()


def test_limits_at_their_ends(catalogue):
    ra, dec = catalogue
    assert np.array_equal(kith.sky.radius_count(ra, dec, angle=0), kith.sky.radius_count(ra, dec, angle=[0] * len(ra)))
    assert np.all(kith.sky.radius_count(ra, dec, angle=180) == len(ra))
    assert np.array_equal(kith.sky.radius_count(ra, dec, angle=1e9), kith.sky.radius_count(ra, dec, angle=np.inf))
    assert kith.sky.fof(ra, dec, angle=200).count == 1


def test_no_positions():
    none = np.empty(0)
    assert kith.sky.knn(none, none, k=2).index.shape == (0, 2)
    assert kith.sky.match([1], [1], none, none).index.tolist() == [-1]
    assert kith.sky.match(none, none, [1], [1]).index.size == 0
    assert len(kith.sky.radius(none, none, angle=none)) == 0
    for groups in (kith.sky.fof(none, none, angle=1), kith.sky.dbscan(none, none, eps=1), kith.sky.hdbscan(none, none)):
        assert groups.count == 0
    assert len(kith.sky.hierarchy(none, none)) == 0


def test_astropy(catalogue, rng):
    units = pytest.importorskip("astropy.units")
    coordinates = pytest.importorskip("astropy.coordinates")
    ra, dec = catalogue
    queries = positions(rng, 50)
    sky, asked = (coordinates.SkyCoord(a * units.deg, d * units.deg) for a, d in (catalogue, queries))
    theirs, separation, _ = asked.match_to_catalog_sky(sky)
    for near in (kith.sky.match(asked, sky), kith.sky.match(asked.galactic, sky),
                 kith.sky.match(*(x * units.deg for x in (*queries, *catalogue)))):
        np.testing.assert_allclose(near.angle, separation.deg, atol=1e-10)
    v = kith.sky.unit_vectors(ra, dec)
    assert np.array_equal(v[kith.sky.match(asked, sky).index], v[theirs])  # some positions are equal
    assert np.array_equal(kith.sky.match(asked, sky, max_angle=3 * units.deg).index,
                          kith.sky.match(*queries, *catalogue, max_angle=3).index)
    hours = kith.sky.knn((ra / 15) * units.hourangle, dec * units.deg, k=2, unit="radians")
    np.testing.assert_allclose(np.degrees(hours.angle), kith.sky.knn(ra, dec, k=2).angle, atol=1e-6)
    found, of, _, _ = asked.search_around_sky(sky, 5 * units.deg)
    lists = kith.sky.radius(sky, asked, angle=5 * units.deg)
    assert np.array_equal(np.bincount(of, minlength=50), lists.count)
    assert sorted(found) == sorted(lists.index)


def haversine(rng, n):
    """Clumps on the globe, as (latitude, longitude) in radians."""
    center = rng.uniform([-1.2, -3], [1.2, 3], (12, 2))
    return center[rng.integers(12, size=n)] + rng.normal(0, 0.03, (n, 2))


def test_scikit_learns_haversine(rng):
    neighbors = pytest.importorskip("sklearn.neighbors")
    cluster = pytest.importorskip("sklearn.cluster")
    ours = pytest.importorskip("kith.sklearn")
    x, q = haversine(rng, 600), haversine(rng, 40)
    mine = ours.NearestNeighbors(n_neighbors=4, radius=0.02, metric="haversine").fit(x)
    theirs = neighbors.NearestNeighbors(n_neighbors=4, radius=0.02, metric="haversine", algorithm="ball_tree").fit(x)
    for given in (None, q):
        np.testing.assert_array_equal(mine.kneighbors(given)[1], theirs.kneighbors(given)[1])
        np.testing.assert_allclose(mine.kneighbors(given)[0], theirs.kneighbors(given)[0], rtol=1e-9)
        for a, b in zip(mine.radius_neighbors(given)[1], theirs.radius_neighbors(given, sort_results=True)[1]):
            np.testing.assert_array_equal(a, b)
    a = ours.DBSCAN(eps=0.01, min_samples=5, metric="haversine").fit(x)
    b = cluster.DBSCAN(eps=0.01, min_samples=5, metric="haversine", algorithm="ball_tree").fit(x)
    assert np.array_equal(a.core_sample_indices_, b.core_sample_indices_)
    assert len(set(zip(a.labels_, b.labels_))) == len(set(a.labels_)) == len(set(b.labels_))
    a = ours.HDBSCAN(min_cluster_size=10, metric="haversine").fit(x)
    b = cluster.HDBSCAN(min_cluster_size=10, metric="haversine", algorithm="ball_tree", copy=True).fit(x)
    assert np.array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.probabilities_, b.probabilities_, rtol=1e-7)
    assert np.array_equal(a.predict(x), a.labels_)
    with pytest.raises(kith.Error, match="latitude and longitude"):
        ours.DBSCAN(metric="haversine").fit(rng.random((9, 3)))
    with pytest.raises(kith.Error, match="with a box"):
        ours.NearestNeighbors(metric="haversine", box=1.0).fit(x)
