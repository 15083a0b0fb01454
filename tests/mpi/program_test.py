#!/usr/bin/env python3
"""The program under a launcher: the output and the files of one process, for any number of ranks.

Usage: program_test.py LAUNCH MPIEXEC KITH [TEST...]
"""
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

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
    """The messages of the program, without those of the launcher and without ranks."""
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
        self.check(2, "fof", "universe.hdf5", "-b", "0.2", "--center", "density", "-o", "halos.npz")
        self.check(3, "fof", "types.gadget", "--linking-length", "0.3", "--center", "density", "-o", "halos.npz")

    def test_subhalos(self):
        self.check(3, "subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4", "--subhalo-min-size",
                   "5", "-o", "subhalos.hdf5")
        self.check(2, "subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4", "-o", "subhalos.npz")
        self.check(3, "subhalos", "universe.hdf5", "-b", "0.2", "--labels", "-o", "bound.hdf5")
        self.check(2, "subhalos", "universe.hdf5", "-b", "0.2", "-o", "bound.npz")
        self.check(3, "subhalos", "universe.hdf5", "-b", "0.2", "--method", "phase", "--labels", "-o", "phase.hdf5")

    def test_subhalos_of_groups_on_many_ranks(self):
        """The largest groups have over 4,096 members each, so they are cut, and with them the rows of subhalos."""
        words = ["subhalos", "dense.hdf5", "-b", "0.7", "--phase-linking-length", "0.1", "--subhalo-min-size", "5"]
        self.check(5, *words, "-o", "subhalos.hdf5")
        self.check(7, *words, "-o", "subhalos.csv")
        self.check(5, "subhalos", "dense.hdf5", "-b", "0.7", "--labels", "-o", "bound.hdf5")
        self.check(5, "subhalos", "dense.hdf5", "-b", "0.7", "--method", "phase", "-o", "phase.hdf5")

    def test_several_files(self):
        """Any number of them on any number of ranks, and one that shows them as a whole."""
        for ranks, words in ((2, ["fof", "universe.hdf5", "-b", "0.2", "--labels", "--files", "3"]),
                             (3, ["knn", "universe.hdf5", "-k", "3", "--files", "2"])):
            self.check(ranks, *words, "-o", "many.hdf5")
            parts = sorted(folder.glob("many.*.hdf5"))
            self.assertEqual(len(parts), int(words[-1]))
            many = [path.read_bytes() for path in parts]
            self.assertEqual(alone(*words, "-o", "many.hdf5").returncode, 0)
            self.assertEqual([path.read_bytes() for path in parts], many)
            verified = alone("verify", "universe.hdf5", "many.hdf5")
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            for path in parts:
                path.unlink()

    def test_histories(self):
        """Matches and trees of groups, of bound subhalos, and of catalogues, of which each rank reads a part."""
        names = ["early.hdf5", "universe.hdf5"]
        self.check(3, "match", *names, "--min-size", "5", "-o", "matches.hdf5")
        self.check(5, "match", *names, "--min-size", "5", "--subhalos", "-o", "matches.npz")
        self.check(2, "trees", *names, "--min-size", "5", "-o", "trees.hdf5")
        self.check(4, "trees", *names, "--min-size", "5", "--subhalos", "--orphans", "-o", "trees.hdf5")
        verified = together(2, "verify", "trees.hdf5")
        self.assertEqual(verified.returncode, 0, verified.stderr)
        for name, words in (("a.hdf5", ["--labels"]), ("b.hdf5", [])):
            snapshot = names[name == "b.hdf5"]
            self.assertEqual(alone("fof", snapshot, "-b", "0.2", "--min-size", "5", *words, "-o", name).returncode, 0)
        self.check(3, "match", "a.hdf5", "b.hdf5", "-o", "matches.csv")
        self.check(3, "trees", "a.hdf5", "b.hdf5", "-o", "trees.hdf5")
        self.check(2, "trees", "a.hdf5", "b.hdf5", "--resume", "trees.hdf5", "-o", "more.hdf5")
        same = [together(3, "match", "early.hdf5", "missing.hdf5"), alone("match", "early.hdf5", "missing.hdf5")]
        self.assertEqual(same[0].returncode, same[1].returncode)
        self.assertEqual(sentences(same[0].stderr), sentences(same[1].stderr))
        shown = together(2, "trees", "show", "trees.hdf5")
        self.assertEqual((shown.returncode, shown.stdout.count("redshift")),
                         (0, alone("trees", "show", "trees.hdf5").stdout.count("redshift")))

    def test_more_ranks_than_points(self):
        self.check(4, "fof", "few.csv", "--linking-length", "0.5", "--min-size", "1", "-o", "few.npz")

    def test_sorted_snapshot(self):
        """Every rank writes its part of it; rank 0 copies a snapshot that is not in HDF5."""
        for ranks, words in ((3, ["fof", "universe.hdf5", "-b", "0.2", "-o", "halos.hdf5"]),
                             (2, ["subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4", "-o",
                                  "halos.hdf5"]),
                             (3, ["fof", "universe.hdf5", "-b", "0.2", "-o", "halos.npz"]),
                             (2, ["fof", "points.csv", "--linking-length", "0.25", "-o", "halos.npz"])):
            self.check(ranks, *words, "--sorted-snapshot", "sorted.hdf5")
            many = (folder / "sorted.hdf5").read_bytes()
            self.assertEqual(alone(*words, "--sorted-snapshot", "sorted.hdf5").returncode, 0)
            self.assertEqual((folder / "sorted.hdf5").read_bytes(), many)

    def test_knn(self):
        self.check(3, "knn", "universe.hdf5", "-k", "5", "-o", "near.hdf5")
        self.check(2, "knn", "universe.hdf5", "-k", "3", "--scalar", "float64", "--exclude-self", "-o", "near.npz")
        self.check(2, "knn", "points.csv", "-k", "4", "--max-radius", "0.4", "-o", "near.csv")
        self.check(3, "knn", "points.csv", "-k", "4", "--norm", "1", "-o", "near.csv")

    def test_radius(self):
        self.check(3, "radius", "universe.hdf5", "--radius", "4", "-o", "lists.hdf5")
        self.check(2, "radius", "points.csv", "--radius", "0.35", "--exclude-self", "-o", "lists.npz")
        self.check(4, "radius", "few.csv", "--radius", "1", "-o", "lists.hdf5")

    def test_clusters(self):
        words = ["cluster", "universe.hdf5", "--method", "dbscan", "--eps"]
        self.check(3, *words, "1.5", "--min-samples", "8", "-o", "clusters.hdf5")
        self.check(2, *words, "2.5", "--border", "sklearn", "--border-links", "2", "--rows", "all", "-o", "clusters.npz")
        self.check(2, "cluster", "few.csv", "--method", "dbscan", "--eps", "0.5", "-o", "clusters.csv")
        self.check(2, *words, "2", "--picture", "clusters.png", "-o", "clusters.npz")  # rank 0 alone

    def test_clusters_of_all_densities(self):
        words = ["--method", "hdbscan", "--min-cluster-size"]
        self.check(2, "cluster", "points.csv", *words, "5", "-o", "clusters.csv")
        self.check(3, "cluster", "universe.hdf5", *words, "20", "--min-samples", "4", "--rows", "all", "-o", "clusters.hdf5")
        self.check(4, "cluster", "few.csv", *words, "2", "--allow-single-cluster", "-o", "clusters.npz")
        self.check(2, "cluster", "holes.csv", *words, "3", "--selection", "leaf", "--non-finite", "drop", "-o", "clusters.npz")
        self.check(2, "cluster", "universe.hdf5", *words, "30", "--picture", "clusters.png", "-o", "clusters.npz")  # rank 0 alone

    def test_correlation_functions(self):
        self.check(3, "correlate", "universe.hdf5", "--xi", "--log-bins", "0.5,7,6", "--regions", "8", "-o", "xi.csv")
        self.check(2, "correlate", "universe.hdf5", "--wp", "--pi-max", "6", "--linear-bins", "0.5,7,5", "--weights",
                   "--mean-separation", "-o", "wp.csv")
        self.check(2, "correlate", "points.csv", "points.csv", "--multipoles", "--linear-bins", "0.1,2,3", "-o", "s.csv")
        self.check(3, "correlate", "points.csv", "few.csv", "--xi", "--linear-bins", "0.1,2,3", "-o", "r.csv")

    def test_pictures(self):
        """Each rank counts its own particles in the pixels."""
        for words in (["universe.hdf5", "-b", "0.2"], ["types.gadget", "--linking-length", "0.3", "--box", "open"]):
            words = ["fof", *words, "--picture-size", "200", "--picture"]
            self.assertEqual(alone(*words, "one.png").returncode, 0)
            self.assertEqual(together(3, *words, "many.png").returncode, 0)
            self.assertEqual((folder / "many.png").read_bytes(), (folder / "one.png").read_bytes())

    def test_all_lengths(self):
        words = ["fof", "universe.hdf5", "--all-lengths", "0.15,0.2", "-o", "lengths.hdf5", "--picture",
                 "lengths.svg"]
        self.assertEqual(alone(*words).returncode, 0)
        picture = (folder / "lengths.svg").read_bytes()
        one = [(folder / f"lengths_b{b}.hdf5").read_bytes() for b in ("0.15", "0.2")]
        many = together(2, *words)
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual((folder / "lengths.svg").read_bytes(), picture)
        self.assertEqual([(folder / f"lengths_b{b}.hdf5").read_bytes() for b in ("0.15", "0.2")], one)

    def test_redshift_space(self):
        self.check(3, "fof", "universe.hdf5", "-b", "0.2", "--b-parallel", "0.8", "--los", "z", "--overdensities",
                   "--labels", "-o", "halos.hdf5")
        self.check(2, "fof", "holes.csv", "--linking-length", "0.3", "--linking-length-parallel", "0.5", "--los", "x",
                   "--min-size", "1", "--non-finite", "drop", "--center", "density", "-o", "halos.npz")
        self.check(3, "fof", "universe.hdf5", "--box", "open", "--linking-length", "0.7", "--linking-length-parallel",
                   "2.1", "--los", "midpoint", "--min-size", "2", "--labels", "-o", "halos.hdf5")
        self.check(5, "fof", "holes.csv", "--linking-length", "0.25", "--linking-length-parallel", "0.5", "--los",
                   "radial", "--min-size", "1", "--non-finite", "drop", "-o", "halos.npz")

    def test_a_linking_length_for_each_point(self):
        words = ["fof", "lengths.csv", "--linking-length-column", "reach", "--min-size", "2"]
        self.check(3, *words, "--labels", "-o", "halos.hdf5")
        self.check(2, *words, "--linking-length-rule", "least", "--box", "4", "-o", "halos.npz")
        self.check(5, *words, "--linking-length-rule", "largest", "-o", "halos.csv")

    def test_sky(self):
        sky = ["galaxies.csv", "--sky", "ra", "dec"]
        self.check(3, "knn", *sky, "-k", "4", "-o", "near.hdf5")
        self.check(2, "knn", *sky, "-k", "4", "--max-radius", "3", "--exclude-self", "-o", "near.npz")
        self.check(3, "radius", *sky, "--radius", "4", "-o", "lists.hdf5")
        self.check(2, "fof", *sky, "--linking-length", "3", "--min-size", "2", "--labels", "-o", "halos.npz")
        self.check(3, "fof", *sky, "--linking-length-column", "reach", "--min-size", "2", "-o", "halos.hdf5")
        self.check(2, "cluster", *sky, "--method", "dbscan", "--eps", "4", "-o", "clusters.npz")
        self.check(3, "cluster", *sky, "--method", "hdbscan", "--min-cluster-size", "5", "-o", "dense.npz")

    def test_density(self):
        self.check(3, "density", "universe.hdf5", "-k", "12", "-o", "density.hdf5")
        self.check(2, "density", "points.csv", "-k", "5", "--kernel", "wendland_c2", "-o", "density.npz")

    def test_devices(self):
        if not json.loads(alone("info", "--devices", "--json").stdout)["devices"]:
            self.skipTest("no OpenCL device")
        for words in (["fof", "universe.hdf5", "-b", "0.2"], ["knn", "universe.hdf5", "-k", "5"]):
            one, many = alone(*words, "-o", "cpu.hdf5"), together(2, *words, "--device", "gpu", "-o", "gpu.hdf5")
            self.assertEqual((one.returncode, many.returncode), (0, 0), one.stderr + many.stderr)
            self.assertEqual((folder / "cpu.hdf5").read_bytes(), (folder / "gpu.hdf5").read_bytes())
        wrong = together(2, "fof", "universe.hdf5", "-b", "0.2", "--device", "gpu:99", "-o", "gpu.hdf5")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("fof: --device gpu:99; the devices here are gpu:0", wrong.stderr)

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
        self.check(2, 2, "cluster", "points.csv", "--method", "dbscan")
        self.check(2, 2, "correlate", "points.csv", "--xi", "--linear-bins", "0.1,2,3")
        self.check(3, 1, "correlate", "points.csv", "missing.csv", "--xi", "--linear-bins", "0.1,2,3")

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


