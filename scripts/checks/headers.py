#!/usr/bin/env python3
"""Checks that every public header compiles by itself, also when included twice, and that it includes no other library.
g++ compiles them one by one; clang++ compiles all of them together, since both use the same standard library.

Usage: headers.py [ROOT] [--include DIR]... [--mpi DIR]...  DIR: where version.hpp was made by a build, and where mpi.h
is; without the latter, headers about MPI are left out.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
         "-Wno-sign-conversion", "-Werror", "-x", "c++"]
# Parts of paths of libraries that users need not have. Headers with mpi in their name may include MPI.
LIBRARIES = ["hwy", "tbb", "oneapi", "hdf5", "cuda", "fmt", "mpi", "png", "xxhash"]
LINE_MARKER = re.compile(r'^# \d+ "([^"]+)"', re.MULTILINE)
STANDARD = re.compile(r"/(c\+\+|gcc|clang|llvm-\d+)/")


def run(compiler, arguments, source):
    return subprocess.run([compiler, *FLAGS, *arguments, "-"], input=source, text=True,
                          capture_output=True, check=False)


def libraries_in(preprocessed, header):
    """The libraries that the files in a preprocessor's output belong to.

    (Its list of dependencies, -M, also names files that __has_include only looked for.)
    """
    files = {f for f in LINE_MARKER.findall(preprocessed) if not STANDARD.search(f)}
    found = set()
    for file in files:
        parts = file.lower().split("/")
        for library in LIBRARIES:
            is_ours = library == "mpi" and "mpi" in header
            if not is_ours and any(re.fullmatch(rf"{library}(-\d+|\.h|\.hpp)?", p) for p in parts):
                found.add(library)
    return sorted(found)


def flags_for(root, header, include, mpi):
    """The folders in which a header, given by its path below include/, finds others."""
    flags = [f"-I{root / 'include'}", *[f"-I{folder}" for folder in include]]
    return flags + [part for folder in mpi for part in ("-isystem", folder)] if "mpi" in header else flags


def compile_alone(compiler, headers, flags):
    """The complaint of one compiler about a program of these headers, each included twice."""
    text = "".join(2 * f"#include <{header}>\n" for header in headers)
    result = run(compiler, [*flags, "-fsyntax-only"], text + "int main() {}\n")
    names = " ".join(headers)
    return [f"{names} does not compile alone with {compiler}:\n{result.stderr}"] if result.returncode else []


def foreign_libraries(headers, flags):
    """Which of the headers include other libraries: all are checked together, and one by one only if there are any."""
    result = run("g++", [*flags, "-E"], "".join(f"#include <{header}>\n" for header in headers))
    found = libraries_in(result.stdout, headers[0]) if headers else []
    if not found or len(headers) == 1:
        return [f"{header} pulls in {library}" for header in headers for library in found]
    return [line for header in headers for line in foreign_libraries([header], flags)]


def check(root, include, mpi=()):
    headers = sorted(p.relative_to(root / "include").as_posix()
                     for p in (root / "include").rglob("*.hpp"))
    headers = [header for header in headers if mpi or not "mpi" in header]
    kinds = [[header for header in headers if ("mpi" in header) == is_mpi] for is_mpi in (False, True)]
    jobs = [(compile_alone, "g++", [header], flags_for(root, header, include, mpi)) for header in headers]
    for kind in filter(None, kinds):
        flags = flags_for(root, kind[0], include, mpi)
        jobs += [(compile_alone, "clang++", kind, flags), (foreign_libraries, kind, flags)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(lambda job: job[0](*job[1:]), jobs) for line in lines]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--mpi", action="append", default=[])
    options = parser.parse_args()
    found = check(options.root, options.include, options.mpi)
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
