#!/usr/bin/env python3
"""Adds the licenses of the libraries that auditwheel put into a wheel, and a list of them.

Usage: wheel_licenses.py WHEEL. On Debian: each library is found by its name, its package by dpkg, and the
license is the package's copyright file. Fails if a library's license is not found.
"""
import base64
import hashlib
import importlib.metadata
import importlib.util
import pathlib
import re
import subprocess
import sys
import zipfile


def package_of(library):
    """The Debian package with libtbb.so.12.8, from libtbb-4d79fbbd.so.12.8: auditwheel adds a hash."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library)
    found = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True, check=False).stdout
    if not found:
        raise SystemExit(f"wheel_licenses.py: no Debian package contains {name}")
    return found.split(":")[0]


def entry(name, content):
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def license_of(distribution):
    """The license texts of an installed Python package."""
    files = importlib.metadata.files(distribution) or []
    texts = [file.read_binary() for file in files if "LICENSE" in file.name.upper()]
    if not texts:
        raise SystemExit(f"wheel_licenses.py: the license of {distribution} was not found")
    return files, b"\n".join(texts)


def compiled_in():
    """Licenses of code that is compiled into the extension module: nanobind with robin-map, headers of XLA, and xxHash."""
    files, text = license_of("nanobind")
    yield "nanobind", text
    header = next(file for file in files if file.name == "robin_map.h").read_binary()
    yield "robin-map", header[:header.index(b"*/") + 3]
    if importlib.util.find_spec("jaxlib"):
        yield "xla", license_of("jaxlib")[1]
    yield "xxhash", pathlib.Path("/usr/share/doc/libxxhash-dev/copyright").read_bytes()


def licenses(libraries):
    """(file name, content) of a list and of the license of each package."""
    packages = {}
    own = [library for library in libraries if library.startswith("libkith_")]  # made by wheel_hdf5.py
    for library in sorted(set(libraries) - set(own)):
        packages.setdefault(package_of(library), []).append(library)
    lines = ["# Libraries in this wheel\n", "| library | Debian package | license |", "|---|---|---|"]
    for package, found in sorted(packages.items()):
        lines += [f"| {name} | {package} | [{package}.txt]({package}.txt) |" for name in sorted(found)]
        yield f"{package}.txt", pathlib.Path("/usr/share/doc", package, "copyright").read_bytes()
    lines += [f"| {name} | part of kith | LICENSE |" for name in sorted(own)]
    for name, text in compiled_in():
        lines.append(f"| {name} | compiled in | [{name}.txt]({name}.txt) |")
        yield f"{name}.txt", text
    yield "LICENSES.md", ("\n".join(lines) + "\n").encode()


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        content = {item.filename: (item, archive.read(item)) for item in archive.infolist()}
    record = next(name for name in content if name.endswith(".dist-info/RECORD"))
    folder = record.removesuffix("RECORD") + "licenses/"
    libraries = [pathlib.Path(name).name for name in content if ".libs/" in name and ".so" in name]
    added = {folder + name: text for name, text in licenses(libraries) if folder + name not in content}
    item, text = content.pop(record)
    text += "".join(entry(name, content) for name, content in added.items()).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for old, data in content.values():
            archive.writestr(old, data)
        for name, data in added.items():
            archive.writestr(name, data)
        archive.writestr(item, text)  # last, as the wheel format recommends
    print(f"{len(libraries)} libraries, {len(added)} license files added")


if __name__ == "__main__":
    main(*sys.argv[1:])
