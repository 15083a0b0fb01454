"""`kith match` on its own catalogues and on Gadget-4's. Usage: histories_test.py PROGRAM"""

import os
import shutil
import unittest

import h5py
import numpy as np

from program import ProgramTest


def write_snapshot(path, ids, box=1.0):
    """A snapshot as Gadget-4 lays it out, whose positions do not matter."""
    with h5py.File(path, "w") as f:
        counts = np.array([0, len(ids)], np.uint64)
        h = f.create_group("Header").attrs
        h["NumPart_ThisFile"], h["NumPart_Total"], h["MassTable"] = counts, counts, np.array([0, 1.0])
        h["Time"], h["Redshift"], h["BoxSize"], h["NumFilesPerSnapshot"] = 1.0, 0.0, box, np.int32(1)
        g = f.create_group("PartType1")
        random = np.random.default_rng(1)
        g["Coordinates"] = random.random((len(ids), 3))
        g["Velocities"] = np.zeros((len(ids), 3), np.float32)
        g["ParticleIDs"] = np.asarray(ids, np.uint32)


def write_catalogue(path, lengths, offsets=None):
    """Subhalos that follow each other in the snapshot."""
    lengths = np.asarray(lengths, np.int32)
    with h5py.File(path, "w") as f:
        h = f.create_group("Header").attrs
        h["Nsubhalos_Total"] = h["Nsubhalos_ThisFile"] = np.uint64(len(lengths))
        h["Ngroups_Total"], h["NumFiles"] = np.uint64(1), np.int32(1)
        f.create_group("Group")
        s = f.create_group("Subhalo")
        if not len(lengths):
            return
        if offsets is None:
            offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        s["SubhaloLen"] = lengths
        s["SubhaloLenType"] = np.stack([0 * lengths, lengths], 1)
        s["SubhaloOffsetType"] = np.stack([0 * offsets, offsets], 1).astype(np.int64)


