"""A catalogue is a table."""
import os
import subprocess
import sys

import numpy as np
import pytest

import kith


@pytest.fixture(scope="module")
def halos():
    random = np.random.default_rng(1)
    centers = random.random((8, 3))
    x = (centers[random.integers(0, 8, 600)] + random.normal(0, 0.01, (600, 3))) % 1
    return kith.halos(x, linking_length=0.02, box=1.0, min_size=5, mass=random.random(600) + 1)


def test_columns_and_rows(halos):
    assert len(halos) > 3
    np.testing.assert_array_equal(halos["mass"], halos.mass)
    assert halos[0]["size"] == halos.size[0]
    assert halos[-1]["size"] == halos.size[-1]
    np.testing.assert_array_equal(halos[1]["center"], halos.center[1])
    with pytest.raises(IndexError, match="there are"):
        halos[len(halos)]
    with pytest.raises(AttributeError, match="no column nothing"):
        halos["nothing"]
    assert "mass" in halos and "nothing" not in halos
    assert list(halos.keys()) == list(halos.columns)
    assert dict(halos)["mass"] is halos.mass


def test_parts(halos):
    assert len(halos[:3]) == 3
    np.testing.assert_array_equal(halos[:3].mass, halos.mass[:3])
    chosen = halos[halos.size > 20]
    assert isinstance(chosen, kith.Catalogue) and (chosen.size > 20).all()
    np.testing.assert_array_equal(halos[[2, 0]].size, halos.size[[2, 0]])


def test_iteration(halos):
    assert [row["size"] for row in halos] == halos.size.tolist()


def test_sort(halos):
    by_mass = halos.sort("mass")
    assert (np.diff(by_mass.mass) <= 0).all()
    np.testing.assert_array_equal(halos.sort("size").lowest, halos.lowest)
    assert (np.diff(halos.sort("radius", descending=False).radius) >= 0).all()
    with pytest.raises(ValueError, match="sort by one"):
        halos.sort("center")


def test_html(halos):
    text = halos._repr_html_()
    assert text.count("<tr>") == 1 + min(10, len(halos))
    assert "<th>center</th>" in text and "<th>axes</th>" not in text


def test_masked_arrays_are_refused():
    x = np.ma.masked_array(np.random.default_rng(2).random((20, 3)))
    kith.knn(x, k=2)  # nothing is masked
    x[3, 1] = np.ma.masked
    for call in (lambda: kith.knn(x, k=2), lambda: kith.fof(x, linking_length=0.1), lambda: kith.KDTree(x),
                 lambda: kith.halos(x.data, linking_length=0.1, mass=x[:, 1])):
        with pytest.raises(ValueError, match="masked"):
            call()


def test_halos_of_a_snapshot(tmp_path):
    path = tmp_path / "points.npz"
    random = np.random.default_rng(3)
    x = random.random((500, 3)).astype(np.float32)
    mass = random.random(500)
    np.savez(path, position=x, mass=mass)
    found = kith.halos(kith.read_snapshot(path), linking_length=0.08, min_size=3)
    right = kith.halos(x, linking_length=0.08, min_size=3, mass=mass)
    np.testing.assert_array_equal(found.mass, right.mass)
    np.testing.assert_array_equal(found.center, right.center)
    with pytest.raises(TypeError, match="already has velocities"):
        kith.halos(kith.read_snapshot(path), linking_length=0.08, mass=1.0)


def write_gadget(path, parts, masses, side):
    """A Gadget-2 binary file: positions, velocities and ids of types 0, 1, ..., with masses in the header."""
    header = np.zeros(64, np.int32)
    header[:len(parts)] = [len(part) for part in parts]
    header[6:6 + 2 * len(masses)] = np.array(masses, np.float64).view(np.int32)
    header[24:24 + len(parts)] = [len(part) for part in parts]
    header[31] = 1  # files
    header[32:34] = np.array([side]).view(np.int32)
    position = np.concatenate(parts).astype(np.float32)
    blocks = [header, position, np.ones_like(position), np.arange(len(position), dtype=np.uint32)]
    with open(path, "wb") as file:
        for block in blocks:
            length = np.uint32(block.nbytes).tobytes()
            file.write(length + block.tobytes() + length)


