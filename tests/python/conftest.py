"""Fixtures of all tests."""
import os
import pathlib

import numpy as np
import pytest

import kith

_HOST_KERNELS = pathlib.Path(os.environ.get("KITH_TEST_LIBRARIES", "")).parent / "gpu" / "libkith_host_kernels.so"
# The environment of a process with faked drivers of CUDA and HIP (tests/gpu/host/faked_driver.hpp); empty if they are not built.
FAKED = {name: str(_HOST_KERNELS) for name in ("KITH_CUDA", "KITH_NVRTC", "KITH_HIP", "KITH_HIPRTC", "KITH_OPENCL")
         if _HOST_KERNELS.is_file()}
if FAKED:
    FAKED["KITH_CACHE"] = ""  # compiled kernels of a driver of the tests stay in memory

EXCLUDED = pathlib.Path(__file__).with_name("scipy_excluded.txt")


def has_device():
    """Is there an OpenCL device that kith can use?"""
    try:
        return any(not device.refusal for device in kith.devices())
    except RuntimeError:
        return False


def excluded_tests():
    """Names of scipy's tests that cannot pass, with the reason of each."""
    lines = EXCLUDED.read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


def pytest_collection_modifyitems(items):
    reasons = excluded_tests()
    for item in items:
        name = item.name.split("[")[0]
        if item.fspath.basename == "test_scipy_kdtree.py" and name in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[name], strict=True))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def refuses_damage():
    """refuses_damage(path, load): load raises OSError for every damaged copy of the file, which is overwritten."""
    def check(path, load):
        content = bytearray(path.read_bytes())
        for damage in (content[:-7], content[:-100], content[:64], content[:30], b"", bytes(reversed(content))):
            path.write_bytes(damage)
            with pytest.raises(OSError, match=path.name):
                load(path)
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(OSError, match="damaged|checksum"):
            load(path)
    return check
