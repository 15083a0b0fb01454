"""Calls of the program `kith`, which the wheel contains, from Python."""
from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
from typing import Any

from ._errors import ArgumentError, ProgramError, UnavailableError
from ._ranks import agreed, communicator
from .typing import Communicator, PathLike


def _installed() -> str | None:
    """The program that was installed together with this package, wherever pip puts programs."""
    try:
        files = importlib.metadata.files("kith") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (os.fspath(file.locate()) for file in files if file.stem == "kith" and file.parent.name in ("bin", "Scripts"))
    return next(filter(os.path.exists, found), None)


def program(caller: str) -> str:
    """The path of the program: KITH_PROGRAM, the one of this package, or the one on PATH."""
    path = os.environ.get("KITH_PROGRAM") or _installed() or shutil.which("kith")
    if path is None:
        raise UnavailableError(f"{caller}: this installation has no program kith, and there is none on PATH; set "
                               "KITH_PROGRAM to its path")
    return path


# Variables of MPI's launchers. A program that finds them would wait for other ranks.
_LAUNCHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_STEP_NUM_TASKS")


def _run(*words: str) -> dict[str, Any]:
    """Runs the program in one process, also on a rank, with --json, and returns its output."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith(_LAUNCHERS)}
    done = subprocess.run([program(words[0]), *words, "--json"], capture_output=True, text=True, check=False, env=alone)
    if done.returncode == 2:
        raise ArgumentError(done.stderr.strip().removeprefix("kith: "))
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip().removeprefix("kith: "))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verify(snapshot: PathLike, result: PathLike | None = None, *, comm: Communicator | None = None) -> dict[str, Any]:
    """Checks a result file against its snapshot with ``kith verify``, which recomputes everything from its definition,
    for samples or for all rows. Merger trees name their catalogues, so they are given alone. Returns a report of the
    checks. Raises ProgramError, which names the first error.

    With ``comm``, every rank makes the call and gets the report or the error of rank 0, which does the work. To share
    the work out, start the program itself: ``mpirun -n 8 kith verify``."""
    def checked() -> dict[str, Any]:
        return _run("verify", *(os.fspath(path) for path in (snapshot, result) if path is not None))

    if comm is None:
        return checked()
    world: Any = communicator(comm)
    report: dict[str, Any] = world.bcast(agreed(world, lambda: checked() if world.rank == 0 else {}), root=0)
    return report


def report(snapshot: PathLike, output: PathLike, **options: Any) -> dict[str, Any]:
    """Writes a page about a snapshot and its groups with ``kith report``. Options are those of the program, with
    underscores: ``report("snapshot.hdf5", "report.html", b=0.2, min_size=32)``."""
    words = ["report", os.fspath(snapshot), "-o", os.fspath(output)]
    for name, value in options.items():
        words.append(f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return _run(*words)
