"""Disks that are full in the middle of every kind of output. Usage: full_disk_test.py PROGRAM

Two things replace the disk. A limit of the size of files: writes that make a file longer fail, and others do not. A library that fails the n-th call to write or save something, for every n (failing_writes.cpp)."""

import os
import resource
import signal
import subprocess
import unittest

from program import PROGRAM, ProgramTest, clumps, run

PLACES = 2  # of the limit, in each output
MOST_WRITES = 400


def limited(limit):
    """The set-up of a child before it runs: files of more bytes fail, without a signal."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return prepare


class FullDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.points = self.save("x.npy", clumps(3000))
        self.snapshot = self.path("s.hdf5")
        self.works("sample", "cosmology", "-n", 12, "--steps", 2, "--mesh", 12, "-o", self.snapshot)
        os.mkdir(self.path("out"))

    def left(self):
        return sorted(os.listdir(self.path("out")))

    def outputs(self):
        """Commands, and what they write in the end: that is what the limit is taken from."""
        fof = ["fof", self.points, "--box", "1", "-b", "0.3", "--labels"]
        halos = ["fof", self.snapshot, "-b", "0.6", "--min-size", "2"]
        return {
            "fof": [*fof, "-o", "h.hdf5"], "swift": [*halos, "--style", "swift", "--labels", "-o", "h.hdf5"],
            "packed": [*fof, "--compression", "6", "-o", "h.hdf5"], "files": [*fof, "--files", "3", "-o", "h.hdf5"],
            "sorted": [*halos, "--sorted-snapshot", "sorted.hdf5", "-o", "h.hdf5"],
            "subhalos": ["subhalos", self.snapshot, "-b", "0.6", "--phase-linking-length", "0.5", "-o", "h.hdf5"],
            "knn": ["knn", self.points, "--box", "1", "-k", "4", "-o", "n.hdf5"],
            "npz": ["knn", self.points, "--box", "1", "-k", "4", "-o", "n.npz"],
            "csv": ["density", self.points, "--box", "1", "-k", "8", "-o", "d.csv"],
            "sample": ["sample", "uniform", "-n", "3000", "-o", "u.hdf5"],
            "sample packed": ["sample", "uniform", "-n", "3000", "--compression", "4", "-o", "u.hdf5"],
            "gadget": ["sample", "uniform", "-n", "3000", "-o", "u.gadget2"],
            "picture": [*halos, "--picture", "p.png", "-o", "h.csv"],
            "correlate": ["correlate", self.points, "--xi", "--log-bins", "0.01,0.3,40", "--box", "1", "-o", "xi.csv"]}

    def start(self, words, limit=None, **environment):
        return subprocess.run([PROGRAM, *words], cwd=self.path("out"), capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment},
                              preexec_fn=limited(limit) if limit is not None else None)

    def clear(self):
        for file in self.left():
            os.remove(self.path(f"out/{file}"))

    def test_every_output_says_so_and_leaves_nothing(self):
        for name, words in self.outputs().items():
            done = self.start(words)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
            size = max(os.path.getsize(self.path(f"out/{file}")) for file in self.left())
            self.clear()
            for limit in sorted({size * k // PLACES for k in range(PLACES)} | {1, size - 1}):
                with self.subTest(output=name, limit=limit, of=size):
                    self.check_failure(self.start(words, limit), "File too large")
                self.clear()  # of several outputs, the first may be there

    def check_failure(self, done, reason):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotIn("fault", done.stderr)
        self.assertEqual([file for file in self.left() if file.endswith(".part")], [])

    def test_every_write_can_fail(self):
        """One alone, as on a disk that is full for a moment, or with all that follow; of many, every third."""
        library = os.environ["KITH_FAILING_WRITES_LIBRARY"]
        for name, words in self.outputs().items():
            for n in (*range(1, 8), *range(8, MOST_WRITES, 3)):
                with self.subTest(output=name, write=n):
                    done = self.start(words, LD_PRELOAD=library, KITH_FAILING_WRITE=str(n),
                                      KITH_FAILING_WRITES=str(1 if n % 2 else MOST_WRITES))
                    if done.returncode == 0:
                        break  # there are fewer writes
                    self.check_failure(done, "No space left on device")
                self.clear()
            self.assertGreater(n, 2, name)
            self.assertLess(n, MOST_WRITES - 3, name)
            self.clear()

    def test_the_limit_is_an_error_even_if_nobody_ignores_its_signal(self):
        done = subprocess.run([PROGRAM, "sample", "uniform", "-n", "3000", "-o", "u.hdf5"], cwd=self.path("out"),
                              capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.left(), [])

    def test_a_device_without_room(self):
        for words in (["knn", self.points, "--box", "1", "-k", "4"], ["density", self.points, "--box", "1"]):
            for ending in ("csv", "npz"):
                os.symlink("/dev/full", self.path(f"out/f.{ending}"))
                done = run(*words, "-o", self.path(f"out/f.{ending}"))
                self.assertEqual(done.returncode, 1)
                self.assertIn("No space left on device", done.stderr)
                os.remove(self.path(f"out/f.{ending}"))


if __name__ == "__main__":
    unittest.main()
