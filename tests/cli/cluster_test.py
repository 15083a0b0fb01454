"""`kith cluster` and `kith fof --all-lengths`. Usage: cluster_test.py PROGRAM"""

import json
import unittest

import h5py
import numpy as np

from program import ProgramTest, brute_labels, clumps, distances2, run


def brute_dbscan(x, eps, min_samples, border, box=0.0, links=1):
    """Labels and core points from the definition."""
    limit = x.dtype.type(eps) * x.dtype.type(eps)
    d2 = np.array([distances2(x, i, box) for i in range(len(x))])
    near = d2 <= limit
    core = near.sum(axis=1) >= min_samples
    of_core = np.flatnonzero(core)
    root = np.full(len(x), -1)
    if len(of_core):
        root[of_core] = of_core[[int(np.flatnonzero(brute == brute[k])[0]) for brute in
                                 [brute_labels(x[of_core], eps, box)] for k in range(len(of_core))]]
    result = root.copy()
    for i in np.flatnonzero(~core):
        candidates = [j for j in of_core if near[i, j]]
        candidates = [j for j in candidates if sum(root[k] == root[j] for k in candidates) >= links]
        if candidates and border != "none":
            key = {"nearest": lambda j: (d2[i, j], j), "sklearn": lambda j: root[j]}[border]
            result[i] = root[min(candidates, key=key)]
    label = np.full(len(x), -1)
    roots = [r for r in np.unique(result) if r >= 0]
    members = {r: np.flatnonzero(result == r) for r in roots}
    for number, r in enumerate(sorted(roots, key=lambda r: (-len(members[r]), members[r][0]))):
        label[members[r]] = number
    return label, core


