"""What the program `kith` does for files, called from Python. The program is not part of the wheel."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any


def _run(*words: str) -> dict[str, Any]:
    """The program's answer to --json. It is the one on PATH, or the one that KITH_PROGRAM names."""
    program = os.environ.get("KITH_PROGRAM") or shutil.which("kith")
    if program is None:
        raise FileNotFoundError(f"{words[0]}: the program kith is not on PATH; install it, or let KITH_PROGRAM name it")
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise ValueError(done.stderr.strip().removeprefix("kith: "))
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().removeprefix("kith: "))
    return json.loads(done.stdout)


def verify(snapshot: str | os.PathLike[str], result: str | os.PathLike[str]) -> dict[str, Any]:
    """Checks a file that kith wrote against the snapshot that it was made of, as ``kith verify`` does: everything is
    computed again from its definition, for samples or for all rows. Returns what was checked; RuntimeError names the
    first thing that is not in order."""
    return _run("verify", os.fspath(snapshot), os.fspath(result))


def report(snapshot: str | os.PathLike[str], output: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """A page about a snapshot and its groups, as ``kith report`` writes it. Options are those of the program with
    underscores: ``report("snapshot.hdf5", "report.html", b=0.2, min_size=32)``."""
    words = ["report", os.fspath(snapshot), "-o", os.fspath(output)]
    for name, value in options.items():
        words.append(f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return _run(*words)
