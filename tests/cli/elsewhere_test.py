"""The programs of docs/reading_results.md run and find the same mass. Each reads with one package; where that is not
installed, its program is skipped. Usage: elsewhere_test.py PROGRAM"""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import unittest
import warnings

import h5py

from program import PROGRAM, ProgramTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reading_results.md"
SECTION = re.compile(r"^## (.*?)\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Elsewhere(ProgramTest):
    def test_every_program_finds_the_same_mass(self):
        text = PAGE.read_text(encoding="utf-8")
        commands = re.search(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1].replace("-n 64", "-n 24")
        made = subprocess.run(["bash", "-euc", commands], cwd=self.folder.name, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]})
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        with h5py.File(self.path("halos.hdf5")) as file:
            expected = file["Group/GroupMass"][0] * file["Parameters"].attrs["UnitMass_in_g"] / 1.98841e33
        self.assertGreater(expected, 1e12)
        programs = SECTION.findall(text)
        self.assertEqual([name for name, _ in programs], ["yt", "pynbody", "swiftsimio", "illustris_python", "h5py",
                                                          "pandas", "astropy", "ParaView"])
        for name, code in programs:
            with self.subTest(name):
                if not importlib.util.find_spec(name.lower()):
                    self.skipTest(f"{name} is not installed")
                self.assertAlmostEqual(self.heaviest(name, code) / expected, 1, places=3)

    def heaviest(self, name, code):
        known = {}
        with warnings.catch_warnings(), contextlib.chdir(self.folder.name), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            warnings.simplefilter("ignore")
            exec(compile(code, f"{PAGE.name}: {name}", "exec"), known)
        self.assertIn(str(known["heaviest"])[:6], printed.getvalue())
        self.assertLessEqual(code.count("\n"), 6)
        return known["heaviest"]


if __name__ == "__main__":
    unittest.main()
