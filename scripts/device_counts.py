#!/usr/bin/env python3
"""Counts the bytes of global memory and the floating-point operations of the kernels of src/gpu, per point and stage.

oclgrind interprets the kernels and counts every instruction. Usage: device_counts.py PROGRAM [N]; the points (N, 4096
if not given, in three dimensions, float32, periodic) are uniform or a universe in a box. Debian: oclgrind.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

ORACLE = "/usr/lib/oclgrind/liboclgrind-rt.so"
STAGES = {  # all other kernels belong to the stage that orders the points: keys, sorts and sums
    "input": "extent join_boxes prepare", "planes": "fill_blocks fill_leaves fill_nodes",
    "walk": "walk_room walk_step reach_of_groups fill_reach reach_of_nodes fof_units fof_start fof_room fof_step",
    "leaves": "knn fof_link query_indices",
    "labels": "fof_flatten fof_measure fof_mark fof_list fof_most fof_size_keys fof_name fof_labels",
    "sums": "label_keys first_members count_blocks add_members find_massless add_moments join_blocks",
}
STAGE_OF = {kernel: stage for stage, kernels in STAGES.items() for kernel in kernels.split()}
LINE = re.compile(r"^\s*([\d,]+) - (.*)$")
MEMORY = re.compile(r"(load|store) (global|local) \(([\d,]+) bytes\)")
ARITHMETIC = ("fadd", "fsub", "fmul", "fdiv")
COMPARISONS = ("fcmp",)


def number(text):
    return int(text.replace(",", ""))


def counted(program, command):
    """Counters of each kernel."""
    environment = {**os.environ, "KITH_OPENCL": ORACLE, "OCLGRIND_INST_COUNTS": "1"}
    done = subprocess.run([program, *command, "--device", "gpu", "--quiet"], env=environment, capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"device_counts.py: {done.stderr}")
    kernels = collections.defaultdict(collections.Counter)
    kernel = None
    for line in done.stdout.splitlines() + done.stderr.splitlines():
        if match := re.search(r"Instructions executed for kernel '(\w+)'", line):
            kernel = match[1]
        elif kernel and (match := LINE.match(line)):
            add(kernels[kernel], number(match[1]), match[2])
    return kernels


def add(counter, count, what):
    if match := MEMORY.match(what):
        counter[match[2]] += number(match[3])
    elif what.split()[0] in ARITHMETIC or what.startswith("call fabs"):
        counter["operations"] += count
    elif what.split()[0] in COMPARISONS:
        counter["comparisons"] += count


def main(program, n):
    with tempfile.TemporaryDirectory() as folder:
        side = round(n ** (1 / 3))
        sets = {"uniform": ["uniform", "-n", str(side**3)], "universe": ["cosmology", "-n", str(side)]}
        print("set,task,stage,global_bytes,local_bytes,operations,comparisons")
        for name, words in sets.items():
            path = os.path.join(folder, name + ".hdf5")
            subprocess.run([program, "sample", *words, "-o", path, "--quiet"], check=True)
            for task in (["knn", path, "-k", "16"], ["fof", path, "-b", "0.2"]):
                stages = collections.defaultdict(collections.Counter)
                for kernel, counter in counted(program, [*task, "--scalar", "float32"]).items():
                    stages[STAGE_OF.get(kernel, "order")].update(counter)
                for stage in ("input", "order", "planes", "walk", "leaves", "labels", "sums"):
                    values = [stages[stage][what] / side**3 for what in ("global", "local", "operations", "comparisons")]
                    if any(values):
                        print(f"{name},{task[0]},{stage}," + ",".join(f"{value:.0f}" for value in values), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4096)
