"""The package as a whole."""
import subprocess
import sys

MEASURE = """
import time
import kith
print(time.process_time())
"""


def test_import_is_quick():
    """CPU time of a process that imports kith, NumPy included; the best of several, because the first one reads files."""
    seconds = [float(subprocess.run([sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True).stdout)
               for _ in range(5)]
    assert min(seconds) < 0.3


def test_import_loads_no_optional_package():
    code = "import sys, kith; print([m for m in ('scipy', 'sklearn', 'matplotlib', 'pandas', 'jax', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"
