"""Friends of friends against brute force, and catalogues against NumPy."""
import pickle

import brute
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import point_sets

import kith


@given(point_sets(), st.floats(0.01, 0.49), st.integers(1, 4), st.booleans())
@settings(max_examples=150, deadline=None)
def test_labels(points, linking_length, min_size, is_tree):
    x, side = points
    if is_tree:
        groups = kith.fof(kith.Tree(x, box=side), linking_length=linking_length, min_size=min_size)
    else:
        groups = kith.fof(x, linking_length=linking_length, box=side, min_size=min_size)
    expected = brute.labels(x, linking_length, side, min_size)
    np.testing.assert_array_equal(np.asarray(groups), expected)
    assert groups.size.tolist() == [np.sum(expected == g) for g in range(groups.count)]
    for group in range(groups.count):
        assert groups.members(group).tolist() == np.flatnonzero(expected == group).tolist()
        assert groups.lowest[group] == np.flatnonzero(expected == group)[0]


def test_b_is_a_fraction_of_the_mean_separation(rng):
    x = rng.random((1000, 3)) * 50
    by_b = kith.fof(x, b=0.3, box=50.0)
    length = 0.3 * 50 / 10
    assert by_b.linking_length == pytest.approx(length)
    np.testing.assert_array_equal(by_b.label, kith.fof(x, linking_length=by_b.linking_length, box=50.0).label)
    np.testing.assert_array_equal(by_b.label, kith.fof(x, b=0.3, mean_separation=5.0, box=50.0).label)


def test_attached_points_follow_the_nearest_linked_one(rng):
    dark, gas = rng.random((400, 3)), rng.random((150, 3))
    groups = kith.fof(dark, attached=gas, linking_length=0.08, min_size=3)
    alone = kith.fof(dark, linking_length=0.08, min_size=3)
    index, distance = kith.knn(dark, gas, k=1)
    expected = np.where(distance[:, 0] <= 0.08, alone.label[index[:, 0]], -1)
    np.testing.assert_array_equal(groups.label, np.concatenate([alone.label, expected]))
    both = kith.fof([dark, gas], linking_length=0.08)
    np.testing.assert_array_equal(both.label, kith.fof(np.concatenate([dark, gas]), linking_length=0.08).label)


def test_groups_as_an_array_and_as_a_pickle(rng):
    groups = kith.fof(rng.random((300, 2)), linking_length=0.05, min_size=2, keep_roots=True)
    assert np.asarray(groups) is groups.label
    assert np.array(groups, dtype=np.int64).dtype == np.int64
    again = pickle.loads(pickle.dumps(groups))
    for name in ("label", "size", "lowest", "order", "offset", "root"):
        np.testing.assert_array_equal(getattr(again, name), getattr(groups, name), err_msg=name)
    assert again.linking_length == groups.linking_length


def test_groups_from_labels_of_another_origin(rng):
    x = rng.random((300, 3))
    ours = kith.fof(x, linking_length=0.1, min_size=3)
    theirs = kith.Groups(ours.label.astype(np.int64))
    np.testing.assert_array_equal(theirs.order, ours.order)
    np.testing.assert_array_equal(theirs.offset, ours.offset)
    np.testing.assert_array_equal(theirs.lowest, ours.lowest)
    np.testing.assert_array_equal(kith.catalogue(x, theirs).center, kith.catalogue(x, ours).center)
    with pytest.raises(ValueError, match="number the groups"):
        kith.Groups([0, 1, 100])
    with pytest.raises(ValueError, match="one integer per point"):
        kith.Groups([0.5, 1.0])