class Clusters(ProgramTest):
    def setUp(self):
        super().setUp()
        self.x = clumps(500)
        self.points = self.save("x.npy", self.x)

    def arrays(self, path):
        if path.endswith(".npz"):
            return dict(np.load(path))
        with h5py.File(path) as file:
            return {name: file[name][:] for name in file if isinstance(file[name], h5py.Dataset)}

    def test_dbscan_equals_brute_force(self):
        for border, links, name in (("nearest", 1, "c.npz"), ("sklearn", 1, "c.hdf5"), ("none", 1, "c.npz"),
                                    ("nearest", 2, "c.hdf5")):
            self.works("cluster", self.points, "--method", "dbscan", "--eps", 0.03, "--min-samples", 6, "--box", 1,
                       "--border", border, "--border-links", links, "-o", self.path(name))
            label, core = brute_dbscan(self.x, 0.03, 6, border, 1.0, links)
            found = self.arrays(self.path(name))
            np.testing.assert_array_equal(found["label"], label)
            np.testing.assert_array_equal(found["is_core"], core)
            self.assertTrue((label >= 0).any() and (label < 0).any() and (core != (label >= 0)).any() or border == "none")

    def test_styles_have_the_same_labels(self):
        words = ["cluster", self.points, "--method", "hdbscan", "--min-cluster-size", 12]
        for name in ("h.npz", "h.hdf5", "h.csv"):
            self.works(*words, "-o", self.path(name))
        npz, hdf5 = self.arrays(self.path("h.npz")), self.arrays(self.path("h.hdf5"))
        with open(self.path("h.csv"), encoding="utf-8") as text:
            head, *rows = [line.split(",") for line in text if not line.startswith("#")]
        csv = dict(zip((name.strip() for name in head), np.array(rows, dtype=float).T))
        for name in ("label", "probability", "outlier_score"):
            np.testing.assert_array_equal(npz[name], hdf5[name])
            np.testing.assert_array_equal(npz[name], csv[name])
        self.assertGreater(npz["label"].max(), 2)
        with h5py.File(self.path("h.hdf5")) as file:
            facts = file["Kith"].attrs
            self.assertEqual((facts["min_cluster_size"], facts["min_samples"]), (12, 12))
            self.assertTrue(file["label"].attrs["description"])
        told = self.told("info", self.path("h.hdf5"))
        self.assertEqual((told["kind"], told["points"]), ("clusters", 500))

    def test_says_what_it_found(self):
        told = self.told("cluster", self.points, "--method", "dbscan", "--eps", 0.03, "--rows", 3)
        label, _ = brute_dbscan(self.x, 0.03, 5, "nearest")
        self.assertEqual(told["clusters"], label.max() + 1)
        self.assertEqual(told["noise"], (label < 0).sum())
        self.assertEqual([row["size"] for row in told["largest"]], [(label == c).sum() for c in range(3)])
        said = self.works("cluster", self.points, "--method", "hdbscan", "--threads", 2)
        self.assertIn("are noise", said)

    def test_pictures(self):
        for name in ("p.png", "p.svg"):
            self.works("cluster", self.points, "--method", "hdbscan", "--picture", self.path(name))
        with open(self.path("p.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        with open(self.path("p.svg"), encoding="utf-8") as file:
            self.assertIn(">noise<", file.read())

    def test_odd_input(self):
        for x in (np.zeros((0, 2)), np.zeros((1, 2)), np.zeros((40, 3)), np.arange(9.0).reshape(9, 1)):
            points = self.save("odd.npy", x)
            self.works("cluster", points, "--method", "dbscan", "--eps", 1, "-o", self.path("o.npz"),
                       "--picture", self.path("o.png"))
            self.assertEqual(len(self.arrays(self.path("o.npz"))["label"]), len(x))
        x = self.x.copy()
        x[7] = np.nan
        self.works("cluster", self.save("n.npy", x), "--method", "dbscan", "--eps", 0.03, "--non-finite", "drop",
                   "-o", self.path("n.npz"))
        self.assertEqual(self.arrays(self.path("n.npz"))["label"][7], -1)
        self.assertTrue(self.told("verify", self.path("n.npy"), self.path("n.npz"))["ok"])

    def test_mistakes(self):
        for code, words, options in ((2, "needs --eps", ["--method", "dbscan"]),
                                     (2, "--method", []),
                                     (2, "--method", ["--method", "kmeans"]),
                                     (2, "--eps is not an option of --method hdbscan", ["--method", "hdbscan", "--eps", 1]),
                                     (2, "--selection is not an option of --method dbscan",
                                      ["--method", "dbscan", "--eps", 1, "--selection", "leaf"]),
                                     (2, "--min-cluster-size 1", ["--method", "hdbscan", "--min-cluster-size", 1]),
                                     (2, ".gif", ["--method", "hdbscan", "--picture", self.path("p.gif")])):
            self.fails(code, words, "cluster", self.points, *options)

    def test_verify_finds_what_was_changed(self):
        path = self.path("c.hdf5")
        for border in ("nearest", "sklearn", "none"):
            self.works("cluster", self.points, "--method", "dbscan", "--eps", 0.03, "--box", 1, "--border", border,
                       "-o", path)
            told = self.told("verify", self.points, path, "--samples", 500)
            self.assertTrue(told["ok"])
            self.assertEqual(told["unchecked"], [])
        label = self.arrays(path)["label"]
        for array, row in (("label", int(np.flatnonzero(label < 0)[3])), ("label", int(np.flatnonzero(label == 1)[2])),
                           ("is_core", 100)):
            self.works("cluster", self.points, "--method", "dbscan", "--eps", 0.03, "--box", 1, "-o", path)
            with h5py.File(path, "r+") as file:
                file[array][row] = 0 if file[array][row] != 0 else 1
            result = run("verify", self.points, path, "--samples", 500, "--json")
            self.assertEqual(result.returncode, 1, (array, row))
            self.assertFalse(json.loads(result.stdout)["ok"])

    def test_verify_of_hdbscan_says_what_it_did_not_check(self):
        self.works("cluster", self.points, "--method", "hdbscan", "-o", self.path("h.npz"))
        told = self.told("verify", self.points, self.path("h.npz"))
        self.assertTrue(told["ok"])
        self.assertEqual(told["unchecked"], ["label", "outlier_score", "probability"])


class AllLengths(ProgramTest):
    def test_each_catalogue_is_that_of_its_length(self):
        points = self.save("x.npy", clumps(600))
        common = ["fof", points, "--box", 1, "--min-size", 4, "--labels"]
        told = self.told(*common, "--all-lengths", "0.1,0.2,0.45", "-o", self.path("h.hdf5"),
                         "--picture", self.path("l.png"))
        self.assertEqual([each["b"] for each in told["lengths"]], [0.1, 0.2, 0.45])
        for each in told["lengths"]:
            name = self.path(f"h_b{each['b']:g}.hdf5")
            self.assertEqual(each["output"], name)
            single = self.told(*common, "-b", each["b"], "-o", self.path("one.hdf5"))
            self.assertEqual(single["groups"], each["groups"])
            with open(name, "rb") as a, open(self.path("one.hdf5"), "rb") as b:
                self.assertEqual(a.read(), b.read())
            self.assertTrue(self.told("verify", points, name)["ok"])
        self.assertIn("l.png", self.files())
        self.assertGreater(told["lengths"][2]["groups"], 0)

    def test_mistakes(self):
        points = self.save("x.npy", clumps(60))
        self.fails(2, "positive", "fof", points, "--box", 1, "--all-lengths", "0.1,-1")


if __name__ == "__main__":
    unittest.main()
