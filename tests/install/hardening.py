#!/usr/bin/env python3
"""Binaries are hardened: stack protector, checked calls of the C library, full RELRO, position-independent.

Usage: hardening.py FILE...
"""
import pathlib
import re
import subprocess
import sys

# Too small to contain a call that the compiler can check.
WITHOUT_CHECKED_CALLS = ("libkith_sample", "libkith_gpu", "libkith_mpi")


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout


def reads_canary(path):
    """Functions compare the guard of the stack: on x86-64 it has a fixed place. Where __stack_chk_fail is linked statically,
    nothing else shows it; on other processors nothing does."""
    if "X86-64" not in readelf("-h", path):
        return True
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True) as disassembler:
        found = any("%fs:0x28" in line for line in disassembler.stdout)
        disassembler.kill()
    return found


def problems(path):
    segments, dynamic, symbols = (readelf(option, path) for option in ("-l", "-d", "--dyn-syms"))
    found = []
    if "Elf file type is DYN" not in segments:
        found.append("is not position-independent")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        found.append("has no full RELRO")
    if re.search(r"GNU_STACK.*RWE", segments):
        found.append("has an executable stack")
    if "__stack_chk_fail" not in symbols and not reads_canary(path):
        found.append("has no stack protector")
    is_small = pathlib.Path(path).name.startswith(WITHOUT_CHECKED_CALLS)
    if not is_small and not re.search(r"UND __\w+_chk\b", symbols):
        found.append("has no checked calls (FORTIFY_SOURCE)")
    return found


def main():
    bad = [f"{path} {problem}" for path in sys.argv[1:] for problem in problems(path)]
    print("\n".join(bad) or f"{len(sys.argv) - 1} files are hardened")
    sys.exit(bool(bad or len(sys.argv) < 2))


main()
