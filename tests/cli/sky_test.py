"""`--sky`: positions on the sky. Usage: sky_test.py PROGRAM"""

import unittest

import numpy as np

from program import ProgramTest, run


class Sky(ProgramTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        center = np.stack([rng.uniform(0, 360, 20), rng.uniform(-80, 80, 20)])[:, rng.integers(20, size=400)]
        self.ra, self.dec = center + rng.normal(0, 0.5, (2, 400))
        self.ra[0], self.dec[:2] = 360.2, [90, -90]
        self.catalogue = self.path("galaxies.csv")
        np.savetxt(self.catalogue, np.stack([self.dec, self.ra], 1), "%.17g", ",", header="dec,ra", comments="")
        a, d = np.radians(self.ra), np.radians(self.dec)
        v = np.stack([np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)], 1)
        chord = np.sqrt(((v[:, None] - v) ** 2).sum(2))
        self.angle = np.degrees(2 * np.arcsin(chord / 2))

    def result(self, command, *arguments):
        path = self.path("result.npz")
        self.works(command, self.catalogue, "--sky", "ra", "dec", *arguments, "-o", path)
        said = self.works("verify", self.catalogue, path, "--sky", "ra", "dec")
        self.assertIn("the result is correct", str(said))
        return np.load(path)

    def test_neighbors(self):
        found = self.result("knn", "-k", 4, "--max-radius", 2)
        near = np.sort(self.angle, 1)[:, :4]
        np.testing.assert_allclose(found["distance"], np.where(near <= 2, near, np.inf), atol=1e-10)
        found = self.result("radius", "--radius", 1.5, "--exclude-self")
        np.testing.assert_array_equal(np.diff(found["offset"]), (self.angle <= 1.5).sum(1) - 1)
        self.assertLessEqual(found["distance"].max(), 1.5)

    def test_groups_and_clusters(self):
        label = self.result("fof", "--linking-length", 0.4)["label"]
        friends = self.angle <= 0.4
        for i in range(len(label)):
            self.assertTrue((label[friends[i]] == label[i]).all())
        core = self.result("cluster", "--method", "dbscan", "--eps", 0.4, "--min-samples", 6)["is_core"]
        np.testing.assert_array_equal(core, friends.sum(1) >= 6)
        label = self.result("cluster", "--method", "hdbscan", "--min-cluster-size", 8)["label"]
        self.assertGreater(label.max(), 5)

    def test_a_wrong_result_is_found(self):
        path = self.path("result.npz")
        self.works("knn", self.catalogue, "--sky", "ra", "dec", "-k", 3, "-o", path)
        arrays = dict(np.load(path))
        arrays["distance"][7, 1] = np.nextafter(arrays["distance"][7, 1], 9)
        np.savez(path, **arrays)
        done = run("verify", self.catalogue, path, "--sky", "ra", "dec")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("neighbor 1 of point 7 is at", done.stderr + done.stdout)

    def test_mistakes_are_explained(self):
        self.fails(2, "needs --linking-length", "fof", self.catalogue, "--sky", "ra", "dec", "-b", 0.2)
        self.fails(2, "height", "knn", self.catalogue, "--sky", "ra", "height", "-k", 3)
        np.savetxt(self.catalogue, [[1, 91.5]], "%.17g", ",", header="ra,dec", comments="")
        self.fails(1, "declination 91.5", "knn", self.catalogue, "--sky", "ra", "dec", "-k", 1)


if __name__ == "__main__":
    unittest.main()
