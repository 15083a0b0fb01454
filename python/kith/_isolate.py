"""Files from strangers: a child process reads them first, within limits of memory and time."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

from . import _kith
from ._errors import ArgumentError, FileError, UnavailableError, error_of

# Far above what a file of this size needs; address space, of which the libraries themselves take some hundred MB.
_MEMORY, _MEMORY_PER_BYTE = 2 << 30, 8
_SECONDS, _BYTES_PER_SECOND = 20, 10 << 20

# The extension and its errors alone, without NumPy: it starts in a fraction of the time. It writes
# its findings to standard output.
_CHILD = """
import importlib.machinery, importlib.util, json, os, resource, sys, types
extension, kind, path, options, memory, seconds = sys.argv[1:]
for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
    resource.setrlimit(limit, (int(value), int(value)))
sys.modules["kith"] = types.ModuleType("kith")
sys.modules["kith"].__path__ = [os.path.dirname(extension)]
from kith._errors import Error
loader = importlib.machinery.ExtensionFileLoader("_kith", extension)
core = importlib.util.module_from_spec(importlib.util.spec_from_loader("_kith", loader))
loader.exec_module(core)
try:
    core.examine(kind, path, json.loads(options), core.Call(1))
except MemoryError:
    print(json.dumps(["io", f"{path}: reading it takes more than {memory} bytes of memory; the file is damaged"]))
except Error as error:
    print(json.dumps([error.code, str(error)]))
else:
    print(json.dumps([]))
"""


def _bytes_of(path: str) -> int:
    """Of all files that may belong to it: the folder's."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    total = 0
    for here, _, names in os.walk(folder):
        total += sum(os.path.getsize(os.path.join(here, name)) for name in names
                     if os.path.isfile(os.path.join(here, name)))
        if here == folder and not os.path.isdir(path):
            break
    return total


def _file_of(path: str) -> str:
    """Without the place inside it: "file.h5:/points"."""
    return path if os.path.exists(path) else path.rpartition(":")[0] or path


def examine(kind: str, path: str, options: dict[str, Any]) -> None:
    """Has a child process read all of a "snapshot" or "catalogue", and raises FileError if that fails, ends the child,
    or takes too much memory or time. Only then is it read here."""
    file = _file_of(path)
    if not os.path.isfile(file) and not os.path.isdir(file) and os.path.exists(file) or path == "-":
        raise ArgumentError(f"{path}: isolate reads a file twice, and a pipe can be read once; copy it to a file first")
    size = _bytes_of(file)
    memory = _MEMORY + _MEMORY_PER_BYTE * size
    seconds = _SECONDS + size // _BYTES_PER_SECOND
    command = [sys.executable, "-I", "-S", "-c", _CHILD, _kith.__file__, kind, path, json.dumps(options), str(memory),
               str(seconds)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=4 * seconds, check=False)
    except subprocess.TimeoutExpired:
        raise FileError(f"{path}: reading it takes more than {4 * seconds} s; the file is damaged") from None
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise FileError(f"{path}: reading it takes more than {seconds} s of processor time; the file is damaged")
    if done.returncode < 0:
        raise FileError(f"{path}: reading it ends the process ({signal.Signals(-done.returncode).name}); the file is "
                        "damaged")
    if done.returncode != 0:
        raise UnavailableError(f"isolate: {sys.executable} cannot run the reader: "
                               + done.stderr.decode(errors="replace"))
    found = json.loads(done.stdout)
    if found:
        raise error_of(found[0], found[1])
