#!/usr/bin/env python3
"""The recipes of packages agree with the project: options exist, the libraries of setup.sh are named,
the version is written in one place. Usage: packages_test.py ROOT"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
RECIPES = ["packaging/docker/Dockerfile", "packaging/conda/meta.yaml", "packaging/spack/package.py"]
# What setup.sh installs to build, and how the names of the recipes contain it.
LIBRARIES = ["tbb", "hwy|highway", "fmt", "png", "kissfft", "hdf5", "zlib"]


def version():
    return re.search(r"project\(kith VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def complaints():
    options = set(re.findall(r"(?:option|kith_component)\((KITH_\w+)", (ROOT / "cmake/KithOptions.cmake").read_text()))
    for recipe in RECIPES:
        text = (ROOT / recipe).read_text(encoding="utf-8")
        for name in sorted(set(re.findall(r"KITH_[A-Z_]+", text)) - options):
            yield f"{recipe}: {name} is no option of cmake/KithOptions.cmake"
        for library in LIBRARIES:
            if not re.search(library, text):
                yield f"{recipe}: names no {library}"
        if version() in text:
            yield f"{recipe}: writes the version {version()}; CMakeLists.txt has it"
    ast.parse((ROOT / "packaging/spack/package.py").read_text(encoding="utf-8"))
    for line in (ROOT / "packaging/conda/meta.yaml").read_text(encoding="utf-8").splitlines():
        if "\t" in line or (len(line) - len(line.lstrip())) % 2:
            yield f"packaging/conda/meta.yaml: indentation of {line.strip()!r}"
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if re.search(r"^version *=", pyproject, re.MULTILINE):
        yield "pyproject.toml: writes a version; CMakeLists.txt has it"


found = list(complaints())
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
