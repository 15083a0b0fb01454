#!/usr/bin/env python3
"""Damaged, truncated, inconsistent and forged snapshots give one sentence, soon and in little memory.
Usage: hostile_test.py SNAPSHOT_TOOL [unittest options]"""
import os
import pathlib
import shutil
import tempfile
import unittest
import gzip
import zipfile

import h5py
import numpy as np

import layouts
from snapshot_case import Case


class Hostile(Case):
    def spoiled(self, words, change, files=1):
        path = self.folder / ("a.hdf5" if files == 1 else "a")
        layouts.gadget4(path, files=files, change=change)
        self.refused(path if files == 1 else self.folder / "a.0.hdf5", words)

    def test_counts_that_lie(self):
        def count(value, kind=np.uint64):
            def change(file, _):
                for name in ("NumPart_ThisFile", "NumPart_Total"):
                    file["Header"].attrs[name] = np.array([40, value, 0, 0, 0, 0], kind)
            return change
        self.spoiled("has 100 rows for 101 particles", count(101))
        self.spoiled("has 100 rows for 1000000000000000 particles", count(10**15))
        self.spoiled("holds the count -5", count(-5, np.int64))
        self.spoiled("holds the count", count(2**64 - 1, np.uint64))

        def total(file, _):
            file["Header"].attrs["NumPart_Total"] = np.array([40, 99, 0, 0, 0, 0], np.uint64)
        self.spoiled("99 particles of type 1 in the header, 100 in the files", total)

        def absent(file, _):
            del file["PartType1"]
        self.spoiled("but no group PartType1", absent)

    def test_headers_that_are_wrong(self):
        def attribute(name, value):
            def change(file, _):
                file["Header"].attrs[name] = value
            return change
        self.spoiled("must contain whole numbers", attribute("NumPart_ThisFile", np.zeros(6)))
        self.spoiled("different lengths", attribute("NumPart_Total", np.zeros(3, np.uint64)))
        self.spoiled("particles of mass nan", attribute("MassTable", np.full(6, np.nan)))
        self.spoiled("a side of -1", attribute("BoxSize", -1.0))
        self.spoiled("does not contain numbers", attribute("BoxSize", "large"))
        self.spoiled("0 files in the header", attribute("NumFilesPerSnapshot", np.int32(0)))

        def one_of_seven(file, _):
            file["Header"].attrs["NumFilesPerSnapshot"] = np.int32(7)
            file["Header"].attrs["NumPart_Total"] = 7 * file["Header"].attrs["NumPart_Total"]
        self.spoiled("its name has no number", one_of_seven)

        def no_header(file, _):
            del file["Header"]
        self.spoiled("without /Header", no_header)

        def no_counts(file, _):
            del file["Header"].attrs["NumPart_ThisFile"]
        self.spoiled("has no NumPart_ThisFile", no_counts)

        def header_is_data(file, _):
            del file["Header"]
            file["Header"] = np.zeros(3)
        self.spoiled("cannot be opened as a group", header_is_data)

    def test_datasets_of_another_kind(self):
        def replaced(name, values):
            def change(file, _):
                del file["PartType1"][name]
                file["PartType1"][name] = values
            return change
        self.spoiled("has rank 1", replaced("Coordinates", np.zeros(100)))
        self.spoiled("has rank 3", replaced("Coordinates", np.zeros((100, 3, 2))))
        self.spoiled("has 2 columns where others have 3", replaced("Coordinates", np.zeros((100, 2))))
        self.spoiled("has points of dimension 0", replaced("Coordinates", np.zeros((100, 0))))
        self.spoiled("does not contain numbers", replaced("Coordinates", np.full((100, 3), b"abc")))
        self.spoiled("does not contain numbers", replaced("ParticleIDs", np.zeros(100, [("a", "i4"), ("b", "f8")])))
        self.spoiled("ids must be", replaced("ParticleIDs", np.zeros(100)))

        def wide(file, _):
            kind = h5py.h5t.STD_U64LE.copy()
            kind.set_size(16)
            kind.set_precision(128)
            del file["PartType1/Coordinates"]
            space = h5py.h5s.create_simple((100, 3))
            h5py.h5d.create(file["PartType1"].id, b"IntCoordinates", kind, space)
        self.spoiled("integers that are not of 8, 16, 32 or 64 bits", wide)

        def group(file, _):
            del file["PartType1/Coordinates"]
            file["PartType1"].create_group("Coordinates")
        self.spoiled("cannot be opened as a dataset", group)

    def test_traps_for_memory(self):
        def huge(file, _):
            del file["PartType1/Coordinates"]
            file["PartType1"].create_dataset("Coordinates", (10**12, 3), "f4", chunks=(1024, 3), compression="gzip")
            for name in ("NumPart_ThisFile", "NumPart_Total"):
                file["Header"].attrs[name] = np.array([40, 10**12, 0, 0, 0, 0], np.uint64)
            del file["PartType1/Velocities"], file["PartType1/ParticleIDs"]
        self.spoiled("was never written", huge)

        def one_chunk(file, number):
            huge(file, number)
            file["PartType1/Coordinates"][:5] = 1
        self.spoiled("claims 12000000000000 bytes", one_chunk)

        def large_chunk(file, _):
            del file["PartType1/Coordinates"]
            data = file["PartType1"].create_dataset("Coordinates", (100, 3), "f4", chunks=(10**8, 3),
                                                    maxshape=(None, 3), compression="gzip")
            data.id.write_direct_chunk((0, 0), b"\x00" * 40)
        self.spoiled("has chunks of 1200000000 bytes", large_chunk)

    def test_links_out_of_the_file(self):
        layouts.gadget4(self.folder / "other.hdf5")

        def link(file, _):
            del file["PartType1/Coordinates"]
            file["PartType1/Coordinates"] = h5py.ExternalLink("other.hdf5", "/PartType1/Coordinates")
        self.spoiled("/PartType1/Coordinates: cannot be opened as a dataset", link)

        def group(file, _):
            del file["PartType1"]
            file["PartType1"] = h5py.ExternalLink("other.hdf5", "/PartType1")
        self.spoiled("/PartType1/Coordinates: cannot be searched for", group)

        def soft_over_external(file, _):
            file["away"] = h5py.ExternalLink("other.hdf5", "/PartType1")
            del file["PartType1/Coordinates"]
            file["PartType1/Coordinates"] = h5py.SoftLink("/away/Coordinates")
        self.spoiled("/PartType1/Coordinates: cannot be opened as a dataset", soft_over_external)

        def storage(file, _):
            del file["PartType1/Coordinates"]
            (self.folder / "bytes").write_bytes(bytes(2400))
            file["PartType1"].create_dataset("Coordinates", (100, 3), "f8",
                                             external=[(str(self.folder / "bytes"), 0, 2400)])
        self.spoiled("its data are in other files", storage)

        def loop(file, _):
            del file["PartType1/Coordinates"]
            file["PartType1/Coordinates"] = h5py.SoftLink("/PartType1/Coordinates")
        self.spoiled("/PartType1/Coordinates: cannot be opened as a dataset", loop)

    def virtual(self, source, rows=100, shape=(100, 3)):
        def change(file, _):
            del file["PartType1/Coordinates"]
            layout = h5py.VirtualLayout((100, 3), "f8")
            layout[:rows] = h5py.VirtualSource(source, "/PartType1/Coordinates", shape)[:rows]
            file["PartType1"].create_virtual_dataset("Coordinates", layout)
        return change

    def test_virtual_data_outside_the_folder(self):
        outside = pathlib.Path(tempfile.mkdtemp(prefix="kith-outside-"))
        self.addCleanup(shutil.rmtree, outside)
        layouts.gadget4(outside / "other.hdf5")
        os.symlink(outside / "other.hdf5", self.folder / "link.hdf5")
        for source in (str(outside / "other.hdf5"), f"../{outside.name}/other.hdf5", "link.hdf5"):
            self.spoiled("is not in the folder of the file", self.virtual(source))

    def test_virtual_data_that_are_not_there(self):
        self.spoiled("absent.hdf5: cannot be opened", self.virtual("absent.hdf5"))
        layouts.gadget4(self.folder / "other.hdf5")
        self.spoiled("has data for 50 of 100 rows", self.virtual("other.hdf5", rows=50))
        self.spoiled("100 rows from row 0 are wanted, there are 7",
                     self.virtual_of_short())
        layouts.gadget4(self.folder / "other.hdf5", change=self.virtual("third.hdf5"))
        self.spoiled("made of virtual datasets", self.virtual("other.hdf5"))

    def virtual_of_short(self):
        with h5py.File(self.folder / "short.hdf5", "w") as file:
            file["PartType1/Coordinates"] = np.zeros((7, 3))
        return self.virtual("short.hdf5")

    def test_chunks_of_a_snapshot(self):
        layouts.gadget4(self.folder / "a", files=3)
        (self.folder / "a.1.hdf5").unlink()
        self.refused(self.folder / "a.0.hdf5", "a.1.hdf5: cannot be opened")
        layouts.gadget4(self.folder / "a", files=3)
        with h5py.File(self.folder / "a.1.hdf5", "a") as file:
            file["Header"].attrs["Time"] = 0.9
        self.refused(self.folder / "a.0.hdf5", "belongs to another snapshot")
        layouts.gadget4(self.folder / "a", files=3)
        with h5py.File(self.folder / "a.2.hdf5", "a") as file:
            del file["PartType1/Velocities"]
        self.refused(self.folder / "a.0.hdf5", "files of the snapshot differ")

    def test_truncated(self):
        layouts.gadget4(self.folder / "whole.hdf5")
        data = (self.folder / "whole.hdf5").read_bytes()
        for size in range(9, len(data), len(data) // 40):
            (self.folder / "a.hdf5").write_bytes(data[:size])
            self.refused(self.folder / "a.hdf5", "a.hdf5")

    def test_gadget_binary(self):
        layouts.gadget_binary(self.folder / "whole")
        data = (self.folder / "whole").read_bytes()
        for size in range(270, len(data), len(data) // 20):
            (self.folder / "a").write_bytes(data[:size])
            self.refused(self.folder / "a", "a: ")
        for begin, value in ((4, b"\xff" * 4), (8, b"\xff" * 4), (8, b"\x01\0\0\0"), (28, b"\xff" * 8),
                             (4 + 256 + 4, b"\xff" * 4), (4 + 124, b"\xff" * 4)):
            (self.folder / "a").write_bytes(data[:begin] + value + data[begin + len(value):])
            self.refused(self.folder / "a", "a: ")

    def test_numpy(self):
        np.save(self.folder / "a.npy", np.zeros((10, 3)))
        data = (self.folder / "a.npy").read_bytes()
        for changed, words in (
                (data[:-1], "is cut off: 367 of 368 bytes"), (data + b"x", "the header describes"),
                (data[:50], "is cut off: 50 of at least 128 bytes"),
                (data.replace(b"(10, 3)", b"(-1, 3)"), "header is damaged"),
                (data.replace(b"(10, 3)", b"(1 000)"), "header is damaged"),
                (data.replace(b"'<f8'", b"'|O8'"), "numbers of type '|O8'"),
                (data.replace(b"(10, 3), }", b"(9999999999999999999, 3), }"[:10]), "header is damaged"),
                (data.replace(b"\x01\x00", b"\x09\x00", 1), "version 9")):
            (self.folder / "a.npy").write_bytes(changed)
            self.refused(self.folder / "a.npy", words)

    def test_archives(self):
        path = self.folder / "a.npz"
        np.savez(path, velocity=np.zeros((4, 3)), mass=np.zeros(4))
        self.refused(path, "no array named position")
        np.savez(path, position=np.zeros((4, 3)), velocity=np.zeros((5, 3)))
        self.refused(path, "has 5 rows of 3; 4 of 3 go with the positions")
        np.savez_compressed(path, position=np.random.default_rng(0).random((400, 3)))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)
        self.refused(path, "a.npz: ")
        np.savez(path, position=np.random.default_rng(0).random((400, 3)))
        data = bytearray(path.read_bytes())
        data[5000] ^= 0x10
        path.write_bytes(data)
        self.refused(path, "a check sum is wrong")
        path.write_bytes(data[:3000])
        self.refused(path, "is cut off after 3000 bytes: the directory at the end")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("position.npy", b"x" * 100)
        self.refused(path, "packed by method 12")

    def test_text_and_ply(self):
        for name, text, words in (
                ("a.csv", "x,y,z\n1,2,3\n4,5\n", "line 3 has 2 columns and line 2 has 3"),
                ("a.csv", "x,y,z\n1,2,3\n4,five,6\n", 'line 3, column 2: "five" is not a number'),
                ("a.txt", "0x10 1 1\n1 2 3\n", 'line 1, column 1: "0x10" is not a number'),
                ("a.txt", "1e 1 1\n1 2 3\n", 'line 1, column 1: "1e" is not a number'),
                ("a.txt", "# a comment\n\n1 .5. 1\n1 2 3\n", 'line 3, column 2: ".5." is not a number'),
                ("a.txt", "1 +-1 1\n1 2 3\n", 'line 1, column 2: "+-1" is not a number'),
                ("a.txt", "C 1 2 3\nH 4 5 6\n", 'line 1, column 1: "C" is not a number'),
                ("a.txt", "0x10\n0x11\n", 'line 1, column 1: "0x10" is not a number'),
                ("a.txt", "1 1\n1 2 3\n", "line 2 has 3 columns and line 1 has 2"),
                ("a.csv", "a,b\n1,2,3\n", "2 names of columns, but line 2 has 3"),
                ("a.csv", "0,5;1,5;2,5\n1,0;2,0;3,0\n", '"0,5" is not a number; decimal commas'),
                ("a.txt", "0,5 1,5 2,5\n", "decimal commas"),
                ("a.txt", "0,5\t1,5\t2,5\n", "decimal commas"),
                ("a.csv", "x;y\n0,5;1,5\n", 'line 2, column 1: "0,5" is not a number; decimal commas'),
                ("a.dat", "SIMPLE  =                    T" + " " * 2850, "is cut off: 2,880 of at least 5,760 bytes"),
                ("a.txt", "# nothing\n", "has no row of numbers"),
                ("a.csv", "a b c\n", "has words and no row of numbers"),
                ("a.txt", "1" * 3_000_000, "a line of more than"),
                ("a.xyz", "5\nfive\nC 1 2 3\n", "is cut off: 1 of 5 rows"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n10\n20\n", "is cut off: 2 of 3 rows"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n", "header does not end"),
                ("a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999999999\n", "99999999999999999999"),
                ("a.ply", "ply\nformat binary_big_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n", "is cut off"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list int int x\nend_header\n1 1\n", "has lists among"),
                ("a.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty int a\nend_header\n1\n", "has no vertices"),
                ("a.raw", "12345", "not a whole number of 3-dimensional points"),
                ("a.f64", "123456789012", "points of float64"),
                ("a.what", "hello", "unknown format. kith reads HDF5"),
                ("a.what", "", "is empty")):
            with self.subTest(name=name, words=words):
                (self.folder / name).write_text(text)
                self.refused(self.folder / name, words)

    def test_bytes_that_are_no_text(self):
        random = np.random.default_rng(3)
        tipsy = np.array([1.0], ">f8").tobytes() + np.array([99, 3, 0, 99, 0, 0], ">i4").tobytes()
        for name, data in (("uint16", np.arange(3000, dtype=np.uint16).tobytes()),
                           ("tipsy", tipsy + random.random(9 * 99 + 2).astype(">f4").tobytes()),
                           ("float", random.random(300).astype(np.float32).tobytes()),
                           ("late", b"1 2 3\n" * 400_000 + b"\0\n"),
                           ("utf-16", "1 2 3\n".encode("utf-16")),
                           ("names", b"\xff\xfe\xe9 abc\n")):
            for ending in ("dat", "txt", "csv", "xyz"):
                with self.subTest(name=name, ending=ending):
                    (self.folder / f"a.{ending}").write_bytes(data)
                    self.refused(self.folder / f"a.{ending}", "text")
        (self.folder / "a.csv").write_bytes(gzip.compress(b"1,2,3\n")[:-3])
        self.refused(self.folder / "a.csv", "the packed bytes do not end")

    def test_folders(self):
        (self.folder / "none").mkdir()
        self.refused(self.folder / "none", "the folder has no snapshot")
        for name in ("a.hdf5", "b.hdf5"):
            layouts.gadget4(self.folder / "none" / name)
        self.refused(self.folder / "none", "the folder has 2 snapshots")


if __name__ == "__main__":
    unittest.main()