@pytest.mark.parametrize("call, error, words", [
    (lambda x: kith.fof(x), ValueError, "linking"),
    (lambda x: kith.fof(x, linking_length=-1), ValueError, "linking"),
    (lambda x: kith.fof(x, b=0.2), ValueError, "volume|box"),
    (lambda x: kith.fof(x, linking_length=0.1, min_size=0), ValueError, "min_size = 0"),
    (lambda x: kith.fof(kith.Tree(x), linking_length=0.1, box=2.0), ValueError, "the tree was built with"),
    (lambda x: kith.fof(x, linking_length="far"), TypeError, "linking_length = 'far'"),
])
def test_errors_say_what_is_wrong(call, error, words, rng):
    with pytest.raises(error, match=words):
        call(rng.random((30, 3)))


@pytest.fixture(scope="module")
def universe():
    return kith.sample.cosmology(32, steps=10)


@pytest.fixture(scope="module")
def halos(universe):
    return kith.halos(universe.position, velocity=universe.velocity, mass=universe.particle_mass, b=0.2,
                      box=universe.box, min_size=20)


def test_the_catalogue_is_what_numpy_computes(universe, halos):
    assert len(halos) > 10
    for row in range(0, len(halos), 5):
        members = halos.groups.members(row)
        x = universe.position[members].astype(float)
        v = universe.velocity[members].astype(float)
        side = universe.box.side[0]
        x = x[0] + (x - x[0] + side / 2) % side - side / 2
        center = x.mean(axis=0)
        assert halos.size[row] == len(members)
        np.testing.assert_allclose(halos.mass[row], len(members) * universe.particle_mass, rtol=1e-12)
        np.testing.assert_allclose(halos.center[row], center % side, rtol=1e-6)
        np.testing.assert_allclose(halos.velocity[row], v.mean(axis=0), rtol=1e-6)
        np.testing.assert_allclose(halos.radius[row], np.linalg.norm(x - center, axis=1).max(), rtol=1e-6)
        eigenvalues = np.linalg.eigvalsh(np.cov(x.T, bias=True))[::-1]
        np.testing.assert_allclose(halos.shape[row], eigenvalues, rtol=1e-5)


def test_tables(halos):
    frame = halos.to_pandas()
    assert len(frame) == len(halos) and frame.index.name == "label"
    np.testing.assert_array_equal(frame["center_2"], halos.center[:, 2])
    np.testing.assert_array_equal(frame["axes_0_1"], halos.axes[:, 0, 1])
    table = halos.to_astropy()
    np.testing.assert_array_equal(table["center"], halos.center)
    heavy = halos.select(halos.mass > np.median(halos.mass))
    assert len(heavy) == np.sum(halos.mass > np.median(halos.mass))
    with pytest.raises(AttributeError, match="no column color; there are size, mass"):
        halos.color


@pytest.mark.parametrize("name, style", [("h.hdf5", "automatic"), ("h.hdf5", "gadget"), ("h.hdf5", "swift"),
                                         ("h.npz", "automatic")])
def test_saved_catalogues_come_back_bit_by_bit(halos, tmp_path, name, style):
    halos.save(tmp_path / name, style=style)
    again = kith.read_catalogue(tmp_path / name)
    for column, values in halos.columns.items():
        np.testing.assert_array_equal(getattr(again, column), values, err_msg=column)
    np.testing.assert_array_equal(again.groups.label, halos.groups.label)
    assert again.about["min_size"] == 20 and again.about["b"] == 0.2
    assert again.about["box"].side == 3 * halos.about["box"].side


