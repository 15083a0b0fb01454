"""The installed package: samples, pictures, snapshots, types, and the libraries inside the wheel."""
import importlib.metadata
import importlib.resources
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import kith


def test_names_and_version():
    for name in kith.__all__:
        if name != "sklearn":
            assert getattr(kith, name) is not None
    assert set(kith.__all__) <= set(dir(kith))
    assert kith.__version__ == importlib.metadata.version("kith")
    assert (importlib.resources.files("kith") / "py.typed").is_file()
    assert (importlib.resources.files("kith") / "_kith.pyi").is_file()
    with pytest.raises(AttributeError, match="no attribute 'knm'"):
        kith.knm


def test_importing_is_light():
    """matplotlib, scikit-learn, pandas, scipy, jax and torch are imported when they are needed."""
    program = "import kith, sys; print([m for m in ('matplotlib', 'sklearn', 'pandas', 'scipy', 'jax', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def importing(module, folder):
    """CPU time of a process that imports it from compiled modules: the best of several, since the first one compiles."""
    program = f"import time, {module}; print(time.process_time())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder)
    return min(float(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True,
                                    check=True).stdout) for _ in range(5))


def test_importing_is_quick(tmp_path):
    """Less than twice NumPy, whatever the machine: 0.2 s where NumPy takes 0.15 s."""
    assert importing("kith", tmp_path) < 2 * importing("numpy", tmp_path)


def skip_unless_published():
    if "manylinux" not in (importlib.metadata.distribution("kith").read_text("WHEEL") or ""):
        pytest.skip("a wheel for this machine alone")


def test_a_published_wheel_needs_no_other_library():
    """Everything is inside the extension module, so no library of this machine is loaded for it."""
    skip_unless_published()
    program = "import numpy; before = open('/proc/self/maps').read(); import kith; print(before, '=====', open('/proc/self/maps').read())"
    before, after = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                   check=True).stdout.split("=====")
    names = [{pathlib.Path(line.split()[-1]).name for line in text.splitlines() if ".so" in line} for text in (before, after)]
    assert [name for name in names[1] - names[0] if re.match("lib(tbb|hwy|hdf5|fmt|png|stdc)", name)] == []
    assert not (pathlib.Path(kith.__file__).parent.parent / "kith.libs").exists()


def test_the_tag_admits_old_systems():
    skip_unless_published()
    assert re.search(r"^Tag: .*-manylinux_2_28_", importlib.metadata.distribution("kith").read_text("WHEEL"), re.MULTILINE)


def test_licenses_of_what_is_inside_are_listed():
    skip_unless_published()
    files = {p.name: p for p in importlib.metadata.files("kith") if "licenses" in p.parts}
    listed = files["LICENSES.md"].read_text()
    for name in ("onetbb", "hdf5", "highway", "fmtlib", "libpng1.6", "zlib", "xxhash", "cli11", "libc++", "nanobind"):
        assert f"| {name} |" in listed and f"{name}.txt" in files
    assert "LICENSE" in files


