#!/usr/bin/env python3
"""Writes docs/python_reference.md from the docstrings of the package.

Usage: reference.py, in an environment where kith is installed.
"""
import importlib
import inspect
import pathlib

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python_reference.md"
HEAD = """# Python reference

Made from the docstrings by `tests/python/reference.py`. [The page about Python](python.md) is the place to begin.
"""


def signature(thing):
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def documentation(thing):
    return inspect.getdoc(thing) or ""


def quoted(text):
    return f"```text\n{text}\n```\n" if text else ""


def methods(kind):
    """Public methods and properties that the class itself documents."""
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        thing = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if isinstance(member, property) and documentation(member) and "->" not in documentation(member):
            yield f"* `{name}`: {documentation(member).splitlines()[0]}\n"
        elif inspect.isfunction(thing) and documentation(thing):
            first = " ".join(documentation(thing).split("\n\n")[0].split())
            yield f"* `{name}{signature(thing)}`: {first}\n"


def entry(prefix, name, thing):
    parts = [f"\n### `{prefix}{name}{signature(thing)}`\n\n", quoted(documentation(thing))]
    if inspect.isclass(thing):
        listed = list(methods(thing))
        parts += ["\n", *listed] if listed else []
    return "".join(parts)


def section(module_name, title):
    module = importlib.import_module(module_name)
    parts = [f"\n## {title}\n\n{quoted(documentation(module))}"]
    for name in sorted(module.__all__):
        thing = getattr(module, name)
        if not inspect.ismodule(thing):
            parts.append(entry(module_name + ".", name, thing))
    return "".join(parts)


def text():
    sections = [("kith", "kith"), ("kith.sample", "kith.sample"), ("kith.mpi", "kith.mpi"),
                ("kith.gradients", "kith.gradients"),
                ("kith.jax", "kith.jax"), ("kith.plot", "kith.plot"),
                ("kith.correlation", "kith.correlation"), ("kith.sklearn", "kith.sklearn")]
    return HEAD + "".join(section(*s) for s in sections)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
