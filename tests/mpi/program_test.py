#!/usr/bin/env python3
"""The program under a launcher: the words and the files of one process, whatever the number of ranks.

Usage: program_test.py LAUNCH MPIEXEC KITH
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

LAUNCH, MPIEXEC, KITH = sys.argv[1:4]
folder = pathlib.Path()


def alone(*words):
    return subprocess.run([KITH, *words], cwd=folder, capture_output=True, text=True, timeout=120)


def together(ranks, *words):
    return subprocess.run([LAUNCH, MPIEXEC, str(ranks), KITH, *words, "--threads", "1"], cwd=folder,
                          capture_output=True, text=True, timeout=120)


def lines(text):
    """Without the times of the last line."""
    return text.splitlines()[:-1]


def sentences(text):
    """What the program says, without the launcher's words and without who says it."""
    return [re.sub(r"rank \d+ of \d+: ", "", line) for line in text.splitlines() if line.startswith("kith: ")]


class Files(unittest.TestCase):
    """The same words and the same bytes."""

    def check(self, ranks, *words):
        output = words[words.index("-o") + 1]
        one = alone(*words)
        self.assertEqual(one.returncode, 0, one.stderr)
        expected = (folder / output).read_bytes()
        os.remove(folder / output)
        many = together(ranks, *words)
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(lines(many.stdout), lines(one.stdout))
        self.assertEqual((folder / output).read_bytes(), expected)
        self.assertEqual(list(folder.glob("*.part")), [])

    def test_fof(self):
        self.check(2, "fof", "universe.hdf5", "-b", "0.2", "-o", "halos.hdf5")
        self.check(3, "fof", "universe.hdf5", "-b", "0.2", "--style", "swift", "--min-size", "5", "-o", "halos.hdf5")
        self.check(3, "fof", "universe.hdf5", "--linking-length", "1.5", "--labels", "--order", "-o", "halos.npz")
        self.check(2, "fof", "points.csv", "--linking-length", "0.5", "--min-size", "1", "-o", "halos.csv")
        self.check(3, "fof", "holes.csv", "--linking-length", "0.5", "--box", "3", "--non-finite", "drop", "-o",
                   "halos.npz")

    def test_types_centers_and_spheres(self):
        self.check(3, "fof", "types.gadget", "--linking-length", "0.3", "--min-size", "5", "--labels", "-o", "halos.hdf5")
        self.check(2, "fof", "types.gadget", "--linking-length", "0.3", "--link-types", "0,1", "--center", "potential",
                   "-o", "halos.npz")
        self.check(2, "fof", "universe.hdf5", "-b", "0.2", "--overdensities", "-o", "halos.hdf5")
        self.check(3, "fof", "universe.hdf5", "-b", "0.2", "--center", "shrinking", "-o", "halos.npz")

    def test_subhalos(self):
        self.check(3, "subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4", "--subhalo-min-size",
                   "5", "-o", "subhalos.hdf5")
        self.check(2, "subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4", "-o", "subhalos.npz")

    def test_more_ranks_than_points(self):
        (folder / "few.csv").write_text("x,y,z\n1,2,3\n1,2,3.1\n")
        self.check(4, "fof", "few.csv", "--linking-length", "0.5", "--min-size", "1", "-o", "few.npz")

    def test_sorted_snapshot(self):
        self.check(2, "fof", "universe.hdf5", "-b", "0.2", "--sorted-snapshot", "sorted.hdf5", "-o", "halos.hdf5")

    def test_knn(self):
        self.check(3, "knn", "universe.hdf5", "-k", "5", "-o", "near.hdf5")
        self.check(2, "knn", "universe.hdf5", "-k", "3", "--scalar", "float64", "--exclude-self", "-o", "near.npz")
        self.check(2, "knn", "points.csv", "-k", "4", "--max-radius", "0.4", "-o", "near.csv")

    def test_density(self):
        self.check(3, "density", "universe.hdf5", "-k", "12", "-o", "density.hdf5")
        self.check(2, "density", "points.csv", "-k", "5", "--kernel", "wendland_c2", "-o", "density.npz")

    def test_facts(self):
        words = ["fof", "universe.hdf5", "-b", "0.2", "--json"]
        one, many = (json.loads(run.stdout) for run in (alone(*words), together(3, *words)))
        for facts in (one, many):
            del facts["seconds"], facts["stages"]
        self.assertEqual(many, one)


