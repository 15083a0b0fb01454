#!/usr/bin/env python3
"""Compiles the kernels of src/gpu with nvcc and compares registers, spills, stack frames and occupancy with bench/registers.txt.

No GPU is needed. Usage: registers.py [--nvcc FILE] [--all] [--update]. Without --all, the architectures of A100 and H100. nvcc is looked for on the PATH, then in .venv, where
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
    "fof": ["geometry.cl", "fof.cl"], "rows": ["geometry.cl", "rows.cl"], "catalogue": ["catalogue.cl"],
}
ONE_SCALAR = {"scan": "float", "sort": "float", "catalogue": "double"}
ARCHITECTURES = ("75", "80", "86", "89", "90", "100", "120")
QUICK = ("80", "90")
SCALARS = {"float": ["-DREAL=float"], "double": ["-DREAL=double", "-DUSE_DOUBLE"]}
GROUP_SIZE = 64
# Limits of one multiprocessor: warps, groups, bytes of shared memory.
REGISTERS = 65536
LIMITS = {"75": (32, 16, 64), "80": (64, 32, 164), "86": (48, 16, 100), "89": (48, 24, 100), "90": (64, 32, 228),
          "100": (64, 32, 228), "120": (48, 24, 100)}


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


def compiled(nvcc, architectures, program, scalar, k):
    """The report of the assembler."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text("".join((ROOT / "src/gpu" / name).read_text() for name in ["portable.h", *PROGRAMS[program]]))
        command = [nvcc, "-fmad=false", "-I", str(ROOT / "src"), "-Xptxas", "-v", "-DDIM=3", *SCALARS[scalar], "-fatbin",
                   "-o", str(source.with_suffix(".fatbin")), str(source)]
        for architecture in architectures:
            command += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
        if k:
            command.append(f"-DK={k}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"registers.py: nvcc refuses {program}.cl ({scalar}):\n{done.stderr}")
        return done.stderr


def occupancy(architecture, registers, shared):
    """Warps that fit a multiprocessor, as a share of the most: by registers (in units of 8) and by shared memory."""
    warps, groups, kibibytes = LIMITS[architecture]
    warps_of_group = GROUP_SIZE // 32
    by_registers = REGISTERS // (-(-registers // 8) * 8 * GROUP_SIZE)
    by_shared = kibibytes * 1024 // (shared + 1024)
    return min(warps, min(by_registers, by_shared, groups) * warps_of_group) / warps


def rows_of(nvcc, architectures, variant):
    _, scalar, k = variant
    for kernel, architecture, stack, stores, registers, rest in re.findall(
            r"Compiling entry function '(\w+)' for 'sm_(\d+)'\n.*\n\s*(\d+) bytes stack frame, (\d+) bytes spill stores.*\n"
            r".*?Used (\d+) registers(.*)", compiled(nvcc, architectures, *variant)):
        shared = re.search(r"(\d+) bytes smem", rest)
        memory = int(shared[1]) if shared else 0
        yield (f"sm_{architecture}", scalar, f"{kernel}{k or ''}", int(registers), int(stores), int(stack), memory,
               round(100 * occupancy(architecture, int(registers), memory)))


def rows(nvcc, architectures):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sorted({row for found in pool.map(lambda variant: list(rows_of(nvcc, architectures, variant)), variants())
                       for row in found})


def complaints(found, known, allowance):
    """The numbers that are worse than recorded, in words. `known`: the numbers of a row by name."""
    for *name, registers, spilled, stack, _, occupied in found:
        if tuple(name) not in known:
            yield f"{' '.join(name)} is not recorded"
            continue
        most, spills, frame, _, warps = known[tuple(name)]
        if registers > most + allowance or spilled > spills or stack > frame or (occupied < warps and allowance == 0):
            yield (f"{' '.join(name)}: {registers} registers, {spilled} bytes spilled, a stack frame of {stack} bytes, {occupied} % "
                   f"of the warps; recorded are {most}, {spills}, {frame}, {warps} %")
    for name in known.keys() - {row[:3] for row in found}:
        yield f"{' '.join(name)} is recorded, but no kernel"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=find_nvcc())
    parser.add_argument("--all", action="store_true", help="compile for all architectures")
    parser.add_argument("--update", action="store_true", help="write the table, for all architectures")
    given = parser.parse_args()
    if not given.nvcc:
        print("registers.py: skipped, no nvcc on the PATH and none from PyPI in .venv (see --help)")
        sys.exit(77)
    architectures = ARCHITECTURES if given.all or given.update else QUICK
    version, found = version_of(given.nvcc), rows(given.nvcc, architectures)
    if given.update:
        head = f"# nvcc {version}\n# architecture scalar kernel registers spilled_bytes stack_bytes shared_bytes occupancy_percent\n"
        TABLE.write_text(head + "".join(" ".join(map(str, row)) + "\n" for row in found))
        return
    lines = TABLE.read_text().splitlines()
    known = {tuple(line.split()[:3]): list(map(int, line.split()[3:])) for line in lines
             if line.startswith(tuple(f"sm_{architecture} " for architecture in architectures))}
    worse = list(complaints(found, known, 0 if lines[0] == f"# nvcc {version}" else 8))
    for words in worse:
        print("registers.py:", words)
    print(f"registers.py: {len(found)} kernels, nvcc {version}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