def test_a_catalogue_as_text(halos, tmp_path):
    halos.save(tmp_path / "h.csv")
    lines = [line for line in (tmp_path / "h.csv").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == len(halos) + 1 and "mass" in lines[0]
    with pytest.raises(ValueError, match="style"):
        halos.save(tmp_path / "h.csv", style="excel")
    with pytest.raises(ValueError, match="txt"):
        halos.save(tmp_path / "h.txt")


def test_types_and_contamination(rng):
    x = rng.random((500, 3))
    groups = kith.fof(x, linking_length=0.08, min_size=5)
    type = rng.integers(0, 3, 500)
    found = kith.catalogue(x, groups, type=type, contaminating_types=[2], mass=rng.random(500))
    for group in range(len(found)):
        expected = np.bincount(type[groups.members(group)], minlength=3)
        assert found.type_size[group].tolist() == expected.tolist()
        assert found.contaminating_size[group] == expected[2]


def test_subhalos_lie_in_their_halos(universe, halos):
    inside = kith.subhalos(universe.position, halos.groups, velocity=universe.velocity, linking_length=0.3,
                           min_size=10, box=universe.box)
    assert len(inside) > 0 and len(inside.catalogue) == len(inside)
    for row in range(len(inside)):
        assert (halos.groups.label[inside.members(row)] == inside.parent[row]).all()
    assert inside.catalogue.size.tolist() == np.diff(inside.offset).tolist()


def bound_scene():
    """A bound sphere with a small one inside, and particles that fly by."""
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(0, 1, (800, 3)) * random.random((800, 1)) ** 2,
                        random.normal(0, 0.05, (100, 3)) + [1.5, 0, 0]])
    v = random.normal(0, 0.2, x.shape)
    v[:60] += 20
    return x, v


def test_bound_subhalos():
    x, v = bound_scene()
    options = {"velocity": v, "mass": 1 / 800, "gravity": 1.0, "softening": 0.02}
    found = kith.subhalos(x, np.zeros(len(x), np.int32), **options)
    assert len(found) == 2 and found.parent.tolist() == [0, 0] and found.host.tolist() == [-1, 0]
    assert (found.label[:60] == -1).all() and (found.label[800:] == 1).mean() > 0.9
    for s in range(2):
        assert found.members(s).tolist() == np.flatnonzero(found.label == s).tolist()
        by_binding = found.by_binding[found.offset[s]:found.offset[s + 1]]
        assert sorted(by_binding) == found.members(s).tolist() and by_binding[0] == found.most_bound[s]
        assert found.peak[s].tolist() == x[found.most_bound[s]].tolist()
        # Bound by sums over all pairs.
        own = found.members(s)
        r2 = ((x[own][:, None] - x[own][None]) ** 2).sum(-1) + 0.02 ** 2
        np.fill_diagonal(r2, np.inf)
        potential = -(1 / 800 / np.sqrt(r2)).sum(1)
        energy = potential + ((v[own] - v[own].mean(0)) ** 2).sum(1) / 2
        assert (energy < -0.02 * potential).all() and energy.min() > energy[own == found.most_bound[s]][0] * 1.02
    assert (found.catalogue.max_circular_radius <= found.catalogue.radius).all()
    assert (found.catalogue.half_mass_radius <= found.catalogue.radius).all()
    hot = kith.subhalos(x, np.zeros(len(x), np.int32), thermal_energy=np.arange(900) * 1.0, **options)
    assert (hot.label >= 0).sum() < 30
    v[800:] /= 2  # colder than the sphere, as satellites are
    phase = kith.subhalos(x, np.zeros(len(x), np.int32), method="phase", **options)
    assert phase.host[:2].tolist() == [-1, 0] and (phase.label[800:] == 1).mean() > 0.9
    assert not np.isin(phase.label[:60], [0, 1]).any()  # they fly by, though together
    with pytest.raises(kith.ArgumentError, match="gravity"):
        kith.subhalos(x, np.zeros(len(x), np.int32), velocity=v)
    with pytest.raises(kith.ArgumentError, match="method"):
        kith.subhalos(x, np.zeros(len(x), np.int32), method="rockstar", **options)


def test_bound_subhalos_of_a_snapshot(tmp_path, universe):
    path = tmp_path / "universe.hdf5"
    kith.write_snapshot(path, universe.position, velocity=universe.velocity, mass=universe.particle_mass,
                        box=universe.box,
                        units={"length": 3.085678e24, "mass": 1.989e43, "velocity": 1e5, "is_per_h": True,
                               "is_comoving": True},
                        background={"is_known": True, "omega_m": 0.31, "omega_lambda": 0.69, "h": 0.68,
                                    "scale_factor": 1.0})
    snapshot = kith.read_snapshot(path)
    halos = kith.halos(snapshot, b=0.2)
    found = kith.subhalos(snapshot, halos.groups)
    assert len(found) >= len(halos) // 2
    assert (halos.groups.label[found.label >= 0] == found.parent[found.label[found.label >= 0]]).all()


