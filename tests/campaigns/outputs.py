#!/usr/bin/env python3
"""Outputs under kill -9, and two writers of one target at once. Usage: outputs.py PROGRAM [CASES]"""

import os
import random
import subprocess
import sys
import tempfile
import time


def start(program, folder, *words):
    return subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run(program, folder, *words):
    process = start(program, folder, *words)
    words = process.communicate()[1]
    if process.returncode != 0:
        sys.exit(f"{process.args}: {words}")


def rest(folder):
    """Temporary files, which are removed for the next case."""
    found = [name for name in os.listdir(folder) if name.endswith(".part")]
    for name in found:
        os.remove(os.path.join(folder, name))
    return found


def killed_reports(program, folder, cases):
    """After kill -9 at any time, the page is the old one or the new one."""
    page = os.path.join(folder, "r.html")
    command = ["report", "s.hdf5", "-b", "0.6", "-o", "r.html", "--title"]
    begin = time.monotonic()
    run(program, folder, *command, "first")
    whole = time.monotonic() - begin
    killed = replaced = parts = 0
    for i in range(cases):
        process = start(program, folder, *command, f"number {i}")
        time.sleep(whole * random.uniform(0.2, 1.05))
        process.kill()
        process.communicate()
        killed += process.returncode != 0
        parts += len(rest(folder))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        if not text.rstrip().endswith("</html>"):
            sys.exit(f"report {i}: half a page of {len(text)} characters")
        replaced += f"number {i}" in text
    print(f"report under kill -9: {cases} cases: {killed} killed, {replaced} pages replaced, {parts} .part files left, "
          "0 half pages")


def two_writers(program, folder, cases):
    """Both succeed, and the file is that of one of them."""
    for i in range(cases):
        for name in ("t.hdf5", "t.npz", "t.csv"):
            both = [start(program, folder, "density", "x.npy", "--box", "1", "-k", k, "-o", name) for k in ("8", "12")]
            words = [process.communicate()[1] for process in both]
            if any(process.returncode for process in both):
                sys.exit(f"{name}: {words}")
            if name != "t.csv":
                run(program, folder, "verify", "x.npy", name, "--samples", "3")
    if found := rest(folder):
        sys.exit(f"left behind: {found}")
    print(f"two writers of one target: {3 * cases} cases: all files are those of one writer, nothing left behind")


def main():
    program, cases = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
    random.seed(5)
    with tempfile.TemporaryDirectory() as folder:
        run(program, folder, "sample", "cosmology", "-n", "10", "--steps", "2", "--mesh", "10", "-o", "s.hdf5")
        run(program, folder, "sample", "uniform", "-n", "3000", "-o", "x.npy")
        two_writers(program, folder, cases)
        killed_reports(program, folder, cases)


if __name__ == "__main__":
    main()
