"""Full disks, and files from strangers that a child process reads first."""
import os
import resource
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import kith
from kith import _isolate


def limited(code, limit):
    """Runs Python code in which files of more than `limit` bytes cannot be written."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          preexec_fn=prepare, check=False)


WRITERS = {"snapshot": 'kith.write_snapshot("a.hdf5", x, velocity=x, box=1.0)',
           "packed": 'kith.write_snapshot("a.hdf5", x, box=1.0, compression=4)',
           "swift": 'kith.write_snapshot("a.hdf5", x, box=1.0, style="swift")',
           "catalogue": 'halos.save("a.hdf5")', "packed catalogue": 'halos.save("a.hdf5", compression=4)'}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_an_error_and_the_program_goes_on(tmp_path, writer):
    """HDF5 frees a file twice whose writes fail; that must not end the process, neither then nor when it ends."""
    code = f"""
        import os, numpy as np, kith
        os.chdir({str(tmp_path)!r})
        x = np.random.default_rng(1).random((4000, 3)).astype(np.float32)
        halos = kith.halos(x, b=0.6, box=1.0, min_size=3)
        for _ in range(3):
            try:
                {WRITERS[writer]}
                print("written")
            except OSError as error:
                print(error.code, error)
        print(os.listdir("."))
        """
    for limit in (600, 9000):
        done = limited(code, limit)
        assert done.returncode == 0, (limit, done.stderr)
        lines = done.stdout.splitlines()
        assert all(line.startswith("io ") and "File too large" in line for line in lines[:3]), lines
        assert lines[3] == "[]"


def failing_writes_library():
    """It belongs to the tests of the program; see tests/cli/failing_writes.cpp."""
    path = os.path.join(os.environ.get("KITH_TEST_LIBRARIES", ""), "libkith_failing_writes.so")
    return path if os.path.exists(path) else None


@pytest.mark.skipif(failing_writes_library() is None, reason="the library that fails writes is not built")
def test_every_write_can_fail(tmp_path):
    code = f"""
        import ctypes, os, numpy as np, kith
        fail_write = ctypes.CDLL(None).kith_fail_write
        os.chdir({str(tmp_path)!r})
        x = np.random.default_rng(1).random((4000, 3)).astype(np.float32)
        halos = kith.halos(x, b=0.6, box=1.0, min_size=3)
        for write in {list(WRITERS.values())!r}:
            for n in range(1, 400):
                fail_write(ctypes.c_long(n))
                try:
                    exec(write)
                    break
                except OSError as error:
                    assert error.code == "io" and "No space left on device" in str(error), error
                assert os.listdir(".") == [], (n, os.listdir("."))
            assert 3 < n < 399, n
            assert os.listdir(".") == ["a.hdf5"]
            os.remove("a.hdf5")
        """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "LD_PRELOAD": failing_writes_library()}, check=False)
    assert done.returncode == 0, done.stderr


def test_isolated_files_are_the_same(tmp_path):
    x = np.random.default_rng(1).random((500, 3)).astype(np.float32)
    kith.write_snapshot(tmp_path / "s.hdf5", x, velocity=x, box=1.0)
    snapshot = kith.read_snapshot(tmp_path / "s.hdf5", isolate=True)
    np.testing.assert_array_equal(snapshot.position, x)
    halos = kith.halos(x, b=0.6, box=1.0, min_size=3)
    halos.save(tmp_path / "h.hdf5")
    np.testing.assert_array_equal(kith.read_catalogue(tmp_path / "h.hdf5", isolate=True).mass, halos.mass)
    np.savetxt(tmp_path / "x.csv", x, delimiter=",")
    assert len(kith.read_snapshot(tmp_path / "x.csv", dimension=3, mass=2.0, isolate=True)) == 500


def test_errors_are_those_of_the_reader(tmp_path):
    x = np.random.default_rng(1).random((500, 3)).astype(np.float32)
    kith.write_snapshot(tmp_path / "s.hdf5", x, box=1.0)
    (tmp_path / "bad.hdf5").write_bytes((tmp_path / "s.hdf5").read_bytes()[:3000])
    for name, options in (("bad.hdf5", {}), ("none.hdf5", {}), ("s.hdf5", {"units": "ly,g,km/s"})):
        with pytest.raises((OSError, ValueError)) as plain:
            kith.read_snapshot(tmp_path / name, **options)
        with pytest.raises(type(plain.value)) as isolated:
            kith.read_snapshot(tmp_path / name, isolate=True, **options)
        assert str(isolated.value) == str(plain.value)
    with pytest.raises(ValueError, match="a pipe can be read once"):
        kith.read_snapshot("/dev/stdin", isolate=True)


@pytest.mark.parametrize("act, words", [
    ("os.kill(os.getpid(), signal.SIGSEGV)", "ends the process .SIGSEGV.; the file is damaged"),
    ("os.abort()", "ends the process .SIGABRT.; the file is damaged"),
    ("x = bytearray(16 << 30)", "takes more than .* bytes of memory; the file is damaged"),
    ("resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n    while True: pass", "of processor time; the file is damaged")])
def test_a_child_that_ends_is_an_error(tmp_path, monkeypatch, act, words):
    """What HDF5 does on some damaged files, done by the child itself: which files these are depends on its version."""
    kith.write_snapshot(tmp_path / "s.hdf5", np.zeros((5, 3)), box=1.0)
    call = "    core.examine("
    assert call in _isolate._CHILD
    monkeypatch.setattr(_isolate, "_CHILD", "import os, signal\n" + _isolate._CHILD.replace(call, f"    {act}\n{call}"))
    for read in (kith.read_snapshot, kith.read_catalogue):
        with pytest.raises(OSError, match=words) as error:
            read(tmp_path / "s.hdf5", isolate=True)
        assert error.value.code == "io"


def test_a_child_has_little_memory(tmp_path, monkeypatch):
    """An array that takes more than the limit, honest or not, is refused in the child."""
    kith.write_snapshot(tmp_path / "s.hdf5", np.zeros((5, 3)), box=1.0)
    monkeypatch.setattr(_isolate, "_MEMORY", 16 << 20)  # not even the libraries fit
    with pytest.raises((OSError, RuntimeError)):
        kith.read_snapshot(tmp_path / "s.hdf5", isolate=True)
    assert signal.getsignal(signal.SIGINT) is not None and os.path.exists(tmp_path / "s.hdf5")
