"""Results on standard output: -o -. Usage: pipe_test.py PROGRAM"""

import subprocess
import unittest

import numpy as np

from program import PROGRAM, ProgramTest, clumps, run


class Pipes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.points = self.save("x.npy", clumps(500))
        self.works("sample", "cosmology", "-n", 16, "--steps", 4, "--mesh", 16, "-o", self.path("universe.hdf5"))

    def commands(self):
        box = ["--box", "1"]
        universe = self.path("universe.hdf5")
        return [["fof", self.points, *box, "-b", 0.2], ["subhalos", universe, "-b", 0.5, "--min-size", 5],
                ["knn", self.points, *box, "-k", 3], ["density", self.points, *box, "-k", 8],
                ["cluster", self.points, "--method", "hdbscan"], ["match", universe, universe, "-b", 0.5, "--min-size", 5],
                ["correlate", self.points, *box, "--xi", "--linear-bins", "0,0.3,5"], ["sample", "uniform", "-n", 100]]

    def test_the_result_is_that_of_a_file_and_words_are_elsewhere(self):
        for words in self.commands():
            said = self.works(*words, "-o", self.path("out.csv"))
            piped = run(*words, "-o", "-")
            with open(self.path("out.csv")) as file:
                self.assertEqual(piped.stdout, file.read(), words)
            self.assertEqual(piped.returncode, 0, words)
            # The same words but for the name of the file and the last line, the times.
            expected = [line for line in said.splitlines() if "out.csv" not in line][:-1]
            self.assertEqual([line for line in piped.stderr.splitlines() if line][:len(expected) - expected.count("")],
                             [line for line in expected if line], words)
            self.assertEqual(run(*words, "--quiet", "-o", "-").stderr, "", words)
        self.assertNotIn("-", self.files())

    def test_commands_in_a_row(self):
        row = f"{PROGRAM} sample uniform -n 50 -o - | {PROGRAM} knn - -k 2 -o - | grep -v '^#' | wc -l"
        self.assertEqual(subprocess.run(["bash", "-c", row], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True).stdout.strip(), "51")

    def test_behind_other_output(self):
        with open(self.path("all"), "w") as file:
            file.write("before\n")
            file.flush()
            subprocess.run([PROGRAM, "sample", "uniform", "-n", "3", "-q", "-o", "-"], stdout=file, check=True)
        with open(self.path("all")) as file:
            self.assertEqual(len(file.read().splitlines()), 5)

    def test_refused(self):
        for words, sentence in (
                (["fof", self.points, "--box", 1, "--json"], "--json and -o - both write to standard output"),
                (["fof", self.points, "--box", 1, "--style", "gadget"], "standard output takes .csv"),
                (["fof", self.points, "--box", 1, "--all-lengths", "0.1,0.2"], "give -o the name of a file"),
                (["radius", self.points, "--box", 1, "--radius", 0.1], "do not fit into .csv")):
            result = run(*words, "-o", "-")
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(sentence, result.stderr)

    def test_a_full_disk(self):
        for words in self.commands():
            with open("/dev/full", "wb") as full:
                result = subprocess.run([PROGRAM, *map(str, words), "-o", "-"], stdout=full, stderr=subprocess.PIPE,
                                        text=True, timeout=300)
            self.assertEqual(result.returncode, 1, words)
            self.assertRegex(result.stderr, "kith: standard output: cannot be (written|closed)", words)


class RowsInJson(ProgramTest):
    def test_all_rows(self):
        import json
        points = self.save("x.npy", clumps(2000))
        told = json.loads(self.works("fof", points, "--box", 1, "--min-size", 2, "--rows", "all", "--json"))
        self.assertGreater(told["groups"], 10)
        self.assertEqual(len(told["largest"]), told["groups"])
        self.works("fof", points, "--box", 1, "--min-size", 2, "--labels", "-o", self.path("h.npz"))
        with np.load(self.path("h.npz")) as file:
            self.assertEqual([row["size"] for row in told["largest"]], list(file["size"]))
        self.assertEqual(len(json.loads(self.works("fof", points, "--box", 1, "--min-size", 2, "--json"))["largest"]), 10)
        clusters = json.loads(self.works("cluster", points, "--method", "hdbscan", "--rows", "all", "--json"))
        self.assertEqual(len(clusters["largest"]), clusters["clusters"])
        self.assertEqual(run("fof", points, "--box", 1, "--rows", "some").returncode, 2)


if __name__ == "__main__":
    unittest.main()
