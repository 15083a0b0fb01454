#!/usr/bin/env python3
"""Runs a program and compares its output with a file, in which <number> matches any number.

Usage: compare_output.py EXPECTED PROGRAM [ARGUMENT...]
"""
import difflib
import pathlib
import re
import subprocess
import sys

NUMBER = r"[-+]?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?"


def matches(expected, line):
    pattern = re.escape(expected).replace("<number>", NUMBER)
    return re.fullmatch(pattern, line) is not None


def compare(expected, printed):
    """A readable difference, or an empty string."""
    same = len(expected) == len(printed) and all(map(matches, expected, printed))
    return [] if same else list(difflib.unified_diff(expected, printed, "expected", "printed",
                                                     lineterm=""))


def main(expected_file, command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        print(result.stdout, result.stderr, sep="")
        return f"{command[0]} ended with {result.returncode}"
    expected = pathlib.Path(expected_file).read_text(encoding="utf-8").splitlines()
    difference = compare(expected, result.stdout.splitlines())
    print("\n".join(difference) if difference else result.stdout, end="")
    return 1 if difference else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
