"""`kith knn`, `radius`, `density`, `info`, `bench` and `completion`. Usage: neighbors_test.py PROGRAM"""

import json
import os
import subprocess
import unittest

import h5py
import numpy as np

from program import PROGRAM, ProgramTest, clumps, distances2, run


def nearest(x, i, box, exclude_self=False):
    d2 = distances2(x, i, box)
    order = np.lexsort((np.arange(len(x)), d2))
    return (order[order != i] if exclude_self else order), d2


class Neighbors(ProgramTest):
    def setUp(self):
        super().setUp()
        self.x = clumps(700)
        self.points = self.save("x.npy", self.x)

    def test_knn_equals_brute_force(self):
        for name, words in {"n.npz": [], "n.hdf5": ["--exclude-self", "--compression", "3"]}.items():
            self.works("knn", self.points, "--box", "1", "-k", 7, *words, "-o", self.path(name))
            if name.endswith("npz"):
                file = np.load(self.path(name))
                index, distance = file["index"], file["distance"]
            else:
                with h5py.File(self.path(name)) as file:
                    index, distance = file["index"][:], file["distance"][:]
                    self.assertEqual(file["Kith"].attrs["k"], 7)
                    self.assertTrue(file["index"].attrs["description"])
            self.assertEqual(distance.dtype, np.float32)
            for i in range(len(self.x)):
                order, d2 = nearest(self.x, i, 1.0, bool(words))
                np.testing.assert_array_equal(index[i], order[:7])
                np.testing.assert_array_equal(distance[i], np.sqrt(d2[order[:7]]))

    def test_rows_end_where_there_are_no_more(self):
        self.works("knn", self.points, "--box", "1", "-k", 5, "--max-radius", 0.02, "-o", self.path("n.npz"))
        file = np.load(self.path("n.npz"))
        for i in range(len(self.x)):
            order, d2 = nearest(self.x, i, 1.0)
            inside = [j for j in order[:5] if d2[j] <= np.float32(0.02) * np.float32(0.02)]
            np.testing.assert_array_equal(file["index"][i], inside + [-1] * (5 - len(inside)))
        self.assertTrue((file["index"] == -1).any() and np.isinf(file["distance"]).any())

    def test_double_precision_and_other_dimensions(self):
        x = np.random.default_rng(1).normal(0, 1, (300, 2))
        self.works("knn", self.save("d.npy", x), "-k", 4, "-o", self.path("n.npz"))
        file = np.load(self.path("n.npz"))
        self.assertEqual(file["distance"].dtype, np.float64)
        for i in range(len(x)):
            order, d2 = nearest(x, i, 0)
            np.testing.assert_array_equal(file["index"][i], order[:4])
        told = self.told("knn", self.path("d.npy"), "-k", 4, "--scalar", "float32")
        self.assertEqual((told["scalar"], told["dimension"]), ("float32", 2))

    def test_radius_equals_brute_force(self):
        self.works("radius", self.points, "--box", "1", "--radius", 0.05, "-o", self.path("r.npz"))
        file = np.load(self.path("r.npz"))
        limit = np.float32(0.05) * np.float32(0.05)
        for i in range(len(self.x)):
            order, d2 = nearest(self.x, i, 1.0)
            expected = order[d2[order] <= limit]
            part = slice(file["offset"][i], file["offset"][i + 1])
            np.testing.assert_array_equal(file["index"][part], expected)
            np.testing.assert_array_equal(file["distance"][part], np.sqrt(d2[expected]))
        told = self.told("radius", self.points, "--box", "1", "--radius", 0.05)
        self.assertEqual(told["neighbors"], file["offset"][-1])

    def test_density_equals_the_formula(self):
        self.works("density", self.points, "--box", "1", "-k", 12, "-o", self.path("d.npz"))
        file = np.load(self.path("d.npz"))
        for i in range(0, len(self.x), 7):
            order, d2 = nearest(self.x, i, 1.0)
            r = np.sqrt(d2[order[:12]]).astype(float)
            h = r[-1]
            q = r / h
            w = np.where(q < 0.5, 1 - 6 * q * q * (1 - q), 2 * (1 - q) ** 3)
            self.assertAlmostEqual(file["density"][i] / (8 / np.pi * w.sum() / h ** 3), 1, places=12)
            self.assertEqual(file["smoothing_length"][i], h)
        self.works("density", self.points, "--box", "1", "-k", 12, "-o", self.path("d.csv"))
        with open(self.path("d.csv"), encoding="utf-8") as text:
            rows = [line for line in text if not line.startswith("#")]
        self.assertEqual(rows[0], "density,smoothing_length\n")
        self.assertEqual(float(rows[1].split(",")[0]), file["density"][0])

    def test_verify_finds_what_was_changed(self):
        for command, name, array in ((["knn", "-k", "4"], "n.hdf5", "index"), (["knn", "-k", "4"], "m.hdf5", "distance"),
                                     (["radius", "--radius", "0.1"], "r.hdf5", "index"),
                                     (["density", "-k", "9"], "d.hdf5", "density")):
            path = self.path(name)
            self.works(command[0], self.points, "--box", "1", *command[1:], "-o", path)
            told = self.told("verify", self.points, path, "--samples", 700)
            self.assertTrue(told["ok"])
            self.assertEqual(told["unchecked"], [])
            with h5py.File(path, "r+") as file:
                values = file[array]
                where = (311, 2) if values.ndim == 2 else 311
                values[where] = values[where] + 1
            result = run("verify", self.points, path, "--samples", 700, "--json")
            self.assertEqual(result.returncode, 1)
            told = json.loads(result.stdout)
            self.assertFalse(told["ok"])
            self.assertIn("not", told["mismatch"])
            self.assertEqual(result.stderr.count("\n"), 1)

    def test_verify_of_groups_finds_what_was_changed(self):
        path = self.path("h.hdf5")

        def broken(change, words):
            self.works("fof", self.points, "--box", "1", "--linking-length", 0.04, "--min-size", 5, "--labels",
                       "--no-order", "-o", path)
            with h5py.File(path, "r+") as file:
                change(file)
            result = run("verify", self.points, path, "--samples", 700)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(words, result.stderr)

        def move(file):  # one member to another group, sizes as if it were so
            label = file["Labels/PartType0"]
            i = int(np.flatnonzero(label[:] == 1)[0])
            label[i] = 0
            file["Group/GroupLen"][0] += 1
            file["Group/GroupLen"][1] -= 1

        def join(file):  # two groups become one
            label = file["Labels/PartType0"]
            values = label[:]
            last = values.max()
            size = (values == last).sum()
            values[values == last] = 0
            label[:] = values
            file["Group/GroupLen"][0] += size
            file["Group/GroupLen"][last] = 0

        def drop(file):  # the last group is said to be none
            label = file["Labels/PartType0"]
            values = label[:]
            values[values == 0] = -1
            label[:] = values

        def heavier(file):
            file["Group/GroupMass"][2] *= 1.001

        def elsewhere(file):
            file["Group/GroupCM"][2, 1] += 0.001

        broken(move, "are friends, but are in groups")
        broken(join, "")
        broken(drop, "has 0 linked members")
        broken(heavier, "mass of group 2 is")
        broken(elsewhere, "center of group 2 is")

    def test_verify_without_members_grows_the_groups(self):
        path = self.path("h.hdf5")
        self.works("fof", self.points, "--box", "1", "--linking-length", 0.04, "--min-size", 5, "--no-order", "-o", path)
        self.assertIn("grown from their first members", self.works("verify", self.points, path))
        with h5py.File(path, "r+") as file:
            file["Group/GroupLen"][3] += 1
        self.fails(1, "size of group 3 is", "verify", self.points, path)

    def test_verify_refuses_other_points(self):
        path = self.path("n.npz")
        self.works("knn", self.points, "-k", 3, "-o", path)
        other = self.save("y.npy", self.x[:-1])
        self.fails(1, "699 particles", "verify", other, path)
        self.fails(1, "not a result of kith", "verify", self.points, self.save_hdf5("plain.hdf5"))
        self.fails(1, "neither HDF5 nor .npz", "verify", self.points, self.points)

    def save_hdf5(self, name):
        with h5py.File(self.path(name), "w") as file:
            file["x"] = np.arange(3)
        return self.path(name)

    def test_info_of_snapshots_and_results(self):
        told = self.told("info", self.points, "--box", "1,1,2")
        self.assertEqual((told["points"], told["dimension"], told["format"]), (700, 3, "npy"))
        self.assertEqual(told["box"], [1, 1, 2])
        self.assertEqual(told["particles"][0]["count"], 700)
        self.works("knn", self.points, "-k", 3, "-o", self.path("n.npz"))
        told = self.told("info", self.path("n.npz"))
        self.assertEqual(told["kind"], "knn")
        self.assertEqual({a["name"]: (a["rows"], a["width"]) for a in told["arrays"]},
                         {"index": (700, 3), "distance": (700, 3)})
        self.assertIn("700 points in 3 dimensions", self.works("info", self.points))

    def test_bench(self):
        told = self.told("bench", self.points, "--box", "1", "--repeat", 1)
        self.assertEqual([r["task"] for r in told["results"]],
                         ["tree", "knn, k = 16", "fof, b = 0.2, with the tree"])
        self.assertTrue(all(r["seconds"] > 0 for r in told["results"]))
        self.assertIn("1,000 uniform points", self.works("bench", "-n", 1000, "--repeat", 1))

    def test_completion(self):
        script = self.works("completion", "bash")
        for words, n, expected in (("f", 1, "fof"), ("sample cosm", 2, "cosmology"), ("fof --min", 2, "--min-size")):
            text = script + (f"\nCOMP_WORDS=(kith {words}); COMP_CWORD={n}; compopt() {{ :; }}; _kith\n"
                             'printf "%s\\n" "${COMPREPLY[@]}"')
            result = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
            self.assertEqual(result.stdout.split(), [expected])

    def test_help_has_examples_for_every_command(self):
        for name in "info fof subhalos knn density radius sample verify bench completion manual".split():
            self.assertIn(f"\n  {name} ", run("--help").stdout)
            self.assertIn("Examples:", self.works(name, "--help"))

    def test_quiet_says_nothing(self):
        self.assertEqual(self.works("knn", self.points, "-k", 3, "--quiet"), "")

    def test_usage_errors(self):
        self.fails(2, "unknown command kith frobnicate; choose from: info, fof", "frobnicate", "-x")
        self.fails(2, "unknown command kith sample nothing; choose from: uniform", "sample", "nothing")
        self.fails(2, "needs one of these commands", "sample")
        self.fails(2, "-k is required", "knn", self.points)
        self.fails(2, "see kith knn --help", "knn", self.points, "-k", "3", "--colour")
        self.fails(2, "snapshot is required", "knn", "-k", "3")
        self.fails(2, "is not a list of numbers", "knn", self.points, "-k", "3", "--box", "1,x")
        self.fails(2, "is not an amount of memory", "knn", self.points, "-k", "3", "--max-memory", "much")
        self.fails(2, "--radius -1", "radius", self.points, "--radius", "-1")
        self.fails(2, "do not fit into .csv", "radius", self.points, "--radius", "0.1", "-o", self.path("r.csv"))
        self.fails(2, "--compression 12", "knn", self.points, "-k", "3", "--compression", "12", "-o",
                   self.path("n.hdf5"))
        self.fails(2, "is the input", "knn", self.points, "-k", "3", "-o", self.link("x.npz"))
        self.fails(2, "threads", "knn", self.points, "-k", "3", "--threads", "-2")

    def link(self, name):
        os.symlink(self.points, self.path(name))
        return self.path(name)

    def test_failures(self):
        self.fails(1, "No such file", "knn", self.path("none.npy"), "-k", "3")
        self.fails(1, "from disk need at least", "knn", self.points, "-k", "3", "--max-memory", "1k")
        self.fails(1, "there is no folder", "knn", self.points, "-k", "3", "-o", self.path("x/n.npz"))
        with open(self.points, "rb") as file:
            content = file.read()
        with open(self.path("short.npy"), "wb") as file:
            file.write(content[:-100])
        self.fails(1, "short.npy", "knn", self.path("short.npy"), "-k", "3")
        with open(self.path("noise.hdf5"), "wb") as file:
            file.write(b"\x89HDF\r\n\x1a\n" + bytes(range(256)) * 8)
        self.fails(1, "noise.hdf5", "info", self.path("noise.hdf5"))
        self.works("knn", self.points, "-k", 3, "-o", self.path("n.npz"))
        with open(self.path("n.npz"), "rb") as file:
            content = file.read()
        with open(self.path("cut.npz"), "wb") as file:
            file.write(content[:-200])
        self.fails(1, "is cut off after ", "verify", self.points, self.path("cut.npz"))


