#!/usr/bin/env python3
"""Checks that includes only point down the layers, whose order is in src/CMakeLists.txt: kith_layer(tree ON parallel),
and down the rooms of a layer: kith_layer(mpi ON groups ROOMS transport domains).

Usage: layers.py [ROOT]. Prints every include that does not, and fails if there is one.
"""
import pathlib
import re
import sys

# Folders that use the library: they may include only <kith/...>.
USERS = ["cli", "examples", "python"]
# For each library, the only folder of src/ or file that may include its headers.
ONLY_IN = {
    "tbb": ["src/parallel/arena.cpp"],
    "oneapi": ["src/parallel/arena.cpp"],
    "fmt": ["src/base/format.cpp", "src/files", "src/snapshots", "src/results", "src/drawing", "src/merger_files", "cli"],
    "xxhash": ["src/base/checksum.cpp"],
    "hwy": ["src/atoms", "src/kernels", "src/walk", "src/neighbors", "src/pairs", "src/groups", "src/clusters"],
    "png": ["src/drawing"],
    "hdf5": ["src/files"],
    "mpi.h": ["src/mpi", "include/kith/mpi", "include/kith/kith_mpi.h", "python/bind/mpi.cpp", "python/bind/mpi_gradients.cpp", "examples/mpi", "examples/nbody", "examples/in_situ"],
}
LAYER = re.compile(r"^\s*kith_layer\((\w+)(?:\s+ON\s+([a-z\s]+))?(?:\s*ROOMS\s+([a-z\s]+))?", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".hpp", ".cpp", ".h", ".cl", ".cu", ".cuh"}


def layers(root):
    """For each layer, the layers that its files may include: itself and all below it."""
    reach = {}
    for name, below, _ in LAYER.findall((root / "src/CMakeLists.txt").read_text(encoding="utf-8")):
        reach[name] = {name}.union(*(reach[lower] for lower in below.split()))
    return reach


def rooms(root):
    """For each layer with rooms, their names, lowest first."""
    return {name: listed.split() for name, _, listed in LAYER.findall((root / "src/CMakeLists.txt").read_text(
        encoding="utf-8")) if listed}


def room_complaint(listed, room, header):
    """Why a file of a room may not include another header of its layer, or None."""
    if room not in listed:
        return f"{room} is not a room of its layer; its rooms are {', '.join(listed)}"
    other = header.split("/")[1]
    if other in listed and listed.index(other) > listed.index(room):
        return f"{room} is below {other}"
    return None


def includes(file):
    text = file.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match[1], match[2]


def library_complaint(place, header):
    """Why a file may not include another library's header, or None."""
    for prefix, homes in ONLY_IN.items():
        if header == prefix or header.startswith((prefix + "/", prefix + ".")):
            if not any(place == home or place.startswith(home + "/") for home in homes):
                return "belongs in " + " or ".join(homes)
    return None


def complaint(reach, layered, place, quote, header):
    """Why this include is wrong, or None. `place` is the file's path from the root."""
    parts = place.split("/")
    if parts[0] in ("tests", "bench"):
        return None
    first = header.split("/")[0]
    if parts[0] == "src":
        if parts[1] not in reach:
            return f"src/{parts[1]} is not a layer; add it to src/CMakeLists.txt"
        if quote == '"' and "/" not in header:
            return "give the path from src/, such as \"base/fail.hpp\""
        if first in reach and first not in reach[parts[1]]:
            return f"{parts[1]} is below or beside {first}"
        if first == parts[1] and first in layered and (why := room_complaint(layered[first], parts[2], header)):
            return why
    if parts[0] == "include" and quote == '"':
        return "public headers include <kith/...> and the standard library"
    if parts[0] in USERS and (first in reach or first in ("src", "..")):
        return f"{parts[0]} sees only <kith/...>"
    return library_complaint(place, header)


def check(root):
    complaints = []
    reach, layered = layers(root), rooms(root)
    for folder in ["include", "src", *USERS]:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            place = file.relative_to(root).as_posix()
            for line, quote, header in includes(file):
                if folder in USERS and quote == '"' and (root / folder / header).is_file():
                    continue  # a room of the program
                why = complaint(reach, layered, place, quote, header)
                if why:
                    complaints.append(f"{place}:{line}: includes {header}: {why}")
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