def two_types(path):
    random = np.random.default_rng(4)
    centers = random.random((5, 3))
    gas, dark = ((centers[random.integers(0, 5, 300)] + random.normal(0, 0.01, (300, 3))) % 1 for _ in range(2))
    write_gadget(path, [gas, dark], [0.5, 2.0], 1.0)
    return gas.astype(np.float32), dark.astype(np.float32)


def test_halos_of_a_snapshot_with_types(tmp_path):
    gas, dark = two_types(tmp_path / "snap")
    found = kith.halos(kith.read_snapshot(tmp_path / "snap"), linking_length=0.02)
    groups = kith.fof(dark, attached=gas, linking_length=0.02, box=1.0, min_size=20)
    np.testing.assert_array_equal(found.type_size[:, 1], groups.size)
    np.testing.assert_array_equal(found.groups.label, np.concatenate([groups.label[300:], groups.label[:300]]))
    np.testing.assert_array_equal(found.size, np.bincount(groups.label[groups.label >= 0]))
    np.testing.assert_array_equal(found.mass, found.type_size @ np.array([0.5, 2, 0, 0, 0, 0]))
    assert found.about["link_types"] == [1] and found.about["attach_types"] == [0]
    alone = kith.halos(kith.read_snapshot(tmp_path / "snap", types=1), linking_length=0.02)
    np.testing.assert_array_equal(alone.size, kith.fof(dark, linking_length=0.02, box=1.0, min_size=20).size)


def zoom(path):
    """Types 0, 1 and 2 in HDF5 at redshift 1, with heavy particles and one black hole of type 5."""
    h5py = pytest.importorskip("h5py")
    random = np.random.default_rng(7)
    centers = random.random((6, 3)) * 20
    counts = {0: 400, 1: 900, 2: 30, 5: 1}
    with h5py.File(path, "w") as file:
        header, parameters = file.create_group("Header"), file.create_group("Parameters")
        header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = np.array(
            [counts.get(kind, 0) for kind in range(6)], np.uint64)
        header.attrs["MassTable"] = np.array([0, 0.02, 0, 0, 0, 0])
        header.attrs["Time"], header.attrs["Redshift"], header.attrs["BoxSize"] = 0.5, 1.0, 100.0
        header.attrs["NumFilesPerSnapshot"] = np.int32(1)
        for name, value in (("Omega0", 0.3), ("OmegaLambda", 0.7), ("OmegaBaryon", 0.05), ("HubbleParam", 0.7),
                            ("UnitLength_in_cm", 3.085678e24), ("UnitMass_in_g", 1.989e43),
                            ("UnitVelocity_in_cm_per_s", 1e5)):
            parameters.attrs[name] = value
        for kind, n in counts.items():
            x = centers[random.integers(0, 6, n)] + random.normal(0, 0.03, (n, 3))
            file[f"PartType{kind}/Coordinates"] = (x % 100).astype(np.float32)
            file[f"PartType{kind}/Velocities"] = random.normal(0, 80, (n, 3)).astype(np.float32)
            file[f"PartType{kind}/ParticleIDs"] = np.arange(n, dtype=np.uint64) + 1000 * kind
            if kind != 1:
                file[f"PartType{kind}/Masses"] = random.uniform(0.5, 1, n) * {0: 0.004, 2: 2.0, 5: 0.1}[kind]


