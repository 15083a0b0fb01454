#!/usr/bin/env python3
"""Damaged HDF5 snapshots, read in separate processes by kith's HDF5 and by that of h5py, which may be newer.

Usage: hdf5_versions.py [CASES], with the wheel and h5py installed. Memory is limited to 4 GiB, time to 20 s of CPU."""

import collections
import os
import random
import resource
import sys
import tempfile

import h5py
import numpy as np

import kith
from mutated_files import Campaign


def read_by_h5py(path):
    with h5py.File(path) as file:
        file.visititems(lambda _, each: each[()] if isinstance(each, h5py.Dataset) else dict(each.attrs))


def verdict(read, path):
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (20,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0,) * 2)
        try:
            read(path)
        except MemoryError:
            os._exit(2)
        except Exception:  # whatever a reader raises is an answer
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "works", 1: "refused", 2: "too much memory"}.get(code, f"signal {-code}")


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        path, bad = os.path.join(folder, "s.hdf5"), os.path.join(folder, "bad.hdf5")
        x = np.random.default_rng(1).random((100, 3)).astype(np.float32)
        kith.write_snapshot(path, x, velocity=x, box=1.0, compression=4)
        with open(path, "rb") as file:
            good = file.read()
        campaign = Campaign.__new__(Campaign)  # only its way to damage bytes
        campaign.random = random.Random(1)
        for _ in range(cases):
            with open(bad, "wb") as file:
                file.write(campaign.changed(good))
            found["kith"][verdict(kith.read_snapshot, bad)] += 1
            found[f"h5py with HDF5 {h5py.version.hdf5_version}"][verdict(read_by_h5py, bad)] += 1
    for name, counts in found.items():
        print(f"{name}: {cases} cases: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))


if __name__ == "__main__":
    main()
