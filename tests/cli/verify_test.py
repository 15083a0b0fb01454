"""`kith verify` checks every array that kith writes. Each array of each kind of result, in each style, is altered
by little, and verify must notice: whole numbers by their last bit, others by one part in 10^5.
Usage: verify_test.py PROGRAM [OBJECT...]; the objects are those of the program."""

import os
import re
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np

PROGRAM_OBJECTS = sys.argv.pop(2).split(";") if len(sys.argv) > 2 else []  # as CMake writes a list

from program import ProgramTest, run  # noqa: E402  (takes the first argument)

# Checks must not use the code that they check: the searches, groups and catalogues.
LIBRARY = re.compile(
    r"\bkith::(knn|knn_into|KnnSearcher|radius|radius_count|radius_pairs|for_each_\w*|kth_distance|mean_distance|"
    r"sph_density|pair_counts|fof|Groups|members|catalogue|peak_members|rows|overdensities|edge_density|centers|subhalos|(Any)?Tree)\b"
    r"[<(:]")


def write_snapshot(path):
    """Two types in clumps, in kpc/h with a cosmology: gas around the same places as dark matter."""
    random = np.random.default_rng(5)
    centers = random.random((10, 3)) * 1000
    with h5py.File(path, "w") as file:
        header = file.create_group("Header")
        counts = np.array([300, 900, 0, 0, 0, 0])
        for name in ("NumPart_ThisFile", "NumPart_Total"):
            header.attrs[name] = counts.astype(np.uint64)
        header.attrs["MassTable"] = np.array([0, 1.5, 0, 0, 0, 0.0])
        header.attrs["Time"], header.attrs["Redshift"], header.attrs["BoxSize"] = 0.5, 1.0, 1000.0
        header.attrs["NumFilesPerSnapshot"] = np.int32(1)
        parameters = file.create_group("Parameters")
        for name, value in (("Omega0", 0.3), ("OmegaLambda", 0.7), ("OmegaBaryon", 0.04), ("HubbleParam", 0.7),
                            ("UnitLength_in_cm", 3.085678e21), ("UnitMass_in_g", 1.989e43),
                            ("UnitVelocity_in_cm_per_s", 1e5)):
            parameters.attrs[name] = value
        for kind, n in ((0, 300), (1, 900)):
            inside = centers[random.integers(0, 10, n)]
            x = (inside + random.normal(0, 8, (n, 3))) % 1000
            group = file.create_group(f"PartType{kind}")
            group["Coordinates"] = x
            group["Velocities"] = random.normal(0, 80, (n, 3)).astype(np.float32) + inside.astype(np.float32) / 10
            group["ParticleIDs"] = random.permutation(n).astype(np.uint64) + 1000 * kind
            if kind == 0:
                group["Masses"] = random.uniform(0.1, 0.4, n)


def altered(values):
    if values.dtype.kind in "iu":
        return values ^ np.ones(1, values.dtype)
    return (values.astype(np.float64) * (1 + 1e-5)).astype(values.dtype)


def arrays_of(path):
    if path.endswith(".npz"):
        with np.load(path) as file:
            return {name: file[name] for name in file.files if name != "about"}
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def alter(path, name, copy):
    if path.endswith(".npz"):
        with np.load(path) as file:
            np.savez(copy, **{each: altered(file[each]) if each == name else file[each] for each in file.files})
        return
    shutil.copy(path, copy)
    with h5py.File(copy, "r+") as file:
        file[name][...] = altered(file[name][()])


class EveryArray(ProgramTest):
    def setUp(self):
        super().setUp()
        self.snapshot = self.path("snapshot.hdf5")
        write_snapshot(self.snapshot)

    def check(self, result, expected):
        told = self.told("verify", self.snapshot, result)
        self.assertTrue(told["ok"])
        self.assertEqual(told["unchecked"], [])
        arrays = arrays_of(result)
        self.assertLessEqual(expected, len(arrays))
        copy = self.path("altered" + os.path.splitext(result)[1])
        for name, values in arrays.items():
            if values.size == 0 or np.array_equal(altered(values), values):
                continue  # zeros stay zeros
            with self.subTest(result=os.path.basename(result), array=name):
                alter(result, name, copy)
                done = run("verify", self.snapshot, copy)
                self.assertEqual(done.returncode, 1, f"{name}: {done.stdout}{done.stderr}")

    def groups(self, name, expected, *words):
        path = self.path(name)
        self.works("fof", self.snapshot, "--linking-length", 12, "--overdensities", "-o", path, *words)
        self.check(path, expected)

    def test_groups_gadget(self):
        self.groups("a.hdf5", 35, "--labels")

    def test_groups_gadget_without_labels_about_centers_of_mass(self):
        self.groups("a.hdf5", 30, "--center", "mass")

    def test_groups_about_the_densest_members(self):
        self.groups("c.npz", 30, "--center", "density")

    def test_groups_about_shrinking_spheres(self):
        self.groups("c.npz", 30, "--center", "shrinking")

    def test_groups_swift(self):
        self.groups("b.hdf5", 28, "--style", "swift")

    def test_groups_npz(self):
        self.groups("c.npz", 30, "--order")

    def subhalos(self, name, expected, *words):
        path = self.path(name)
        self.works("subhalos", self.snapshot, "--linking-length", 40, "--phase-linking-length", 0.7,
                   "--subhalo-min-size", 8, "-o", path, *words)
        self.assertGreater(len(arrays_of(path)["Subhalo/SubhaloLen" if name.endswith("hdf5") else "subhalo_size"]), 3)
        self.check(path, expected)

    def test_subhalos_gadget(self):
        self.subhalos("a.hdf5", 45)

    def test_subhalos_npz(self):
        self.subhalos("c.npz", 40, "--order", "--labels")

    def test_neighbors(self):
        for name in ("n.hdf5", "n.npz"):
            for words in (["knn", "-k", 6], ["knn", "-k", 5, "--norm", 1, "--exclude-self"],
                          ["knn", "-k", 9, "--max-radius", 20, "--strict"], ["knn", "-k", 4, "--norm", 3],
                          ["knn", "-k", 4, "--norm", "inf"],
                          ["radius", "--radius", 15], ["density", "-k", 20], ["density", "-k", 8, "--kernel", "wendland_c2"]):
                path = self.path(name)
                self.works(words[0], self.snapshot, *words[1:], "-o", path)
                self.check(path, 2)


class Independence(unittest.TestCase):
    @unittest.skipUnless(PROGRAM_OBJECTS, "no objects were given")
    def test_checks_use_nothing_that_they_check(self):
        names = [each for each in PROGRAM_OBJECTS if re.search(r"(verify/\w+|brute)\.cpp\.o", each)]
        self.assertGreaterEqual(len(names), 7)
        for name in names:
            symbols = subprocess.run(["nm", "-C", "--undefined-only", name], capture_output=True, text=True,
                                     check=True).stdout
            self.assertEqual([line.strip() for line in symbols.splitlines() if LIBRARY.search(line)], [], name)

    def test_the_pattern_finds_them(self):
        for symbol in ("U kith::fof(kith::PointsView, ", "U kith::Tree::Tree(", "U kith::AnyTree::AnyTree(", "U kith::knn<float, int>(",
                       "U kith::catalogue(kith::PointsView", "U kith::overdensities("):
            self.assertTrue(LIBRARY.search(symbol), symbol)
        for symbol in ("U kith::ResultFile::catalogue() const", "U kith::Snapshot::read("):
            self.assertFalse(LIBRARY.search(symbol), symbol)


if __name__ == "__main__":
    unittest.main()
