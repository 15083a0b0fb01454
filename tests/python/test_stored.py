"""Points larger than memory: groups and catalogues from disk are those from memory."""
import h5py
import numpy as np
import pytest

import kith

MEMORY = "60MB"


@pytest.fixture(scope="module")
def points():
    return kith.sample.uniform(300_000, 3)  # two slabs


@pytest.fixture(scope="module")
def groups(points):
    return kith.fof(points, b=0.7, box=1.0, min_size=5)


def sources(points, folder):
    path = folder / "x.npy"
    np.save(path, points)
    with h5py.File(folder / "x.hdf5", "w") as file:
        file["x"] = points
    yield path
    yield np.load(path, mmap_mode="r")
    with h5py.File(folder / "x.hdf5") as file:
        yield file["x"]


def test_groups_are_those_in_memory(points, groups, tmp_path):
    for source in sources(points, tmp_path):
        stored = kith.fof(kith.open_points(source, max_memory=MEMORY, scratch=tmp_path), b=0.7, box=1.0, min_size=5)
        assert stored.slabs > 1 and len(stored) == stored.count == groups.count
        np.testing.assert_array_equal(stored.size, groups.size)
        np.testing.assert_array_equal(stored.lowest, groups.lowest)
        np.testing.assert_array_equal(stored.label(), groups.label)
        np.testing.assert_array_equal(stored.label(1000, 2000), groups.label[1000:2000])
        assert stored.linking_length == groups.linking_length
        labels = stored.save_labels(tmp_path / "labels.npy")
        assert isinstance(labels, np.memmap)
        np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), groups.label)


def test_catalogues_are_those_in_memory(points, groups, tmp_path):
    velocity = kith.sample.normal(len(points), 3)
    path = tmp_path / "s.hdf5"
    kith.write_snapshot(path, points, velocity=velocity, mass=2.0, box=1.0)
    opened = kith.open_points(path, max_memory=70_000_000)
    assert len(opened) == len(points) and opened.dtype == np.float32 and opened.box == kith.Box(1.0)
    stored = kith.catalogue(opened, kith.fof(opened, b=0.7, min_size=5), gravity=1.0)
    expected = kith.catalogue(points, groups, mass=2.0, velocity=velocity, gravity=1.0, box=1.0)
    assert stored.columns.keys() == expected.columns.keys()
    for name, column in expected.columns.items():
        np.testing.assert_array_equal(stored[name], column, err_msg=name)


def test_centers_and_spheres_are_those_in_memory(points, groups, tmp_path):
    path = tmp_path / "s.hdf5"
    kith.write_snapshot(path, points, mass=2.0, box=1.0)
    opened = kith.open_points(path, max_memory="70MB")
    stored = kith.fof(opened, b=0.7, min_size=5)
    for kind in ("potential", "shrinking", "mass"):
        found = kith.centers(opened, stored, kind=kind, softening=1e-4)
        np.testing.assert_array_equal(found, kith.centers(points, groups, kind=kind, softening=1e-4, mass=2.0, box=1.0))
    table = kith.catalogue(opened, stored, peak=found)
    expected = kith.catalogue(points, groups, mass=2.0, box=1.0, peak=found)
    for name, column in expected.columns.items():
        np.testing.assert_array_equal(table[name], column, err_msg=name)
    asked = {"density": [2e6, 2e7], "within": table.radius}
    spheres = kith.overdensities(opened, found, **asked)
    in_memory = kith.overdensities(points, found, mass=2.0, box=1.0, **asked)
    assert spheres.size.max() > 5
    for name in ("mass", "radius", "size"):
        np.testing.assert_array_equal(getattr(spheres, name), getattr(in_memory, name))
    with pytest.raises(TypeError, match="centers: stored points need the groups"):
        kith.centers(opened, groups)
    with pytest.raises(TypeError, match="mass of stored points is that of their snapshot"):
        kith.overdensities(opened, found, density=1.0, mass=np.ones(len(points)))
    with pytest.raises(ValueError, match="3 numbers for peaks"):
        kith.catalogue(opened, stored, peak=found[:1])


