#!/usr/bin/env python3
"""Calls on Intel's OpenCL driver for CPUs, another compiler and another runtime than PoCL: the bits of the CPU.

Usage: second_driver_test.py TEST_GPU. scripts/setup.sh (want_intel_opencl) installs the driver; without it, the exit code
is 77.
"""
import os
import pathlib
import subprocess
import sys

VENDORS = pathlib.Path(__file__).resolve().parents[2] / "build" / "intel-opencl" / "vendors"
# A few of each: its compiler takes seconds for a kernel.
TESTS = ("GpuDevices.ComputeWhatTheCpuComputes:GpuDevices.ScanAndSort:GpuSecondDriver.*")

if not (VENDORS / "intel.icd").exists():
    print(f"no driver in {VENDORS}")
    sys.exit(77)
driver = pathlib.Path((VENDORS / "intel.icd").read_text().strip())
# The driver needs a newer oneTBB than the system's, which kith would load first under the same name.
environment = {**os.environ, "OCL_ICD_VENDORS": str(VENDORS), "LD_PRELOAD": str(driver.parent / "libtbb.so.12"),
               "KITH_PLATFORM": "Intel"}
done = subprocess.run([sys.argv[1], f"--gtest_filter={TESTS}"], env=environment, capture_output=True, text=True)
print(done.stdout[-4000:], done.stderr[-2000:])
sys.exit(done.returncode != 0 or "SKIPPED" in done.stdout or "[  PASSED  ] 0 tests" in done.stdout)
