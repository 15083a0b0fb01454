#!/usr/bin/env python3
"""Counts the work of warps of 32 in the kernels of kNN and FoF, per 32 points, and compares it with bench/gpu_warps.txt.

No GPU is needed: the kernels run as C++ (tests/gpu/host), which counts how often a warp executes a section (a pair of
points, a box, a merge, ...) and how many of its lanes work there. Usage: gpu_warps.py PROGRAM LIBRARY [--points N]
[--update]; LIBRARY is libkith_host_kernels.so. Points: 2^14 unless given, uniform or a universe, float32 in 3-D, k = 16,
b = 0.2.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "gpu_warps.txt"
# Instructions of sm_80 in each section: of the leaves of kNN read from the assembly (nvcc 13.0, k = 16; by line, as nvdisasm
# --print-line-info-inline shows them), of the sort from PTX, of the walks and of links estimated. "entry" of knn: a task.
COSTS = {"knn": {"pair": 17, "entry": 80, "box": 60, "insert": 560, "node": 140, "compare": 40},
         "walk_step": {"candidate": 110, "entry": 110},
         "sort_count_uint": {"load": 13}, "sort_scatter_uint": {"load": 80},
         "fof_step": {"entry": 110}, "fof_link": {"node": 205, "box": 60, "accept": 30, "pair": 27, "link": 90}}
BARRIER = 38  # with the work that is done once until the next
EDGES = 500  # of a launch of knn: the rows read and written
ALLOWED = 1.02


def counted(program, library, *words):
    """{kernel: {section: (warps of 32, lanes)}} of a call, and the barriers of each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.txt")
        environment = {**os.environ, "KITH_OPENCL": library, "KITH_HOST_COUNTS": path}
        subprocess.run([program, *words, "--scalar", "float32", "--device", "gpu", "--quiet"], env=environment, check=True)
        kernels = {}
        for line in open(path):
            kernel, section, *numbers = line.split()
            kernels.setdefault(kernel, {})[section] = list(map(int, numbers))
        return kernels


def table(kernels, n):
    """(kernel section, executions per 32 queries, percent of the lanes) and the sums of instructions."""
    warps = n / 32
    for kernel, costs in COSTS.items():
        if kernel not in kernels:
            continue
        found = kernels[kernel]
        total = 0
        for section, cost in costs.items():
            if section in found:
                executed, _, lanes = found[section]
                total += executed / warps * cost
                yield f"{kernel} {section}", executed / warps, 100 * lanes / (32 * executed)
        groups, _, barriers = found["groups"]
        if kernel == "knn":  # two warps in a group
            total += 2 * barriers / warps * BARRIER + 2 * groups / warps * EDGES
        yield f"{kernel} instructions", total, 100


def rows(given):
    with tempfile.TemporaryDirectory() as folder:
        side = round(given.points ** (1 / 3))
        sets = {"uniform": ["uniform", "-n", str(side**3)], "universe": ["cosmology", "-n", str(side)]}
        for name, words in sets.items():
            path = os.path.join(folder, name + ".hdf5")
            subprocess.run([given.program, "sample", *words, "-o", path, "--quiet"], check=True)
            kernels = counted(given.program, given.library, "knn", path, "-k", "16")
            groups = counted(given.program, given.library, "fof", path, "-b", "0.2", "-o", os.path.join(folder, "fof.hdf5"))
            kernels.update((kernel, found) for kernel, found in groups.items() if kernel.startswith("fof"))
            for what, number, lanes in table(kernels, side**3):
                yield f"{name} {what}", number, lanes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--points", type=int, default=2**14)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    found = list(rows(given))
    lines = [f"{what} {number:.1f} {lanes:.0f}" for what, number, lanes in found]
    print("\n".join(lines))
    if given.update:
        TABLE.write_text("# set kernel section executed_per_32_points percent_of_lanes\n" + "\n".join(lines) + "\n")
        return
    if given.points != 2**14:
        return
    known = {" ".join(line.split()[:3]): float(line.split()[3]) for line in TABLE.read_text().splitlines()[1:]}
    worse = [f"{what}: {number:.1f}, recorded is {known.get(what, 0)}" for what, number, _ in found
             if number > ALLOWED * known.get(what, 0) + 0.1]
    for words in worse:
        print("gpu_warps.py:", words)
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
