"""Snapshots that do not say everything, and groups in redshift space."""
import gzip

import numpy as np
import pytest

import kith


def test_units_cosmology_and_mass_from_the_caller(tmp_path):
    x = np.random.default_rng(1).random((100, 3))
    np.save(tmp_path / "x.npy", x)
    snapshot = kith.read_snapshot(tmp_path / "x.npy", units="Mpc/h,1e10 Msun/h,km/s", redshift=0.5, mass=2.5,
                                  cosmology={"omega_m": 0.3, "h": 0.7})
    np.testing.assert_array_equal(snapshot.mass, np.full(100, 2.5))
    assert snapshot.info["units"]["is_per_h"] and snapshot.info["units"]["velocity"] == 1e5
    background = snapshot.info["background"]
    assert (background["is_known"], background["omega_lambda"], background["redshift"]) == (True, 0.7, 0.5)
    with pytest.raises(ValueError, match="not a unit of length"):
        kith.read_snapshot(tmp_path / "x.npy", units="ly,g,km/s")
    with pytest.raises(ValueError, match="omega"):
        kith.read_snapshot(tmp_path / "x.npy", cosmology={"omega": 0.3})


def test_packed_files(tmp_path):
    x = np.random.default_rng(2).random((50, 2))
    with gzip.open(tmp_path / "x.csv.gz", "wt") as file:
        file.write("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in x.tolist()))
    snapshot = kith.read_snapshot(tmp_path / "x.csv.gz")
    np.testing.assert_array_equal(snapshot.position, x)
    np.testing.assert_array_equal(snapshot.read("position", 10, 5), x[10:15])


def test_values_of_a_column(tmp_path):
    x, value = np.random.default_rng(4).random((20, 3)), np.arange(20.0)
    np.savetxt(tmp_path / "x.csv", np.column_stack([x, value]), "%.17g", ",", header="x,y,z,reach", comments="")
    np.savez(tmp_path / "x.npz", position=x, reach=value)
    for name in ("x.csv", "x.npz"):
        snapshot = kith.read_snapshot(tmp_path / name, value_column="reach")
        assert snapshot.fields == ("position", "value")
        np.testing.assert_array_equal(snapshot.value, value)
        np.testing.assert_array_equal(kith.read_snapshot(tmp_path / name).position, x)
        with pytest.raises(ValueError, match="no (column )?weight"):
            kith.read_snapshot(tmp_path / name, value_column="weight")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_groups_along_an_axis(dtype):
    x = np.random.default_rng(3).random((500, 3)).astype(dtype)
    squeezed = x.copy()
    squeezed[:, 0] = (x[:, 0].astype(np.float64) / 4).astype(dtype)
    found = kith.redshift_fof(x, linking_length=0.03, stretch=4, line_of_sight="x", min_size=2)
    np.testing.assert_array_equal(found.label, kith.fof(squeezed, linking_length=0.03, min_size=2).label)


def test_groups_along_lines_to_midpoints():
    """Pairs on one line of sight are friends at the longer distance, pairs across it are not."""
    x = np.array([[10.0, 0, 0], [10.5, 0, 0], [0, 10, 0], [0.5, 10, 0], [7, 7, 0], [7.35, 7.35, 0]])
    found = kith.redshift_fof(x, linking_length=0.1, stretch=6, line_of_sight="midpoint", min_size=2)
    assert found.label.tolist() == [0, 0, -1, -1, 1, 1]
    moved = kith.redshift_fof(x + 3, linking_length=0.1, stretch=6, line_of_sight="midpoint", min_size=2,
                              observer=[3, 3, 3])
    assert moved.label.tolist() == found.label.tolist()
    with pytest.raises(ValueError, match="open box"):
        kith.redshift_fof(x, linking_length=0.1, stretch=6, line_of_sight="midpoint", box=20.0)
    with pytest.raises(ValueError, match="x, y, z, midpoint"):
        kith.redshift_fof(x, linking_length=0.1, stretch=6, line_of_sight="w")
