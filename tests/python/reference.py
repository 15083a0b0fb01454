#!/usr/bin/env python3
"""Writes docs/python_reference.md from the docstrings of the package.

Usage: reference.py, in an environment where kith is installed.

A docstring becomes Markdown: sections with a line of dashes below their title become paragraphs in bold, an entry with
an indented explanation becomes an item of a list, and lines with >>> become a block of code.
"""
import importlib
import inspect
import pathlib
import re
import textwrap

import kith

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python_reference.md"
WIDTH = 100
HEAD = """# Python reference

This page is made from the docstrings by `tests/python/reference.py`. Start with
[Python](python.md).
"""


def signature(thing):
    """As Python writes it, without annotations."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def documentation(thing):
    return inspect.getdoc(thing) or ""


def prose(text):
    """Text as Markdown: double backticks become single ones, and stars outside of code are plain stars."""
    parts = re.split(r"(``.*?``)", text)
    return "".join(f"`{part[2:-2]}`" if part.startswith("``") else part.replace("*", r"\*") for part in parts)


def wrapped(text, first="", rest=""):
    """Lines of at most WIDTH; spaces inside short code are no place to break."""
    whole = re.sub(r"`[^`]{1,50}`", lambda code: code[0].replace(" ", "\0"), " ".join(text.split()))
    lines = textwrap.wrap(whole, WIDTH, initial_indent=first, subsequent_indent=rest,
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ") + "\n"


def block(language, lines):
    return f"```{language}\n" + "\n".join(lines) + "\n```\n"


def item(title, explanation):
    """An entry of a section: a parameter with its type, an attribute, a column."""
    name, _, kind = title.partition(" : ")
    kind = f" ({prose(kind)})" if kind else ""
    explanation = f": {prose(explanation)}" if explanation else ""
    return wrapped(f"`{name}`{kind}{explanation}", "* ", "  ")


def piece(lines, is_list):
    """Lines between two empty ones."""
    if lines[0].startswith(">>>"):
        return block("pycon", lines)
    is_entry = [not line.startswith(" ") for line in lines]
    if not is_list and all(is_entry):
        starts = [n for n, line in enumerate(lines) if n == 0 or line.startswith("* ")]
        if lines[0].startswith("* "):
            return "".join(wrapped(prose(" ".join(lines[a:b])[2:]), "* ", "  ")
                           for a, b in zip(starts, [*starts[1:], len(lines)]))
        return wrapped(prose(" ".join(lines)))
    starts = [n for n, entry in enumerate(is_entry) if entry]
    return "".join(item(lines[a], " ".join(line.strip() for line in lines[a + 1:b]))
                   for a, b in zip(starts, [*starts[1:], len(lines)]))


def markdown(text):
    lines, parts, gathered, is_list = text.splitlines(), [], [], False

    def flush():
        if gathered:
            parts.append(piece(gathered, is_list))
            gathered.clear()

    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following.startswith("---"):
            flush()
            parts.append(f"**{line}**\n")
            is_list = line in ("Parameters", "Attributes", "Returns", "Raises")
        elif not line.strip():
            flush()
            is_list = False
        elif not line.startswith("---"):
            gathered.append(line)
    flush()
    return "\n".join(parts)


def members(kind):
    """(name, member, documentation) of public methods and properties that the class itself documents, or one that it
    shares with others and users do not see."""
    shared = [base for base in kind.__bases__ if base.__module__.startswith("kith.") and not hasattr(kith, base.__name__)]
    for name, member in [item for each in [*shared, kind] for item in vars(each).items()]:
        thing = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        text = documentation(thing)
        is_property = isinstance(member, property) and "->" not in text  # those of the extension module
        if not name.startswith("_") and text and (is_property or inspect.isfunction(thing)):
            yield name, thing, text


def call_of(name, thing):
    """A call in lines of at most WIDTH."""
    indent = " " * (len(name) + 1)
    return block("py", textwrap.wrap(name + signature(thing), WIDTH, subsequent_indent=indent,
                                     break_long_words=False, break_on_hyphens=False))


def method_list(kind):
    """Short ones in a list; those with parameters follow with all that they say."""
    short, long = [], []
    for name, thing, text in members(kind):
        arguments = signature(thing) if inspect.isfunction(thing) else ""
        if "\n---" in text:
            long.append(f"#### `{kind.__name__}.{name}`\n\n{call_of(name, thing)}\n{markdown(text)}")
        else:
            short.append(wrapped(f"`{name}{arguments}`: {prose(text)}", "* ", "  "))
    return "\n".join(["**Methods and properties**\n", "".join(short)] * bool(short) + long)


def entry(prefix, name, thing):
    parts = [f"### `{prefix}{name}`\n", call_of(prefix + name, thing), markdown(documentation(thing))]
    if inspect.isclass(thing):
        parts.append(method_list(thing))
    return "\n".join(part for part in parts if part)


def section(module_name):
    module = importlib.import_module(module_name)
    names = [name for name in sorted(module.__all__) if not inspect.ismodule(getattr(module, name))]
    parts = [f"## {module_name}\n", markdown(documentation(module)),
             *(entry(module_name + ".", name, getattr(module, name)) for name in names)]
    return "\n".join(parts)


def text():
    modules = ["kith", "kith.sample", "kith.mpi", "kith.gradients", "kith.jax", "kith.plot", "kith.correlation", "kith.sky", "kith.cells",
               "kith.sklearn"]
    return "\n".join([HEAD, *map(section, modules)])


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
