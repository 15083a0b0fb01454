"""The readers of other projects open what kith writes and find the same particles and numbers. Each is an optional package;
a test whose package is missing is skipped. Usage: readers_test.py PROGRAM"""

import importlib
import os
import unittest
import warnings

import h5py
import numpy as np

from program import ProgramTest
from verify_test import write_snapshot

warnings.filterwarnings("ignore")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needs(name):
    return unittest.skipUnless(optional(name), f"{name} is not installed")


class Readers(ProgramTest):
    def setUp(self):
        super().setUp()
        self.snapshot = self.path("snapshot.hdf5")
        write_snapshot(self.snapshot)

    def groups(self, catalogue, sorted_snapshot, *words):
        """Members of each group and type by their ids, from the labels."""
        for path in (catalogue, sorted_snapshot):
            os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        self.works("fof", self.snapshot, "--linking-length", 12, "--overdensities", "--labels", "-o",
                   self.path(catalogue), "--sorted-snapshot", self.path(sorted_snapshot), *words)
        members = {}
        with h5py.File(self.snapshot) as s, h5py.File(self.path(catalogue)) as c:
            for kind in (0, 1):
                label, ids = c[f"Labels/PartType{kind}"][:], s[f"PartType{kind}/ParticleIDs"][:]
                for group in range(label.max() + 1):
                    members[group, kind] = np.sort(ids[label == group])
        return members

    def test_sorted_snapshots_have_everything(self):
        self.groups("c/h.hdf5", "s/s.hdf5")
        with h5py.File(self.snapshot) as old, h5py.File(self.path("s/s.hdf5")) as new, \
                h5py.File(self.path("c/h.hdf5")) as c:
            self.assertEqual(set(old), set(new))
            for kind in (0, 1):
                order = c[f"Order/PartType{kind}"][:]
                self.assertEqual(set(old[f"PartType{kind}"]), set(new[f"PartType{kind}"]))
                for name, values in old[f"PartType{kind}"].items():
                    found = new[f"PartType{kind}/{name}"]
                    self.assertEqual(found.dtype, values.dtype)
                    np.testing.assert_array_equal(found[:], values[:][order])
            for name in ("Header", "Parameters"):
                for key, value in old[name].attrs.items():
                    np.testing.assert_array_equal(new[name].attrs[key], value)
        self.assertIn("the result is correct", self.works("verify", self.snapshot, self.path("c/h.hdf5")))
        # Group after group: the same search finds the same groups.
        first = self.told("fof", self.snapshot, "--linking-length", 12)["largest"]
        for a, b in zip(first, self.told("fof", self.path("s/s.hdf5"), "--linking-length", 12)["largest"]):
            self.assertEqual((a["size"], a["linked_size"]), (b["size"], b["linked_size"]))
            np.testing.assert_allclose(a["center"], b["center"])

    def test_without_it_no_name_misleads(self):
        self.works("fof", self.snapshot, "--linking-length", 12, "-o", self.path("h.hdf5"))
        with h5py.File(self.path("h.hdf5")) as c:
            for name in ("Group/GroupOffsetType", "Group/GroupLenType", "Offsets"):
                self.assertNotIn(name, c)
            for name in ("Group/GroupOffsetByType", "Group/GroupLenByType"):
                self.assertIn(name, c)

    def test_of_files_without_types(self):
        x = np.random.default_rng(1).random((300, 3)).astype(np.float32)
        told = self.told("fof", self.save("x.npy", x), "--linking-length", 0.08, "--box", 1, "--min-size", 2, "-o",
                         self.path("h.hdf5"), "--sorted-snapshot", self.path("s.hdf5"))
        self.assertEqual(told["sorted_snapshot"], self.path("s.hdf5"))
        with h5py.File(self.path("s.hdf5")) as s, h5py.File(self.path("h.hdf5")) as c:
            np.testing.assert_array_equal(s["PartType1/Coordinates"][:], x[c["Order/PartType0"][:]])

    def test_refused(self):
        self.fails(2, "use .hdf5", "fof", self.snapshot, "--linking-length", 12, "--sorted-snapshot",
                   self.path("s.npz"))
        self.fails(2, "leave out --all-lengths", "fof", self.snapshot, "--link-types", 1, "--all-lengths", "0.1,0.2",
                   "--sorted-snapshot", self.path("s.hdf5"))

    @needs("illustris_python")
    def test_illustris_python(self):
        members = self.groups("groups_004/groups_004.0.hdf5", "snapdir_004/snap_004.0.hdf5")
        il = optional("illustris_python")
        mass = il.groupcat.loadHalos(self.folder.name, 4, fields=["GroupMass"])
        self.assertEqual(len(mass), max(group for group, _ in members) + 1)
        for (group, kind), ids in members.items():
            found = il.snapshot.loadHalo(self.folder.name, 4, group, kind, fields=["ParticleIDs", "Coordinates"])
            self.assertEqual(found["count"], len(ids))
            if len(ids):
                np.testing.assert_array_equal(np.sort(found["ParticleIDs"]), ids)

    @needs("illustris_python")
    def test_illustris_python_with_the_names_of_tng(self):
        """They need a file of offsets, which other names do not; one or several files of a catalogue."""
        il = optional("illustris_python")
        for base, name, *words in (("one/output", "fof_subhalo_tab_099.0.hdf5"),
                                   ("two/output", "fof_subhalo_tab_099.hdf5"),
                                   ("many/output", "fof_subhalo_tab_099.hdf5", "--files", 3)):
            members = self.groups(f"{base}/groups_099/{name}", f"{base}/snapdir_099/snapshot_099.0.hdf5", *words)
            offsets = self.path(f"{base}/../postprocessing/offsets/offsets_099.hdf5")
            self.assertTrue(os.path.exists(offsets))
            for (group, kind), ids in members.items():
                found = il.snapshot.loadHalo(self.path(base), 99, group, kind, fields=["ParticleIDs", "Coordinates"])
                self.assertEqual(found["count"], len(ids))
                if len(ids):
                    np.testing.assert_array_equal(np.sort(found["ParticleIDs"]), ids)
            last = max(group for group, _ in members)
            self.assertEqual(il.groupcat.loadSingle(self.path(base), 99, haloID=last)["GroupLen"],
                             len(members[last, 0]) + len(members[last, 1]))

    def test_offsets_of_others_stay(self):
        os.makedirs(self.path("postprocessing/offsets"))
        with h5py.File(self.path("postprocessing/offsets/offsets_099.hdf5"), "w") as file:
            file["mine"] = 1
        for path in ("output/groups_099", "output/snapdir_099"):
            os.makedirs(self.path(path))
        told = self.told("fof", self.snapshot, "--linking-length", 12, "-o",
                         self.path("output/groups_099/fof_subhalo_tab_099.0.hdf5"), "--sorted-snapshot",
                         self.path("output/snapdir_099/snap_099.0.hdf5"))
        self.assertIn("is not a file of kith", told["notes"][0])
        with h5py.File(self.path("postprocessing/offsets/offsets_099.hdf5")) as file:
            self.assertEqual(list(file), ["mine"])

    @needs("pynbody")
    def test_pynbody_halos(self):
        members = self.groups("p/fof_subhalo_tab_004.hdf5", "p/snapshot_004.hdf5")
        data = optional("pynbody").load(self.path("p/snapshot_004.hdf5"))
        halos = data.halos()
        self.assertEqual(type(halos).__name__, "Gadget4SubfindHDFCatalogue")
        self.assertEqual(len(halos), max(group for group, _ in members) + 1)
        for (group, kind), ids in members.items():
            found = halos[group].gas if kind == 0 else halos[group].dm
            np.testing.assert_array_equal(np.sort(np.asarray(found["iord"])), ids)


