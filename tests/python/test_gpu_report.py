"""scripts/gpu.sh, which a user with a card runs: from beginning to end on the device that is here."""
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import FAKED, has_device

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "gpu.sh"


def run(folder, *words, **more):
    return subprocess.run([SCRIPT, *words], cwd=folder, env={**os.environ, "PYTHON": sys.executable, **more},
                          capture_output=True, text=True)


@pytest.mark.skipif(not has_device(), reason="no OpenCL device")
def test_it_passes(tmp_path):
    done = run(tmp_path, "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    report = (tmp_path / "gpu-report.txt").read_text()
    assert report == done.stdout
    assert report.splitlines()[-1].startswith("PASS "), report
    assert "self-test: ok" in report and "kNN n = 20,000" in report


@pytest.mark.skipif(not FAKED, reason="no faked driver")
@pytest.mark.parametrize("device", ["cuda", "hip:1"])
def test_it_passes_on_a_faked_driver(tmp_path, device):
    """All of it by CUDA and HIP; their drivers are libraries of the tests, which run the kernels as C++."""
    done = run(tmp_path, device, "--quick", "--points", "100", **FAKED)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("PASS ") and "faked" in last, done.stdout
    assert "knn k = 16, rows on the device, n = 100" in done.stdout


@pytest.mark.skipif(not FAKED, reason="no faked driver")
def test_it_fails_without_its_driver(tmp_path):
    done = run(tmp_path, "cuda", "--quick", **{**FAKED, "KITH_FAKE_FAIL": "compile=6"})
    assert done.returncode == 1
    assert "It says: an injected error" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("FAIL "), done.stdout


@pytest.mark.skipif(not has_device(), reason="no OpenCL device")
def test_a_device_that_is_not_there(tmp_path):
    done = run(tmp_path, "gpu:99", "--quick")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("FAIL "), done.stdout
