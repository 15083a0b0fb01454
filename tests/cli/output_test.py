"""Standard output that cannot be written. Usage: output_test.py PROGRAM"""

import subprocess
import unittest

from program import PROGRAM, ProgramTest, clumps


class LostOutput(ProgramTest):
    def setUp(self):
        super().setUp()
        self.points = self.save("x.npy", clumps(500))
        self.works("fof", self.points, "--box", 1, "-b", 0.2, "--labels", "-o", self.path("halos.hdf5"))

    def every_command(self):
        out = self.path("out.hdf5")
        box = ["--box", "1"]
        return [["--help"], ["--version"], ["help", "fof"], ["completion", "bash"],
                ["info", self.points], ["info", self.points, "--json"],
                ["fof", self.points, *box, "-b", "0.2"], ["fof", self.points, *box, "-b", "0.2", "--json"],
                ["subhalos", self.path("universe.hdf5"), "-b", "0.2", "--phase-linking-length", "0.5"],
                ["knn", self.points, *box, "-k", "3"], ["density", self.points, *box, "-k", "8", "-o", out],
                ["radius", self.points, *box, "--radius", "0.1", "-o", out],
                ["cluster", self.points, "--method", "hdbscan", "-o", out],
                ["correlate", self.points, *box, "--xi", "--linear-bins", "0,0.3,5"],
                ["sample", "uniform", "-n", "100", "-o", out],
                ["verify", self.points, self.path("halos.hdf5")],
                ["report", self.points, *box, "-b", "0.2", "-o", self.path("report.html")]]

    def test_a_full_disk_behind_standard_output_is_an_error(self):
        self.works("sample", "cosmology", "-n", 16, "--steps", 4, "--mesh", 16, "-o", self.path("universe.hdf5"))
        for words in self.every_command():
            self.works(*words)
            with open("/dev/full", "wb") as full:
                result = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
            self.assertEqual(result.returncode, 1, words)
            self.assertIn("kith: standard output could not be written completely", result.stderr, words)


if __name__ == "__main__":
    unittest.main()