class SubhaloReaders(ProgramTest):
    """Members of bound subhalos, which follow each other in the sorted snapshot."""

    def setUp(self):
        super().setUp()
        universe = self.path("universe.hdf5")
        for folder in ("run/groups_000", "run/snapdir_000"):
            os.makedirs(self.path(folder))
        catalogue = self.path("run/groups_000/fof_subhalo_tab_000.0.hdf5")
        self.works("sample", "cosmology", "-n", 20, "--side", 16, "--steps", 16, "-o", universe)
        self.works("subhalos", universe, "-b", 0.2, "--method", "phase", "--labels", "-o", catalogue,
                   "--sorted-snapshot", self.path("run/snapdir_000/snap_000.0.hdf5"))
        with h5py.File(universe) as u, h5py.File(catalogue) as c:
            label, ids = c["SubhaloLabels/PartType1"][:], u["PartType1/ParticleIDs"][:]
            self.members = [np.sort(ids[label == s]) for s in range(label.max() + 1)]
            self.mass = c["Subhalo/SubhaloMass"][:]
            self.first, self.most_bound = c["Group/GroupFirstSub"][:], c["Subhalo/SubhaloIDMostbound"][:]
        self.assertGreater(len(self.members), 3)

    @needs("illustris_python")
    def test_illustris_python(self):
        il, base = optional("illustris_python"), self.path("run")
        table = il.groupcat.loadSubhalos(base, 0, fields=["SubhaloMass", "SubhaloIDMostbound"])
        np.testing.assert_allclose(table["SubhaloMass"], self.mass, rtol=1e-6)
        for s, ids in enumerate(self.members):
            found = il.snapshot.loadSubhalo(base, 0, s, "dm", fields=["ParticleIDs", "Coordinates"])["ParticleIDs"]
            self.assertEqual(found[0], self.most_bound[s])
            np.testing.assert_array_equal(np.sort(found), ids)
        self.assertEqual(il.groupcat.loadHalos(base, 0, fields=["GroupFirstSub"])[0], self.first[0])

    @needs("pynbody")
    def test_pynbody(self):
        os.makedirs(self.path("p"))
        os.link(self.path("run/groups_000/fof_subhalo_tab_000.0.hdf5"), self.path("p/fof_subhalo_tab_000.hdf5"))
        os.link(self.path("run/snapdir_000/snap_000.0.hdf5"), self.path("p/snapshot_000.hdf5"))
        halos = optional("pynbody").load(self.path("p/snapshot_000.hdf5")).halos(subhalos=True)
        self.assertEqual(len(halos), len(self.members))
        for s, ids in enumerate(self.members):
            np.testing.assert_array_equal(np.sort(np.asarray(halos[s]["iord"])), ids)


