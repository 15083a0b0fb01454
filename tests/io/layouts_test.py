#!/usr/bin/env python3
"""Snapshots in the layouts of Gadget, AREPO and SWIFT are read as they were meant; damaged, lying and
hostile ones end in one sentence. Usage: layouts_test.py SNAPSHOT_TOOL [unittest options]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import layouts  # noqa: E402

TOOL = None


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kith-layouts-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "out").mkdir()

    def run_tool(self, path):
        return subprocess.run([TOOL, "dump", str(path), str(self.folder / "out")], capture_output=True,
                              text=True, timeout=60)

    def read(self, path):
        done = self.run_tool(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        for name, kind in (("position", "f64"), ("velocity", "f64"), ("mass", "f64"), ("id", "u64")):
            file = self.folder / "out" / f"{name}.{kind}"
            info[name] = np.fromfile(file, kind.replace("64", "8")) if file.exists() else None
            single = self.folder / "out" / f"{name}.f32"
            if file.exists() and single.exists():
                np.testing.assert_array_equal(info[name].astype(np.float32), np.fromfile(single, np.float32))
        return info

    def refused(self, path, words):
        done = self.run_tool(path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def same(self, info, parts):
        """Type after type, in the order of the files; `parts`: lists of fields."""
        for name, field in (("position", "Coordinates"), ("velocity", "Velocities"), ("id", "ParticleIDs")):
            wanted = np.concatenate([part[field].ravel() for part in parts])
            np.testing.assert_array_equal(info[name], wanted)


class Gadget4(Case):
    def test_one_file(self):
        parts = layouts.gadget4(self.folder / "snapshot_007.hdf5")
        info = self.read(self.folder / "snapshot_007.hdf5")
        self.same(info, [parts[0][0], parts[0][1]])
        np.testing.assert_array_equal(info["mass"], np.concatenate([parts[0][0]["Masses"], np.full(100, 0.25)]))
        self.assertEqual((info["format"], info["code"], info["types"]), ("gadget_hdf5", "Gadget-4", 6))
        self.assertEqual(info["box"], [layouts.BOX] * 3)
        self.assertEqual(info["velocity_factor"], layouts.A**0.5)
        self.assertEqual(info["units"], [3.085678e21, 1.989e43, 1e5, True, True])
        self.assertEqual(info["background"], [True, 0.3089, 0.6911, 0.0486, 0.6774, 0.5, 1.0])
        self.assertEqual([t["count"] for t in info["type"]], [40, 100])

    def test_several_files_with_a_type_in_some(self):
        parts = layouts.gadget4(self.folder / "snapshot_007", files=4)
        wanted = [parts[0][0]] + [part[1] for part in parts]
        for path in ("snapshot_007.0.hdf5", "snapshot_007.2.hdf5", "snapshot_007"):
            info = self.read(self.folder / path)
            self.same(info, wanted)
            self.assertEqual(info["files"], 4)

    def test_more_types_than_six(self):
        parts = layouts.gadget4(self.folder / "a.hdf5", ntypes=9)
        info = self.read(self.folder / "a.hdf5")
        self.same(info, [parts[0][0], parts[0][1]])
        self.assertEqual(info["types"], 9)

    def test_integer_coordinates(self):
        for kind in (np.uint32, np.uint64):
            integers = np.random.default_rng(1).integers(0, np.iinfo(kind).max, (100, 3), kind)

            def change(file, _, integers=integers):
                del file["PartType1/Coordinates"]
                file["PartType1/IntCoordinates"] = integers
            layouts.gadget4(self.folder / "a.hdf5", change=change)
            info = self.read(self.folder / "a.hdf5")
            wanted = integers.astype(np.float64) * (layouts.BOX / 2.0 ** (8 * integers.itemsize))
            np.testing.assert_array_equal(info["position"].reshape(-1, 3)[40:], wanted)
            self.assertEqual(info["scalar"], "float64")

    def test_half_precision_and_big_endian(self):
        kept = {}

        def change(file, _):
            for name, kind in (("Velocities", np.float16), ("Coordinates", ">f8"), ("ParticleIDs", ">u4")):
                kept[name] = file["PartType1"][name][:].astype(kind)
                del file["PartType1"][name]
                file["PartType1"][name] = kept[name]
        parts = layouts.gadget4(self.folder / "a.hdf5", change=change)
        self.same(self.read(self.folder / "a.hdf5"), [parts[0][0], kept])


class Others(Case):
    def test_illustris_tng(self):
        parts = layouts.tng(self.folder / "snapdir_099")
        done = self.run_tool(self.folder / "snapdir_099")
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        self.assertEqual([(t["type"], t["count"], t["has"]) for t in info["type"]],
                         [(0, 62, "xvmi"), (1, 153, "xvmi"), (3, 15, "")])
        self.assertEqual(info["velocity_factor"], 1)
        self.assertEqual(info["units"][3:], [True, True])
        self.assertEqual(len(parts), info["files"])

    def test_swift(self):
        parts = layouts.swift(self.folder / "a.hdf5")
        info = self.read(self.folder / "a.hdf5")
        self.same(info, parts)
        np.testing.assert_array_equal(info["mass"], parts[0]["Masses"])
        self.assertEqual((info["format"], info["types"]), ("swift_hdf5", 7))
        self.assertEqual(info["box"], [layouts.BOX, layouts.BOX, 2 * layouts.BOX])
        self.assertEqual(info["velocity_factor"], 1)
        self.assertEqual(info["background"], [True, 0.304611, 0.693922, 0.0486, 0.681, 0.5, 1.0])
        np.testing.assert_allclose(info["units"], [3.08567758e24, 1.98841e43, 1e5, False, True])

    def test_swift_in_files_and_virtual(self):
        parts = layouts.swift(self.folder / "snap_0003.hdf5", files=3)
        self.same(self.read(self.folder / "snap_0003.1.hdf5"), parts)
        self.same(self.read(self.folder / "snap_0003.hdf5"), parts)
        self.same(self.read(self.folder), parts)

    def test_gadget_binary(self):
        for order in "<>":
            for version in (1, 2):
                for files in (1, 3):
                    for kind in ("f4", "f8"):
                        with self.subTest(order=order, version=version, files=files, kind=kind):
                            self.check_binary(order=order, version=version, files=files, scalar=kind)

    def test_gadget4_binary(self):
        self.check_binary(is_wide=True)
        self.check_binary(is_wide=True, version=2, order=">", files=2)

    def check_binary(self, **options):
        parts = layouts.gadget_binary(self.folder / "snap", **options)
        name = "snap.0" if options.get("files", 1) > 1 else "snap"
        info = self.read(self.folder / name)
        (self.folder / "snap").unlink(missing_ok=True)
        self.same(info, [part[1] for part in parts] + [part[4] for part in parts])
        masses = [np.full(len(p[1]["Masses"]), 2.5) for p in parts] + [p[4]["Masses"] for p in parts]
        np.testing.assert_array_equal(info["mass"], np.concatenate(masses))
        self.assertEqual(info["velocity_factor"], layouts.A**0.5)

    def test_numpy(self):
        x = np.random.default_rng(3).random((50, 4))
        for array in (x, x.astype(">f4"), np.asfortranarray(x), x.astype(np.float16), (100 * x).astype(np.int16)):
            np.save(self.folder / "a.npy", array)
            np.testing.assert_array_equal(self.read(self.folder / "a.npy")["position"], array.ravel())
            for save in (np.savez, np.savez_compressed):
                save(self.folder / "a.npz", position=array, mass=np.arange(50.0), id=np.arange(50))
                info = self.read(self.folder / "a.npz")
                np.testing.assert_array_equal(info["position"], array.ravel())
                np.testing.assert_array_equal(info["mass"], np.arange(50))
                save(self.folder / "b.npz", array)
                np.testing.assert_array_equal(self.read(self.folder / "b.npz")["position"], array.ravel())

    def test_ply(self):
        x = np.random.default_rng(4).random((20, 3)).astype(np.float32)
        head = ("ply\nformat {} 1.0\ncomment made for a test\nelement camera 2\nproperty int a\nelement vertex 20\n"
                "property uchar red\nproperty float x\nproperty float y\nproperty float z\n"
                "element face 1\nproperty list uchar int vertex_index\nend_header\n")
        for order, name in (("<", "binary_little_endian"), (">", "binary_big_endian")):
            rows = np.zeros(20, [("red", "u1"), ("p", order + "f4", 3)])
            rows["p"] = x
            data = head.format(name).encode() + np.arange(2, dtype=order + "i4").tobytes() + rows.tobytes()
            (self.folder / "a.ply").write_bytes(data + b"\x03" + bytes(12))
            np.testing.assert_array_equal(self.read(self.folder / "a.ply")["position"], x.ravel())
        lines = "".join(f"7 {a} {b} {c}\n" for a, b, c in x.astype(str))
        (self.folder / "a.ply").write_text(head.format("ascii") + "1\n2\n" + lines + "3 0 1 2\n")
        np.testing.assert_array_equal(self.read(self.folder / "a.ply")["position"].astype(np.float32), x.ravel())

    def test_text(self):
        for name, text, wanted in (
                ("a.csv", "id,x,y,z,mass\n7,1,2,3,9\r\n8,+4e0,-5,6.5,10", [1, 2, 3, 4, -5, 6.5]),
                ("a.txt", "# made by hand\n\n1 2\n  3\t4  \n# more\n5;6\n", [1, 2, 3, 4, 5, 6]),
                ("a.xyz", "2\na molecule\nC 1 2 3\nH 4 5 6\n", [1, 2, 3, 4, 5, 6]),
                ("b.xyz", "1 2 3 0.5\n4 5 6 0.5\n", [1, 2, 3, 4, 5, 6]),
                ("c.csv", '"X" , "Y"\n1e400,1e-400\n', [np.inf, 0])):
            (self.folder / name).write_text(text)
            info = self.read(self.folder / name)
            np.testing.assert_array_equal(info["position"], wanted)
        self.assertEqual(self.read(self.folder / "a.csv")["id"].tolist(), [7, 8])


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
        self.spoiled("is to hold whole numbers", attribute("NumPart_ThisFile", np.zeros(6)))
        self.spoiled("different lengths", attribute("NumPart_Total", np.zeros(3, np.uint64)))
        self.spoiled("particles of mass nan", attribute("MassTable", np.full(6, np.nan)))
        self.spoiled("a side of -1", attribute("BoxSize", -1.0))
        self.spoiled("holds no numbers", attribute("BoxSize", "large"))
        self.spoiled("0 files in the header", attribute("NumFilesPerSnapshot", np.int32(0)))
        self.spoiled("its name has no number", attribute("NumFilesPerSnapshot", np.int32(7)))

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
        self.spoiled("is of rank 1", replaced("Coordinates", np.zeros(100)))
        self.spoiled("is of rank 3", replaced("Coordinates", np.zeros((100, 3, 2))))
        self.spoiled("has 2 columns where others have 3", replaced("Coordinates", np.zeros((100, 2))))
        self.spoiled("has points of dimension 0", replaced("Coordinates", np.zeros((100, 0))))
        self.spoiled("holds no numbers", replaced("Coordinates", np.full((100, 3), b"abc")))
        self.spoiled("holds no numbers", replaced("ParticleIDs", np.zeros(100, [("a", "i4"), ("b", "f8")])))
        self.spoiled("ids are", replaced("ParticleIDs", np.zeros(100)))

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
        self.spoiled("/PartType1/Coordinates: cannot be looked for", group)

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
        self.spoiled("its data stand in other files", storage)

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
                (data[:-1], "are to stand in"), (data + b"x", "the header promises"), (data[:50], "truncated or absurd"),
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
        self.refused(path, "no directory at the end")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("position.npy", b"x" * 100)
        self.refused(path, "packed by method 12")

    def test_text_and_ply(self):
        for name, text, words in (
                ("a.csv", "x,y,z\n1,2,3\n4,5\n", "row 2 has 2 columns, 3 are needed"),
                ("a.csv", "x,y,z\n1,2,3\n4,five,6\n", 'row 2, column 2: "five" is no number'),
                ("a.txt", "# nothing\n", "has no row of numbers"),
                ("a.txt", "1" * 3_000_000, "a line of more than"),
                ("a.xyz", "5\nfive\nC 1 2 3\n", "promises 5 rows and has 1"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n10\n20\n", "ends after 2 of 3"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n", "header does not end"),
                ("a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999999999\n", "99999999999999999999"),
                ("a.ply", "ply\nformat binary_big_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n", "truncated"),
                ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list int int x\nend_header\n1 1\n", "has lists among"),
                ("a.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty int a\nend_header\n1\n", "has no vertices"),
                ("a.raw", "12345", "no whole number of 3-dimensional points"),
                ("a.f64", "123456789012", "points of float64"),
                ("a.what", "hello", "begins as no format that kith knows"),
                ("a.what", "", "is empty")):
            with self.subTest(name=name, words=words):
                (self.folder / name).write_text(text)
                self.refused(self.folder / name, words)

    def test_folders(self):
        (self.folder / "none").mkdir()
        self.refused(self.folder / "none", "the folder has no snapshot")
        for name in ("a.hdf5", "b.hdf5"):
            layouts.gadget4(self.folder / "none" / name)
        self.refused(self.folder / "none", "the folder has 2 snapshots")


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
