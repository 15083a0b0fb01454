#!/usr/bin/env python3
"""Checks that a compiler refuses each wrong call in a source file, and takes the file without them.

Usage: refused.py SOURCE COMPILER FLAG...  Calls are numbered in the file: #if WRONG == 1, #elif WRONG == 2, ...
"""
import pathlib
import re
import subprocess
import sys


def compiles(source, command, number):
    return subprocess.run([*command, f"-DWRONG={number}", "-fsyntax-only", source], capture_output=True, text=True,
                          check=False)


def main(source, command):
    numbers = [int(n) for n in re.findall(r"WRONG == (\d+)", pathlib.Path(source).read_text(encoding="utf-8"))]
    right = compiles(source, command, 0)
    taken = [n for n in numbers if compiles(source, command, n).returncode == 0]
    if right.returncode:
        print(f"{source} fails without wrong calls:\n{right.stderr}")
    for number in taken:
        print(f"{source}: call {number} compiles, but should not")
    print(f"{len(numbers)} wrong calls, {len(taken)} taken")
    return 1 if taken or right.returncode or not numbers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [*sys.argv[2:], "-std=c++20"]))
