"""The simulation of main.c in Python: the same numbers to the last bit, the same halos.

Run it with mpirun -n 3 python nbody.py.
"""
import numpy as np
from mpi4py import MPI

import kith

ALL, BODIES, STEPS, BETWEEN_LOOKS, BYTES = 600000, 24, 12, 4, 62
STEP, MASS, SOFT2, LINK, BUFFERS = 0.05, 0.018, 0.0036, 0.007, 6e6
comm = MPI.COMM_WORLD


def draw(count):
    """The generator of Lehmer: the same numbers in every language."""
    state, numbers = 20, np.empty(count)
    for i in range(count):
        state = state * 48271 % 2147483647
        numbers[i] = state
    return numbers / 2147483647


def kick(x, v, time):
    a = np.zeros_like(x)
    for b in range(BODIES):
        dx, dy, dz = (b - 5.5) / 12 - x[:, 0], 0.5 - x[:, 1], 0.5 - x[:, 2]
        r2 = dx * dx + dy * dy + dz * dz + SOFT2
        pull = MASS / (r2 * np.sqrt(r2))
        for axis, way in enumerate((dx, dy, dz)):
            a[:, axis] += pull * way
    v += time * a


def leap(x, v):
    kick(x, v, STEP / 2)
    x += STEP * v
    kick(x, v, STEP / 2)


def memory(name):
    """Memory of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(1024.0 * int(line.split()[1]) for line in file if line.startswith(name))


def forget_peak():
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass


def find(x):
    """Groups of these particles, which are a part of space already."""
    return kith.mpi.fof(comm, x, linking_length=LINK, min_size=20, keep=True, threads=1)


def look(step, x):
    """Says what there is at this step; returns the bytes that it took for each particle, beyond buffers."""
    before = memory("VmRSS:")
    forget_peak()
    groups = find(x)
    taken = memory("VmHWM:") - before - BUFFERS - groups.label.nbytes  # kith makes the labels here
    largest = comm.allreduce(int(groups.size[0]) if groups.first == 0 and len(groups.size) else 0, MPI.MAX)
    if comm.rank == 0:
        print(f"step {step:2d}: {groups.count:4d} halos, the largest of {largest:6d} particles")
    return taken / len(x)


x = draw(3 * ALL).reshape(ALL, 3)
x = x[(x[:, 0] * comm.size).astype(int) == comm.rank]
v = np.zeros_like(x)
find(x[:1000])  # the first call also makes the tables that last
most = 0.0
for now in range(STEPS + 1):
    if now % BETWEEN_LOOKS == 0:
        most = max(most, look(now, x))
    leap(x, v)
most = comm.allreduce(most, MPI.MAX)
if comm.rank == 0:
    print(f"at most {BYTES} bytes per particle: {'yes' if most <= BYTES else 'no'}")
