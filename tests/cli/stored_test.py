"""`kith fof --max-memory`: files from disk are those from memory, byte by byte. Usage: stored_test.py PROGRAM"""

import os
import re
import resource
import signal
import subprocess
import sys
import unittest

import h5py
import numpy as np

from groups_test import write_gadget
from program import PROGRAM, ProgramTest, run

POINTS = 1_200_000
MEMORY = "60MB"  # the program needs 20 MB without points


def clustered(n):
    """Half of the points in clumps, some across the edges of the box."""
    random = np.random.default_rng(5)
    centers = random.random((300, 3))
    near = (centers[random.integers(0, 300, n // 2)] + random.normal(0, 0.004, (n // 2, 3))) % 1.0
    points = np.concatenate([near, random.random((n - n // 2, 3))]).astype(np.float32)
    points[points >= 1] = 0
    return random.permutation(points)


class Stored(ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("scratch"))
        random = np.random.default_rng(7)
        x = clustered(POINTS)
        velocity = random.normal(0, 100, x.shape).astype(np.float32)
        mass = random.uniform(4e-6, 8e-6, len(x)).astype(np.float32)  # about the mean density of the universe
        ids = random.permutation(len(x)).astype(np.uint64)
        self.snapshot = self.path("s.hdf5")
        half = len(x) // 2
        self.particles = x, velocity, mass, ids
        write_gadget(self.snapshot, {1: [column[:half] for column in self.particles],
                                     2: [column[half:] for column in self.particles]})
        self.fof = ["fof", self.snapshot, "--linking-length", "0.002"]
        self.disk = ["--max-memory", MEMORY, "--scratch", self.path("scratch")]

    def test_files_are_those_from_memory(self):
        for number, words in enumerate((["--labels", "-o", "h.hdf5"],
                                        ["--style", "swift", "--labels", "-o", "h.hdf5"],
                                        ["--link-types", "1,2", "-o", "h.hdf5"],
                                        ["--link-types", "1", "-o", "h.npz"], ["--min-size", "200", "-o", "h.csv"],
                                        ["--overdensities", "-o", "h.hdf5"],
                                        ["--center", "shrinking", "-o", "h.hdf5"])):
            ending = words[-1].rpartition(".")[2]
            memory, disk = (self.path(f"{kind}{number}.{ending}") for kind in ("memory", "disk"))
            self.works(*self.fof, *words[:-1], memory)
            told = self.told(*self.fof, *words[:-1], disk, *self.disk)
            self.assertGreater(told["slabs"], 1)
            with open(memory, "rb") as a, open(disk, "rb") as b:
                self.assertEqual(a.read(), b.read(), words)
            self.assertEqual(os.listdir(self.path("scratch")), [])

    def expect_same(self, words, ending="hdf5", more=(), disk=()):
        """The same file in memory and from disk; the facts of the second one."""
        memory, stored = self.path("memory." + ending), self.path("disk." + ending)
        self.works(*words, "-o", memory)
        told = self.told(*words, "-o", stored, *(disk or self.disk), *more)
        self.assertGreater(told["slabs"], 1)
        with open(memory, "rb") as a, open(stored, "rb") as b:
            self.assertEqual(a.read(), b.read(), words)
        self.assertEqual(os.listdir(self.path("scratch")), [])
        return told

    def slow(self):
        """A snapshot of the same particles, the clumps of which are bound."""
        x, velocity, mass, ids = self.particles
        path, half = self.path("slow.hdf5"), len(x) // 2
        particles = x, velocity * np.float32(0.001), mass, ids
        write_gadget(path, {1: [column[:half] for column in particles], 2: [column[half:] for column in particles]})
        return path

    def test_subhalos_are_those_from_memory(self):
        words = ["subhalos", self.slow(), "--linking-length", "0.002"]
        disk = ["--max-memory", "70MB", "--scratch", self.path("scratch")]
        for more, ending in ((["--labels"], "hdf5"), (["--method", "phase", "--link-types", "1,2"], "hdf5"),
                             (["--phase-linking-length", "0.8", "--labels", "--overdensities"], "hdf5"),
                             (["--link-types", "1", "--labels"], "npz"),
                             (["--no-order", "--center", "shrinking"], "hdf5"), ([], "csv")):
            told = self.expect_same([*words, *more], ending, disk=disk)
            self.assertGreater(told["subhalos"], 100, more)
        self.assertEqual(told["first_subhalos"], self.told(*words)["first_subhalos"])
        self.fails(2, "the order of several types in a .npz file needs", *words, "--link-types", "1,2", *disk,
                   "-o", self.path("h.npz"))

    def test_a_group_that_does_not_fit(self):
        path = self.path("one.hdf5")
        x = (0.5 + 0.01 * np.random.default_rng(3).random((200_000, 3))).astype(np.float32)
        write_gadget(path, {1: (x, x, np.ones(len(x), np.float32), np.arange(len(x), dtype=np.uint64))})
        words = ["subhalos", path, "--linking-length", "0.01", "-o", self.path("h.hdf5")]
        result = self.fails(1, "subhalos: a group has 200000 members, which need", *words, *self.disk)
        enough = re.search(r"allow at least (\d+)", result.stderr)[1]
        self.works(*words, "--max-memory", enough)

    def test_matches_are_those_from_memory(self):
        first, other = self.path("first.hdf5"), self.path("other.hdf5")
        slow = self.slow()
        self.works("subhalos", slow, "--linking-length", "0.002", "-o", first)
        self.works("subhalos", slow, "--linking-length", "0.0021", "--method", "phase", "-o", other)
        disk = ["--max-memory", "64MB", "--scratch", self.path("scratch")]
        for more, ending in (([], "hdf5"), (["--weight", "equal", "--most-bound", "30"], "npz"), ([], "csv")):
            outputs = [self.path(f"{kind}.{ending}") for kind in ("memory", "disk")]
            expected = self.told("match", first, other, *more, "-o", outputs[0])
            told = self.told("match", first, other, *more, "-o", outputs[1], *disk)
            self.assertNotIn("memory", expected)
            self.assertEqual(told["memory"], 64e6)
            for name in ("halos", "matched", "mutual", "doubtful"):
                self.assertEqual(told[name], expected[name])
            with open(outputs[0], "rb") as a, open(outputs[1], "rb") as b:
                self.assertEqual(a.read(), b.read(), more)
            self.assertEqual(os.listdir(self.path("scratch")), [])
        self.fails(1, "of memory", "match", first, other, "--max-memory", "41MB")
        self.fails(1, "/no/folder: cannot be used", "match", first, other, "--max-memory", "64MB", "--scratch", "/no/folder")

    def test_neighbors_are_those_from_memory(self):
        types = ["--types", "1,2"]
        in_memory = self.told("density", self.snapshot, *types)
        told = self.expect_same(["density", self.snapshot, *types])
        for name in ("least", "median", "most"):
            self.assertEqual(told[name], in_memory[name])
        disk = ["--max-memory", "55MB", "--scratch", self.path("scratch")]
        for ending in ("hdf5", "npz", "csv"):
            told = self.expect_same(["knn", self.snapshot, "--types", "2", "-k", "3"], ending, disk=disk)
        self.assertEqual(told["full_rows"], POINTS // 2)
        self.expect_same(["density", self.points(150_000), "-k", "20", "--box", "1"], "npz", disk=disk)
        self.expect_same(["knn", self.points(150_000, np.float64), "-k", "9", "--box", "1", "--exclude-self",
                          "--max-radius", "0.02"], "npz", disk=disk)

    def points(self, n, dtype=np.float32):
        """With ties: many points are on a grid, and some are equal."""
        path = self.path(f"{np.dtype(dtype).name}.npy")
        np.save(path, (np.round(clustered(POINTS)[:n] * 4096) / 4096 % 1).astype(dtype))
        return path

    def test_counts_are_those_from_memory(self):
        words = ["radius", self.points(300_000), "--radius", "0.01", "--box", "1"]
        disk = ["--max-memory", "55MB", "--scratch", self.path("scratch")]
        expected, told = self.told(*words), self.told(*words, *disk)
        self.assertGreater(told["slabs"], 1)
        for name in ("neighbors", "most"):
            self.assertEqual(told[name], expected[name])
        self.fails(2, "-o needs all particles in memory", *words, *disk, "-o", self.path("l.hdf5"))

    def test_correlations_are_those_from_memory(self):
        words = ["correlate", self.points(300_000), "--box", "1", "--linear-bins", "0.0,0.02,4"]
        disk = ["--max-memory", "55MB", "--scratch", self.path("scratch")]
        for more in (["--xi"], ["--wp", "--pi-max", "0.02", "--pi-bins", "3"], ["--multipoles", "--mu-bins", "4"],
                     ["--smu", "--mu-bins", "4", "--line-of-sight", "x"]):
            self.expect_same([*words, *more], "csv", disk=disk)
        self.fails(2, "--regions needs all particles in memory", *words, "--xi", *disk, "--regions", "8")
        self.fails(2, "a file with random points needs", *words[:2], words[1], *words[2:], "--xi", *disk)

    def test_continues_what_was_killed(self):
        for words in (self.fof, ["knn", self.snapshot, "--types", "1,2", "-k", "2"],
                      ["subhalos", self.slow(), *self.fof[2:]],
                      ["correlate", self.points(POINTS), "--box", "1", "--linear-bins", "0.0,0.02,4", "--xi"]):
            ending = "csv" if words[0] == "correlate" else "hdf5"
            memory, disk = (self.path(f"{words[0]}-{kind}.{ending}") for kind in ("memory", "disk"))
            self.works(*words, "-o", memory)
            command = [PROGRAM, *words, "-q", "-o", disk, *self.disk, "--resume"]
            random = np.random.default_rng(11)
            kills = 0
            for longest in (0.3, 0.6, 0.9, 1.2, 1.5, 60):
                process = subprocess.Popen(command)
                try:
                    process.wait(random.uniform(0.1, longest) if longest < 60 else 60)
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    kills += 1
            self.assertGreater(kills, 0)
            self.assertEqual(process.returncode, 0)
            with open(memory, "rb") as a, open(disk, "rb") as b:
                self.assertEqual(a.read(), b.read(), words)
            self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_passes_are_skipped_once_they_are_finished(self):
        words = [*self.fof, "--labels", "-o", self.path("h.hdf5"), *self.disk, "--resume"]

        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (12_500_000, 12_500_000))
        result = subprocess.run([PROGRAM, *words], capture_output=True, text=True, preexec_fn=prepare)
        self.assertIn("scratch file: File too large", result.stderr)
        self.assertEqual(len(os.listdir(self.path("scratch"))), 2)
        stages = [entry["stage"] for entry in self.told(*words)["stages"]]
        self.assertNotIn("sort", stages)
        self.assertIn("catalogue", stages)
        self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_memory_stays_within_the_limit(self):
        # From a small process: a child begins with the peak of its parent.
        peak = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        few = ["knn", self.points(150_000), "--box", "1"]
        for words, ending in (([*self.fof, "--link-types", "1,2", "--overdensities"], "hdf5"),
                              (["knn", self.snapshot, "--types", "1,2", "-k", "8"], "hdf5"),
                              ([*few, "-k", "64"], "npz"), ([*few, "-k", "128"], "hdf5"),
                              (["density", self.snapshot, "--types", "1,2"], "hdf5")):
            words = [*words, "-q", "-o", self.path("h." + ending), *self.disk]
            told = subprocess.check_output([sys.executable, "-c", peak, PROGRAM, *words], text=True)
            self.assertLess(int(told) * 1024, 60_000_000, words)

    def test_limit_in_the_environment(self):
        words = [*self.fof, "-q", "--json"]
        result = run(*words, env={**os.environ, "KITH_MAX_MEMORY": MEMORY})
        self.assertIn('"slabs"', result.stdout)
        self.assertNotIn('"slabs"', run(*words).stdout)

    def test_refusals(self):
        self.fails(1, "at least", *self.fof, "--max-memory", "1MB")
        self.fails(1, "/no/folder: cannot be used", *self.fof, "--max-memory", MEMORY, "--scratch", "/no/folder")
        self.fails(2, "--picture needs all particles in memory", *self.fof, *self.disk, "--picture", self.path("p.png"))
        self.fails(2, "--center density needs", *self.fof, *self.disk, "--center", "density")
        self.fails(2, "--attach-types needs", *self.fof, *self.disk, "--attach-types", "2")

    def test_full_disk(self):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000))
        before = self.files()
        for words in (self.fof, ["knn", self.snapshot, "--types", "1,2", "-k", "8"]):
            result = subprocess.run([PROGRAM, *words, *self.disk, "-o", self.path("h.hdf5")], capture_output=True,
                                    text=True, preexec_fn=prepare)
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot be filled with a scratch file: File too large", result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(self.files(), before)
            self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_killed(self):
        process = subprocess.Popen([PROGRAM, *self.fof, *self.disk, "-o", self.path("h.hdf5")], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.kill()
        process.communicate()
        self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_points_that_are_not_finite(self):
        with h5py.File(self.snapshot, "r+") as file:
            file["PartType1/Coordinates"][300_000] = np.nan
        self.fails(1, "coordinate 0 of point 300000 is nan (1 of 600000 points are not finite)", *self.fof, *self.disk)
        outputs = [self.path("memory.hdf5"), self.path("disk.hdf5")]
        self.works(*self.fof, "--non-finite", "drop", "--labels", "-o", outputs[0])
        self.works(*self.fof, "--non-finite", "drop", "--labels", "-o", outputs[1], *self.disk)
        with open(outputs[0], "rb") as a, open(outputs[1], "rb") as b:
            self.assertEqual(a.read(), b.read())


if __name__ == "__main__":
    unittest.main()