# A rank that may write only files of this many KiB; a write beyond that fails without ending the process.
LIMITED = """rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
if [ "$rank" = 2 ]; then trap '' XFSZ; ulimit -f 8192; fi
exec "$0" "$@\""""


class Faults(unittest.TestCase):
    """Failures of one rank in the middle of reading and writing."""

    def test_full_disk_on_one_rank(self):
        """16 MiB, of which the last third is written by rank 2."""
        (folder / "large.hdf5").write_text("old")
        words = ["knn", "universe.hdf5", "-k", "512", "-o", "large.hdf5", "--threads", "1"]
        run = subprocess.run([LAUNCH, MPIEXEC, "3", "bash", "-c", LIMITED, KITH, *words], cwd=folder,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"kith: rank 2 of 3: .*large.hdf5.*: cannot be written: File too large")
        self.assertEqual((folder / "large.hdf5").read_text(), "old")
        self.assertEqual(list(folder.glob("*.part")), [])

    def test_full_disk_for_rows_of_groups(self):
        """Every point is a group; the rows of rank 2 end beyond 8 MiB."""
        (folder / "groups.hdf5").write_text("old")
        words = ["fof", "dense.hdf5", "--linking-length", "0.001", "--min-size", "1", "-o", "groups.hdf5", "--threads",
                 "1", "-q"]
        run = subprocess.run([LAUNCH, MPIEXEC, "3", "bash", "-c", LIMITED, KITH, *words], cwd=folder,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"kith: rank 2 of 3: .*groups.hdf5.*: cannot be written: File too large")
        self.assertEqual((folder / "groups.hdf5").read_text(), "old")
        self.assertEqual(list(folder.glob("*.part")), [])

    def test_damaged_rows_of_one_rank(self):
        """The last rows of a compressed file are damaged; only the last rank reads them."""
        numbers = [random.random() for _ in range(90000)]
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (30000, 3), }".ljust(117) + "\n"
        array = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + struct.pack("<90000d", *numbers)
        packer = zlib.compressobj(wbits=-15)
        packed = packer.compress(array) + packer.flush()
        sizes = struct.pack("<III", zlib.crc32(array), len(packed), len(array))
        local = struct.pack("<IHHHHH", 0x04034b50, 20, 0, 8, 0, 0) + sizes + struct.pack("<HH", 12, 0) + b"position.npy"
        damaged = packed[:-50000] + bytes(50000)
        entry = struct.pack("<IHHHHHH", 0x02014b50, 20, 20, 0, 8, 0, 0) + sizes
        entry += struct.pack("<HHHHHII", 12, 0, 0, 0, 0, 0, 0) + b"position.npy"
        end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(entry), len(local) + len(damaged), 0)
        (folder / "damaged.npz").write_bytes(local + damaged + entry + end)
        run = together(3, "knn", "damaged.npz", "-k", "2", "-o", "none.npz")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"kith: rank 2 of 3: damaged.npz")
        self.assertFalse((folder / "none.npz").exists())

    def ranks_of(self):
        """The processes of the program that run here."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "cwd") == str(folder) and os.readlink(process / "exe") == os.path.realpath(KITH):
                    found.append(int(process.name))
            except OSError:
                pass
        return found

    def test_killed_while_writing(self):
        """The old file or the new one, of points and of groups."""
        self.check_killed("knn", "universe.hdf5", "-k", "256", "-o", "killed.hdf5")
        self.check_killed("fof", "dense.hdf5", "--linking-length", "0.001", "--min-size", "1", "-o", "killed.hdf5")

    def check_killed(self, *words):
        one = alone(*words)
        self.assertEqual(one.returncode, 0, one.stderr)
        new, old = (folder / "killed.hdf5").read_bytes(), b"old"
        for _ in range(3):
            (folder / "killed.hdf5").write_bytes(old)
            run = subprocess.Popen([LAUNCH, MPIEXEC, "3", KITH, *words, "--threads", "1"], cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while run.poll() is None and not list(folder.glob("*.part")):
                time.sleep(0.001)
            time.sleep(random.uniform(0, 0.03))
            for process in random.sample(self.ranks_of(), 1) if run.poll() is None else []:
                os.kill(process, signal.SIGKILL)
            code = run.wait(timeout=60)
            found = (folder / "killed.hdf5").read_bytes()
            self.assertTrue(found == new if code == 0 else found in (old, new))
            for part in folder.glob("*.part"):
                part.unlink()


class Verify(unittest.TestCase):
    """The words and the exit code of one process, with the checks shared out."""

    def check(self, ranks, code, snapshot, result):
        one, many = alone("verify", snapshot, result), together(ranks, "verify", snapshot, result)
        self.assertEqual(one.returncode, code, one.stderr)
        self.assertEqual(many.returncode, code, many.stderr)
        self.assertEqual(lines(many.stdout), lines(one.stdout))
        self.assertEqual(sentences(many.stderr), sentences(one.stderr))

    def test_right_results(self):
        for ranks, words in ((3, ["subhalos", "universe.hdf5", "-b", "0.2", "--phase-linking-length", "0.4",
                                  "--overdensities", "--labels"]),
                             (2, ["density", "universe.hdf5", "-k", "8"]),
                             (4, ["radius", "universe.hdf5", "--radius", "3"])):
            self.assertEqual(alone(*words, "-o", "right.hdf5").returncode, 0)
            self.check(ranks, 0, "universe.hdf5", "right.hdf5")

    def test_the_first_of_all_mismatches(self):
        """Rank 1 checks point 20,000 and rank 2 point 24,000."""
        self.assertEqual(alone("knn", "dense.hdf5", "-k", "1", "-o", "self.hdf5").returncode, 0)
        rows = (folder / "self.hdf5").read_bytes()
        for point in (20000, 24000):
            row = rows.index(struct.pack("<3i", point, point + 1, point + 2))
            rows = rows[:row] + struct.pack("<i", 7) + rows[row + 4:]
        (folder / "self.hdf5").write_bytes(rows)
        self.check(3, 1, "dense.hdf5", "self.hdf5")
        self.check(2, 1, "universe.hdf5", "self.hdf5")
        self.check(2, 1, "universe.hdf5", "missing.hdf5")


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
        assert alone("sample", "cosmology", "-n", "16", "--a-end", "0.8", "-o", "early.hdf5").returncode == 0
        assert alone("sample", "cosmology", "-n", "32", "-o", "dense.hdf5").returncode == 0
        rows = [f"{i % 7 * 0.3:.3f},{i % 11 * 0.2:.3f},{i % 5 * 0.4:.3f}" for i in range(300)]
        (folder / "points.csv").write_text("x,y,z\n" + "\n".join(rows) + "\n")
        (folder / "holes.csv").write_text("x,y,z\n" + "\n".join(rows[:-1]) + "\nnan,0,0\n")
        (folder / "few.csv").write_text("x,y,z\n1,2,3\n1,2,3.1\n")
        lengths = [f"{row},{0.1 + i % 13 * 0.03:.2f}" for i, row in enumerate(rows)]
        (folder / "lengths.csv").write_text("x,y,z,reach\n" + "\n".join(lengths) + "\n")
        places = [f"{i * 47.3 % 360:.3f},{i * 29.7 % 178 - 89:.3f},{1 + i % 7}" for i in range(400)]
        (folder / "galaxies.csv").write_text("ra,dec,reach\n" + "\n".join(places) + "\n")
        write_types(folder / "types.gadget")
        unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
