#!/usr/bin/env python3
"""Prints the table of digests of docs/mpi.md: files of the program over many numbers of ranks and threads.

Usage: digests.py LAUNCH MPIEXEC KITH [ROW...]
"""
import hashlib
import pathlib
import random
import subprocess
import sys
import tempfile

from program_test import write_types

LAUNCH, MPIEXEC, KITH = sys.argv[1:4]
RUNS = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (7, 1), (8, 1), (16, 1), (1, 2), (2, 2), (4, 2)]

CASES = [
    ("universe, `fof -b 0.2 --overdensities --labels`", "universe.hdf5", ".hdf5"),
    ("universe, `fof -b 0.2 --style swift`", "universe.hdf5", ".hdf5"),
    ("universe, `fof -b 0.2 --center density --files 3`", "universe.hdf5", ".hdf5"),
    ("universe, `subhalos -b 0.2 --phase-linking-length 0.3`", "universe.hdf5", ".hdf5"),
    ("universe, `subhalos -b 0.2 --labels`", "universe.hdf5", ".hdf5"),
    ("universe, `subhalos -b 0.2 --method phase --labels`", "universe.hdf5", ".hdf5"),
    ("gas, dark matter and stars in clumps, `fof --linking-length 0.3`", "types.gadget", ".npz"),
    ("20,000 uniform points, `fof --linking-length 0.03 --box 1 --min-size 2 --order`", "uniform.csv", ".npz"),
    ("a line of 20,000 points in random order: one group through all ranks, `fof --linking-length 0.01`", "line.csv",
     ".npz"),
    ("5,000 equal points, `fof --linking-length 0.01 --labels`", "equal.csv", ".npz"),
    ("universe, `cluster --method dbscan --eps 0.8`", "universe.hdf5", ".hdf5"),
    ("universe, `cluster --method hdbscan --min-cluster-size 20`", "universe.hdf5", ".hdf5"),
    ("universe, `correlate --xi --linear-bins 0.5,7,6 --weights --mean-separation --regions 27`", "universe.hdf5", ".csv"),
    ("universe, `knn -k 8`", "universe.hdf5", ".hdf5"),
    ("universe, `radius --radius 2`", "universe.hdf5", ".hdf5"),
    ("universe, `density -k 16`", "universe.hdf5", ".npz"),
    ("universe, `fof -b 0.2 --picture`", "universe.hdf5", ".png"),
    ("universe, `fof --all-lengths 0.15,0.2 --picture`", "universe.hdf5", ".png"),
    ("universe at two times, `match --subhalos`", "early.hdf5 universe.hdf5", ".hdf5"),
    ("universe at two times, `trees --subhalos --orphans`", "early.hdf5 universe.hdf5", ".hdf5"),
]


def write_points(folder):
    random.seed(1)
    uniform = [f"{random.random():.6f},{random.random():.6f},{random.random():.6f}" for _ in range(20000)]
    line = [f"{i * 0.005:.6f},0,0" for i in range(20000)]
    random.shuffle(line)
    for name, rows in (("uniform", uniform), ("line", line), ("equal", ["0.5,0.5,0.5"] * 5000)):
        (folder / f"{name}.csv").write_text("x,y,z\n" + "\n".join(rows) + "\n")


def digest(folder, case, ranks, threads):
    words, points, ending = case[0].split("`")[1].split(), case[1], case[2]
    output = [] if ending == ".png" else ["-o"]
    command = [words[0], *points.split(), *words[1:], *output, "result" + ending, "--threads", str(threads), "--quiet"]
    launch = [LAUNCH, MPIEXEC, str(ranks)] if ranks > 1 else []
    subprocess.run([*launch, KITH, *command], cwd=folder, check=True)
    files = sorted(folder.glob("result*"))
    total = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
    for path in files:
        path.unlink()
    return total


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    subprocess.run([KITH, "sample", "cosmology", "-n", "32", "-o", "universe.hdf5", "-q"], cwd=folder, check=True)
    subprocess.run([KITH, "sample", "cosmology", "-n", "32", "--a-end", "0.8", "-o", "early.hdf5", "-q"], cwd=folder,
                   check=True)
    write_points(folder)
    write_types(folder / "types.gadget")
    print("| points and command | file | digest | all ranks |\n|---|---|---|---|")
    for case in [CASES[int(row)] for row in sys.argv[4:]] or CASES:
        found = {digest(folder, case, *run) for run in RUNS}
        print(f"| {case[0]} | {case[2]} | {', '.join(sorted(found))} | {'equal' if len(found) == 1 else 'DIFFERENT'} |",
              flush=True)
