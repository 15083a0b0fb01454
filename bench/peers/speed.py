"""k nearest neighbors, the library of this build next to another build of it and to nanoflann.

    bench/peers/speed.py PROGRAM OUTPUT.json [FOLDER [UNIVERSE.raw...]]

Prints the table of docs/speed.md (before / now / nanoflann, and ratios) and writes JSON. PROGRAM is bench_knn_peers;
FOLDER contains another libkith.so, which the same program loads ("before"). Universes are files of raw float32 positions.
Every number is the best of several calls in one process, tree and search, and ratios are taken within a process: before
and now, each next to nanoflann, take turns, for AVX2 and then for AVX-512 if the CPU has it.
"""

import json
import os
import pathlib
import subprocess
import sys

SETS = [("uniform, k = 1", "uniform 300000 1"), ("k = 1, `exclude_self`", "uniform 300000 1 exclude=1"),
        ("k = 2", "uniform 300000 2"), ("k = 16", "uniform 300000 16"), ("k = 64", "uniform 300000 64"),
        ("k = 16, 2 threads", "uniform 300000 16 threads=2"),
        ("double, k = 1", "uniform 300000 1 double=1"), ("double, k = 16", "uniform 300000 16 double=1"),
        ("double, k = 64", "uniform 300000 64 double=1"),
        ("d = 2", "uniform 300000 16 d=2"), ("d = 4, 10^5 points", "uniform 100000 16 d=4"),
        ("d = 5, 10^5 points", "uniform 100000 16 d=5"), ("d = 6, 10^5 points", "uniform 100000 16 d=6"),
        ("d = 8, 3 x 10^4 points", "uniform 30000 16 d=8"), ("d = 10, 10^4 points", "uniform 10000 16 d=10"),
        ("d = 16, 10^4 points", "uniform 10000 16 d=16")]


def tasks(universes):
    """Pairs of a name and the arguments of the program."""
    yield from SETS
    for path in universes:
        name = pathlib.Path(path).stem
        yield f"{name}, k = 16", f"{path} 0 16"
        yield f"{name}, k = 16, 2 threads", f"{path} 0 16 threads=2"
        if os.path.getsize(path) < 12 * 2**21:
            yield f"{name}, k = 1", f"{path} 0 1"
            yield f"{name}, double, k = 16", f"{path} 0 16 double=1"


def measure(program, arguments, target, folder, repeats):
    environment = {**os.environ, "KITH_TARGET": target}
    if folder:
        environment["LD_LIBRARY_PATH"] = folder
    words = [program, *arguments.split(), f"reps={3 * repeats}", f"peer={repeats}"]
    found = json.loads(subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout)
    assert found["differing"] == 0, found
    return found["kith"], found["nanoflann_sorted"]


def milliseconds(seconds):
    return f"{1000 * seconds:.3g}" if seconds < 1 else f"{1000 * seconds:.0f}"


def main(program, output, folder="", *universes):
    with open("/proc/cpuinfo", encoding="utf-8") as cpu:
        targets = ["AVX2"] + (["AVX3"] if "avx512" in cpu.read() else [])
    rows = []
    print("| task |" + "".join(f" {target} | ratio |" for target in targets) + "\n|---|" + "---|---|" * len(targets))
    for name, arguments in tasks(universes):
        is_large = arguments.split()[0] in universes and os.path.getsize(arguments.split()[0]) > 10**8
        cells = [name]
        for target in targets:
            folders = [folder, ""] if folder else [""]
            found = [measure(program, arguments, target, where, 1 if is_large else 3) for where in folders]
            cells.append(" / ".join(milliseconds(t) for t in [kith for kith, _ in found] + [found[-1][1]]))
            cells.append(" / ".join(f"{peer / kith:.1f}" for kith, peer in found))
            rows.append({"task": name, "target": target, "kith_and_nanoflann": found})
        print("|", " | ".join(cells), "|", flush=True)
    pathlib.Path(output).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
