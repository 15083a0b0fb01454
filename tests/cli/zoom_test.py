"""`kith fof` where the linked particles do not fill the box, and where there are other particles, too.
Usage: zoom_test.py PROGRAM"""

import re
import unittest

import h5py
import numpy as np

from program import ProgramTest, run

G, MPC = 6.6743e-8, 3.0856775814913673e24
OMEGA_M, OMEGA_B, SIDE = 0.3, 0.05, 100.0  # Mpc/h


def density(omega):
    """1e10 Msun/h per (Mpc/h)^3 with the units below."""
    hubble = 1e7 / MPC
    return omega * 3 * hubble**2 / (8 * np.pi * G) * MPC**3 / 1.989e43


def write_zoom(path, fine, coarse=0, gas=0, fraction=0.1):
    """Fine particles in a cube of this fraction of the side, as dense as the mean of the universe."""
    random = np.random.default_rng(1)
    omega = OMEGA_M - (OMEGA_B if gas else 0)
    mass = density(omega) * (fraction * SIDE) ** 3 / fine
    counts = np.array([gas, fine, coarse, 0, 0, 0], np.uint64)
    with h5py.File(path, "w") as file:
        header, parameters = file.create_group("Header"), file.create_group("Parameters")
        header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = counts
        header.attrs["MassTable"] = np.array([mass / 5, mass, 100 * mass, 0, 0, 0])
        header.attrs["Time"], header.attrs["Redshift"], header.attrs["BoxSize"] = 0.5, 1.0, SIDE
        header.attrs["NumFilesPerSnapshot"] = np.int32(1)
        for name, value in (("Omega0", OMEGA_M), ("OmegaLambda", 0.7), ("OmegaBaryon", OMEGA_B), ("HubbleParam", 0.7),
                            ("UnitLength_in_cm", MPC), ("UnitMass_in_g", 1.989e43), ("UnitVelocity_in_cm_per_s", 1e5)):
            parameters.attrs[name] = value
        for kind, n in enumerate(counts[:3]):
            if n:
                x = random.random((int(n), 3)) * SIDE * (1 if kind == 2 else fraction)
                file[f"PartType{kind}/Coordinates"] = x.astype(np.float32)


