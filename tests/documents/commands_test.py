#!/usr/bin/env python3
"""Runs the commands of kith in the documents: ```sh blocks with lines that begin with `kith`, and sessions with lines that
begin with `$ kith`. All commands of a page run as one script, so that later ones find the files of earlier ones.

Usage: commands_test.py KITH [LAUNCHER...]. Universes and pictures are made small. The files that the pages take for granted
are made first. With a launcher, which gets the number of ranks as its next argument, runs the commands that begin with
`mpirun` instead.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 2  # instead of those in the documents
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GIVEN = """
kith sample cosmology -n 32 --side 64 -o snapshot.hdf5
kith sample uniform -n 20000 --side 64 -o points.npz
kith sample normal -n 2000 --dimension 2 -o points.npy
kith fof snapshot.hdf5 -b 0.2 -o halos.hdf5
cp snapshot.hdf5 snapshot_004.hdf5
cp snapshot.hdf5 universe.hdf5
cp snapshot.hdf5 late.hdf5
kith sample cosmology -n 32 --side 64 --a-end 0.8 -o early.hdf5
kith sample cosmology -n 32 --side 64 --a-end 0.6 -o first.hdf5
awk 'BEGIN {print "ra,dec"; for (i = 0; i < 3000; ++i) print (i * 137.507) % 360 "," i % 170 - 85 + i / 1e4}' > galaxies.csv
"""


def pages():
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "python_reference" not in page.name]


def session(block):
    """The commands of a session. If the answer begins with `kith:`, it must be the error message."""
    lines = block.splitlines()
    for line, answer in zip(lines, [*lines[1:], ""]):
        if line.startswith("$ kith ") and answer.startswith("kith: "):
            message = re.escape(answer).replace(r"\ ", " ")
            message = re.sub(r"\d[\d.]* [kMG]B", "[0-9.]+ [kMG]B", re.sub(r"\\([.-])", r"\1", message))
            yield f"{line[2:]} 2>&1 | tee message; grep -qxE '{message}' message"
        elif line.startswith("$ kith "):
            yield line[2:]


def script_of(page, launcher):
    lines = []
    for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "sh" and launcher:
            commands = re.findall(r"^mpirun -n \d+ (kith .*)$", block, re.MULTILINE)
            lines += [f"{shlex.join(launcher)} {RANKS} {command}" for command in commands]
        elif language == "sh" and re.search("^kith ", block, re.MULTILINE):
            lines.append(block)
        elif not language and not launcher:
            lines += session(block)
    script = re.sub(r"(cosmology.* -n )\d+", r"\g<1>32", "\n".join(lines))
    script = re.sub(r" --picture-size \d+", "", script)
    return re.sub(r"^(kith (?:report|fof .*--picture) [^#\n]*?)( *)(#|$)", r"\1 --picture-size 200\2\3", script, flags=re.MULTILINE)


def run(script, folder, environment):
    return subprocess.run(["bash", "-euc", script], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def has_device(program):
    report = subprocess.run([program, "info", "--devices", "--json"], capture_output=True, check=True).stdout
    return any(each["name"].startswith("gpu") and not each.get("refusal") for each in json.loads(report)["devices"])


def main(program, launcher):
    scripts = {page: script for page in pages() if (script := script_of(page, launcher))}
    if not has_device(program):
        scripts = {page: script for page, script in scripts.items() if page.name != "gpu.md"}
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        path = os.pathsep.join([str(pathlib.Path(program).resolve().parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "POCL_DEVICES": "pthread pthread"}  # PoCL shows the CPU twice
        given = pathlib.Path(temporary, "given")
        given.mkdir()
        made = run(GIVEN, given, environment)
        assert made.returncode == 0, made.stdout
        for number, (page, script) in enumerate(scripts.items()):
            folder = shutil.copytree(given, pathlib.Path(temporary, str(number)))
            result = run(script, folder, environment)
            if result.returncode:
                failures += 1
                print(f"{page.relative_to(ROOT)}: its commands fail:\n{script}\n{result.stdout}")
    print(f"{len(scripts)} pages, {failures} failed")
    return 1 if failures or not scripts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
