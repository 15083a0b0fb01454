#!/usr/bin/env python3
"""Manual pages and completions name every command and every option. Usage: pages_test.py PROGRAM"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def kith(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def commands(path=()):
    """Every command with the options that its help lists."""
    text = kith(*path, "--help")
    yield path, re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE)
    below = re.search(r"^Subcommands:\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    for name in re.findall(r"^  (\S+)", below[1], re.MULTILINE) if below else []:
        yield from commands((*path, name))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = dict(commands())

    def test_every_command_has_a_manual_page_with_its_options(self):
        with tempfile.TemporaryDirectory() as folder:
            kith("manual", "--folder", folder)
            self.assertEqual({p.name for p in pathlib.Path(folder).iterdir()},
                             {"-".join(["kith", *path]) + ".1" for path in self.commands})
            for path, options in self.commands.items():
                page = pathlib.Path(folder, "-".join(["kith", *path]) + ".1").read_text()
                for part in (".TH KITH", ".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS"):
                    self.assertIn(part, page)
                for option in options:
                    self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        result = subprocess.run([PROGRAM, "manual", "--folder", "/dev/null/x"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("/dev/null/x", result.stderr)

    def test_completions_name_every_option(self):
        scripts = {shell: kith("completion", shell) for shell in ("bash", "zsh", "fish")}
        for path, options in self.commands.items():
            if not path or self.below(path):
                continue
            for option in options:
                self.assertIn(option, scripts["bash"])
                self.assertRegex(scripts["zsh"], rf"'{option}[=\[]")
                self.assertRegex(scripts["fish"], rf"subcommand_from {path[-1]}' .*-l {option[2:]}\b")
        for shell, script in scripts.items():
            if shutil.which(shell):  # bash always is; the others are checked where they are installed
                subprocess.run([shell, "-n", "/dev/stdin"], input=script, text=True, check=True)

    def below(self, path):
        return any(other[:len(path)] == path and other != path for other in self.commands)

    def test_bash_completes_values(self):
        script = kith("completion", "bash")
        for words, expected in ((["kith", "cluster", "x.npy", "--method", "h"], ["hdbscan"]),
                                (["kith", "fof", "--scalar", ""], ["float32", "float64"]),
                                (["kith", "fof", "--style", "=", "s"], ["swift"]),
                                (["kith", "fof", "--min-s"], ["--min-size"])):
            line = " ".join(map(repr, words))
            text = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _kith; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            found = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True).stdout
            self.assertEqual(found.split(), expected)

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        for words, expected in (("kith sam", "sample"), ("kith sample cosm", "cosmology"),
                                ("kith fof --min", "--min-size"), ("kith fof x --scalar ", "float32\nfloat64")):
            text = kith("completion", "fish") + f"\ncomplete -C '{words}'"
            found = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, text=True, check=True)
            self.assertEqual([line.split("\t")[0] for line in found.stdout.splitlines()], expected.split("\n"))


unittest.main()