class Zoom(ProgramTest):
    def linking_length(self, *words):
        return self.told("fof", self.path("s.hdf5"), "-b", 0.2, "--min-size", 2, *words)["linking_length"]

    def test_the_mean_separation_follows_from_the_mass(self):
        write_zoom(self.path("s.hdf5"), 1000, coarse=500)
        self.assertAlmostEqual(self.linking_length(), 0.2 * 0.1 * SIDE / 10, places=5)
        self.assertIn("they do not fill the box", self.works("fof", self.path("s.hdf5"), "--min-size", 1))
        self.assertAlmostEqual(self.linking_length("--mean-separation", 3), 0.6, places=6)
        self.assertAlmostEqual(self.linking_length("--volume", SIDE**3), 0.2 * SIDE / 10, places=4)

    def test_without_omega_b_and_in_an_open_box(self):
        write_zoom(self.path("s.hdf5"), 1000, gas=1000)
        with h5py.File(self.path("s.hdf5"), "r+") as file:
            del file["Parameters"].attrs["OmegaBaryon"]
        guess = ((OMEGA_M - OMEGA_B) / (OMEGA_M * (1 - 0.157))) ** (1 / 3)
        self.assertAlmostEqual(self.linking_length(), 0.2 * 0.1 * SIDE / 10 * guess, places=5)
        self.assertIn("with Omega_b = 0.157 Omega_m", self.works("fof", self.path("s.hdf5"), "--min-size", 1))
        write_zoom(self.path("s.hdf5"), 1000)
        self.assertAlmostEqual(self.linking_length("--box", "open"), 0.2 * 0.1 * SIDE / 10, places=5)
        self.fails(2, "give --box, --volume or", "fof", self.save("p.npy", np.zeros((3, 3))), "-b", 0.2)

    def test_heavy_particles_in_groups_are_counted(self):
        path = self.path("s.hdf5")
        write_zoom(path, 1000, coarse=500, fraction=1.0)
        with h5py.File(path, "r+") as file:  # some in the midst of the fine ones
            file["PartType2/Coordinates"][:20] = file["PartType1/Coordinates"][:20]
        words = ("fof", path, "-b", 0.7, "--min-size", 2)
        told = self.told(*words, "--rows", 2000, "-o", self.path("h.hdf5"))
        self.assertEqual((told["attach_types"], told["contaminating_types"]), ([2], [2]))
        counts = [row["contaminating_size"] for row in told["largest"]]
        self.assertGreater(sum(counts), 0)
        with h5py.File(self.path("h.hdf5")) as file:
            self.assertEqual(list(file["Group/GroupContaminatingLen"]), counts)
            self.assertEqual(list(file["Group/GroupLenByType"][:, 2]), counts)
            np.testing.assert_allclose(file["Group/GroupContaminatingMass"],
                                       [row["contaminating_mass"] for row in told["largest"]])
        self.assertRegex(self.works(*words), r"linked +size +contaminating")
        self.assertIn("the result is correct", self.works("verify", path, self.path("h.hdf5")))
        told = self.told(*words, "--contaminating-types", "none")
        self.assertEqual((told["attach_types"], told["points"]), ([], 1000))
        self.fails(2, "no particles of type 3", *words, "--contaminating-types", 3)

    def test_light_particles_of_those_types_are_no_contamination(self):
        write_zoom(self.path("s.hdf5"), 1000, coarse=500, fraction=1.0)
        with h5py.File(self.path("s.hdf5"), "r+") as file:
            table = file["Header"].attrs["MassTable"]
            file["Header"].attrs["MassTable"] = table * np.array([1, 1, 0.001, 1, 1, 1])
        self.assertEqual(self.told("fof", self.path("s.hdf5"), "-b", 0.2)["contaminating_types"], [])

    def test_beside_gas_it_is_that_of_dark_matter(self):
        write_zoom(self.path("s.hdf5"), 1000, gas=1000)
        self.assertAlmostEqual(self.linking_length(), 0.2 * 0.1 * SIDE / 10, places=5)

    def test_particles_that_fill_the_box_are_counted(self):
        write_zoom(self.path("s.hdf5"), 1000, fraction=1.0)
        told = self.told("fof", self.path("s.hdf5"), "-b", 0.2)
        self.assertEqual(told["linking_length"], float(np.float32(0.2 * SIDE / 10)))
        self.assertNotIn("mean_separation", told)

    def test_attached_types_may_be_none(self):
        write_zoom(self.path("s.hdf5"), 1000, gas=1000)
        told = self.told("fof", self.path("s.hdf5"), "-b", 0.8, "--attach-types", "none", "--min-size", 2)
        self.assertEqual((told["link_types"], told["attach_types"], told["points"]), ([0, 1], [], 2000))
        told = self.told("fof", self.path("s.hdf5"), "-b", 0.8, "--link-types", 1, "--attach-types", "none")
        self.assertEqual((told["link_types"], told["attach_types"], told["points"]), ([1], [], 1000))
        self.fails(2, "--attach-types: x is not a type", "fof", self.path("s.hdf5"), "-b", 0.8, "--attach-types", "x")

    def test_the_table_shows_what_groups_are_sorted_by(self):
        write_zoom(self.path("s.hdf5"), 1000, gas=1000)
        words = ("fof", self.path("s.hdf5"), "-b", 0.6, "--min-size", 3)
        self.assertRegex(self.works(*words), r"group +linked +size")
        linked = [row["linked_size"] for row in self.told(*words)["largest"]]
        self.assertEqual(linked, sorted(linked, reverse=True))

    def picture(self, *words):
        """All texts of a picture."""
        self.works("fof", self.path("s.hdf5"), "-b", 0.9, "--min-size", 5, "--picture", self.path("p.svg"), *words)
        with open(self.path("p.svg"), encoding="utf-8") as file:
            return re.findall(r"<text[^>]*>([^<]*)", file.read())

    def test_pictures_show_where_the_particles_are(self):
        write_zoom(self.path("s.hdf5"), 1000, coarse=500)  # from 0 to 10 in a box of 100
        texts = self.picture()
        self.assertIn("Friends-of-friends groups, b = 0.9, z = 1", texts)
        self.assertIn("all along z", texts)
        self.assertIn("5", texts)
        self.assertNotIn("80", texts)
        self.assertIn("all along x", self.picture("--picture-axis", 0))
        texts = self.picture("--picture-thickness", 4, "--picture-center", 0)  # a slice is one of the whole box
        self.assertRegex(" ".join(texts), r"slice 4 Mpc/h thick at z = [0-9.]+")
        self.assertIn("80", texts)
        self.fails(2, "--picture-center 99999: there are", "fof", self.path("s.hdf5"), "-b", 0.9, "--picture",
                   self.path("p.svg"), "--picture-center", 99999)
        write_zoom(self.path("s.hdf5"), 1000, fraction=1.0)
        texts = self.picture()
        self.assertRegex(" ".join(texts), "slice 10 Mpc/h thick at z = ")
        self.assertIn("80", texts)

    def test_pictures_without_groups_show_it_as_well(self):
        """Also across an edge of the box."""
        write_zoom(self.path("s.hdf5"), 1000, coarse=500)
        with h5py.File(self.path("s.hdf5"), "r+") as file:
            x = file["PartType1/Coordinates"]
            x[:, 0] = (x[:, 0] - 5) % SIDE
        result = run("fof", self.path("s.hdf5"), "-b", 0.01, "--picture", self.path("p.svg"))
        self.assertIn("no group has 20 members", result.stderr)
        with open(self.path("p.svg"), encoding="utf-8") as file:
            texts = re.findall(r"<text[^>]*>([^<]*)", file.read())
        self.assertIn("all along z", texts)
        self.assertNotIn("80", texts)

    def test_the_lightest_of_several_masses_decides(self):
        """Heavy particles of the same type, as tipsy has them, and of linked types 1 and 2."""
        path = self.path("s.hdf5")
        write_zoom(path, 1000, coarse=500)
        words = ("--link-types", "1,2", "--attach-types", "none")
        self.assertAlmostEqual(self.linking_length(*words), 0.2 * 0.1 * SIDE / 10, places=5)
        self.assertIn("from the mass of the lightest linked particles: they do not fill the box",
                      self.works("fof", path, "--min-size", 1, *words))
        with h5py.File(path, "r+") as file:
            mass = file["Header"].attrs["MassTable"][1]
            x = np.concatenate([file["PartType1/Coordinates"][:], file["PartType2/Coordinates"][:]])
            del file["PartType1/Coordinates"], file["PartType2"]
            file["PartType1/Coordinates"] = x
            file["PartType1/Masses"] = np.where(np.arange(1500) < 1000, mass, 100 * mass)
            file["Header"].attrs["MassTable"] = np.zeros(6)
            counts = np.array([0, 1500, 0, 0, 0, 0], np.uint64)
            file["Header"].attrs["NumPart_ThisFile"] = file["Header"].attrs["NumPart_Total"] = counts
        self.assertAlmostEqual(self.linking_length(), 0.2 * 0.1 * SIDE / 10, places=5)
        with h5py.File(path, "r+") as file:  # one light particle among many is no zoom
            file["PartType1/Masses"][:] = np.where(np.arange(1500) < 1, 0.01 * mass, mass)
        self.assertAlmostEqual(self.linking_length(), 0.2 * 0.1 * SIDE / 10, places=3)

    def test_numbers_of_a_column_are_written_alike(self):
        write_zoom(self.path("s.hdf5"), 1000, fraction=1.0)
        lines = self.works("fof", self.path("s.hdf5"), "-b", 0.9, "--min-size", 5).splitlines()
        first = next(i for i, line in enumerate(lines) if line.split()[:1] == ["group"])
        rows = [line.split() for line in lines[first + 1:first + 6]]
        self.assertEqual(len(rows[0]), 7)  # group, size, mass, x, y, z, radius
        for column in range(2, 7):
            self.assertEqual(len({len(row[column].partition(".")[2]) for row in rows}), 1)
        for column in (2, 6):
            self.assertTrue(all(len(re.sub("[^0-9]", "", row[column])) >= 4 for row in rows))

    def test_more_neighbors_than_points_are_refused(self):
        write_zoom(self.path("s.hdf5"), 50)
        for command in ("knn", "density"):
            self.fails(2, "-k 51, but there are 50 points", command, self.path("s.hdf5"), "-k", 51)
            self.works(command, self.path("s.hdf5"), "-k", 50, "-q")


if __name__ == "__main__":
    unittest.main()
