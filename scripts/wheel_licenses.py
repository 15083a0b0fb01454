#!/usr/bin/env python3
"""Adds to a wheel the licenses of the libraries and headers that it contains, and a list of them.

Usage: wheel_licenses.py WHEEL PORTABLE, with the folder that scripts/wheel_libraries.sh made: licenses of the libraries are
those in Debian's source packages. Fails if one is not found.
"""
import base64
import hashlib
import importlib.metadata
import pathlib
import sys
import zipfile


def entry(name, content):
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def nanobind():
    """Licenses of nanobind and of robin-map, which it contains."""
    files = importlib.metadata.files("nanobind") or []
    texts = [file.read_binary() for file in files if "LICENSE" in file.name.upper()]
    header = next(file for file in files if file.name == "robin_map.h").read_binary()
    return b"\n".join(texts), header[:header.index(b"*/") + 3]


def compiled_in(portable):
    """(name, origin, license) of each part."""
    for source in sorted(portable.glob("sources/*/debian/copyright")):
        yield source.parts[-3], "Debian's source package", source.read_bytes()
    for name in ("xxhash", "cli11"):
        yield name, "Debian's headers", pathlib.Path(f"/usr/share/doc/lib{name}-dev/copyright").read_bytes()
    zig = next(portable.glob("env/lib/python3*/site-packages/ziglang/lib"))
    yield "libc++", "ziglang", (zig / "libcxx/LICENSE.TXT").read_bytes()
    own, robin_map = nanobind()
    yield "nanobind", "PyPI", own
    yield "robin-map", "nanobind", robin_map


def licenses(portable):
    """(file name, content) of a list and of the license of each part."""
    lines = ["# Compiled into this wheel\n", "| part | from | license |", "|---|---|---|"]
    for name, origin, text in compiled_in(portable):
        if not text.strip():
            raise SystemExit(f"wheel_licenses.py: the license of {name} was not found")
        lines.append(f"| {name} | {origin} | [{name}.txt]({name}.txt) |")
        yield f"{name}.txt", text
    yield "LICENSES.md", ("\n".join(lines) + "\n").encode()


def main(wheel, portable):
    wheel = pathlib.Path(wheel)
    with zipfile.ZipFile(wheel) as archive:
        record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        content = {info: archive.read(info) for info in archive.infolist()}
    folder = record.removesuffix("RECORD") + "licenses/"
    added = {folder + name: text for name, text in licenses(pathlib.Path(portable))}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for info, data in content.items():
            if info.filename != record:
                archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=9)
        for name, text in added.items():
            archive.writestr(name, text)
        info, data = next(item for item in content.items() if item[0].filename == record)
        data += "".join(entry(name, text) for name, text in added.items()).encode()
        archive.writestr(info, data)  # last, as the wheel format recommends


main(*sys.argv[1:])
