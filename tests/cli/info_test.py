"""kith info of catalogues and folders, and files that are cut off. Usage: info_test.py PROGRAM"""

import json
import os
import struct
import unittest

import h5py
import numpy as np

from program import ProgramTest, clumps, run


def catalogue(path, groups=3, subhalos=5, part=None, parts=1):
    with h5py.File(path, "w") as file:
        head = file.create_group("Header")
        for name, value in (("Ngroups_ThisFile", groups), ("Ngroups_Total", groups * parts),
                            ("Nsubhalos_ThisFile", subhalos), ("Nsubhalos_Total", subhalos * parts),
                            ("NumFiles", parts), ("Redshift", 4.4e-16), ("Time", 1.0), ("BoxSize", 25.0)):
            head.attrs[name] = value
        file["Group/GroupLen"] = np.arange(groups, 0, -1, dtype=np.int32) * 10
        file["Group/GroupMass"] = np.arange(groups, 0, -1, dtype=np.float32) * 2.5
        file["Group/GroupPos"] = np.zeros((groups, 3), np.float32)
        file["Subhalo/SubhaloLen"] = np.ones(subhalos, np.int32)


def snapshot(path, n=50, redshift=0.0):
    with h5py.File(path, "w") as file:
        head = file.create_group("Header")
        head.attrs["NumPart_ThisFile"] = head.attrs["NumPart_Total"] = np.array([0, n], np.uint32)
        head.attrs["MassTable"] = [0.0, 1.0]
        for name, value in (("NumFilesPerSnapshot", 1), ("BoxSize", 1.0), ("Redshift", redshift), ("Omega0", 0.3),
                            ("OmegaLambda", 0.7), ("HubbleParam", 0.7), ("Time", 1 / (1 + redshift))):
            head.attrs[name] = value
        file["PartType1/Coordinates"] = clumps(n)


class OtherCatalogues(ProgramTest):
    def test_a_catalogue_beside_its_snapshot(self):
        path = self.path("fof_subhalo_tab_007.hdf5")
        catalogue(path)
        self.assertIn("its snapshot is not beside it", self.works("info", path))
        snapshot(self.path("snapshot_007.hdf5"))
        text = self.works("info", path)
        for words in ("catalogue of 3 groups and 5 subhalos, redshift 0, in 1 file",
                      "the largest group: 30 particles, of mass 7.5", "Group/GroupPos: 3 x 3",
                      "Subhalo/SubhaloLen: 5 x 1", "next: kith info " + self.path("snapshot_007.hdf5")):
            self.assertIn(words, text)
        told = json.loads(self.works("info", path, "--json"))
        self.assertEqual((told["groups"], told["subhalos"], told["largest_size"], told["box"]), (3, 5, 30, 25))

    def test_other_commands_want_the_snapshot(self):
        catalogue(self.path("fof_tab_007.hdf5"))
        self.assertIn("a catalogue of groups, which holds no particles; give its snapshot",
                      run("fof", self.path("fof_tab_007.hdf5")).stderr)

    def test_a_catalogue_in_parts(self):
        for part in range(2):
            catalogue(self.path(f"fof_tab_007.{part}.hdf5"), part=part, parts=2)
        text = self.works("info", self.path("fof_tab_007.0.hdf5"))
        self.assertIn("catalogue of 6 groups and 10 subhalos, redshift 0, in 2 files", text)

    def test_folders(self):
        for number in range(2):
            snapshot(self.path(f"snapshot_00{number}.hdf5"), redshift=1.0 - number)
            catalogue(self.path(f"fof_subhalo_tab_00{number}.hdf5"))
        self.works("fof", self.path("snapshot_000.hdf5"), "-o", self.path("halos.hdf5"), "-b", 0.5, "--min-size", 5)
        with h5py.File(self.path("numbers.hdf5"), "w") as file:
            file["x"] = np.zeros(3)
        told = json.loads(self.works("info", self.folder.name, "--json"))
        kinds = {file["file"]: (file["kind"], file["redshift"]) for file in told["files"]}
        self.assertEqual(kinds["snapshot_000.hdf5"], ("snapshot", "1"))
        self.assertEqual(kinds["fof_subhalo_tab_001.hdf5"], ("catalogue", "0"))
        self.assertEqual(kinds["halos.hdf5"][0], "result of kith")
        self.assertEqual(kinds["numbers.hdf5"][0], "other HDF5 file")
        text = self.works("info", self.folder.name)
        self.assertIn("a folder of 6 HDF5 files", text)
        self.assertIn("next: kith info " + self.path("snapshot_001.hdf5"), text)
        self.assertIn("the folder has 3 snapshots", run("knn", self.folder.name, "-k", 2).stderr)  # numbers.hdf5 too

    def test_columns_of_a_result_have_units_and_meanings(self):
        snapshot(self.path("snapshot_000.hdf5"))
        self.works("fof", self.path("snapshot_000.hdf5"), "-o", self.path("halos.hdf5"), "-b", 0.5, "--min-size", 5,
                   "--units", "Mpc/h,1e10 Msun/h,km/s")
        self.assertRegex(self.works("info", self.path("halos.hdf5")), r"center +\d+ +3  Mpc/h +Center of mass")
        arrays = json.loads(self.works("info", self.path("halos.hdf5"), "--json"))["arrays"]
        mass = next(array for array in arrays if array["name"] == "mass")
        self.assertEqual((mass["unit"], mass["meaning"]), ("1e10 Msun/h", "Total mass of the members."))

    def test_a_folder_with_one_snapshot_is_that_snapshot(self):
        snapshot(self.path("snapshot_000.hdf5"))
        self.assertIn("50 points", self.works("info", self.folder.name))
        self.works("fof", self.path("snapshot_000.hdf5"), "-o", self.path("halos.hdf5"), "-b", 0.5, "--min-size", 5)
        catalogue(self.path("fof_subhalo_tab_000.hdf5"))
        self.assertIn("50 points", self.works("density", self.folder.name, "-k", 8))


