"""`--linking-length-column`: a linking length for each point. Usage: lengths_test.py PROGRAM"""

import unittest

import h5py
import numpy as np

from program import ProgramTest, clumps, distances2

RULES = {"mean": lambda a, b: (a + b) * a.dtype.type(0.5), "least": np.minimum, "largest": np.maximum}


def labels(x, length, rule, min_size=2, strict=False):
    """Groups by falling size, ties by the lowest member; smaller ones get -1."""
    d2 = np.stack([distances2(x, i) for i in range(len(x))])
    pair = RULES[rule](length[:, None], length)
    near = d2 < pair * pair if strict else d2 <= pair * pair
    root = np.arange(len(x))
    while True:
        least = np.where(near, root, len(x)).min(1, initial=len(x)).clip(max=root)
        if np.array_equal(least, root):
            break
        root = least
    roots, sizes = np.unique(root, return_counts=True)
    order = sorted((-size, r) for r, size in zip(roots, sizes) if size >= min_size)
    label = {r: g for g, (_, r) in enumerate(order)}
    return np.array([label.get(r, -1) for r in root])


class LinkingLengths(ProgramTest):
    def setUp(self):
        super().setUp()
        self.x = clumps(500)
        self.length = np.random.default_rng(4).choice([0, 0.005, 0.02, 0.06], 500).astype(np.float32)

    def csv(self, x=None):
        path, rows = self.path("p.csv"), np.column_stack([self.length, self.x if x is None else x]).astype(np.float64)
        np.savetxt(path, rows, "%.17g", ",", header="reach,x,y,z", comments="")
        return path

    def groups(self, path, column, *words):
        out = self.path("out.npz")
        self.works("fof", path, "--linking-length-column", column, "--min-size", 2, "--scalar", "float32", *words, "--labels",
                   "-o", out)
        self.assertIn("the result is correct\n", self.works("verify", path, out))
        with np.load(out) as file:
            return file["label"]

    def test_rules(self):
        path = self.csv()
        found = {rule: self.groups(path, "reach", "--linking-length-rule", rule) for rule in RULES}
        for rule, label in found.items():
            np.testing.assert_array_equal(label, labels(self.x, self.length, rule))
        np.testing.assert_array_equal(self.groups(path, 1), found["mean"])  # the default, by number
        self.assertFalse(np.array_equal(found["least"], found["largest"]))
        np.testing.assert_array_equal(self.groups(path, "reach", "--strict"), labels(self.x, self.length, "mean", strict=True))

    def test_formats(self):
        wanted = labels(self.x, self.length, "mean")
        np.savez(self.path("p.npz"), position=self.x, reach=self.length, mass=self.length + 1)
        with h5py.File(self.path("p.h5"), "w") as file:
            file["sample/points"], file["sample/reach"] = self.x, self.length
        with h5py.File(self.path("s.hdf5"), "w") as file:
            header = file.create_group("Header").attrs
            header["NumPart_ThisFile"] = header["NumPart_Total"] = np.array([3, 500], np.uint64)
            header["NumFilesPerSnapshot"], header["BoxSize"], header["Time"] = 1, 0.0, 0.5
            file["PartType0/Coordinates"], file["PartType1/Coordinates"] = self.x[:3], self.x
            file["PartType1/reach"] = self.length
        with open(self.path("p.ply"), "w") as file:
            file.write("ply\nformat ascii 1.0\nelement vertex 500\n" +
                       "".join(f"property float {name}\n" for name in ("x", "y", "z", "reach")) + "end_header\n")
            np.savetxt(file, np.column_stack([self.x, self.length]), "%.9g")
        for name, *words in (("p.npz",), ("p.h5:/sample/points",), ("p.h5:/sample/points", "--json"), ("p.ply",),
                             ("s.hdf5", "--link-types", 1, "--attach-types", "none")):
            np.testing.assert_array_equal(self.groups(self.path(name), "reach", *words), wanted, name)
        self.fails(2, "type 0 (gas) have no values", "fof", self.path("s.hdf5"), "--linking-length-column", "reach",
                   "--link-types", 0, "--attach-types", "none")
        for name in ("p.npz", "p.h5:/sample/points", "s.hdf5"):
            self.fails(2, "has no length with a number for each", "fof", self.path(name), "--linking-length-column", "length")
        self.fails(2, "has no reach with a number for each", "fof", self.save("p.npy", self.x), "--linking-length-column",
                   "reach")

    def test_equal_lengths_are_one(self):
        self.length[:] = 0.03
        path = self.csv()
        self.works("fof", path, "--linking-length", 0.03, "--min-size", 2, "--scalar", "float32", "--labels", "-o",
                   self.path("one.npz"))
        with np.load(self.path("one.npz")) as file:
            np.testing.assert_array_equal(self.groups(path, "reach"), file["label"])
        told = self.told("fof", path, "--linking-length-column", "reach", "--linking-length-rule", "least")
        self.assertAlmostEqual(told["largest_linking_length"], 0.03, places=8)
        self.assertEqual((told["linking_length_column"], told["linking_length_rule"]), ("reach", "least"))

    def test_a_wrong_result_is_found(self):
        path, out = self.csv(), self.path("out.npz")
        label = self.groups(path, "reach")
        with np.load(out) as file:
            arrays = dict(file)
        arrays["label"][np.flatnonzero(label == 0)[0]] = 1
        np.savez(out, **arrays)
        self.fails(1, "", "verify", path, out)

    def test_angles(self):
        ra, dec = self.x[:, 0] * 360, self.x[:, 1] * 60
        path, out = self.csv(np.column_stack([ra, dec, self.x[:, 2]])), self.path("sky.npz")
        self.length *= 40
        np.savetxt(path, np.column_stack([self.length, ra, dec]), "%.17g", ",", header="reach,ra,dec", comments="")
        self.works("fof", path, "--sky", "ra", "dec", "--linking-length-column", "reach", "--min-size", 2, "--labels", "-o", out)
        self.assertIn("the result is correct\n", self.works("verify", path, out, "--sky", "ra", "dec"))
        a, d = np.radians([ra, dec], dtype=np.float64)
        v = np.stack([np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)], 1)
        chord = 2 * np.sin(np.radians(self.length.astype(np.float64)) / 2)
        with np.load(out) as file:
            np.testing.assert_array_equal(file["label"], labels(v, chord, "mean"))

    def test_mistakes_are_explained(self):
        path = self.csv()
        words = ("fof", path, "--linking-length-column", "reach")
        self.fails(2, "give --linking-length-column", "fof", path,
                   "--linking-length", 1, "--linking-length-rule", "least")
        self.fails(2, "leave out --linking-length and -b", *words, "--linking-length", 1)
        self.fails(2, "leave out --linking-length and -b", *words, "-b", 0.2)
        self.fails(2, "--los", *words, "--los", "z", "--linking-length-parallel", 1)
        self.fails(2, "no column length", "fof", path, "--linking-length-column", "length")
        self.fails(2, "least", *words, "--linking-length-rule", "median")
        self.length[7] = -1
        self.csv()
        self.fails(2, "linking length -1 of point 7", *words)


if __name__ == "__main__":
    unittest.main()
