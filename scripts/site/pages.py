#!/usr/bin/env python3
"""Collects the pages of the site: docs/, the documents in the root folder, and the reference.

Usage: pages.py KITH FOLDER. KITH is the program; its --help texts become a page. The C++
reference is made from the comments of the public headers.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
FROM_ROOT = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"]
# Headers in the order of a tour: the core, then files, then samples. Those not named follow by name.
FIRST = ["points", "box", "tree", "execution", "error", "neighbors", "radius", "pair_counts", "density",
         "groups", "catalogue", "halos", "clusters", "spanning_tree", "hierarchy", "hdbscan", "correlation",
         "gradients", "topology", "snapshot", "results", "tree_file", "forest", "forest_file", "left_balanced", "figure", "picture", "sample",
         "shapes", "cosmology", "mass_function"]
LEFT_OUT = {"export", "kith", "io"}  # nothing but macros or other headers
ENTITY = re.compile(r"\b(?:struct|class|concept|enum class|using)\s+(?:KITH_API\s+)?(\w+)")
FUNCTION = re.compile(r"(\w+|operator\S+)\(")
WIDTH = 88  # columns of a block of code beside the navigation


def copy_pages(pages):
    shutil.rmtree(pages.parent, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    for name in FROM_ROOT:
        shutil.copy(ROOT / name, pages / name)
    shutil.copy(ROOT / "scripts/site/site.css", pages)
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        if page.parent == pages and page.name in FROM_ROOT:
            text = re.sub(r"\]\(docs/", "](", text)
        else:
            text = re.sub(r"\]\(((?:\.\./)*)\.\./(%s)" % "|".join(map(re.escape, FROM_ROOT)), r"](\1\2", text)
        page.write_text(text, encoding="utf-8")


def write_config(folder, pages):
    """The navigation, with pages of docs/ that it does not name at the end of the how-to pages."""
    config = (ROOT / "scripts/site/mkdocs.yml").read_text(encoding="utf-8")
    more = [p.name for p in sorted(pages.glob("*.md")) if p.name not in config]
    lines = "".join(f"      - {name}\n" for name in more)
    (folder / "mkdocs.yml").write_text(
        config.replace("      # More pages of docs/ are added here.\n", lines), encoding="utf-8")


def commands_of(program, path):
    """A command and its subcommands, with their help texts."""
    text = subprocess.run([program, *path, "--help"], capture_output=True, text=True, check=True).stdout
    yield path, text
    listed = re.search(r"^Subcommands:\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    for name in re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []:
        yield from commands_of(program, [*path, name])


def narrow(text):
    """A help text whose explanations of options have lines of at most WIDTH, in their column."""
    lines = []
    for line in text.strip().splitlines():
        found = re.match(r"( {2}\S.*? {2,}| {20,})\S", line)
        column = found.end() - 1 if found else 0
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=" " * column, break_long_words=False,
                               break_on_hyphens=False) if column >= 20 else [line]
    return "\n".join(lines)


def program_reference(program):
    parts = ["# The program: all options\n\nThese are the texts that `--help` prints. "
             "[The page about the program](../program.md) explains them with examples.\n"]
    for path, text in commands_of(program, []):
        depth = "##" if len(path) < 2 else "###"
        parts.append(f"{depth} {' '.join(['kith', *path])}\n\n```text\n{narrow(text)}\n```\n")
    return "\n".join(parts)


def entities(lines):
    """(comment, code) of everything in a header that has a /// comment, outside of classes."""
    comment, number = [], 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.startswith("///"):
            comment.append(line[3:].strip())
        elif comment and line.strip():
            code, depth, is_private = [], 0, False
            while True:
                depth += line.count("{") - line.count("}")
                is_private = (is_private or line.strip() == "private:") and depth > 0
                if not is_private:
                    code.append(line)
                if depth <= 0 and line.rstrip().endswith((";", "}")):
                    break
                line = lines[number]
                number += 1
            yield comment, code
            comment = []
        else:
            comment = []


def name_of(code):
    text = " ".join(line for line in code[:4] if not line.startswith("template"))
    found = ENTITY.search(text.split("(")[0]) or FUNCTION.search(text)
    return found[1] if found else text.split("=")[0].split()[-1]


def prose(comment):
    """A comment as Markdown, in which only empty lines separate paragraphs."""
    return "\n".join(comment).replace("<", "&lt;")


def header_reference(header):
    lines = header.read_text(encoding="utf-8").splitlines()
    opening = " ".join(line[2:].strip() for line in lines[:lines.index("#pragma once")])
    parts, last = [f"## &lt;kith/{header.name}&gt;\n\n{opening}\n"], None
    for comment, code in entities(lines):
        name = name_of(code)
        parts.append((f"### {name}\n\n" if name != last else "") + prose(comment) + "\n")
        parts.append("```cpp\n" + "\n".join(code).rstrip() + "\n```\n")
        last = name
    return "\n".join(parts)


def cpp_reference():
    found = {p.stem: p for p in (ROOT / "include/kith").rglob("*.hpp") if p.stem not in LEFT_OUT}
    order = [name for name in FIRST if name in found] + sorted(set(found) - set(FIRST))
    head = ("# C++ reference\n\nMade from the comments of the public headers. `<kith/kith.hpp>` includes the core, "
            "`<kith/io.hpp>` files and pictures, `<kith/sample.hpp>` sample points.\n")
    return "\n".join([head, *(header_reference(found[name]) for name in order)])


def main(program, folder):
    folder = pathlib.Path(folder)
    pages = folder / "pages"
    copy_pages(pages)
    write_config(folder, pages)
    (pages / "reference").mkdir()
    (pages / "reference/cpp.md").write_text(cpp_reference(), encoding="utf-8")
    (pages / "reference/program.md").write_text(program_reference(program), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
