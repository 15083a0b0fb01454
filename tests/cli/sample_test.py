#!/usr/bin/env python3
"""Runs the program `kith` as a person would. Usage: sample_test.py PROGRAM"""

import array
import ast
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

from stopping import LONGEST_STOP, interrupted

PROGRAM = os.path.abspath(sys.argv.pop(1))


def run(*words, cwd=None):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=cwd, timeout=120)


def read_npy(path):
    """The header and the numbers of a NumPy file."""
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        (length,) = struct.unpack("<H", file.read(2))
        assert (10 + length) % 64 == 0
        header = ast.literal_eval(file.read(length).decode())
        numbers = array.array("f")
        numbers.frombytes(file.read())
    return header, numbers


class Sample(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def expect_failure(self, code, words, *command):
        result = run(*command)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("kith: "))
        self.assertEqual(result.stdout, "")
        self.assertEqual(self.files(), [])

    def test_version_and_help(self):
        self.assertRegex(run("--version").stdout, r"^kith \d+\.\d+\.\d+\n$")
        for words in (["--help"], ["sample", "--help"], ["sample", "cosmology", "--help"]):
            result = run(*words)
            self.assertEqual(result.returncode, 0)
            self.assertIn("Usage: kith", result.stdout)
        self.assertIn("Examples:", run("--help").stdout)

    def test_points_that_are_made_while_they_are_written(self):
        for ending in ("npy", "hdf5", "npz", "raw"):
            names = ["parts." + ending, "whole." + ending]
            run("sample", "uniform", "-n", "1.2e6", "-d", "2", "-o", self.path(names[0]))
            run("sample", "uniform", "-n", "1200000", "-d", "2", "-o", self.path(names[1]), "--picture",
                self.path("p.png"), "--picture-size", "16")  # pictures need all points
            self.assertEqual(self.read(names[0]), self.read(names[1]), ending)
            self.assertGreaterEqual(len(self.read(names[0])), 9_600_000)

    def test_they_take_constant_memory(self):
        peak = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        words = ["sample", "uniform", "-n", "2e7", "-d", "1", "-q", "-o", self.path("p.npy")]
        told = subprocess.check_output([sys.executable, "-c", peak, PROGRAM, *words], text=True)
        self.assertLess(int(told) * 1024, 50_000_000)  # 80 MB of points
        self.expect_failure_of_count("1.5", "2.5e0", "1e400", "-2e3")

    def expect_failure_of_count(self, *counts):
        for count in counts:
            result = run("sample", "uniform", "-n", count, "-o", self.path("q.npy"))
            self.assertEqual(result.returncode, 2, count)

    def test_npy_holds_rows_of_points(self):
        result = run("sample", "uniform", "-n", "1000", "-d", "4", "--side", "2", "-o", self.path("p.npy"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1,000 points in 4 dimensions", result.stdout)
        header, numbers = read_npy(self.path("p.npy"))
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (1000, 4)})
        self.assertEqual(len(numbers), 4000)
        self.assertTrue(all(0 <= x < 2 for x in numbers))
        self.assertGreater(max(numbers), 1.9)

    def test_raw_holds_the_same_numbers(self):
        for name in ("p.npy", "p.raw", "p.f32"):
            run("sample", "normal", "-n", "500", "--seed", "3", "-o", self.path(name))
        self.assertEqual(self.read("p.raw"), self.read("p.npy")[-6000:])
        self.assertEqual(self.read("p.raw"), self.read("p.f32"))

    def test_every_kind_works_alike_for_any_number_of_threads(self):
        for kind in ("uniform normal grid plummer nfw shells lines all-equal half-identical").split():
            for threads in ("1", "3"):
                result = run("sample", kind, "-n", "12", "--threads", threads, "-o", self.path(threads + ".raw"))
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.read("1.raw"), self.read("3.raw"), kind)

    def test_cosmology_writes_all_its_files_and_tells_in_json(self):
        result = run("sample", "cosmology", "-n", "16", "--steps", "3", "--json", "-o", self.path("u.npy"),
                     "--velocity", self.path("v.npy"), "--picture", self.path("u.png"), "--picture-size", "64")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual(told["points"], 4096)
        self.assertEqual(told["side"], 16)
        self.assertEqual(told["velocity"], self.path("v.npy"))
        self.assertEqual(self.files(), ["u.npy", "u.png", "v.npy"])
        for name in ("u.npy", "v.npy"):
            self.assertEqual(read_npy(self.path(name))[0]["shape"], (4096, 3))
        self.assertTrue(all(0 <= x < 16 for x in read_npy(self.path("u.npy"))[1]))
        self.assertEqual(self.read("u.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", self.read("u.png")[16:24]), (64, 64))

    def test_seed_and_transfer_matter(self):
        common = ["sample", "cosmology", "-n", "8", "--steps", "1", "--quiet", "-o"]
        for name, options in {"a": [], "b": ["--seed", "2"], "c": ["--transfer", "bbks"], "d": ["--seed", "1"]}.items():
            result = run(*common, self.path(name + ".raw"), *options)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertNotEqual(self.read("a.raw"), self.read("b.raw"))
        self.assertNotEqual(self.read("a.raw"), self.read("c.raw"))
        self.assertEqual(self.read("a.raw"), self.read("d.raw"))

    def test_usage_errors_are_one_sentence_and_code_2(self):
        out = self.path("p.npy")
        self.expect_failure(2, "needs one of these commands", "sample")
        self.expect_failure(2, "-n is required", "sample", "uniform", "-o", out)
        self.expect_failure(2, "--output is required", "sample", "uniform", "-n", "5")
        self.expect_failure(2, "-n", "sample", "uniform", "-n", "-5", "-o", out)
        self.expect_failure(2, "--colour", "sample", "uniform", "-n", "5", "-o", out, "--colour")
        self.expect_failure(2, "unknown file format", "sample", "uniform", "-n", "5", "-o", self.path("p.fits"))
        self.expect_failure(2, "the points are float32", "sample", "uniform", "-n", "5", "-o", self.path("p.f64"))
        self.expect_failure(2, "the name must end in .png", "sample", "uniform", "-n", "5", "-o", out,
                            "--picture", self.path("p.jpg"))
        self.expect_failure(2, "cosmology: --sigma8 -1", "sample", "cosmology", "--sigma8", "-1", "-o", out)
        self.expect_failure(2, "dimension 33", "sample", "uniform", "-n", "5", "-d", "33", "-o", out)

    def test_failures_are_one_sentence_and_code_1(self):
        self.expect_failure(1, "there is no folder", "sample", "uniform", "-n", "5", "-o", self.path("x/p.npy"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_an_error(self):
        os.symlink("/dev/full", self.path("p.raw"))
        result = run("sample", "uniform", "-n", "5", "-o", self.path("p.raw"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be written: No space left", result.stderr)

    def test_an_existing_file_is_replaced_as_a_whole(self):
        with open(self.path("p.raw"), "wb") as file:
            file.write(b"old" * 100000)
        run("sample", "uniform", "-n", "10", "-o", self.path("p.raw"))
        self.assertEqual(len(self.read("p.raw")), 120)
        self.assertEqual(self.files(), ["p.raw"])

    def test_interrupt_stops_soon_and_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for work in (0.2, 0.7):
                code, words, passed = interrupted([PROGRAM, "sample", "cosmology", "-n", "64", "--steps", "2000",
                                                   "-o", self.path("u.npy")], work, number)
                self.assertLess(passed, LONGEST_STOP)
                self.assertEqual(code, 1)
                self.assertEqual(words, "kith: stopped\n")
                self.assertEqual(self.files(), [])

    def test_interrupt_while_writing_leaves_nothing(self):
        for work in (0.1, 0.2, 0.3, 0.5):
            code, _, _ = interrupted([PROGRAM, "sample", "all-equal", "-n", "20000000", "-o", self.path("p.npy")], work)
            self.assertIn(code, (0, 1, -signal.SIGINT))
            self.assertEqual([f for f in self.files() if f != "p.npy"], [])
            if code == 0:
                self.assertEqual(os.path.getsize(self.path("p.npy")), 128 + 240000000)


if __name__ == "__main__":
    unittest.main()
