"""HDF5 files with changed bytes never crash a reader. Usage: door_test.py PROGRAM [CASES [FIRST]]"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

N = 40


def write_seed(path, is_late, is_swift):
    """A small snapshot, so that most bytes are structure."""
    x = np.random.default_rng(1).random((N, 3)).astype(np.float32)
    counts = np.array([0, N, 0, 0, 0, 0], np.uint64)
    with h5py.File(path, "w", libver="latest" if is_late else "earliest") as file:
        header = file.create_group("Header")
        for name, value in (("NumPart_ThisFile", counts), ("NumPart_Total", counts), ("BoxSize", 1.0), ("Time", 1.0),
                            ("MassTable", np.array([0, 1.0, 0, 0, 0, 0])), ("Redshift", 0.0),
                            ("NumFilesPerSnapshot", np.int32(1)), ("Code", "some text of variable length")):
            header.attrs[name] = value
        if is_swift:
            header.attrs["Scale-factor"] = 1.0
            file.create_group("Cosmology").attrs["Cosmological run"] = np.int32(1)
            file.create_group("Units").attrs["Unit length in cgs (U_L)"] = 3e24
            file.create_group("Parameters").attrs["InitialConditions:periodic"] = np.bytes_("1")
        else:
            file.create_group("Parameters").attrs["Omega0"] = 0.3
        particles = file.create_group("PartType1")
        options = {"chunks": (16, 3), "compression": 4, "shuffle": True, "fletcher32": True} if is_late else {}
        particles.create_dataset("Coordinates", data=x, **options)
        particles["Velocities"], particles["ParticleIDs"] = x, np.arange(N, dtype=np.uint64)


def main():
    cases = sys.argv[2] if len(sys.argv) > 2 else "2000"
    first = sys.argv[3] if len(sys.argv) > 3 else "0"
    with tempfile.TemporaryDirectory() as folder:
        seeds = []
        for is_late in (False, True):
            for is_swift in (False, True):
                seeds.append(os.path.join(folder, f"seed_{is_late}_{is_swift}.hdf5"))
                write_seed(seeds[-1], is_late, is_swift)
        kept = os.environ.get("KITH_DOOR_FOLDER", folder)
        return subprocess.run([sys.argv[1], kept, first, cases, *seeds], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
