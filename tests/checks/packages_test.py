#!/usr/bin/env python3
"""The recipes of packages agree with the project: options exist, the libraries of setup.sh are named,
the version is written in one place, and each recipe can be read. Usage: packages_test.py ROOT"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
DOCKERFILE = "packaging/docker/Dockerfile"
CONDA = "packaging/conda/meta.yaml"
SPACK = "packaging/spack/packages/kith/package.py"
# What setup.sh installs to build, and how the names of the recipes contain it.
LIBRARIES = ["tbb", "hwy|highway", "fmt", "png", "kissfft", "hdf5", "zlib"]


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


def recipe_complaints(recipe, options):
    text = text_of(recipe)
    for name in sorted(set(re.findall(r"KITH_[A-Z_]+", text)) - options):
        yield f"{recipe}: {name} is no option of cmake/KithOptions.cmake"
    for library in LIBRARIES:
        if not re.search(library, text):
            yield f"{recipe}: names no {library}"
    if version() in text:
        yield f"{recipe}: writes the version {version()}; CMakeLists.txt has it"


def docker_complaints():
    """What the image copies from the sources exists."""
    for words in re.findall(r"^COPY (?!--from)(.+)$", text_of(DOCKERFILE), re.MULTILINE):
        for name in words.split()[:-1]:
            if not (ROOT / name).exists():
                yield f"{DOCKERFILE}: there is no {name}"


def complaints():
    options = set(re.findall(r"(?:option|kith_component)\((KITH_\w+)", text_of("cmake/KithOptions.cmake")))
    for recipe in (DOCKERFILE, CONDA, SPACK):
        yield from recipe_complaints(recipe, options)
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
