"""yt opens our catalogues as those of Gadget. Usage: yt_test.py PROGRAM"""

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
        np.testing.assert_allclose(everything["PartType1", "particle_mass"].in_units("Msun/h"), mass, rtol=1e-4)

    def test_groups_and_subhalos(self):
        yt.set_log_level(50)
        snapshot, path = self.path("u.hdf5"), self.path("fof_tab_000.0.hdf5")
        self.works("sample", "cosmology", "-n", 24, "--side", 40, "--steps", 12, "-o", snapshot)
        self.works("subhalos", snapshot, "-b", "0.2", "--phase-linking-length", "0.5", "--subhalo-min-size", 5,
                   "--overdensities", "-o", path)
        with h5py.File(path) as f:
            mass, center = f["Group/GroupMass"][:], f["Group/GroupPos"][:]
            sizes = f["Group/GroupLen"][:]
            parents = f["Subhalo/SubhaloGrNr"][:]
            ids = f["IDs/ID"][:]
            units = {name: f["Parameters"].attrs[name]
                     for name in ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")}
        self.assertGreater(len(mass), 2)
        data = yt.load(path, unit_base=units)
        self.assertEqual(type(data).__name__, "GadgetFOFDataset")
        self.assertAlmostEqual(float(data.domain_width[0].in_units("Mpccm/h")), 40, places=5)
        everything = data.all_data()
        read = everything["Group", "particle_mass"].in_units("Msun/h")
        np.testing.assert_allclose(np.sort(read), np.sort(mass), rtol=1e-4)
        position = everything["Group", "particle_position"].in_units("code_length")
        np.testing.assert_allclose(np.sort(position[:, 0]), np.sort(center[:, 0]), rtol=1e-6)
        self.assertEqual(len(everything["Subhalo", "particle_mass"]), len(parents))
        largest = data.halo("Group", 0)
        np.testing.assert_array_equal(np.sort(np.asarray(largest["Group", "member_ids"])).astype(np.uint64),
                                      np.sort(ids[:sizes[0]]))


if __name__ == "__main__":
    unittest.main()
