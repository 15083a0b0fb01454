"""`kith correlate`. Usage: correlate_test.py PROGRAM"""

import json
import unittest

import numpy as np

from program import ProgramTest, run

EDGES = np.array([0.02, 0.05, 0.1, 0.2])


def distances(x, side):
    gap = np.abs(x[:, None, :] - x[None, :, :])
    return np.sqrt((np.minimum(gap, side - gap) ** 2).sum(axis=2))


class Correlate(ProgramTest):
    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(1).random((600, 3))
        self.points = self.save("x.npy", self.x)
        with open(self.path("bins"), "w") as file:
            file.write("".join(f"{a} {b}\n" for a, b in zip(EDGES[:-1], EDGES[1:])))

    def test_counts_every_pair(self):
        self.works("correlate", self.points, "--xi", "--bins", self.path("bins"), "--box", "1", "--regions", 8,
                   "-o", self.path("xi.csv"), "--figure", self.path("xi.svg"))
        table = np.genfromtxt(self.path("xi.csv"), delimiter=",", names=True)
        d = distances(self.x, 1.0)[~np.eye(600, dtype=bool)]
        np.testing.assert_array_equal(table["pairs"], np.histogram(d, EDGES)[0])
        expected = 600 * 599 * 4 / 3 * np.pi * np.diff(EDGES**3)
        np.testing.assert_allclose(table["xi"], table["pairs"] / expected - 1, rtol=1e-9, atol=1e-12)
        self.assertTrue(np.all(table["xi_error"] > 0))
        with open(self.path("xi.svg")) as file:
            self.assertIn("<svg", file.read())

    def test_all_statistics(self):
        unit = self.save("unit.npy", self.x / np.linalg.norm(self.x, axis=1)[:, None])
        for words in (["--wp", "--pi-max", "0.3"], ["--smu"], ["--multipoles"], ["--theta"]):
            points = unit if words == ["--theta"] else self.points
            result = run("correlate", points, points, *words, "--linear-bins", "0.05,0.3,3", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            bins = json.loads(result.stdout)["bins"]
            np.testing.assert_allclose(bins["high"], [0.05 + 0.25 / 3, 0.05 + 0.5 / 3, 0.3])

    def test_survey(self):
        random = np.random.default_rng(2)
        ra, dec, z = random.uniform(0, 30, 400), random.uniform(-10, 20, 400), random.uniform(0.1, 0.2, 400)
        np.savetxt(self.path("sky.csv"), np.c_[ra, dec, z], delimiter=",", header="ra,dec,z", comments="", fmt="%.17g")
        names = ("--columns", "ra,dec,z", "--scalar", "float64")
        for words in (["--sky", "redshift", "--smu"], ["--sky", "distance", "--wp"], ["--sky", "angles", "--theta"]):
            bins = self.told("correlate", self.path("sky.csv"), self.path("sky.csv"), *words, "--linear-bins", "1,40,3",
                             "--estimator", "natural", *names)["bins"]
            if "--theta" in words:
                angle, rise = np.deg2rad(ra), np.deg2rad(dec)
                x = np.c_[np.cos(rise) * np.cos(angle), np.cos(rise) * np.sin(angle), np.sin(rise)]
                d = np.rad2deg(np.arccos(np.clip(x @ x.T, -1, 1)))[~np.eye(400, dtype=bool)]
                np.testing.assert_array_equal(bins["pairs"], np.histogram(d, np.linspace(1, 40, 4))[0])

    def test_weights_and_means(self):
        np.savez(self.path("heavy.npz"), position=self.x, mass=np.full(600, 2.0))
        command = ("--xi", "--bins", self.path("bins"), "--box", "1")
        plain = self.told("correlate", self.points, *command, "--mean-separation")["bins"]
        heavy = self.told("correlate", self.path("heavy.npz"), *command, "--weights")["bins"]
        np.testing.assert_array_equal(heavy["pairs"], plain["pairs"])
        np.testing.assert_array_equal(heavy["weight"], 4 * np.array(plain["pairs"]))
        self.assertNotIn("weight", plain)
        np.testing.assert_allclose(heavy["xi"], plain["xi"], rtol=1e-12)
        self.assertTrue(np.all((np.array(plain["mean"]) > EDGES[:-1]) & (np.array(plain["mean"]) < EDGES[1:])))

    def test_what_is_missing(self):
        for words, sentence in ((["--xi"], "no bins"), (["--bins", self.path("bins")], "one of --xi"),
                                (["--xi", "--log-bins", "1,2"], "LOW,HIGH,NUMBER"),
                                (["--xi", "--log-bins", "0.1,0.2,3"], "give randoms")):
            result = run("correlate", self.points, *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    unittest.main()
