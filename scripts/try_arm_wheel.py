"""Tries a wheel for 64-bit ARM, under qemu (scripts/python.sh): neighbors and groups equal brute force, files can be written
and read, the program starts."""
import os
import pathlib
import platform
import tempfile

import numpy as np

import kith

assert platform.machine() == "aarch64"
x = kith.sample.uniform(2_000, 3)
index, distance = kith.knn(x, k=4)
difference = x[:, None, :] - x[None, :, :]
square = (difference[..., 0] ** 2 + difference[..., 1] ** 2) + difference[..., 2] ** 2
expected = np.argsort(square, axis=1, kind="stable")[:, :4]
assert (index == expected).all()
assert (distance == np.sqrt(np.take_along_axis(square, expected, axis=1))).all()
groups = kith.fof(x, b=0.8, box=1.0, min_size=5)
assert len(groups) > 0 and (np.bincount(groups.label[groups.label >= 0]) == groups.size).all()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "points.hdf5")
    kith.write_snapshot(path, x, box=1.0)
    assert (kith.read_snapshot(path).position == x).all()
print(f"kith {kith.__version__} on {platform.machine()}: {len(groups)} groups, files of", pathlib.Path(kith.__file__).parent)