class Histories(ProgramTest):
    def gadget(self, number, ids, lengths, **more):
        write_snapshot(self.path(f"snapshot_{number:03d}.hdf5"), ids)
        name = self.path(f"fof_subhalo_tab_{number:03d}.hdf5")
        write_catalogue(name, lengths, **more)
        return name

    def test_subhalos_of_gadget_are_matched_in_order_of_binding(self):
        a = self.gadget(0, [10, 11, 12, 13, 14, 15, 99], [4, 2])
        b = self.gadget(1, [14, 15, 13, 12, 11, 10], [3, 3])
        told = self.told("match", a, b, "-o", self.path("m.npz"))
        self.assertEqual((told["halos"], told["matched"], told["mutual"], told["doubtful"]), (2, 2, 2, 0))
        m = np.load(self.path("m.npz"))
        np.testing.assert_array_equal(m["best"], [1, 0])
        np.testing.assert_array_equal(m["second"], [0, -1])
        np.testing.assert_array_equal(m["shared"], [3, 2])
        w = 1 / (1 + np.sqrt(np.arange(4)))
        np.testing.assert_array_equal(m["score"], [(w[0] + w[1]) + w[2], w[0] + w[1]])
        np.testing.assert_array_equal(m["margin"], [1 - w[3] / m["score"][0], 1])
        self.assertIn("the result is correct", self.works("verify", a, self.path("m.npz")))
        self.works("match", self.path("snapshot_000.hdf5"), b, "--most-bound", 1, "-o", self.path("n.csv"))
        with open(self.path("n.csv")) as file:
            self.assertIn("weight = sqrt_rank", file.read())

    def test_catalogues_of_illustris_tng_have_no_offsets(self):
        """Files in folders; subhalos follow each other from the first particle of their group on."""
        folder = self.path("run")
        for name in ("snapdir_007", "groups_007"):
            os.makedirs(os.path.join(folder, name))
        ids = [1, 2, 3, 4, 5, 6, 90, 91, 92, 7, 8, 9, 93]
        write_snapshot(os.path.join(folder, "snapdir_007/snap_007.0.hdf5"), ids)
        group_lengths, lengths, groups = [9, 4], [4, 2, 3], [0, 0, 1]
        for part, (some_groups, some) in enumerate(((slice(0, 1), slice(0, 2)), (slice(1, 2), slice(2, 3)))):
            with h5py.File(os.path.join(folder, f"groups_007/fof_subhalo_tab_007.{part}.hdf5"), "w") as f:
                h = f.create_group("Header").attrs
                h["Nsubgroups_Total"], h["Ngroups_Total"], h["NumFiles"] = np.uint64(3), np.uint64(2), np.int32(2)
                n = np.array(group_lengths[some_groups], np.int32)
                f["Group/GroupLenType"] = np.stack([0 * n, n], 1)
                n = np.array(lengths[some], np.int32)
                f["Subhalo/SubhaloLen"], f["Subhalo/SubhaloLenType"] = n, np.stack([0 * n, n], 1)
                f["Subhalo/SubhaloGrNr"] = np.array(groups[some], np.int32)
        for path in ("groups_007/fof_subhalo_tab_007.0.hdf5", "snapdir_007/snap_007.0.hdf5"):
            other = self.gadget(1, [1, 2, 3, 4, 5, 7, 8, 9], [4, 1, 3])
            told = self.told("match", os.path.join(folder, path), other, "-o", self.path("m.npz"))
            self.assertEqual(told["halos"], 3)
            m = np.load(self.path("m.npz"))
            np.testing.assert_array_equal(m["best"], [0, 1, 2])
            np.testing.assert_array_equal(m["shared"], [4, 1, 3])

    def test_bound_subhalos_are_those_of_the_other_command(self):
        """Their velocities are peculiar ones, which Gadget-4 does not store at earlier times."""
        early = self.path("early.hdf5")
        self.works("sample", "cosmology", "-n", 24, "--a-end", 0.4, "-o", early)
        words = ("-b", 0.2, "--min-size", 10)
        expected = self.told("subhalos", early, *words, "--subhalo-min-size", 10)["subhalos"]
        self.assertGreater(expected, 5)
        self.assertEqual(self.told("match", early, early, "--subhalos", *words)["halos"], expected)

    def test_a_wrong_match_is_found(self):
        a = self.gadget(0, range(8), [4, 4])
        self.works("match", a, a, "-o", self.path("m.hdf5"))
        self.assertIn("matches of 2 halos", self.works("verify", a, self.path("m.hdf5")))
        for name, value in (("best", 0), ("score", 7.0), ("reverse_best", 0), ("margin", 0.5), ("shared", 3)):
            shutil.copy(self.path("m.hdf5"), self.path("w.hdf5"))
            with h5py.File(self.path("w.hdf5"), "r+") as f:
                f[name][1] = value
            self.fails(1, "the match of halo 1", "verify", a, self.path("w.hdf5"))

    def test_groups_of_kith_are_matched_by_number(self):
        for name, end in (("e.hdf5", 0.8), ("l.hdf5", 1)):
            self.works("sample", "cosmology", "-n", 16, "--side", 16, "--steps", 10, "--a-end", end, "-o", self.path(name))
        self.works("fof", self.path("l.hdf5"), "-o", self.path("h.hdf5"))
        told = self.told("match", self.path("e.hdf5"), self.path("h.hdf5"), "-o", self.path("m.hdf5"))
        self.assertGreater(told["matched"], 3)
        with h5py.File(self.path("m.hdf5")) as f:
            np.testing.assert_array_equal(f["score"], f["shared"])
        self.assertIn("correct", self.works("verify", self.path("e.hdf5"), self.path("m.hdf5")))

    def test_catalogues_that_cannot_be_matched_are_explained(self):
        a = self.gadget(0, range(8), [4, 4])
        self.fails(1, "subhalo 1 has 9 particles from 4 on", "match", a, self.gadget(1, range(8), [4, 9]))
        wrong = self.gadget(2, range(8), [4, 4], offsets=np.array([0, -3]))
        self.fails(1, "subhalo 1 has 4 particles from -3 on", "match", a, wrong)
        overlapping = self.gadget(3, range(8), [8] * 6, offsets=np.zeros(6, int))
        self.fails(1, "subhalos overlap", "match", a, overlapping)
        os.remove(self.path("snapshot_001.hdf5"))
        self.fails(1, "its snapshot, which has the IDs of the members, is not beside it", "match", a,
                   self.path("fof_subhalo_tab_001.hdf5"))
        np.save(self.path("x.npy"), np.zeros((5, 3), np.float32))
        self.fails(2, "have no IDs", "match", a, self.path("x.npy"))
        empty = self.gadget(4, range(8), [])
        self.assertEqual(self.told("match", a, empty)["matched"], 0)


if __name__ == "__main__":
    unittest.main()
