"""Calls of the program `kith` from Python. The program is not part of the wheel."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any
from ._errors import ArgumentError


def _run(*words: str) -> dict[str, Any]:
    """Runs the program with --json and returns its output. KITH_PROGRAM names the program; else it is found on PATH."""
    program = os.environ.get("KITH_PROGRAM") or shutil.which("kith")
    if program is None:
        raise FileNotFoundError(f"{words[0]}: the program kith is not on PATH; install it, or set KITH_PROGRAM to its "
                                "path")
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise ArgumentError(done.stderr.strip().removeprefix("kith: "))
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().removeprefix("kith: "))
    return json.loads(done.stdout)


def verify(snapshot: str | os.PathLike[str], result: str | os.PathLike[str]) -> dict[str, Any]:
    """Checks a result file against its snapshot with ``kith verify``, which recomputes everything from its definition,
    for samples or for all rows. Returns what was checked. Raises RuntimeError, which names the first error."""
    return _run("verify", os.fspath(snapshot), os.fspath(result))


def report(snapshot: str | os.PathLike[str], output: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Writes a page about a snapshot and its groups with ``kith report``. Options are those of the program, with
    underscores: ``report("snapshot.hdf5", "report.html", b=0.2, min_size=32)``."""
    words = ["report", os.fspath(snapshot), "-o", os.fspath(output)]
    for name, value in options.items():
        words.append(f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return _run(*words)
