#!/usr/bin/env python3
"""Compiles the kernels of src/gpu with nvcc and compares registers, spills and occupancy with bench/registers.txt.

No GPU is needed. Usage: registers.py [--nvcc FILE] [--update]. nvcc is looked for on the PATH, then in .venv, where
`pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime` puts it; without it, the exit code is 77.
Another version of nvcc than that of the table may take 8 registers more.
"""
import argparse
import concurrent.futures
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
    "fof": ["geometry.cl", "fof.cl"], "catalogue": ["catalogue.cl"],
}
ONE_SCALAR = {"scan": "float", "sort": "float", "catalogue": "double"}
ARCHITECTURES = ("80", "90")
SCALARS = {"float": ["-DREAL=float"], "double": ["-DREAL=double", "-DUSE_DOUBLE"]}
GROUP_SIZE = 64
# Limits of one multiprocessor, for both architectures.
REGISTERS, WARPS, SHARED = 65536, 64, 160 * 1024


def variants():
    """(program, scalar, k) of all kernels to compile, in three dimensions."""
    for program in PROGRAMS:
        for scalar in [ONE_SCALAR[program]] if program in ONE_SCALAR else SCALARS:
            for k in (8, 16, 32) if program == "knn" else (0,):
                yield program, scalar, k


def find_nvcc():
    places = (ROOT / ".venv").glob("lib/python*/site-packages/nvidia/*/bin/nvcc")
    return shutil.which("nvcc") or next(map(str, places), None)


def version_of(nvcc):
    return re.search(r"V(\d\S*)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)[1]


def compiled(nvcc, program, scalar, k):
    """The report of the assembler."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text("".join((ROOT / "src/gpu" / name).read_text() for name in ["portable.h", *PROGRAMS[program]]))
        command = [nvcc, "-fmad=false", "-I", str(ROOT / "src"), "-Xptxas", "-v", "-DDIM=3", *SCALARS[scalar], "-fatbin",
                   "-o", str(source.with_suffix(".fatbin")), str(source)]
        for architecture in ARCHITECTURES:
            command += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
        if k:
            command.append(f"-DK={k}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"registers.py: nvcc refuses {program}.cl ({scalar}):\n{done.stderr}")
        return done.stderr


def occupancy(registers, shared):
    """Warps that fit a multiprocessor, as a share of the most: by registers (in units of 8) and by shared memory."""
    warps_of_group = GROUP_SIZE // 32
    by_registers = REGISTERS // (-(-registers // 8) * 8 * GROUP_SIZE)
    by_shared = SHARED // (shared + 1024)
    return min(WARPS, min(by_registers, by_shared, 32) * warps_of_group) / WARPS


def rows_of(nvcc, variant):
    _, scalar, k = variant
    for kernel, architecture, stores, registers, rest in re.findall(
            r"Compiling entry function '(\w+)' for '(\w+)'\n.*\n.*?(\d+) bytes spill stores.*\n.*?Used (\d+) registers(.*)",
            compiled(nvcc, *variant)):
        shared = re.search(r"(\d+) bytes smem", rest)
        memory = int(shared[1]) if shared else 0
        yield (architecture, scalar, f"{kernel}{k or ''}", int(registers), int(stores), memory,
               round(100 * occupancy(int(registers), memory)))


def rows(nvcc):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sorted({row for found in pool.map(lambda variant: list(rows_of(nvcc, variant)), variants()) for row in found})


def complaints(found, known, allowance):
    """In words: what is worse than recorded. `known`: registers, spills, shared memory and occupancy by name."""
    for *name, registers, spilled, _, occupied in found:
        if tuple(name) not in known:
            yield f"{' '.join(name)} is not recorded"
            continue
        most, spills, _, warps = known[tuple(name)]
        if registers > most + allowance or spilled > spills or (occupied < warps and allowance == 0):
            yield (f"{' '.join(name)}: {registers} registers, {spilled} bytes spilled, {occupied} % of the warps; "
                   f"recorded are {most}, {spills}, {warps} %")
    for name in known.keys() - {row[:3] for row in found}:
        yield f"{' '.join(name)} is recorded, but no kernel"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=find_nvcc())
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    if not given.nvcc:
        print("registers.py: skipped, no nvcc on the PATH and none from PyPI in .venv (see --help)")
        sys.exit(77)
    version, found = version_of(given.nvcc), rows(given.nvcc)
    if given.update:
        head = f"# nvcc {version}\n# architecture scalar kernel registers spilled_bytes shared_bytes occupancy_percent\n"
        TABLE.write_text(head + "".join(" ".join(map(str, row)) + "\n" for row in found))
        return
    lines = TABLE.read_text().splitlines()
    known = {tuple(line.split()[:3]): list(map(int, line.split()[3:])) for line in lines if not line.startswith("#")}
    worse = list(complaints(found, known, 0 if lines[0] == f"# nvcc {version}" else 8))
    for words in worse:
        print("registers.py:", words)
    print(f"registers.py: {len(found)} kernels, nvcc {version}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