class Samples(ProgramTest):
    def test_every_format_holds_the_same_points(self):
        common = ["sample", "normal", "-n", 50, "--seed", 4, "--quiet", "-o"]
        self.works(*common, self.path("p.npy"))
        expected = np.load(self.path("p.npy"))
        for ending in ("hdf5", "gadget2", "npz", "ply", "csv", "xyz", "txt", "raw", "f32"):
            path = self.path("p." + ending)
            self.works(*common, path)
            self.assertEqual(self.told("info", path)["points"], 50, ending)
            self.works("knn", path, "-k", 3, "--quiet", "-o", self.path("n.npz"))
            index = np.load(self.path("n.npz"))["index"]
            for i in range(50):
                np.testing.assert_array_equal(index[i], nearest(expected, i, 0)[0][:3], ending)

    def test_a_universe_brings_everything(self):
        for words in ([], ["--swift"]):
            path = self.path("u.hdf5")
            self.works("sample", "cosmology", "-n", 12, "--steps", 4, "--a-end", "0.5", *words, "-o", path,
                       "--velocity", self.path("v.npy"))
            told = self.told("info", path)
            self.assertEqual(told["format"], "swift_hdf5" if words else "gadget_hdf5")
            self.assertEqual(told["points"], 1728)
            self.assertAlmostEqual(told["cosmology"]["scale_factor"], 0.5)
            self.assertAlmostEqual(told["cosmology"]["omega_m"], 0.31)
            self.assertEqual(told["velocity_unit"], "km/s")
            particles = told["particles"][0]
            self.assertTrue(particles["has_velocity"] and particles["has_mass"] and particles["has_id"])
            with h5py.File(path) as file:
                ids = file["PartType1/ParticleIDs"][:]
                np.testing.assert_array_equal(ids, np.arange(1, 1729))
                stored = file["PartType1/Velocities"][:]
            peculiar = np.load(self.path("v.npy"))
            np.testing.assert_allclose(stored * (1 if words else np.sqrt(0.5)), peculiar, rtol=1e-5, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