def test_halos_of_a_snapshot_are_those_of_the_program(tmp_path):
    zoom(tmp_path / "zoom.hdf5")
    subprocess.run([sys.executable, "-m", "kith", "fof", tmp_path / "zoom.hdf5", "-b", "0.2", "--labels", "-q", "-o",
                    tmp_path / "halos.hdf5"], check=True)
    theirs = kith.read_catalogue(tmp_path / "halos.hdf5")
    ours = kith.halos(kith.read_snapshot(tmp_path / "zoom.hdf5"), b=0.2)
    assert len(ours) > 3 and ours.contaminating_size.sum() > 0 and ours.type_size[:, 0].sum() > 0
    assert set(theirs.columns) == set(ours.columns)
    for name, column in theirs.columns.items():
        np.testing.assert_array_equal(ours[name], column.astype(ours[name].dtype), err_msg=name)
    np.testing.assert_array_equal(ours.groups.label, theirs.groups.label)
    for name in ("linking_length", "link_types", "attach_types", "contaminating_types", "gravity", "redshift"):
        assert ours.about[name] == theirs.about[name], name


def test_written_snapshots_come_back(tmp_path):
    random = np.random.default_rng(5)
    x, v = random.random((40, 3)), random.normal(size=(40, 3))
    units = {"length": 3.085678e24, "mass": 1.989e43, "velocity": 1e5, "is_per_h": True, "is_comoving": True}
    background = {"omega_m": 0.3, "omega_lambda": 0.7, "h": 0.7, "redshift": 1.0}
    for style in ("gadget", "swift"):
        path = tmp_path / f"{style}.hdf5"
        kith.write_snapshot(path, x, velocity=v, id=np.arange(40) + 7, mass=2.5, box=1.0, units=units,
                            background=background, style=style)
        back = kith.read_snapshot(path)
        np.testing.assert_array_equal(back.position, x)
        np.testing.assert_allclose(back.velocity, v, rtol=1e-14)  # peculiar, whatever the file stores
        np.testing.assert_array_equal(back.id, np.arange(40) + 7)
        np.testing.assert_array_equal(back.mass, 2.5)
        assert (back.box.sides(3) == 1).all() and back.redshift == pytest.approx(1)
        assert back.info["background"]["omega_m"] == 0.3 and back.info["units"]["velocity"] == 1e5
    with pytest.raises(ValueError, match="one for each"):
        kith.write_snapshot(tmp_path / "x.hdf5", x, id=[1, 2])
    with pytest.raises(ValueError, match="gadget, swift"):
        kith.write_snapshot(tmp_path / "x.hdf5", x, style="other")


def test_centers():
    random = np.random.default_rng(6)
    x = np.concatenate([random.normal(0.5, 0.02, (60, 3)), random.normal(0.3, 0.001, (20, 3))])
    label = np.zeros(80, np.int32)
    deepest = kith.centers(x, label, kind="potential", softening=1e-3)
    assert (np.abs(deepest - 0.3) < 0.005).all()
    np.testing.assert_allclose(kith.centers(x, label, kind="mass"), [x.mean(axis=0)])
    dark = np.repeat(np.array([1, 0], np.uint8), [60, 20])
    assert (np.abs(kith.centers(x, label, type=dark, types=[1]) - 0.5) < 0.1).all()


def test_verify_and_report(tmp_path):
    two_types(tmp_path / "snap")
    halos = kith.halos(kith.read_snapshot(tmp_path / "snap"), linking_length=0.02)
    halos.save(tmp_path / "halos.hdf5")
    assert kith.verify(tmp_path / "snap", tmp_path / "halos.hdf5")["result"].endswith("halos.hdf5")
    halos.columns["mass"] = halos.mass * 1.001
    halos.save(tmp_path / "wrong.hdf5")
    with pytest.raises(kith.ProgramError, match="mass"):
        kith.verify(tmp_path / "snap", tmp_path / "wrong.hdf5")
    kith.report(tmp_path / "snap", tmp_path / "page.html", linking_length=0.02)
    assert "<html" in (tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="linking"):
        kith.report(tmp_path / "snap", tmp_path / "page.html", linking_length=-1)
