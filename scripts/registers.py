#!/usr/bin/env python3
"""Compiles the kernels of src/gpu with nvcc and compares registers and spills with bench/registers.txt.

No GPU is needed. Usage: registers.py [--nvcc FILE] [--update]. nvcc comes with CUDA, or from PyPI:
pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "registers.txt"
PROGRAMS = {
    "scan": ["scan.cl"], "sort": ["sort.cl"], "order": ["input.cl", "order.cl"], "planes": ["planes.cl"],
    "walk": ["geometry.cl", "walk.cl"], "knn": ["geometry.cl", "knn.cl"], "radius": ["geometry.cl", "radius.cl"],
    "fof": ["geometry.cl", "fof.cl"],
}
SCALARS = {"float": ["-DREAL=float"], "double": ["-DREAL=double", "-DUSE_DOUBLE"]}
GROUP_SIZE = 64
# Limits of one multiprocessor, for both architectures.
REGISTERS, WARPS, SHARED = 65536, 64, 160 * 1024


def variants():
    """(program, scalar, k) of all kernels to compile, in three dimensions."""
    for program in PROGRAMS:
        for scalar in SCALARS if program not in ("scan", "sort") else ["float"]:
            for k in (8, 16, 32) if program == "knn" else (0,):
                yield program, scalar, k


def compiled(nvcc, architecture, program, scalar, k):
    """The report of the assembler."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text("".join((ROOT / "src/gpu" / name).read_text() for name in ["portable.h", *PROGRAMS[program]]))
        command = [nvcc, f"-arch={architecture}", "-fmad=false", "-Xptxas", "-v", "-DDIM=3", *SCALARS[scalar], "-cubin",
                   "-o", str(source.with_suffix(".cubin")), str(source)]
        if k:
            command.append(f"-DK={k}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"registers.py: nvcc refuses {program}.cl ({scalar}, {architecture}):\n{done.stderr}")
        return done.stderr


def occupancy(registers, shared):
    """Warps that fit a multiprocessor, as a share of the most: by registers (in units of 8) and by shared memory."""
    warps_of_group = GROUP_SIZE // 32
    by_registers = REGISTERS // (-(-registers // 8) * 8 * GROUP_SIZE)
    by_shared = SHARED // (shared + 1024)
    return min(WARPS, min(by_registers, by_shared, 32) * warps_of_group) / WARPS


def rows(nvcc):
    for architecture in ("sm_80", "sm_90"):
        for program, scalar, k in variants():
            text = compiled(nvcc, architecture, program, scalar, k)
            for kernel, stores, registers, rest in re.findall(
                    r"Function properties for (\w+)\n.*?(\d+) bytes spill stores.*?\n.*?Used (\d+) registers(.*)", text):
                shared = re.search(r"(\d+) bytes smem", rest)
                memory = int(shared[1]) if shared else 0
                name = f"{kernel}{k or ''}"
                yield (architecture, scalar, name, int(registers), int(stores), memory,
                       round(100 * occupancy(int(registers), memory)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=shutil.which("nvcc"))
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    if not given.nvcc:
        sys.exit("registers.py: no nvcc; give --nvcc, or install it from PyPI (see --help)")
    found = sorted(set(rows(given.nvcc)))
    if given.update:
        head = "# architecture scalar kernel registers spilled_bytes shared_bytes occupancy_percent\n"
        TABLE.write_text(head + "".join(" ".join(map(str, row)) + "\n" for row in found))
        return
    known = {tuple(line.split()[:3]): list(map(int, line.split()[3:])) for line in TABLE.read_text().splitlines()
             if not line.startswith("#")}
    worse = [row for row in found if row[:3] in known and (row[3] > known[row[:3]][0] + 8 or row[4] > known[row[:3]][1])]
    for row in worse:
        print("registers.py: worse than recorded:", *row)
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