@pytest.mark.parametrize("order", ["import h5py, kith", "import kith, h5py"])
def test_two_hdf5_in_one_process(order, tmp_path):
    """h5py's library and that of kith do not meet, whichever comes first."""
    pytest.importorskip("h5py")
    program = f"""
{order}
import numpy as np
points = np.arange(30.0).reshape(10, 3)
for i in range(3):
    with h5py.File("a.hdf5", "w") as file:
        file["x"] = points
    kith.write_snapshot("b.hdf5", points, box=30.0)
    with h5py.File("b.hdf5") as file:
        assert (file["PartType1/Coordinates"][:] == points).all()
    assert (kith.read_snapshot("b.hdf5").position == points).all()
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_samples():
    for make in (kith.sample.uniform, kith.sample.normal, kith.sample.shells, kith.sample.lines,
                 kith.sample.all_equal, kith.sample.half_identical):
        assert make(50, 2).shape == (50, 2)
    assert kith.sample.grid(4, 3).shape == (64, 3)
    assert kith.sample.plummer(10).shape == kith.sample.nfw(10).shape == (10, 3)
    np.testing.assert_array_equal(kith.sample.uniform(9, seed=5), kith.sample.uniform(9, seed=5))
    assert not np.array_equal(kith.sample.uniform(9, seed=5), kith.sample.uniform(9, seed=6))
    universe = kith.sample.cosmology(8, steps=2, side=20.0)
    assert universe.position.shape == universe.velocity.shape == (512, 3)
    assert universe.box == kith.Box(20.0) and 0 <= universe.position.min() and universe.position.max() < 20
    with pytest.raises(ValueError, match="transfer"):
        kith.sample.cosmology(8, transfer="none")
    with pytest.raises(TypeError, match="n = 2.5"):
        kith.sample.uniform(2.5)


def test_snapshots(tmp_path):
    x, v = kith.sample.uniform(100), kith.sample.normal(100)
    np.savez(tmp_path / "s.npz", position=x, velocity=v)
    found = kith.read_snapshot(tmp_path / "s.npz")
    assert len(found) == 100 and found.fields == ("position", "velocity") and found.info["format"] == "npz"
    np.testing.assert_array_equal(found.position, x)
    np.testing.assert_array_equal(found.velocity, v)
    assert found.position is found.position and found.position.dtype == np.float32
    assert kith.read_snapshot(tmp_path / "s.npz", dtype=np.float64).position.dtype == np.float64
    with pytest.raises(AttributeError, match="have no mass; they have position, velocity"):
        found.mass
    with pytest.raises(AttributeError, match="no attribute color"):
        found.color
    (tmp_path / "broken.hdf5").write_bytes(b"\x89HDF\r\n\x1a\nnonsense")
    with pytest.raises(OSError, match="broken.hdf5"):
        kith.read_snapshot(tmp_path / "broken.hdf5")
    with pytest.raises(OSError):
        kith.read_snapshot(tmp_path / "missing.npy")
    np.savetxt(tmp_path / "t.csv", np.column_stack([x, v[:, 0]]), delimiter=",", header="a,b,c,d", comments="")
    by_name = kith.read_snapshot(tmp_path / "t.csv", columns=["c", "a", "b"])
    np.testing.assert_allclose(by_name.position, x[:, [2, 0, 1]], rtol=1e-6)


def test_parts_of_snapshots(tmp_path):
    x = kith.sample.uniform(100)
    np.savez(tmp_path / "s.npz", position=x, mass=x[:, 0])
    np.savez_compressed(tmp_path / "packed.npz", position=np.asfortranarray(x), mass=x[:, 0])
    np.savetxt(tmp_path / "s.csv", np.column_stack([x, x[:, 0]]), delimiter=",", header="x,y,z,mass", comments="")
    for name in ("s.npz", "packed.npz", "s.csv"):
        found = kith.read_snapshot(tmp_path / name, dtype=np.float32)
        for begin, count in ((0, 100), (17, 30), (99, 1), (100, 0), (40, None)):
            part = slice(begin, None if count is None else begin + count)
            np.testing.assert_array_equal(found.read("position", begin, count), x[part])
            np.testing.assert_array_equal(found.read("mass", begin, count), x[part, 0])
        for begin, count in ((-1, 1), (0, 101), (101, 0), (5, -1)):
            with pytest.raises(ValueError, match="there are 100"):
                found.read("position", begin, count)


class TestPictures:
    @pytest.fixture(autouse=True)
    def drawing(self):
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        yield
        matplotlib.pyplot.close("all")

    def test_density_map_shows_the_groups_of_the_slice(self, rng):
        x = np.concatenate([rng.normal([2, 2, 1], 0.05, (200, 3)), rng.normal([7, 7, 9], 0.05, (100, 3))])
        groups = kith.fof(x, linking_length=0.2, min_size=20)
        ax = kith.plot.density_map(x, groups, box=10.0, size=64)
        assert len(ax.patches) == 2 and ax.get_images()[0].get_extent() == [0, 10, 0, 10]
        ax = kith.plot.density_map(x, groups, box=10.0, size=64, center=1.0, thickness=2.0)
        assert len(ax.patches) == 1

    def test_mass_function_and_theory(self, rng):
        ax = kith.plot.mass_function(10 ** rng.uniform(12, 14, 300), 1e6, theory=True)
        assert len(ax.get_lines()) >= 3 and ax.get_xscale() == "log"

    def test_planes_and_curve(self, rng):
        tree = kith.Tree(rng.random((300, 2)), builder="cells", max_leaf_size=8)
        for axes in (kith.plot.planes(tree), kith.plot.planes(tree, cells=True)):
            assert len(axes) >= 2 and all(ax.collections for ax in axes)
        ax = kith.plot.curve(kith.sample.grid(8, 2), curve="z")
        assert len(ax.collections[0].get_segments()) == 63
        with pytest.raises(ValueError, match="2"):
            kith.plot.curve(rng.random((10, 3)))

    def test_splits_and_domains(self, rng):
        x = rng.random((512, 2))
        ax = kith.plot.splits(x, depth=4)
        assert len(ax.collections[0].get_segments()) == 15
        assert not kith.plot.splits(x[:5]).collections[0].get_segments()
        with pytest.raises(ValueError, match="2"):
            kith.plot.splits(rng.random((10, 3)))
        rank = np.where(x[:, 0] < 0.6, 0, np.where(x[:, 1] < 0.5, 1, 2))
        ax = kith.plot.domains(x, rank, [(0, 1, 3, 0, 0.6), (1, 2, 3, 1, 0.5)])
        first, second = ax.collections[1].get_segments()
        assert (first[:, 0] == 0.6).all() and (second[:, 1] == 0.5).all() and second[:, 0].min() == 0.6
