"""Points over the ranks of MPI: the answers of one process."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import kith

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What each rank runs: its part of the points, and its part of what one process finds.
PROGRAM = """
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
for dtype in (np.float32, np.float64):
    x = random.random((1000, 3)).astype(dtype)
    mass = random.random(1000)
    edges = [0, 100, 100, 1000][:comm.size] + [1000]
    mine = slice(edges[comm.rank], edges[comm.rank + 1])
    one = kith.fof(x, b=0.5, box=1, min_size=2)
    many = kith.fof(x[mine], b=0.5, box=1, min_size=2, comm=comm)
    assert np.array_equal(many.label, one.label[mine])
    assert many.count == one.count == len(many) and many.linking_length == one.linking_length
    rows = slice(many.first, many.first + len(many.size))
    assert np.array_equal(many.size, one.size[rows]) and np.array_equal(many.lowest, one.lowest[rows])
    assert comm.allreduce(len(many.size)) == one.count
    kept = kith.mpi.fof(comm, x[mine], linking_length=0.05, keep=True)
    assert np.array_equal(np.asarray(kept), kith.fof(x, linking_length=0.05).label[mine])
    index, distance = kith.knn(x[mine], k=8, box=1, comm=comm)
    found = kith.knn(x, k=8, box=1)
    assert np.array_equal(index, found.index[mine]) and np.array_equal(distance, found.distance[mine])
    rho = kith.density(x[mine], k=16, mass=mass[mine], comm=comm)
    assert np.array_equal(rho, kith.density(x, k=16, mass=mass)[mine])
    every_second = np.hstack([x, x])[mine][:, :3]
    assert np.array_equal(kith.density(every_second, k=16, mass=mass[mine], comm=comm), rho)
    v = random.normal(size=(1000, 3)).astype(dtype)
    whole = kith.halos(x, velocity=v, mass=mass, b=0.6, box=1, min_size=2)
    halos = kith.halos(x[mine], velocity=v[mine], mass=mass[mine], b=0.6, box=1, min_size=2, comm=comm)
    assert np.array_equal(halos.groups.label, whole.groups.label[mine]) and comm.allreduce(len(halos)) == len(whole)
    rows = slice(halos.first, halos.first + len(halos))
    assert {"size", "mass", "center", "velocity", "axes", "spans"} <= set(halos.columns)
    for name, column in halos.columns.items():
        assert np.array_equal(column, getattr(whole, name)[rows]), name
if comm.rank == 0:
    kith.write_snapshot("points.hdf5", x, id=np.arange(1000), box=1)
comm.barrier()
whole = kith.read_snapshot("points.hdf5")
part = kith.read_snapshot("points.hdf5", comm=comm)
assert comm.allreduce(len(part)) == 1000 and len(part.position) == len(part) == len(part.type)
assert np.array_equal(np.concatenate(comm.allgather(part.position)), whole.position)
assert np.array_equal(np.concatenate(comm.allgather(part.id)), whole.id)
try:
    kith.read_snapshot("points.hdf5" if comm.rank == 0 and comm.size > 1 else "missing.hdf5", comm=comm)
except OSError as error:
    assert "missing.hdf5" in str(error)
else:
    raise AssertionError("the error of one rank is that of all")
for wrong in ({}, {"linking_length": -1}, {"linking_length": 1, "min_size": 0}):
    try:
        kith.fof(x[mine], comm=comm, **wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
assert kith.fof(x[mine], linking_length=2, comm=comm).count == 1
if comm.rank == 0:
    print("equal")
"""


# Ctrl-C on one rank while all search: an exception on every rank, within a second.
INTERRUPTED = """
import os
import signal
import threading
import time
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
x = np.random.default_rng(comm.rank).random((200000, 3))
if comm.rank == 0:
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        kith.knn(x, k=64, comm=comm)
except KeyboardInterrupt:
    assert comm.rank == 0
except RuntimeError as error:
    assert comm.rank == 1 and "rank 0" in str(error), error
assert kith.fof(x[:100], linking_length=2, comm=comm).count == 1
if comm.rank == 0:
    print("stopped")
"""


def library():
    """The folder of libkith_mpi: as the environment says, or of the release build."""
    folder = pathlib.Path(os.environ.get("KITH_MPI_LIBRARY", ROOT / "build/release/src"))
    return folder if (folder / "libkith_mpi.so").exists() else None


def launched_file(arguments, ranks, folder, seconds=300):
    """Runs a Python program on some ranks."""
    pytest.importorskip("mpi4py")
    launcher = shutil.which("mpirun")
    if launcher is None or library() is None:
        pytest.skip("needs mpirun and libkith_mpi")
    return subprocess.run([ROOT / "tests/mpi/launch.sh", launcher, str(ranks), sys.executable, *arguments],
                          cwd=folder, env=os.environ | {"KITH_MPI_LIBRARY": str(library())}, capture_output=True,
                          text=True, timeout=seconds, check=False)


def launched(program, ranks, folder, seconds=300):
    (folder / "program.py").write_text(program)
    return launched_file(["program.py"], ranks, folder, seconds)


@pytest.mark.parametrize("ranks", [1, 3])
def test_answers_are_those_of_one_process(ranks, tmp_path):
    result = launched(PROGRAM, ranks, tmp_path)
    assert result.stdout == "equal\n", result.stdout + result.stderr


def test_the_program_of_the_page_runs(tmp_path):
    pytest.importorskip("matplotlib")
    universe = kith.sample.cosmology(16)
    kith.write_snapshot(tmp_path / "snapshot.hdf5", universe.position, velocity=universe.velocity,
                        mass=universe.particle_mass, box=universe.box)
    result = launched_file([ROOT / "tests/python/documents.py", "mpi.md"], 2, tmp_path)
    halos = kith.halos(universe.position, b=0.2, box=universe.box, min_size=20)
    assert result.stdout == f"{len(halos)} halos, the largest of {halos.size[0]} particles\n", result.stdout + result.stderr


def test_ctrl_c_ends_the_call_on_all_ranks(tmp_path):
    result = launched(INTERRUPTED, 2, tmp_path)
    assert result.stdout == "stopped\n", result.stdout + result.stderr


def test_comm_must_be_a_communicator():
    x = np.zeros((3, 3))
    with pytest.raises((TypeError, ImportError)):
        kith.fof(x, linking_length=1, comm="world")
    with pytest.raises(TypeError, match="give a communicator"):
        kith.knn(x, k=1, comm="world", p=1)
