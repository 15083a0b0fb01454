"""yt opens our catalogues as those of Gadget. Usage: yt_test.py PROGRAM"""

import ast
import os
import re
import unittest

import h5py
import numpy as np
import yt

from program import ProgramTest


class Yt(ProgramTest):
    def test_snapshots_by_a_plain_name(self):
        """With the units of the file, not with those that yt takes for granted, also before today."""
        yt.set_log_level(50)
        snapshot = self.path("u.hdf5")
        self.works("sample", "cosmology", "-n", 12, "--side", 20, "--steps", 4, "--a-end", 0.5, "-o", snapshot)
        with h5py.File(snapshot) as file:
            position, ids = file["PartType1/Coordinates"][:], file["PartType1/ParticleIDs"][:]
            velocity = file["PartType1/Velocities"][:] * np.sqrt(0.5)
            mass = file["Header"].attrs["MassTable"][1]
        data = yt.load(snapshot)
        self.assertAlmostEqual(float(data.domain_width[0].in_units("Mpccm/h")), 20, places=5)
        self.assertAlmostEqual(data.current_redshift, 1)
        self.assertAlmostEqual(float(data.current_time.in_units("Gyr")), 5.84, places=1)
        everything = data.all_data()
        rows = np.argsort(everything["PartType1", "ParticleIDs"])
        order = np.argsort(ids)
        read = everything["PartType1", "particle_position"].in_units("Mpccm/h")[rows]
        np.testing.assert_allclose(read, position[order], atol=1e-5)
        read = everything["PartType1", "particle_velocity"].in_units("km/s")[rows]
        np.testing.assert_allclose(read, velocity[order], rtol=1e-5)
        np.testing.assert_allclose(everything["PartType1", "particle_mass"].in_units("Msun/h"), mass * 1e10, rtol=1e-4)

    def halos(self, snapshot, path, *words):
        self.works("sample", "cosmology", "-n", 24, "--side", 40, "--steps", 12, "-o", snapshot)
        return self.works("subhalos", snapshot, "-b", "0.2", "--phase-linking-length", "0.5", "--subhalo-min-size", 5,
                          "--overdensities", "-o", path, *words)

    def test_groups_and_subhalos_by_a_plain_name(self):
        """As they are written, with the units that yt takes for granted: no second name, no unit_base."""
        yt.set_log_level(50)
        snapshot, path = self.path("u.hdf5"), self.path("halos.hdf5")
        text = self.halos(snapshot, path)
        self.assertIn("halos.0.hdf5: a link, the name that yt opens\n", text)
        with h5py.File(path) as f:
            mass, center = f["Group/GroupMass"][:], f["Group/GroupPos"][:]
            sizes = f["Group/GroupLen"][:]
            parents = f["Subhalo/SubhaloGrNr"][:]
            ids = f["IDs/ID"][:]
            self.assertAlmostEqual(f["Parameters"].attrs["UnitMass_in_g"] / 1.989e43, 1, places=3)
        self.assertGreater(len(mass), 2)
        data = yt.load(path)
        self.assertEqual(type(data).__name__, "GadgetFOFDataset")
        self.assertAlmostEqual(float(data.domain_width[0].in_units("Mpccm/h")), 40, places=5)
        everything = data.all_data()
        read = everything["Group", "particle_mass"].in_units("Msun/h")
        np.testing.assert_allclose(np.sort(read), np.sort(mass) * 1e10, rtol=1e-4)
        self.assertAlmostEqual(float(read.max()) / (sizes[0] * 0.31 * 2.7754e11 * (40 / 24)**3), 1, places=3)
        position = everything["Group", "particle_position"].in_units("Mpccm/h")
        np.testing.assert_allclose(np.sort(position[:, 0]), np.sort(center[:, 0]), rtol=1e-5)
        self.assertEqual(len(everything["Subhalo", "particle_mass"]), len(parents))
        largest = data.halo("Group", 0)
        np.testing.assert_array_equal(np.sort(np.asarray(largest["Group", "member_ids"])).astype(np.uint64),
                                      np.sort(ids[:sizes[0]]))

    def test_several_files(self):
        yt.set_log_level(50)
        path = self.path("halos.hdf5")
        self.halos(self.path("u.hdf5"), path, "--files", 3)
        with h5py.File(path) as f:
            mass = f["Group/GroupMass"][:]
        for name in ("halos.hdf5", "halos.0.hdf5"):
            read = yt.load(self.path(name)).all_data()["Group", "particle_mass"].in_units("Msun/h")
            np.testing.assert_allclose(np.sort(read), np.sort(mass) * 1e10, rtol=1e-4)

    def test_links_replace_nothing(self):
        snapshot, path = self.path("u.hdf5"), self.path("halos.hdf5")
        with open(self.path("halos.0.hdf5"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.assertIn("halos.0.hdf5 is another file, which yt would open instead", self.halos(snapshot, path))
        with open(self.path("halos.0.hdf5"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        os.remove(self.path("halos.0.hdf5"))
        for _ in range(2):  # a link that is there already will do
            self.assertEqual(self.told("fof", snapshot, "-o", path)["link"], self.path("halos.0.hdf5"))
        self.assertEqual(os.readlink(self.path("halos.0.hdf5")), "halos.hdf5")
        names = self.files()
        self.works("fof", snapshot, "-o", self.path("halos.b02.hdf5"))  # yt would cut the name at its first dot
        self.works("fof", snapshot, "-o", self.path("swift.hdf5"), "--style", "swift")
        self.assertEqual(sorted([*names, "halos.b02.hdf5", "swift.hdf5"]), self.files())

    def test_other_units_are_named(self):
        """The argument that is printed makes yt right about files in kpc without h."""
        yt.set_log_level(50)
        snapshot, path = self.path("u.hdf5"), self.path("halos.hdf5")
        self.works("sample", "cosmology", "-n", 24, "--side", 40, "--steps", 12, "-o", snapshot)
        text = self.works("fof", snapshot, "-o", path, "--units", "kpc,Msun,km/s", "--linking-length", 0.3)
        units = re.search(r"give yt.load unit_base=({.*})", text)
        data = yt.load(path, unit_base=ast.literal_eval(units[1]))
        with h5py.File(path) as f:
            mass = f["Group/GroupMass"][:]
        self.assertAlmostEqual(float(data.domain_width[0].in_units("kpccm")) / 40, 1, places=4)
        np.testing.assert_allclose(np.sort(data.all_data()["Group", "particle_mass"].in_units("Msun")), np.sort(mass),
                                   rtol=1e-3)


if __name__ == "__main__":
    unittest.main()
