"""First contact of newcomers: mistyped words, files of other conventions, extras that a file cannot support.
Usage: first_contact_test.py PROGRAM"""

import json
import unittest

import h5py
import numpy as np

from program import ProgramTest, brute_labels, clumps, run


class MistypedWords(ProgramTest):
    def check(self, words, *parts, code=2):
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertLessEqual(result.stderr.count("kith: "), 1)

    def test_commands_have_suggestions(self):
        self.check(["ffo"], "unknown command kith ffo (did you mean fof?)")
        self.check(["clusters"], "(did you mean cluster?)")
        self.check(["sample", "cosmolgy"], "unknown command kith sample cosmolgy (did you mean cosmology?)")
        self.check(["frobnicate"], "unknown command kith frobnicate; choose from: info, fof")

    def test_options_have_suggestions_in_the_order_typed(self):
        points = self.save("x.npy", clumps(50))
        self.check(["fof", points, "-b", "0.2", "--minsize", "20"], "unknown option --minsize (did you mean --min-size?)",
                   "see kith fof --help")
        self.check(["fof", points, "--b", "0.2"], "unknown option --b (did you mean -b?)")
        self.check(["fof", points, "--types", "7"], "unknown option --types (did you mean --link-types")
        self.check(["--hlep"], "unknown option --hlep (did you mean --help?)")
        self.check(["fof", points, "one", "two"], "unexpected: one two; see kith fof --help")

    def test_values_have_suggestions(self):
        points = self.save("x.npy", clumps(50))
        self.check(["cluster", points, "--method", "hdbsan"], "hdbsan is not one of dbscan, hdbscan (did you mean hdbscan")

    def test_without_a_command_the_everyday_ones_are_shown(self):
        self.check([], "kith info FILE", "kith fof FILE", "kith knn FILE", "kith report FILE", "kith --help")

    def test_messages_name_options(self):
        bad = clumps(50)
        bad[7, 1] = np.nan
        self.check(["fof", self.save("bad.npy", bad), "--box", 1], "--non-finite drop", code=1)
        self.check(["knn", self.save("x.npy", clumps(50)), "-k", "3", "--threads", "-3"], "--threads -3")

    def test_help_has_no_types_of_the_parser(self):
        for command in (["fof"], ["knn"], ["cluster"], ["sample", "cosmology"], ["correlate"]):
            text = self.works(*command, "--help")
            for word in ("FLOAT", "UINT", "Excludes", ":{", "NONNEGATIVE"):
                self.assertNotIn(word, text)


class FilesOfOthers(ProgramTest):
    def snapshot(self, name, x, box, **header):
        with h5py.File(self.path(name), "w") as file:
            head = file.create_group("Header")
            head.attrs["NumPart_ThisFile"] = head.attrs["NumPart_Total"] = np.array([0, len(x)], np.uint32)
            head.attrs["MassTable"] = [0.0, 1.0]
            head.attrs["NumFilesPerSnapshot"] = 1
            head.attrs["BoxSize"] = box
            for key, value in header.items():
                head.attrs[key] = value
            part = file.create_group("PartType1")
            part["Coordinates"] = x
            part["ParticleIDs"] = np.arange(len(x), dtype=np.uint64)
        return self.path(name)

    def test_coordinates_about_zero(self):
        x = clumps(3000)
        centered = (x - np.float32(0.5)) * np.float32(2)
        path = self.snapshot("centered.hdf5", centered, 2.0)
        text = self.works("fof", path, "-b", 0.2, "--min-size", 10, "--labels", "-o", self.path("h.hdf5"))
        self.assertIn("centered on 0: from -1 to 1", text)
        with h5py.File(self.path("h.hdf5")) as file:
            centers = file["Group/GroupPos"][:]
        self.assertTrue((centers >= -1).all() and (centers < 1).all() and (centers < 0).any())
        self.works("verify", path, self.path("h.hdf5"))
        told = json.loads(self.works("knn", path, "-k", 3, "--json"))
        self.assertEqual(told["origin"], [-1, -1, -1])
        self.assertEqual(json.loads(self.works("knn", path, "-k", 3, "--json", "--origin", 0, "--wrap"))["origin"],
                         [0, 0, 0])

    def test_other_places_name_the_option_that_fits(self):
        x = clumps(3000)
        moved = self.snapshot("moved.hdf5", x + np.float32(3), 1.0)
        self.assertRegex(run("fof", moved).stderr, r"between 3\S* and .* outside of the box from 0 to 1; .*give --origin 3")
        wide = self.snapshot("wide.hdf5", x * np.float32(7), 1.0)
        self.assertRegex(run("fof", wide).stderr, r"extend over [67]\S* sides: give --wrap .*--box open")

    def test_overdensities_of_a_file_without_units_are_left_out(self):
        path = self.snapshot("plain.hdf5", clumps(2000), 1.0)
        result = run("fof", path, "--overdensities", "--min-size", 10, "-o", self.path("h.hdf5"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: the file lacks a cosmology (--cosmology) and units (--units)", result.stderr)
        with h5py.File(self.path("h.hdf5")) as file:
            self.assertGreater(len(file["Group/GroupLen"]), 0)
            self.assertNotIn("Group_M_Crit200", file["Group"])
        told = json.loads(self.works("fof", path, "--overdensities", "--json"))
        self.assertIn("lacks", told["notes"][0])

    def test_b_is_two_tenths_unless_it_is_given(self):
        x = clumps(2000)
        path = self.snapshot("x.hdf5", x, 1.0)
        self.works("fof", path, "--min-size", 10, "--labels", "-o", self.path("h.npz"))
        with np.load(self.path("h.npz")) as file:
            np.testing.assert_array_equal(file["label"], brute_labels(x, 0.2 * (1 / 2000) ** (1 / 3), 1.0, 10))

    def test_finding_nothing_is_explained(self):
        corner = self.snapshot("corner.hdf5", np.random.default_rng(1).random((2000, 3)).astype(np.float32), 1.0)
        result = run("fof", corner, "-b", 0.01)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"warning: no group has 20 members: .* linking lengths; is this a part")
        result = run("fof", corner, "--linking-length", 0.06, "--min-size", 1999)
        self.assertRegex(result.stderr, r"lower --min-size")

    def test_info_shows_what_decides(self):
        path = self.snapshot("x.hdf5", clumps(2000), 1.0, Redshift=2.2e-16, Time=1.0, Omega0=0.3, OmegaLambda=0.7,
                             HubbleParam=0.7)
        text = self.works("info", path)
        for part in ("coordinates: 0", "dark matter", "redshift 0,", "units unknown", "next: kith fof"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
