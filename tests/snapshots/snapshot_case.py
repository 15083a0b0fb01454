"""Shared by the tests of snapshots: a folder, and the tool that reads a snapshot into it."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TOOL = sys.argv.pop(1)  # the first argument of the test


def limit_memory():
    """Far above what the small files of these tests need; a sanitizer needs more address space."""
    if "KITH_NO_LIMIT" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kith-layouts-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "out").mkdir()

    def run_tool(self, path):
        return subprocess.run([TOOL, "dump", str(path), str(self.folder / "out")], capture_output=True,
                              text=True, timeout=60, preexec_fn=limit_memory)

    def read(self, path):
        done = self.run_tool(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        for name, kind in (("position", "f64"), ("velocity", "f64"), ("mass", "f64"), ("id", "u64")):
            file = self.folder / "out" / f"{name}.{kind}"
            info[name] = np.fromfile(file, kind.replace("64", "8")) if file.exists() else None
            single = self.folder / "out" / f"{name}.f32"
            if file.exists() and single.exists():
                np.testing.assert_array_equal(info[name].astype(np.float32), np.fromfile(single, np.float32))
        return info

    def refused(self, path, words):
        done = self.run_tool(path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def same(self, info, parts):
        """Type after type, in the order of the files; `parts`: lists of fields."""
        for name, field in (("position", "Coordinates"), ("velocity", "Velocities"), ("id", "ParticleIDs")):
            wanted = np.concatenate([part[field].ravel() for part in parts])
            np.testing.assert_array_equal(info[name], wanted)
