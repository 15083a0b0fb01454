"""Ctrl-C and kill -9 while the program reads, searches and writes. Usage: interrupt_test.py PROGRAM"""

import os
import signal
import subprocess
import time
import unittest

import numpy as np

from program import PROGRAM, ProgramTest, run
from stopping import LONGEST_STOP, interrupted


class Interrupt(ProgramTest):
    N = 400000

    def setUp(self):
        super().setUp()
        self.points = self.save("x.npy", np.random.default_rng(2).random((self.N, 3)).astype(np.float32))

    def command(self, name, out):
        return {"knn": ["knn", self.points, "--box", "1", "-k", "64", "-o", out],
                "fof": ["fof", self.points, "--box", "1", "-b", "0.9", "--labels", "-o", out],
                "correlate": ["correlate", self.points, "--smu", "--box", "1", "--linear-bins", "0,0.3,30", "-o",
                              out.replace(".hdf5", ".csv")],
                "radius": ["radius", self.points, "--box", "1", "--radius", "0.04", "-o", out]}[name]

    def test_interrupt_stops_soon_and_leaves_nothing(self):
        stopped = 0
        for name in ("knn", "fof", "radius", "correlate"):
            for work in (0.05, 0.2, 0.4):
                code, words, passed = interrupted([PROGRAM, *self.command(name, self.path("out.hdf5"))], work)
                if code == 1:
                    stopped += 1
                    self.assertEqual(words, "kith: stopped\n")
                    self.assertLess(passed, LONGEST_STOP)
                    self.assertEqual(self.files(), ["x.npy"])
                else:  # too early to be caught, or done
                    self.assertIn(code, (0, -signal.SIGINT))
                    self.assertEqual([f for f in self.files() if f.endswith(".part")], [])
                if os.path.exists(self.path("out.hdf5")):
                    os.remove(self.path("out.hdf5"))
        self.assertGreater(stopped, 0)

    def other_commands(self):
        """Those that read a universe and its groups, which are made first."""
        universe, halos = self.path("u.hdf5"), self.path("h.hdf5")
        self.works("sample", "cosmology", "-n", 48, "--steps", 4, "--mesh", 48, "-o", universe)
        self.works("fof", universe, "-b", 0.2, "--overdensities", "--labels", "-o", halos)
        out = self.path("out.hdf5")
        return [["sample", "cosmology", "-n", "64", "-o", out],
                ["subhalos", universe, "-b", "0.4", "--phase-linking-length", "0.5", "-o", out],
                ["density", self.points, "--box", "1", "-k", "64", "-o", out],
                ["cluster", self.points, "--method", "hdbscan", "--min-cluster-size", "20", "-o", out],
                ["knn", self.points, "--box", "1", "-k", "32", "--compression", "9", "-o", out],
                ["verify", universe, halos],
                ["report", universe, "-b", "0.2", "-o", self.path("out.html")]]

    def test_every_signal_stops_every_command(self):
        signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        stopped = 0
        for i, words in enumerate(self.other_commands()):
            before = self.files()
            code, said, passed = interrupted([PROGRAM, *words], 0.25, signals[i % 3])
            self.assertLess(passed, LONGEST_STOP, words[0])
            if code == 1:
                stopped += 1
                self.assertEqual(said, "kith: stopped\n", words[0])
                self.assertEqual(self.files(), before)
            else:  # too early to be caught, or done
                self.assertIn(code, (0, -signals[i % 3]), words[0])
            self.assertEqual([f for f in self.files() if f.endswith(".part")], [])
            for name in set(self.files()) - set(before):
                os.remove(self.path(name))
        self.assertGreater(stopped, 3)

    def test_a_fault_is_a_signal_with_a_message(self):
        """A bug must not look like a wrong argument: temporary files go, the signal stays."""
        code, said, _ = interrupted([PROGRAM, *self.command("knn", self.path("out.npz"))], 0.1, signal.SIGSEGV)
        if "Sanitizer" not in said:  # they say more
            self.assertEqual(code, -signal.SIGSEGV)
            self.assertIn("kith: stopped by a memory fault; this is a bug in kith", said)
            self.assertEqual(self.files(), ["x.npy"])

    def test_a_fault_inside_hdf5_is_a_damaged_file(self):
        """As on some damaged files: here a library that is loaded first crashes in HDF5's place."""
        self.works("sample", "uniform", "-n", 1000, "-o", self.path("points.hdf5"))
        crashing = dict(os.environ, LD_PRELOAD=os.environ["KITH_CRASHING_HDF5"])
        result = run("knn", self.path("points.hdf5"), "-k", 2, env=crashing)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr,
                         "kith: an HDF5 file is damaged: the HDF5 library failed with a memory fault on it\n")

    def test_kill_leaves_the_old_file_or_the_new_one(self):
        out = self.path("out.npz")
        self.works("knn", self.points, "--box", "1", "-k", "2", "-o", out)
        for i in range(12):
            process = subprocess.Popen([PROGRAM, "knn", self.points, "--box", "1", "-k", "16", "-o", out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.08 * i)
            process.kill()
            process.wait()
            with np.load(out) as file:
                k = file["index"].shape[1]
                self.assertIn(k, (2, 16))
                self.assertEqual(file["distance"].shape, (self.N, k))
        self.assertEqual(run("verify", self.points, out, "--samples", "5").returncode, 0)


if __name__ == "__main__":
    unittest.main()
