#!/usr/bin/env python3
"""Configures kith with all combinations of its libraries, with tests, examples and the program where they are possible.
Nothing is compiled. Usage: combinations_test.py CMAKE SOURCE COMPILER [LIBRARY...], of MPI and GPU those that this
machine has."""
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile

LIBRARIES = ["IO", "SAMPLE", "MPI", "GPU"]


def configure(cmake, source, compiler, folder, combinations):
    """In one folder one after the other, since CMake then looks for compilers and packages only once."""
    failed = []
    for on in combinations:
        switches = [f"-DKITH_{name}={'ON' if name in on else 'OFF'}" for name in LIBRARIES]
        result = subprocess.run([cmake, "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                                 *switches], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            failed.append(f"with {', '.join(on) or 'no library'}:\n{result.stdout}{result.stderr}")
    return failed


def main():
    cmake, source, compiler, *present = sys.argv[1:]
    possible = [name for name in LIBRARIES if name in ("IO", "SAMPLE", *present)]
    combinations = [on for size in range(len(possible) + 1) for on in itertools.combinations(possible, size)]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(configure, cmake, source, compiler, pathlib.Path(work) / str(i), combinations[i::2])
                for i in range(2)]
        failed = [text for job in jobs for text in job.result()]
    print(f"{len(combinations)} combinations, {len(failed)} of them fail")
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