def test_subhalos_are_those_in_memory(points, groups, tmp_path):
    velocity = kith.sample.normal(len(points), 3)
    path = tmp_path / "s.hdf5"
    kith.write_snapshot(path, points, velocity=velocity, mass=2.0, box=1.0)
    opened = kith.open_points(path, max_memory="70MB", scratch=tmp_path)
    stored = kith.fof(opened, b=0.7, min_size=5)
    for options in ({"method": "subfind", "gravity": 1.0}, {"method": "phase", "gravity": 1.0},
                    {"linking_length": 1.0}):
        found = kith.subhalos(opened, stored, min_size=5, **options)
        expected = kith.subhalos(points, groups, velocity=velocity, mass=2.0, box=1.0, min_size=5, **options)
        assert len(found) == len(expected) > 10 and repr(found).startswith("<kith.StoredSubhalos: ")
        for name in ("parent", "host", "most_bound", "peak"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        for name, column in expected.catalogue.columns.items():
            np.testing.assert_array_equal(found.catalogue[name], column, err_msg=name)
        np.testing.assert_array_equal(found.label(), expected.label)
        np.testing.assert_array_equal(found.label(1000, 2000), expected.label[1000:2000])
        np.testing.assert_array_equal(found.save_labels(tmp_path / "labels.npy"), expected.label)
    with pytest.raises(TypeError, match="subhalos: stored points need the groups"):
        kith.subhalos(opened, groups, linking_length=1.0)
    with pytest.raises(TypeError, match="velocity of stored points is that of their snapshot"):
        kith.subhalos(opened, stored, velocity=velocity, linking_length=1.0)
    with pytest.raises(TypeError, match="thermal energies of stored points are not read"):
        kith.subhalos(opened, stored, thermal_energy=np.ones(len(points)), gravity=1.0)
    with pytest.raises(TypeError, match="stored groups belong to stored points"):
        kith.subhalos(points, stored, velocity=velocity, linking_length=1.0)


class Rows:
    """An array on disk that cannot be read."""
    shape = (1000, 3)
    dtype = np.dtype(np.float32)

    def __getitem__(self, rows):
        raise KeyError("no rows")


def test_errors(points, groups, monkeypatch, tmp_path):
    monkeypatch.delenv("KITH_MAX_MEMORY", raising=False)
    with pytest.raises(ValueError, match="give max_memory, such as '4GB', or set KITH_MAX_MEMORY"):
        kith.open_points(points)
    with pytest.raises(ValueError, match="max_memory: 'much' is not an amount of memory"):
        kith.open_points(points, max_memory="much")
    with pytest.raises(TypeError, match="give a path, or an array on disk"):
        kith.open_points([[1.0]], max_memory=MEMORY)
    with pytest.raises(ValueError, match="one row per point"):
        kith.open_points(points[0], max_memory=MEMORY)
    with pytest.raises(MemoryError, match="at least"):
        kith.fof(kith.open_points(points, max_memory=1000), linking_length=0.1)
    with pytest.raises(KeyError, match="no rows"):
        kith.fof(kith.open_points(Rows(), max_memory=MEMORY), linking_length=0.1)
    monkeypatch.setenv("KITH_MAX_MEMORY", MEMORY)
    opened = kith.open_points(points)
    with pytest.raises(TypeError, match="the groups that kith.fof returned"):
        kith.catalogue(opened, groups)
    stored = kith.fof(opened, linking_length=0.01, min_size=5)
    with pytest.raises(TypeError, match="velocity of stored points is that of their snapshot"):
        kith.catalogue(opened, stored, velocity=points)
    with pytest.raises(ValueError, match="there are 300000"):
        stored.label(0, 300_001)
    np.savetxt(tmp_path / "x.csv", points[:10], delimiter=",")
    with pytest.raises(ValueError, match="have no fixed places"):
        kith.open_points(tmp_path / "x.csv")


def test_neighbors_are_those_in_memory(points, tmp_path):
    some = points[:120_000]
    for source in sources(some, tmp_path):
        opened = kith.open_points(source, max_memory="55MB", scratch=tmp_path)
        near, expected = kith.knn(opened, k=8, box=1.0), kith.knn(some, k=8, box=1.0)
        assert isinstance(near.index, np.memmap) and isinstance(near.distance, np.memmap)
        assert near.index.dtype == np.int32 and near.distance.dtype == np.float32
        np.testing.assert_array_equal(near.index, expected.index)
        np.testing.assert_array_equal(near.distance, expected.distance)
    opened = kith.open_points(tmp_path / "x.npy", max_memory="55MB", scratch=tmp_path)
    for call, options in ((kith.kth_distance, {"k": 5}), (kith.mean_distance, {"k": 5, "exclude_self": True}),
                          (kith.density, {"k": 16, "kernel": "wendland_c2"}), (kith.radius_count, {"radius": 0.02})):
        found = call(opened, box=1.0, **options)
        assert isinstance(found, np.memmap)
        np.testing.assert_array_equal(found, call(some, box=1.0, **options))
    out = (np.empty((len(some), 2), np.int64), np.empty((len(some), 2), np.float32))
    assert kith.knn(opened, k=2, out=out).index is out[0]
    np.testing.assert_array_equal(out[0], kith.knn(some, k=2).index)


def test_densities_use_the_masses_of_the_snapshot(points, tmp_path):
    some, mass = points[:120_000], np.arange(120_000) % 7 + 1.0
    path = tmp_path / "s.hdf5"
    kith.write_snapshot(path, some, box=1.0)
    with h5py.File(path, "r+") as file:
        file["PartType1/Masses"] = mass
        file["Header"].attrs["MassTable"] = np.zeros(6)
    opened = kith.open_points(path, max_memory="55MB")
    np.testing.assert_array_equal(kith.density(opened, k=20), kith.density(some, k=20, mass=mass, box=1.0))
    with pytest.raises(TypeError, match="mass of stored points is that of their snapshot"):
        kith.density(opened, mass=2.0)


def test_pairs_are_those_in_memory(points, tmp_path):
    some, edges = points[:120_000], [0, 0.004, 0.01]
    for source in sources(some, tmp_path):
        opened = kith.open_points(source, max_memory="55MB", scratch=tmp_path)
        for call, options in ((kith.correlation.count, {}),
                              (kith.correlation.count, {"separation": "s_mu", "line_of_sight": "x"}),
                              (kith.correlation.xi, {}), (kith.correlation.wp, {"pi_max": 0.01, "pi_bins": 4}),
                              (kith.correlation.smu, {}), (kith.correlation.multipoles, {"mu_bins": 5})):
            found = call(opened, edges=edges, box=1.0, **options).__dict__
            expected = call(some, edges=edges, box=1.0, **options).__dict__
            assert found.keys() == expected.keys()
            for name in found:
                np.testing.assert_equal(found[name], expected[name], err_msg=name)
    for options in ({"weight": np.ones(len(some))}, {"others": some}, {"region": np.zeros(len(some), int)}):
        with pytest.raises(TypeError, match="counted among themselves"):
            kith.correlation.count(opened, edges=edges, **options)
    with pytest.raises(TypeError, match="counted among themselves"):
        kith.correlation.xi(opened, some, edges=edges)
    with pytest.raises(ValueError, match="regions, mean separations"):
        kith.correlation.count(opened, edges=edges, regions=8)
    with pytest.raises(ValueError, match="is open"):
        kith.correlation.xi(opened, edges=edges)


def test_searches_refuse_what_needs_memory(points, tmp_path):
    opened = kith.open_points(np.asarray(points), max_memory=MEMORY)
    with pytest.raises(TypeError, match="leave queries out"):
        kith.knn(opened, points[:3], k=1)
    with pytest.raises(TypeError, match="lists of stored points do not stay on disk"):
        kith.radius(opened, radius=0.1)
    with pytest.raises(TypeError, match="lists of stored points do not stay on disk"):
        kith.radius_pairs(opened, radius=0.1)
    with pytest.raises(ValueError, match="p = 1 needs the points in memory"):
        kith.knn(opened, k=1, p=1.0)
    with pytest.raises(ValueError, match="order of the input"):
        kith.knn(opened, k=1, order="tree")
    with pytest.raises(ValueError, match="shape"):
        kith.knn(opened, k=1, out=(np.empty((3, 1), np.int32), np.empty((3, 1), np.float32)))
    with pytest.raises(ValueError, match="only files can"):
        kith.fof(kith.open_points(points, max_memory=MEMORY, resume=True), linking_length=0.1)


@pytest.mark.parametrize("is_lost", [False, True])
def test_work_is_resumed(points, groups, tmp_path, is_lost):
    path = tmp_path / "x.npy"
    np.save(path, points)
    opened = kith.open_points(path, max_memory=MEMORY, scratch=tmp_path / "", resume=True)
    stages = []

    def stop(stage, done, total):
        if stage == "fof: lowest members":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        kith.fof(opened, b=0.7, box=1.0, min_size=5, progress=stop)
    kept = sorted(tmp_path.glob("kith-*.scratch*"))
    assert len(kept) == 2
    if is_lost:
        kept[0].unlink()
    stored = kith.fof(opened, b=0.7, box=1.0, min_size=5, progress=lambda stage, *_: stages.append(stage))
    assert ("fof: sort" in stages) == is_lost
    np.testing.assert_array_equal(stored.label(), groups.label)
    del stored
    assert not list(tmp_path.glob("kith-*"))
