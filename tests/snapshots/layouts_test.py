#!/usr/bin/env python3
"""Snapshots in the layouts of Gadget, AREPO and SWIFT, of NumPy, PLY and text are read as they were meant.
Usage: layouts_test.py SNAPSHOT_TOOL [unittest options]"""
import json
import unittest

import numpy as np

import layouts
from snapshot_case import Case


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
                ("a.txt", "# made by hand\n\n1 2\n  3\t4  \n# more\n5 6\n", [1, 2, 3, 4, 5, 6]),
                ("d.csv", "x; y\n1 ; 2\n 3;4\n", [1, 2, 3, 4]),
                ("e.csv", "\ufeffx,y\n1,2\n", [1, 2]),  # as spreadsheets write it
                ("f.csv", "\ufeff1,2\n3,4\n", [1, 2, 3, 4]),
                ("g.csv", 'name,x,y\n"NGC 1, near",1,2\n"M 31",3,4\n', [1, 2, 3, 4]),
                ("h.txt", "0.001e400 1e-400\n-0.5e400 1e99999999999999999999\n12345e-330 0e999\n"
                          "1000000000000000000000e-400 0.0000000001e310\n",
                 [np.inf, 0, -np.inf, np.inf, 1.2345e-326, 0, 0, 1e300]),
                ("a.xyz", "2\na molecule\nC 1 2 3\nH 4 5 6\n", [1, 2, 3, 4, 5, 6]),
                ("b.xyz", "1 2 3 0.5\n4 5 6 0.5\n", [1, 2, 3, 4, 5, 6]),
                ("c.csv", '"X" , "Y"\n1e400,1e-400\n', [np.inf, 0])):
            (self.folder / name).write_text(text)
            info = self.read(self.folder / name)
            np.testing.assert_array_equal(info["position"], wanted)
        self.assertEqual(self.read(self.folder / "a.csv")["id"].tolist(), [7, 8])


if __name__ == "__main__":
    unittest.main()
