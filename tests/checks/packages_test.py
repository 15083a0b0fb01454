#!/usr/bin/env python3
"""The recipes of packages agree with the project: options exist, the libraries of setup.sh are named,
the version is written in one place, and each recipe can be read. Usage: packages_test.py ROOT"""
import ast
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
DOCKERFILE = "packaging/docker/Dockerfile"
CONDA = "packaging/conda/meta.yaml"
SPACK = "packaging/spack/packages/kith/package.py"
HOMEBREW = "packaging/homebrew/kith.rb"
VCPKG = "packaging/vcpkg/kith"
# The packages that setup.sh installs to build, as parts of their names in the recipes.
LIBRARIES = ["tbb", "hwy|highway", "fmt", "png", "hdf5", "zlib"]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    return re.search(r"project\(kith VERSION ([0-9.]+)", text_of("CMakeLists.txt"))[1]


def rendered_recipe():
    """The recipe of conda as conda-build reads it; nothing where Python has no Jinja or YAML."""
    try:
        import jinja2
        import yaml
    except ImportError:
        return None

    def load_file_regex(load_file, regex_pattern, from_recipe_dir):
        return re.search(regex_pattern, text_of(load_file))

    template = jinja2.Environment().from_string(re.sub(r" +# \[.*?\]", "", text_of(CONDA)))
    return yaml.safe_load(template.render(load_file_regex=load_file_regex, compiler=lambda name: name))


def option_complaints(recipe, options):
    text = text_of(recipe)
    for name in sorted(set(re.findall(r"KITH_[A-Z_]+", text)) - options):
        yield f"{recipe}: {name} is no option of cmake/KithOptions.cmake"
    if version() in text:
        yield f"{recipe}: writes the version {version()}; CMakeLists.txt has it"


def library_complaints(recipe):
    text = text_of(recipe)
    for library in LIBRARIES:
        if not re.search(library, text):
            yield f"{recipe}: names no {library}"


def docker_complaints():
    """The files that the image copies from the sources exist."""
    for words in re.findall(r"^COPY (?!--from)(.+)$", text_of(DOCKERFILE), re.MULTILINE):
        for name in words.split()[:-1]:
            if not (ROOT / name).exists():
                yield f"{DOCKERFILE}: there is no {name}"


def complaints():
    options = set(re.findall(r"(?:option|kith_component)\((KITH_\w+)", text_of("cmake/KithOptions.cmake")))
    for recipe in (DOCKERFILE, CONDA, SPACK, HOMEBREW, f"{VCPKG}/portfile.cmake", "packaging/apptainer/kith.def"):
        yield from option_complaints(recipe, options)
    for recipe in (DOCKERFILE, CONDA, SPACK, HOMEBREW, f"{VCPKG}/vcpkg.json"):
        yield from library_complaints(recipe)
    json.loads(text_of(f"{VCPKG}/vcpkg.json"))
    yield from docker_complaints()
    for package in sorted((ROOT / "packaging/spack/packages").glob("*/package.py")):
        ast.parse(package.read_text(encoding="utf-8"))
    recipe = rendered_recipe()
    if recipe is not None and recipe["package"]["version"] != version():
        yield f"{CONDA}: gives the version {recipe['package']['version']}, not {version()}"
    if re.search(r"^version *=", text_of("pyproject.toml"), re.MULTILINE):
        yield "pyproject.toml: writes a version; CMakeLists.txt has it"


found = list(complaints())
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