def test_overdensities_hold_their_density(universe, halos):
    density = kith.edge_density("mean200")
    found = kith.overdensities(universe.position, halos.center, density=density, mass=universe.particle_mass,
                               within=halos.radius, box=universe.box)
    is_there = found.mass[:, 0] > 0
    assert is_there.sum() > 3
    volume = 4 / 3 * np.pi * found.radius[is_there, 0] ** 3
    np.testing.assert_allclose(found.mass[is_there, 0] / volume, density, rtol=1e-12)


def test_the_mass_function_counts_every_group(halos, universe):
    counted = halos.mass_function(universe.box.side[0] ** 3)
    assert counted.count.sum() == len(halos)
    width = np.log(counted.edge[1] / counted.edge[0])
    np.testing.assert_allclose(counted.density, counted.count / width / universe.box.side[0] ** 3)
    assert (counted.lower <= counted.density).all() and (counted.density <= counted.upper).all()


def test_the_peak_of_each_group(rng):
    x, value = rng.random((400, 3)), rng.random(400)
    groups = kith.fof(x, linking_length=0.1, min_size=3)
    for peak, choose in (("largest", np.argmax), ("smallest", np.argmin)):
        expected = [groups.members(g)[choose(value[groups.members(g)])] for g in range(groups.count)]
        assert kith.peak_members(groups, value, peak=peak).tolist() == expected
    with pytest.raises(ValueError, match="largest, smallest"):
        kith.peak_members(groups, value, peak="highest")


def test_catalogues_without_groups_and_in_other_dimensions(rng, tmp_path):
    empty = kith.halos(rng.random((100, 3)), linking_length=1e-9, min_size=5)
    assert len(empty) == 0 and empty.center.shape == (0, 3) and "type_size" not in empty.columns
    empty.save(tmp_path / "none.npz")
    assert len(kith.read_catalogue(tmp_path / "none.npz")) == 0
    x = rng.random((300, 5))
    found = kith.halos(x, velocity=x, linking_length=0.25, min_size=3)
    assert len(found) > 0 and "angular_momentum" not in found.columns and found.axes.shape[1:] == (5, 5)
    flat = kith.halos(x[:, :2], velocity=x[:, :2], linking_length=0.03, min_size=3)
    assert flat.angular_momentum.shape == (len(flat),)
    labels = flat.groups.label.tolist()
    np.testing.assert_array_equal(kith.catalogue(x[:, :2], labels).mass, flat.mass)


def test_circular_velocities_survive_every_style(rng, tmp_path):
    x = rng.normal(0, 0.1, (300, 3))
    groups = kith.fof(x, linking_length=0.2, min_size=20)
    assert "max_circular_velocity" not in kith.catalogue(x, groups).columns
    peak = np.zeros((groups.count, 3))
    halos = kith.catalogue(x, groups, mass=2.0, gravity=3.0, peak=peak)
    r = np.sort(np.linalg.norm(x[groups.label == 0], axis=1))
    expected = np.sqrt(3.0 * 2.0 * np.arange(10, len(r) + 1) / r[9:]).max()
    np.testing.assert_allclose(halos.max_circular_velocity[0], expected, rtol=1e-12)
    for name, style in (("a.hdf5", "gadget"), ("b.hdf5", "swift"), ("c.npz", "npz")):
        halos.save(tmp_path / name, style=style)
        again = kith.read_catalogue(tmp_path / name)
        np.testing.assert_array_equal(again.max_circular_velocity, halos.max_circular_velocity)
        assert again.about["gravity"] == 3.0 and again.about["scalar"] == "float64"
    halos.save(tmp_path / "d.csv")
    assert "max_circular_velocity" in (tmp_path / "d.csv").read_text()
