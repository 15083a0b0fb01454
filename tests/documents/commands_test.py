#!/usr/bin/env python3
"""The commands in the documents run: every ```sh block that begins with `kith`, those of a page as one script.

Usage: commands_test.py KITH. Universes are made small, and snapshot.hdf5 is one that is there from the start.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/correlation.md", "docs/report.md", "docs/sample.md", "docs/tutorials/halos.md"]
FENCE = re.compile(r"^```sh\n(kith .*?)^```$", re.MULTILINE | re.DOTALL)


def script_of(page):
    blocks = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
    return re.sub(r"(cosmology.* -n )\d+", r"\g<1>32", "".join(blocks))


def run(script, folder, environment):
    return subprocess.run(["bash", "-euc", script], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def main(program):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join([str(pathlib.Path(program).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        made = run("kith sample cosmology -n 32 --side 32 -o snapshot.hdf5\n"
                   "kith fof snapshot.hdf5 -b 0.2 -o halos.hdf5", folder, environment)
        assert made.returncode == 0, made.stdout
        for page in PAGES:
            script = script_of(page)
            result = run(script, folder, environment)
            if result.returncode or not script:
                failures += 1
                print(f"{page}: its commands fail:\n{script}\n{result.stdout}")
    print(f"{len(PAGES)} pages, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
