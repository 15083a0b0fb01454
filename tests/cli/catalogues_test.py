"""Catalogues of others as points: Corrfunc's .ff, Rockstar's lists, galaxies on the sky; files that are cut off.
Usage: catalogues_test.py PROGRAM"""

import os
import unittest

import h5py
import numpy as np
from astropy.io import fits

from program import ProgramTest, run

ROCKSTAR = """#ID DescID Mvir Vmax Vrms Rvir Rs Np X Y Z VX VY VZ
#a = 0.500000
#Om = 0.300000; Ol = 0.700000; h = 0.700000
#FOF linking length: 0.280000
#Box size: 62.500000 Mpc/h
#Units: Masses in Msun / h
#Np is an internal debugging quantity.
0 -1 1.5e+13 300 280 500 50 1000 10 20 30 100 200 -300
1 -1 2.5e+12 200 180 300 30 500 40 50 60 -10 20 30
"""


def write_ff(path, columns, side, dtype=np.float32):
    """As Corrfunc's ftwrite writes it."""
    def record(array):
        data = array.tobytes()
        mark = np.int32(len(data)).tobytes()
        return mark + data + mark
    with open(path, "wb") as file:
        file.write(record(np.array([side, len(columns[0]), 0, 0, 0], np.int32)))
        file.write(record(np.array([side] + [0] * 8, np.float32)))
        file.write(record(np.zeros(1, np.float32)))
        for column in columns:
            file.write(record(np.asarray(column, dtype)))


class Catalogues(ProgramTest):
    def test_corrfunc(self):
        random = np.random.default_rng(1)
        for dtype, count in ((np.float32, 4), (np.float64, 3)):
            columns = (random.random((count, 500)) * 100).astype(dtype)
            path = self.path("gals.ff")
            write_ff(path, columns, 100, dtype)
            told = self.told("knn", path, "-k", 3, "-o", self.path("n.npz"))
            self.assertEqual((told["box"], told["points"]), ([100] * 3, 500))
            with np.load(self.path("n.npz")) as neighbors:
                x = columns[:3].T
                dx = np.abs(x - x[7])
                dx = np.minimum(dx, dtype(100) - dx)
                d2 = (dx[:, 0] * dx[:, 0] + dx[:, 1] * dx[:, 1]) + dx[:, 2] * dx[:, 2]
                order = np.argsort(d2, kind="stable")
                np.testing.assert_array_equal(neighbors["index"][7], order[:3])
            self.assertIn("format fast_food, layout of Corrfunc", self.works("info", path))
            self.assertEqual("masses" in self.works("info", path), count == 4)
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 5)
        self.fails(1, "is cut off: ", "info", path)

    def test_rockstar(self):
        for name in ("out_3.list", "halos_0.0.ascii"):
            path = self.path(name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(ROCKSTAR.replace("#ID DescID", "#id num_p") if name.endswith("ascii") else ROCKSTAR)
            text = self.works("info", path)
            for part in ("box 62.5 Mpc/h", "layout of Rockstar", "positions, velocities, masses, ids",
                         "length Mpc/h (comoving), mass Msun/h", "redshift 1, scale factor 0.5, Omega_m 0.3"):
                self.assertIn(part, text)
            self.works("fof", path, "--linking-length", 1, "--min-size", 1, "-o", self.path("h.npz"))
            with np.load(self.path("h.npz")) as halos:
                self.assertEqual(sorted(halos["mass"]), [2.5e12, 1.5e13])
                np.testing.assert_array_equal(halos["center"][0], [10, 20, 30])
                np.testing.assert_array_equal(halos["velocity"][0], [100, 200, -300])

    def sky_files(self):
        random = np.random.default_rng(2)
        ra, dec, z = random.random(50) * 360, random.random(50) * 180 - 90, random.random(50) * 0.3
        columns = {"id": np.arange(50), "ra": ra, "dec": dec, "z": z}
        rows = "\n".join(f"{i},{a!r},{b!r},{c!r}" for i, a, b, c in zip(range(50), ra.tolist(), dec.tolist(), z.tolist()))
        with open(self.path("g.csv"), "w", encoding="utf-8") as file:
            file.write("id,ra,dec,redshift\n" + rows + "\n")
        with open(self.path("g.ecsv"), "w", encoding="utf-8") as file:
            file.write("# %ECSV 1.0\n# ---\n# datatype:\n# - {name: id, datatype: int64}\n# schema: astropy-2.0\n")
            file.write("id ra dec z\n" + rows.replace(",", " ") + "\n")
        table = [fits.Column(name=name.upper(), format="K" if name == "id" else "D", array=values)
                 for name, values in columns.items()]
        fits.BinTableHDU.from_columns(table).writeto(self.path("g.fits"))
        return ra, dec, z

    def test_galaxies_on_the_sky(self):
        from astropy.cosmology import FlatLambdaCDM
        ra, dec, z = self.sky_files()
        distance = FlatLambdaCDM(H0=100, Om0=0.3, Tcmb0=0).comoving_distance(z).value
        ra, dec = np.radians(ra), np.radians(dec)
        expected = distance[:, None] * np.stack([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], 1)
        centers = []
        for name in ("g.csv", "g.ecsv", "g.fits"):
            path = self.path(name)
            self.works("fof", path, "--cosmology", "omega_m=0.3", "--linking-length", 1e-6, "--min-size", 1, "-o",
                       self.path("h.npz"))
            with np.load(self.path("h.npz")) as halos:
                centers.append(halos["center"])
            np.testing.assert_allclose(centers[-1], expected, rtol=1e-6, atol=1e-6)
            np.testing.assert_array_equal(centers[-1], centers[0])
            self.assertIn("Mpc/h (comoving)", self.works("info", path, "--cosmology", "omega_m=0.3"))
            self.assertIn("give a cosmology (--cosmology omega_m=0.31)", self.works("info", path))
        self.fails(2, "need a flat universe", "info", path, "--cosmology", "omega_m=0.3,omega_lambda=0.5")

    def test_hdf5_files_that_are_cut_off(self):
        for version in ("earliest", "latest"):
            path = self.path(f"{version}.hdf5")
            with h5py.File(path, "w", libver=version) as file:
                file["x"] = np.random.default_rng(1).random((100000, 3))
            size = os.path.getsize(path)
            with open(path, "r+b") as file:
                file.truncate(1000)
            result = run("info", path)
            self.assertEqual(result.stderr, f"kith: {path}: is cut off: 1,000 of {size:,} bytes; copy it again\n")
            self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
