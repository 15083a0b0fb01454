"""Helpers for the tests of the program: running it, folders, and brute force with NumPy."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "kith"


def run(*words, cwd=None, env=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=cwd, env=env,
                          timeout=300)


def distances2(x, i, box=0.0):
    """Squared distances from point i to all, as the library defines them: in the type of the points."""
    dx = np.abs(x - x[i])
    if box:
        dx = np.minimum(dx, x.dtype.type(box) - dx)
    d2 = dx[:, 0] * dx[:, 0]
    for axis in range(1, x.shape[1]):
        d2 = d2 + dx[:, axis] * dx[:, axis]
    return d2


def brute_labels(x, length, box=0.0, min_size=1):
    """Groups by falling size, ties by the lowest member; smaller ones get -1."""
    limit = x.dtype.type(length) * x.dtype.type(length)
    root = np.full(len(x), -1)
    for first in range(len(x)):
        if root[first] >= 0:
            continue
        asking = [first]
        root[first] = first
        while asking:
            for j in np.flatnonzero((distances2(x, asking.pop(), box) <= limit) & (root < 0)):
                root[j] = first
                asking.append(j)
    roots, sizes = np.unique(root, return_counts=True)
    order = sorted((-size, r) for r, size in zip(roots, sizes) if size >= min_size)
    label = {r: g for g, (_, r) in enumerate(order)}
    return np.array([label.get(r, -1) for r in root])


def clumps(n=1500, seed=3):
    """Points in [0, 1)^3: half of them in small clouds, some across the edges of the box."""
    random = np.random.default_rng(seed)
    centers = random.random((12, 3))
    near = (centers[random.integers(0, 12, n // 2)] + random.normal(0, 0.012, (n // 2, 3))) % 1.0
    points = np.concatenate([near, random.random((n - n // 2, 3))]).astype(np.float32)
    points[points >= 1] = 0
    return points


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def works(self, *words):
        result = run(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def told(self, *words):
        """The one JSON document on standard output."""
        return json.loads(self.works(*words, "--json"))

    def fails(self, code, words, *command):
        before = self.files()
        result = run(*command)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("kith: "))
        self.assertEqual(self.files(), before)
        return result