def npy(path):
    np.save(path, clumps(200))


def ply(path):
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 200\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n"
    with open(path, "wb") as file:
        file.write(head.encode() + clumps(200).tobytes())


def tipsy(path):
    with open(path, "wb") as file:
        file.write(struct.pack(">d6i", 1.0, 200, 3, 0, 200, 0, 0) + np.zeros((200, 9), ">f4").tobytes())


def fast_food(path):
    x = clumps(200)

    def record(data):
        return struct.pack("i", len(data)) + data + struct.pack("i", len(data))
    with open(path, "wb") as file:
        file.write(record(struct.pack("5i", 0, 200, 0, 0, 0)) + record(struct.pack("9f", 1.0, *[0] * 8))
                   + record(struct.pack("f", 0)) + b"".join(record(x[:, axis].tobytes()) for axis in range(3)))


def gadget(path):
    def record(data):
        return struct.pack("i", len(data)) + data + struct.pack("i", len(data))
    head = struct.pack("6I6d2d2i6I2i4d", 0, 200, 0, 0, 0, 0, *[0.0, 1.0, 0, 0, 0, 0], 1.0, 0.0, 0, 0, 0, 200, 0, 0, 0, 0,
                       0, 1, 1.0, 0.3, 0.7, 0.7)
    with open(path, "wb") as file:
        file.write(record(head.ljust(256, b"\0")) + record(clumps(200).tobytes()) + record(bytes(2400))
                   + record(np.arange(200, dtype=np.uint32).tobytes()))


def fits(path):
    def cards(lines):
        text = "".join(line.ljust(80) for line in [*lines, "END"])
        return text.ljust(-(-len(text) // 2880) * 2880).encode()
    table = ["XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 12", "NAXIS2  = 600", "PCOUNT  = 0",
             "GCOUNT  = 1", "TFIELDS = 1", "TTYPE1  = 'POS'", "TFORM1  = '3E'"]
    rows = np.zeros((600, 3), ">f4").tobytes()
    with open(path, "wb") as file:
        file.write(cards(["SIMPLE  =                    T", "BITPIX  = 8", "NAXIS   = 0"]) + cards(table)
                   + rows.ljust(-(-len(rows) // 2880) * 2880, b"\0"))


class CutOff(ProgramTest):
    def cut(self, name, write, begin, end=0):
        """Whole, the file is read; cut anywhere from `begin` on, the sentence has both numbers of bytes."""
        whole = self.path(name)
        write(whole)
        self.works("info", whole)
        with open(whole, "rb") as file:
            data = file.read()
        for size in np.linspace(begin, len(data) - 1 - end, 12).astype(int):
            with open(whole, "wb") as file:
                file.write(data[:size])
            result = run("info", whole)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"^kith: {whole}: is cut off: {size:,} of (at least )?[\d,]+ bytes; copy it again\n$")

    def test_every_format(self):
        self.cut("a.npy", npy, 20)
        self.cut("a.ply", ply, 130)
        self.cut("a.bin", tipsy, 40)
        self.cut("a.ff", fast_food, 90)
        self.cut("a.dat", gadget, 270)
        self.cut("a.fits", fits, 30, end=2879)

    def test_archives_and_gzip(self):
        np.savez(self.path("a.npz"), position=clumps(200))
        with open(self.path("x.csv"), "w") as file:
            file.writelines(f"{i},{i},{i}\n" for i in range(500))
        os.system(f"gzip {self.path('x.csv')}")
        for name, words in (("a.npz", "the directory at the end of the archive is missing"),
                            ("x.csv.gz", "the packed bytes do not end")):
            size = os.path.getsize(self.path(name)) // 2
            os.truncate(self.path(name), size)
            self.assertIn(f"is cut off after {size} bytes: {words}; copy it again", run("info", self.path(name)).stderr)


if __name__ == "__main__":
    unittest.main()
