#!/usr/bin/env python3
"""Compiles, links and runs the programs in documents: every fenced block that begins with ```cpp.
Of a block without a main function, only the syntax is checked; one for MPI is left to the tests of MPI.

Usage: snippets.py COMPILER DOCUMENT... -- FLAG...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(document):
    """The programs in a document, each with the line on which it begins."""
    text = document.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in FENCE.finditer(text)
            if "mpi.h" not in match[1]]


def build_and_run(compiler, code, flags):
    """The errors of a program, or None."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "snippet.cpp"), pathlib.Path(folder, "snippet")
        source.write_text(code, encoding="utf-8")
        compile = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror"]
        if "int main(" in code:
            commands = [[*compile, source, *flags, "-o", program], [program]]
        else:
            includes = [flag for flag in flags if flag.startswith("-I")]
            commands = [[*compile, *includes, "-fsyntax-only", source]]
        for command in commands:
            result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
            if result.returncode:
                return result.stdout + result.stderr
    return None


def main(compiler, documents, flags):
    count = failures = 0
    for document in map(pathlib.Path, documents):
        for line, code in snippets(document):
            count += 1
            trouble = build_and_run(compiler, code, flags)
            if trouble is not None:
                failures += 1
                print(f"{document}:{line}: this program fails:\n{trouble}")
    print(f"{count} programs, {failures} failed")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    split = sys.argv.index("--")
    sys.exit(main(sys.argv[1], sys.argv[2:split], sys.argv[split + 1:]))
