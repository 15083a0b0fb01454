"""`kith trees`, its formats and `kith verify` of trees, on histories that are known. Usage: trees_test.py PROGRAM"""

import os
import shutil
import unittest

import h5py
import numpy as np

from histories_test import write_catalogue, write_snapshot
from program import ProgramTest

LINKS = ("TreeDescendant", "TreeMainProgenitor", "TreeFirstProgenitor", "TreeNextProgenitor")


def halos_of(path):
    """The halos of a file with Gadget-4's layout, as (snapshot, number): links are pairs like these."""
    with h5py.File(path) as f:
        t = {name: column[:] for name, column in f["TreeHalos"].items()}
    names = list(zip(t["SnapNum"].tolist(), t["SubhaloNr"].tolist()))
    start = np.arange(len(names)) - t["TreeIndex"]

    def other(name, k):
        link = t[name][k]
        return None if link < 0 else names[start[k] + link]
    return {names[k]: {name: other(name, k) for name in LINKS} | {"SubhaloLen": int(t["SubhaloLen"][k])}
            for k in range(len(names))}


class Trees(ProgramTest):
    def gadget(self, number, ids, lengths, time=None):
        write_snapshot(self.path(f"snapshot_{number:03d}.hdf5"), ids)
        with h5py.File(self.path(f"snapshot_{number:03d}.hdf5"), "r+") as f:
            f["Header"].attrs["Time"] = time or 0.1 * (number + 1)
            f["Header"].attrs["Redshift"] = 10 / (number + 1) - 1
            for name, value in (("Omega0", 0.3), ("OmegaLambda", 0.7), ("HubbleParam", 0.7)):
                f["Header"].attrs[name] = value
            parameters = f.create_group("Parameters").attrs
            parameters["ComovingIntegrationOn"] = np.int32(1)
            for name, value in (("UnitLength_in_cm", 3.085678e24), ("UnitMass_in_g", 1.989e43),
                                ("UnitVelocity_in_cm_per_s", 1e5), ("Omega0", 0.3), ("OmegaLambda", 0.7),
                                ("HubbleParam", 0.7)):
                parameters[name] = value
        name = self.path(f"fof_subhalo_tab_{number:03d}.hdf5")
        write_catalogue(name, lengths)
        with h5py.File(name, "r+") as f:
            s, n = f["Subhalo"], len(lengths)
            s["SubhaloMass"] = np.asarray(lengths, np.float32) * np.float32(0.5)
            s["SubhaloPos"] = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
            s["SubhaloVel"] = -np.arange(3 * n, dtype=np.float32).reshape(n, 3)
            s["SubhaloGroupNr"] = np.arange(n) // 2
            s["SubhaloIDMostbound"] = np.arange(n, dtype=np.uint32) + 100 * number
        return name

    def history(self):
        """Two halos: the small one passes through the large one, vanishes for a time, and merges at last."""
        large, small = list(range(10)), list(range(10, 15))
        return [self.gadget(0, large + small, [10, 5]), self.gadget(1, large + small, [15]),
                self.gadget(2, small + large, [5, 10]), self.gadget(3, large + small, [10]),
                self.gadget(4, large + small, [10, 5]), self.gadget(5, large + small, [15])]

    def test_a_known_history_is_found(self):
        files = self.history()
        told = self.told("trees", *files, "-o", self.path("t.hdf5"))
        self.assertEqual((told["halos"], told["snapshots"], told["trees"]), (9, 6, 1))
        self.assertEqual((told["descendants"], told["skipping"], told["flybys"]), (8, 2, 1))
        halos = halos_of(self.path("t.hdf5"))
        descendant = {halo: links["TreeDescendant"] for halo, links in halos.items()}
        self.assertEqual(descendant, {(0, 0): (1, 0), (0, 1): (2, 0), (1, 0): (2, 1), (2, 0): (4, 1), (2, 1): (3, 0),
                                      (3, 0): (4, 0), (4, 0): (5, 0), (4, 1): (5, 0), (5, 0): None})
        self.assertEqual(halos[5, 0]["TreeMainProgenitor"], (4, 0))
        shown = self.told("trees", "show", self.path("t.hdf5"), "--root", 0)
        self.assertEqual(shown["snapshot"], [5, 4, 3, 2, 1, 0])
        self.assertEqual(shown["mass"], [7.5, 5, 5, 5, 7.5, 5])
        self.assertEqual((shown["progenitors"], shown["half_mass_redshift"]), (8, 9))
        self.assertAlmostEqual(shown["last_major_merger_redshift"], 10 / 6 - 1)
        part = self.told("trees", "show", self.path("t.hdf5"), "--snapshot", 4, "--halo", 1)
        self.assertEqual((part["snapshot"], part["halo"]), ([4, 2, 0], [1, 0, 1]))
        text = self.works("trees", "show", self.path("t.hdf5"))
        self.assertIn("last merger with a ratio of 1:4 or more: before redshift 0.667", text)
        self.assertIn("correct", self.works("verify", self.path("t.hdf5")))

    def test_orphans_are_where_their_particles_are(self):
        files = self.history()
        told = self.told("trees", *files, "--reach", 1, "--orphans", "-o", self.path("t.hdf5"))
        # The small halo vanishes behind snapshots 0, 2 and 4, in the last one with its old self.
        self.assertEqual((told["halos"], told["orphans"]), (9, 5 + 3 + 1))
        self.assertIn("orphans", self.works("verify", self.path("t.hdf5")))
        with h5py.File(self.path("t.hdf5")) as f:
            t = {name: column[:] for name, column in f["TreeHalos"].items()}
        for snapshot in range(1, 6):
            with h5py.File(self.path(f"snapshot_{snapshot:03d}.hdf5")) as f:
                ids, x = f["PartType1/ParticleIDs"][:], f["PartType1/Coordinates"][:]
            for row in np.flatnonzero((t["SnapNum"] == snapshot) & (t["LinkIsOrphan"] == 1)):
                here = x[ids == t["SubhaloIDMostbound"][row]]
                if len(here):
                    np.testing.assert_array_equal(t["SubhaloPos"][row], here[0])
                else:
                    self.assertTrue(np.isnan(t["SubhaloPos"][row]).all() and t["LinkHost"][row] == -1)
        self.works("trees", *files[:4], "--reach", 1, "--orphans", "-o", self.path("early.hdf5"))
        self.works("trees", *files, "--resume", self.path("early.hdf5"), "-o", self.path("all.hdf5"))
        with open(self.path("all.hdf5"), "rb") as a, open(self.path("t.hdf5"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        plain = self.told("trees", *files, "--reach", 1)
        self.assertEqual([plain[name] for name in ("halos", "descendants", "mutual", "doubtful")],
                         [told[name] for name in ("halos", "descendants", "mutual", "doubtful")])

    def test_wrong_orphans_are_found(self):
        self.works("trees", *self.history(), "--reach", 1, "--orphans", "-o", self.path("t.hdf5"))
        for name, value, words in (("LinkHost", -1, "host of"), ("LinkIsOrphan", 0, "10 halos in the trees, 9 in the catalogues")):
            shutil.copy(self.path("t.hdf5"), self.path("w.hdf5"))
            with h5py.File(self.path("w.hdf5"), "r+") as f:
                t = f["TreeHalos"]
                row = int(np.flatnonzero((t["LinkIsOrphan"][:] == 1) & (t["SnapNum"][:] == 5))[0])
                t[name][row] = value
            self.fails(1, words, "verify", self.path("w.hdf5"))

    def test_orphans_need_an_order_of_binding(self):
        for number in range(2):
            self.works("sample", "cosmology", "-n", 12, "-o", self.path(f"u{number}.hdf5"))
        self.fails(2, "orphans are the most bound", "trees", self.path("u0.hdf5"), self.path("u1.hdf5"), "--orphans",
                     "--min-size", 5)

    def test_nothing_is_skipped_with_a_reach_of_one(self):
        told = self.told("trees", *self.history(), "--reach", 1, "-o", self.path("t.hdf5"))
        self.assertEqual((told["skipping"], told["trees"]), (0, 2))
        self.works("verify", self.path("t.hdf5"))

    def test_more_snapshots_continue_trees_to_the_same_file(self):
        files = self.history()
        self.works("trees", *files, "-o", self.path("whole.hdf5"))
        for count in range(1, 6):
            self.works("trees", *files[:count], "-o", self.path("part.hdf5"))
            more = files if count % 2 else files[count:]
            self.works("trees", *more, "--resume", self.path("part.hdf5"), "-o", self.path("part.hdf5"))
            with open(self.path("whole.hdf5"), "rb") as whole, open(self.path("part.hdf5"), "rb") as part:
                self.assertEqual(whole.read(), part.read(), count)

    def test_threads_and_the_order_of_particles_do_not_matter(self):
        files = self.history()
        self.works("trees", *files, "-o", self.path("a.hdf5"), "--threads", 1)
        self.works("trees", *files, "-o", self.path("b.hdf5"), "--threads", 4)
        with open(self.path("a.hdf5"), "rb") as a, open(self.path("b.hdf5"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_formats_are_translated_into_each_other(self):
        self.works("trees", *self.history(), "-o", self.path("t.hdf5"))
        expected = halos_of(self.path("t.hdf5"))
        for via, name in (("sublink", "sublink"), ("lhalotree", "lhalo.0"), ("consistent-trees", "tree_0_0_0.dat"),
                          ("gadget4", "g.hdf5")):
            self.works("trees", "convert", self.path("t.hdf5"), "--format", via, "-o", self.path(name))
            self.works("verify", self.path(name))
            self.works("trees", "convert", self.path(name), "-o", self.path("back.hdf5"))
            found = halos_of(self.path("back.hdf5"))
            for halo in expected:
                if via == "consistent-trees":  # has no place for it
                    found[halo]["SubhaloLen"] = expected[halo]["SubhaloLen"]
            self.assertEqual(found, expected, via)
            with h5py.File(self.path("t.hdf5")) as a, h5py.File(self.path("back.hdf5")) as b:
                np.testing.assert_allclose(b["TreeTimes/Redshift"], a["TreeTimes/Redshift"], rtol=1e-6)
                self.assertEqual(b["Parameters"].attrs["BoxSize"], 1)
                for name in ("SubhaloPos", "SubhaloVel"):
                    np.testing.assert_allclose(b["TreeHalos"][name], a["TreeHalos"][name], rtol=1e-6)
                if via != "lhalotree":  # has masses within radii alone
                    scale = 1e10 if via == "consistent-trees" else 1
                    np.testing.assert_allclose(b["TreeHalos/SubhaloMass"][:], a["TreeHalos/SubhaloMass"][:] * scale)

    def test_a_table_has_a_row_for_each_halo(self):
        self.works("trees", *self.history(), "-o", self.path("t.hdf5"))
        self.works("trees", "convert", self.path("t.hdf5"), "--format", "csv", "-o", self.path("t.csv"))
        with open(self.path("t.csv")) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0][:31], "#uid,desc_uid,mass,redshift,sna")
        self.assertEqual(len(lines), 3 + 9)
        self.assertEqual(lines[3].split(",")[:2], ["0", "-1"])

    def test_sublink_files_are_where_illustris_python_looks(self):
        self.works("trees", *self.history(), "-o", self.path("t.hdf5"))
        self.works("trees", "convert", self.path("t.hdf5"), "--format", "sublink", "-o", self.path("s"))
        with h5py.File(self.path("s/postprocessing/offsets/offsets_004.hdf5")) as f:
            rows = f["Subhalo/SubLink/RowNum"][:]
        with h5py.File(self.path("s/postprocessing/trees/SubLink/tree_extended.0.hdf5")) as f:
            np.testing.assert_array_equal(f["SnapNum"][:][rows], 4)
            np.testing.assert_array_equal(f["SubfindID"][:][rows], [0, 1])
            branch = slice(rows[1], f["MainLeafProgenitorID"][rows[1]] + 1)
            np.testing.assert_array_equal(f["SnapNum"][branch], [4, 2, 0])
            np.testing.assert_array_equal(f["MassHistory"][branch], [7.5, 5, 2.5])

    def test_wrong_links_are_found(self):
        self.works("trees", *self.history(), "-o", self.path("t.hdf5"))
        for name, row, value, words in (
                ("TreeDescendant", 2, 0, "the descendant of"), ("LinkScore", 1, 9, "the score of"),
                ("LinkIsFlyby", 1, 1, "a flyby"), ("LinkIsMutual", 1, 0, "mutual"), ("LinkSecondScore", 1, 9, "score"),
                ("TreeMainProgenitor", 0, 6, "main progenitor"), ("SubhaloNr", 0, 7, "")):
            shutil.copy(self.path("t.hdf5"), self.path("w.hdf5"))
            with h5py.File(self.path("w.hdf5"), "r+") as f:
                self.assertNotEqual(f["TreeHalos"][name][row], value, name)
                f["TreeHalos"][name][row] = value
            self.fails(1, words, "verify", self.path("w.hdf5"))

    def test_damaged_trees_are_refused(self):
        self.works("trees", *self.history(), "-o", self.path("t.hdf5"))
        for name, row, value, words in (("TreeDescendant", 3, 99, "a link to row"), ("SnapNum", 2, 77, "of 6 snapshots"),
                                        ("TreeDescendant", 0, 1, "is not in a later snapshot"),
                                        ("SnapNum", 1, 5, "is there twice")):
            shutil.copy(self.path("t.hdf5"), self.path("w.hdf5"))
            with h5py.File(self.path("w.hdf5"), "r+") as f:
                f["TreeHalos"][name][row] = value
            self.fails(1, words, "trees", "show", self.path("w.hdf5"))
        np.save(self.path("x.npy"), np.zeros((5, 3), np.float32))
        self.fails(1, "has no merger trees", "trees", "show", self.path("x.npy"))
        with open(self.path("c.dat"), "w") as file:
            file.write("#scale(0) id(1) desc_scale(2) desc_id(3) mmp?(4) Mvir(5) x(6) y(7) z(8)\n1\n1 0 0 5 0 1 1 1 1\n")
        self.fails(1, "has descendant 5, which is not there", "trees", "show", self.path("c.dat"))

    def test_requests_that_make_no_sense_are_explained(self):
        files = self.history()
        self.fails(2, "give the catalogues of all snapshots", "trees")
        self.fails(2, "is before that of", "trees", *files[::-1])
        self.fails(2, "--reach 0; links reach at least 1", "trees", *files, "--reach", 0)
        self.fails(2, "trees are written to .hdf5", "trees", *files, "-o", self.path("t.csv"))
        self.works("trees", *files, "-o", self.path("t.hdf5"))
        self.fails(2, "has 1 tree, numbered from 0", "trees", "show", self.path("t.hdf5"), "--root", 1)
        self.fails(2, "has no halo 7 in snapshot 2", "trees", "show", self.path("t.hdf5"), "--snapshot", 2, "--halo", 7)
        os.rename(self.path("snapshot_005.hdf5"), self.path("elsewhere.hdf5"))
        self.fails(1, "is not beside it", "verify", self.path("t.hdf5"))

    def test_groups_are_found_where_there_is_no_catalogue(self):
        files = []
        for number, end in enumerate((0.6, 0.8, 1)):
            files.append(self.path(f"s{number}.hdf5"))
            self.works("sample", "cosmology", "-n", 16, "--side", 16, "--steps", 10, "--a-end", end, "-o", files[-1])
        told = self.told("trees", *files, "-o", self.path("t.hdf5"))
        self.assertGreater(told["mutual"], 5)
        self.works("verify", self.path("t.hdf5"))
        told = self.told("trees", *files, "--subhalos", "-o", self.path("b.hdf5"))
        self.assertGreater(told["mutual"], 5)
        with h5py.File(self.path("b.hdf5")) as f:
            self.assertEqual(f["KithTrees"].attrs["weight"], b"sqrt_rank")
            self.assertIn("SubhaloIDMostbound", f["TreeHalos"])
        self.works("verify", self.path("b.hdf5"))
        self.works("match", files[1], files[2], "--subhalos", "-o", self.path("m.hdf5"))
        self.works("verify", files[1], self.path("m.hdf5"))
        for style in ("hdf5", "npz"):
            self.check_catalogues_of_subhalos(files, style)

    def check_catalogues_of_subhalos(self, files, style):
        """Subhalos that kith wrote are followed as those that it finds on the way."""
        catalogues = [self.path(f"sub{k}.{style}") for k in range(len(files))]
        for file, catalogue in zip(files, catalogues):
            self.works("subhalos", file, "--method", "subfind", "-o", catalogue)
        self.works("trees", *catalogues, "-o", self.path("c.hdf5"))
        self.assertEqual(halos_of(self.path("c.hdf5")), halos_of(self.path("b.hdf5")))
        self.works("verify", self.path("c.hdf5"))
        self.assertIn("in order of binding", self.works("match", *catalogues[1:]))
        if style == "npz":
            return
        with h5py.File(catalogues[1], "r+") as f:
            f["Subhalo/SubhaloLen"][0] = f["Group/GroupLen"][0] + 1
        self.fails(1, "more members than the group", "match", *catalogues[1:])


if __name__ == "__main__":
    unittest.main()
