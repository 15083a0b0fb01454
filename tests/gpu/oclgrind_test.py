#!/usr/bin/env python3
"""The kernels under oclgrind, which interprets them: no access out of bounds, and no race in searches.

Usage: oclgrind_test.py PROGRAM TEST_GPU. Small sets: an interpreter takes its time.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, TEST_GPU = sys.argv.pop(1), sys.argv.pop(1)
ORACLE = "/usr/lib/oclgrind/liboclgrind-rt.so"


@unittest.skipUnless(os.path.exists(ORACLE), f"no {ORACLE}")
class Oclgrind(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        draw = random.Random(3)
        points = [draw.random() ** 2 for _ in range(3 * 150)] + [0.25] * 30  # ten times the same point
        self.points = self.folder / "x.f32"
        self.points.write_bytes(struct.pack(f"{len(points)}f", *points))

    def run_under(self, *command, **more):
        """Its output; oclgrind must report no error."""
        log = self.folder / "log.txt"
        environment = {**os.environ, "KITH_OPENCL": ORACLE, "OCLGRIND_LOG": str(log), "OCLGRIND_MAX_ERRORS": "5",
                       **more}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(log.read_text() if log.exists() else "", "")
        return done.stdout

    def check(self, *words, **more):
        told = self.run_under(PROGRAM, words[0], self.points, "--dimension", "3", *words[1:], "--device", "gpu", **more)
        self.assertIn("device gpu:0: Oclgrind", told)

    def test_searches(self):
        self.check("knn", "-k", "5", "--box", "1", OCLGRIND_DATA_RACES="1")
        self.check("radius", "--radius", "0.1", "-o", str(self.folder / "r.npz"), OCLGRIND_DATA_RACES="1")

    def test_groups(self):
        # Links are races by design, see fof.cl: work-items read parents that others change by compare and swap.
        self.check("fof", "--linking-length", "0.05", "--min-size", "2")

    def test_values_that_nobody_wrote(self):
        told = self.run_under(TEST_GPU, "--gtest_filter=GpuUninitialized.AllCalls", OCLGRIND_UNINITIALIZED="1")
        self.assertNotIn("SKIPPED", told)


if __name__ == "__main__":
    unittest.main()
