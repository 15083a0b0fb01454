#!/usr/bin/env python3
"""Compiles all kernels for AMD's cards with clang, as hipRTC does, and checks that nothing rounds otherwise than on the CPU.

Usage: hip_test.py [CLANG]. Without a clang that has AMD's target, the exit code is 77. ROCm is not needed: hip_shim.h
declares what its headers do.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import registers  # the list of programs

CARDS = ("gfx90a", "gfx1030")  # wavefronts of 64 and of 32
# In the intermediate code: fused or relaxed arithmetic.
WRONG = re.compile(r"llvm\.(fma|fmuladd)|\bf(?:add|sub|mul|div|cmp) (?:[a-z]+ )*(?:fast|contract|reassoc|arcp|afn|nsz|nnan|ninf) |!fpmath")


def text_of(program):
    files = [ROOT / "tests/gpu/hip_shim.h", *(ROOT / "src/gpu" / name for name in ["portable.h", *registers.PROGRAMS[program]])]
    return "".join(file.read_text() for file in files).replace("#pragma once", "")


def compiled(clang, card, variant, *output):
    """The compiler's output for a program."""
    program, scalar, k = variant
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "kernels.hip", pathlib.Path(folder) / "made"
        source.write_text(text_of(program))
        done = subprocess.run([clang, "-x", "hip", "--cuda-device-only", f"--offload-arch={card}", "-nogpulib", "-nogpuinc", "-O3",
                               "-ffp-contract=off", "-fno-fast-math", "-I", ROOT / "src", "-DDIM=3", f"-DK={k or 8}",
                               *registers.SCALARS[scalar], "-S", *output, "-o", made, source], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"hip_test.py: clang refuses {program}.cl ({scalar}) for {card}:\n{done.stderr[:2000]}")
        return made.read_text()


def complaints(clang, card, variant):
    code = compiled(clang, card, variant, "-emit-llvm")
    for line in code.splitlines():
        if WRONG.search(line):
            yield f"{variant} for {card}: {line.strip()}"
    if f'"amdgpu-flat-work-group-size"="1,{registers.GROUP_SIZE}"' not in code:
        yield f"{variant} for {card}: the size of groups is missing"
    if variant[0] != "knn":
        return
    spilled = {int(count) for count in re.findall(r"\.vgpr_spill_count:\s*(\d+)", compiled(clang, card, variant))}
    if spilled != {0}:
        yield f"{variant} for {card}: vector registers are spilled: {spilled}"


def main():
    clang = sys.argv[1] if len(sys.argv) > 1 else shutil.which("clang") or shutil.which("clang-14")
    targets = subprocess.run([clang, "-print-targets"], capture_output=True, text=True).stdout if clang else ""
    if "amdgcn" not in targets:
        print("hip_test.py: skipped, no clang with AMD's target")
        sys.exit(77)
    for line in ("  %3 = fmul contract float %1, %2", "  %4 = tail call float @llvm.fma.f32(float %1)",
                 "  %5 = fdiv float %1, %2, !fpmath !7"):
        assert WRONG.search(line), line
    tasks = [(clang, card, variant) for card in CARDS for variant in registers.variants() if card == CARDS[0] or variant[0] == "knn"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [words for each in pool.map(lambda task: list(complaints(*task)), tasks) for words in each]
    print("\n".join(found))
    print(f"hip_test.py: {len(tasks)} programs")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
