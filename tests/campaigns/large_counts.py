#!/usr/bin/env python3
"""Files with numbers of rows beside 2^31 and 2^32, most of them holes. Usage: large_counts.py, where kith and h5py are
installed; FOLDER must be on a file system with holes: large_counts.py [FOLDER]"""

import os
import sys
import tempfile

import h5py
import numpy as np

import kith

COUNTS = [2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1]


def tail(n):
    """The last rows, which differ from each other and from holes."""
    return np.arange(1, 4, dtype=np.uint8).reshape(3, 1) + n % 7


def write_npy(path, n):
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (n, 1)})
        file.seek(n - 3, os.SEEK_CUR)
        file.write(tail(n).tobytes())


def write_raw(path, n):
    with open(path, "wb") as file:
        file.seek(4 * (n - 3))
        file.write(tail(n).astype(np.float32).tobytes())


def write_hdf5(path, n, group="PartType1", name="Coordinates"):
    """Contiguous, with room from the start and no fill values."""
    with h5py.File(path, "w") as file:
        header = file.create_group("Header")
        for key, value in (("NumPart_ThisFile", [0, n, 0, 0, 0, 0]), ("NumPart_Total", [0, n % 2**32, 0, 0, 0, 0]),
                           ("NumPart_Total_HighWord", [0, n >> 32, 0, 0, 0, 0])):
            header.attrs[key] = np.array(value, np.uint64)
        header.attrs["BoxSize"], header.attrs["NumFilesPerSnapshot"] = 300.0, np.int32(1)
        header.attrs["MassTable"] = np.array([0, 1.0, 0, 0, 0, 0])
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple((n, 1))
        particles = file.create_group(group)
        h5py.h5d.create(particles.id, name.encode(), h5py.h5t.STD_U8LE, space, plan)
        particles[name][n - 3:] = tail(n)


def check(path, n, **options):
    snapshot = kith.read_snapshot(path, **options)
    assert len(snapshot) == n, (path, len(snapshot), n)
    np.testing.assert_array_equal(snapshot.read("position", n - 3, 3), tail(n).astype(np.float64))
    np.testing.assert_array_equal(snapshot.read("position", n - 5, 2), np.zeros((2, 1)))
    for begin, count in ((n, 1), (n - 1, 2), (2**63, 1)):
        try:
            snapshot.read("position", begin, count)
        except (ValueError, OverflowError, TypeError):
            continue
        raise AssertionError(f"{path}: rows {begin} + {count} of {n}")


def main():
    cases = 0
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        for n in COUNTS:
            for name, write, options in (("a.npy", write_npy, {}), ("a.f32", write_raw, {"dimension": 1}),
                                         ("a.hdf5", write_hdf5, {})):
                path = os.path.join(folder, name)
                write(path, n)
                check(path, n, **options)
                # One byte less than the header states, or than a whole number of points.
                os.truncate(path, os.path.getsize(path) - 1)
                try:
                    kith.read_snapshot(path, **options)
                except OSError:
                    cases += 2
                else:
                    raise AssertionError(f"{path}: truncated and accepted")
                os.remove(path)
    print(f"large counts: {cases} cases, all counts and rows right, all truncated files refused")


if __name__ == "__main__":
    main()
