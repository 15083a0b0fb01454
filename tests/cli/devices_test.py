"""`--device` and `kith info --devices`: files have the bytes of the CPU's, and errors say what is missing.

Usage: devices_test.py PROGRAM. Needs an OpenCL device, such as PoCL's.
"""

import glob
import json
import os
import unittest

import h5py
import numpy as np

from program import ProgramTest, clumps, run


STUB = next(iter(glob.glob("/usr/local/cuda/lib*/stubs/libcuda.so")), None)


def devices():
    return json.loads(run("info", "--devices", "--json").stdout)["devices"]


class Listed(ProgramTest):
    """These need no device."""

    def test_the_cpu_is_always_there(self):
        self.assertTrue(self.works("info", "--devices").startswith("cpu: "))

    def test_without_a_loader(self):
        env = {**os.environ, "KITH_OPENCL": "/nowhere/libOpenCL.so.1"}
        listed = run("info", "--devices", env=env)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("no other device: gpu: the OpenCL loader cannot be opened", listed.stdout)
        told = json.loads(run("info", "--devices", "--json", env=env).stdout)
        self.assertEqual(told["devices"], [])
        self.assertIn("libOpenCL.so.1", told["reason"])
        failed = run("knn", self.save("x.npy", clumps(50)), "-k", 4, "--device", "gpu", env=env)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("the OpenCL loader cannot be opened", failed.stderr)

    def test_without_a_driver(self):
        env = {**os.environ, "OCL_ICD_VENDORS": self.folder.name}
        self.assertIn("no other device", run("info", "--devices", env=env).stdout)
        failed = run("fof", self.save("x.npy", clumps(50)), "--linking-length", 0.1, "--device", "gpu", env=env)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("no device of CUDA, HIP or OpenCL on this machine", failed.stderr)

    def test_a_driver_that_cannot_be_used(self):
        """The toolkit's library for linking, which has all functions and no device; and a file that is not there."""
        points = self.save("x.npy", clumps(50))
        for library, words in ((STUB, "CUDA does not start (error 34"), ("/nowhere.so", "KITH_CUDA = /nowhere.so cannot be opened")):
            if library is None:
                continue
            env = {**os.environ, "KITH_CUDA": library, "KITH_OPENCL": "/nowhere.so"}
            listed = run("info", "--devices", env=env)
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertIn(words, listed.stdout)
            failed = run("knn", points, "-k", 4, "--device", "cuda", env=env)
            self.assertEqual(failed.returncode, 1)
            self.assertIn(words, failed.stderr)

    def test_other_words(self):
        points = self.save("x.npy", clumps(50))
        self.fails(2, "--device tpu; give cpu, gpu, or gpu:N", "knn", points, "-k", 4, "--device", "tpu")
        self.fails(2, "give a snapshot or a result, or --devices", "info")
        self.fails(2, "--device", "cluster", points, "--method", "dbscan", "--eps", 0.1, "--device", "gpu")


class SameBytes(ProgramTest):
    def setUp(self):
        super().setUp()
        if not devices():
            self.skipTest("no OpenCL device")
        self.points = self.save("x.npy", clumps(900))

    def same(self, *words):
        """The arrays of both files, bit by bit; `Kith` holds the command in JSON."""
        for device in ("cpu", "gpu"):
            self.works(*words, "--device", device, "-o", self.path(device + ".npz"))
        one, other = (np.load(self.path(device + ".npz")) for device in ("cpu", "gpu"))
        self.assertEqual(one.files, other.files)
        for name in one.files:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)

    def test_searches(self):
        self.same("knn", self.points, "-k", 9, "--box", 1)
        self.same("knn", self.points, "-k", 3, "--max-radius", 0.02, "--exclude-self")
        self.same("radius", self.points, "--radius", 0.05, "--box", 1)
        self.same("density", self.points, "-k", 16, "--box", 1)

    def test_groups(self):
        self.same("fof", self.points, "--linking-length", 0.03, "--box", 1, "--labels", "--min-size", 3)
        self.same("fof", self.points, "--linking-length", 0.03, "--center", "density", "--min-size", 10)

    def test_several_types(self):
        snapshot = self.path("s.hdf5")
        with h5py.File(snapshot, "w") as file:
            header = file.create_group("Header").attrs
            header["NumPart_ThisFile"] = header["NumPart_Total"] = np.array([300, 600, 0, 0, 0, 0], np.uint64)
            header["MassTable"], header["BoxSize"], header["NumFilesPerSnapshot"] = np.ones(6), 1.0, 1
            header["Time"], header["Redshift"] = 1.0, 0.0
            x = clumps(900)
            for type, begin, end in ((0, 0, 300), (1, 300, 900)):
                file[f"PartType{type}/Coordinates"] = x[begin:end]
                file[f"PartType{type}/ParticleIDs"] = np.arange(begin, end)
        self.same("fof", snapshot, "--linking-length", 0.03, "--min-size", 3, "--labels")
        self.works("verify", snapshot, self.path("gpu.npz"))

    def test_the_device_is_told(self):
        told = self.told("knn", self.points, "-k", 4, "--device", "gpu")
        self.assertEqual(told["device"], "gpu:0")
        self.assertEqual(told["device_model"], devices()[0]["model"])
        self.assertIn("device gpu:0: ", self.works("knn", self.points, "-k", 4, "--device", "gpu:0"))

    def test_what_is_not_there(self):
        self.fails(1, "the devices here are gpu:0 (", "knn", self.points, "-k", 4, "--device", "gpu:99")
        self.fails(1, "no code for p = 1 on a device", "knn", self.points, "-k", 4, "--norm", 1, "--device", "gpu")
        self.fails(1, "--los and --all-lengths are not available on --device gpu", "fof", self.points, "--all-lengths",
                   "0.1,0.2", "--device", "gpu")


if __name__ == "__main__":
    unittest.main()