class SwiftReaders(ProgramTest):
    """A sample universe in SWIFT's layout: 16 Mpc/h, masses in 1e10 Msun/h."""

    def setUp(self):
        super().setUp()
        self.snapshot = self.path("swift.hdf5")
        self.works("sample", "cosmology", "-n", 12, "--side", 16, "--steps", 4, "--swift", "-o", self.snapshot)
        with h5py.File(self.snapshot) as file:
            self.position = file["PartType1/Coordinates"][:]
            self.mass = file["PartType1/Masses"][0] * 1e10

    @needs("swiftsimio")
    def test_swiftsimio(self):
        swiftsimio = optional("swiftsimio")
        data = swiftsimio.load(self.snapshot)
        np.testing.assert_allclose(data.metadata.boxsize.to_value("Mpc"), 16 / 0.68, rtol=1e-4)
        np.testing.assert_allclose(data.dark_matter.coordinates.to_value("Mpc"), self.position / 0.68, rtol=1e-4)
        np.testing.assert_allclose(data.dark_matter.masses[0].to_value("Msun"), self.mass / 0.68, rtol=1e-3)
        np.testing.assert_allclose(data.metadata.cosmology.H0.to_value("km/s/Mpc"), 68, rtol=1e-3)
        catalogue = self.path("fof.hdf5")
        self.works("fof", self.snapshot, "-b", 0.5, "--min-size", 5, "--style", "swift", "-o", catalogue)
        groups = swiftsimio.load(catalogue)
        with h5py.File(catalogue) as file:
            np.testing.assert_allclose(groups.fof_groups.masses.to_value("Msun"), file["Groups/Masses"][:] * 1e10 / 0.68,
                                       rtol=1e-3)
            np.testing.assert_allclose(groups.fof_groups.centres.to_value("Mpc"), file["Groups/Centres"][:] / 0.68,
                                       rtol=1e-4)

    @needs("pynbody")
    def test_pynbody(self):
        data = optional("pynbody").load(self.snapshot)
        self.assertEqual(type(data).__name__, "SwiftSnap")
        np.testing.assert_allclose(data.dm["pos"].in_units("Mpc a"), self.position / 0.68, rtol=1e-3)
        np.testing.assert_allclose(data.dm["mass"].in_units("Msol")[0], self.mass / 0.68, rtol=1e-3)


if __name__ == "__main__":
    unittest.main()
