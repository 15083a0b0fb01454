"""Arrays in the memory of devices in, and out; in a separate process, since drivers are opened once."""
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import FAKED


@pytest.mark.skipif(not FAKED, reason="no faked driver")
def test_arrays_on_a_faked_driver():
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("on_faked_device.py")],
                          env={**os.environ, **FAKED}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "passed\n", done.stdout + done.stderr


@pytest.mark.skipif(not FAKED, reason="no faked driver")
def test_the_programs_of_the_page(tmp_path):
    pytest.importorskip("matplotlib")
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("documents.py"), "gpu_arrays.md"], cwd=tmp_path,
                          env={**os.environ, **FAKED}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "<kith.DeviceArray: int32 (2000, 8) on cuda:0>" in done.stdout