class Errors(unittest.TestCase):
    def check(self, ranks, code, *words):
        one, many = alone(*words), together(ranks, *words)
        self.assertEqual(one.returncode, code, one.stderr)
        self.assertEqual(many.returncode, code, many.stderr)
        self.assertEqual(sentences(many.stderr), sentences(one.stderr))

    def test_codes_and_sentences_are_those_of_one_process(self):
        self.check(3, 1, "fof", "missing.hdf5", "-b", "0.2")
        self.check(2, 2, "fof", "universe.hdf5", "--no-such-option")
        self.check(2, 2, "knn", "points.csv", "-k", "1000")

    def test_full_disk(self):
        for name in ("full.npz", "full.csv"):
            (folder / name).symlink_to("/dev/full")
        self.check(2, 1, "fof", "universe.hdf5", "-b", "0.2", "-o", "full.npz")
        self.check(3, 1, "knn", "universe.hdf5", "-k", "4", "-o", "full.npz")
        self.check(2, 1, "density", "universe.hdf5", "-k", "4", "-o", "full.csv")

    def test_one_rank_fails(self):
        """Only the last rank sees the point that is not finite."""
        one, many = (run("knn", "holes.csv", "-k", "2") for run in (alone, lambda *words: together(3, *words)))
        self.assertEqual(many.returncode, one.returncode, many.stderr)
        self.assertRegex(many.stderr, "kith: rank 2 of 3: .* not finite")

    def test_what_is_not_shared_out_is_refused(self):
        for words in (["fof", "universe.hdf5", "-b", "0.2", "--picture", "halos.png"],
                      ["knn", "universe.hdf5", "-k", "4", "--norm", "1"]):
            many = together(2, *words)
            self.assertEqual(many.returncode, 2)
            self.assertIn(words[-2] + " ", many.stderr)
            self.assertIn("not available over several ranks", many.stderr)


class Others(unittest.TestCase):
    def test_run_once(self):
        one = alone("info", "universe.hdf5")
        many = subprocess.run([LAUNCH, MPIEXEC, "3", KITH, "info", "universe.hdf5"], cwd=folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(many.stdout, one.stdout)


def write_types(path):
    """A file of Gadget-1 with gas, dark matter and stars in clumps."""
    random.seed(3)
    counts = [150, 300, 0, 0, 80, 0]
    clumps = [[random.uniform(1, 9) for _ in range(3)] for _ in range(12)]
    places = [x + random.gauss(0, 0.25) for _ in range(sum(counts)) for x in random.choice(clumps)]
    speeds = [random.gauss(0, 100) for _ in places]
    header = struct.pack("<6i6d2d2i6I2i4d", *counts, 1, 5, 0, 0, 2, 0, 1, 0, 0, 0, *counts, 0, 1, 10, 0.3, 0.7, 0.7)
    blocks = [header.ljust(256, b"\0"), struct.pack(f"<{len(places)}f", *places),
              struct.pack(f"<{len(speeds)}f", *speeds), struct.pack(f"<{sum(counts)}I", *range(1, sum(counts) + 1))]
    path.write_bytes(b"".join(struct.pack("<I", len(b)) + b + struct.pack("<I", len(b)) for b in blocks))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assert alone("sample", "cosmology", "-n", "16", "-o", "universe.hdf5").returncode == 0
        rows = [f"{i % 7 * 0.3:.3f},{i % 11 * 0.2:.3f},{i % 5 * 0.4:.3f}" for i in range(300)]
        (folder / "points.csv").write_text("x,y,z\n" + "\n".join(rows) + "\n")
        (folder / "holes.csv").write_text("x,y,z\n" + "\n".join(rows[:-1]) + "\nnan,0,0\n")
        write_types(folder / "types.gadget")
        unittest.main(argv=sys.argv[:1], verbosity=2)
