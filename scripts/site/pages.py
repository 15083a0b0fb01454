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
# Pages of the references by topic, in the order of a tour. Names without a topic go to the last
# one.
CPP_TOPICS = {
    "Points, trees and calls": ["points", "box", "tree", "execution", "error", "statistics", "version", "left_balanced", "forest",
                                "io/tree_file", "io/forest_file"],
    "Neighbors and densities": ["neighbors", "radius", "density", "sky", "gradients"],
    "Groups and halos": ["groups", "catalogue", "centers", "halos", "redshift_space", "io/particle_roles", "mass_function"],
    "Halos through time": ["match", "merger_trees", "io/halo_members", "io/halo_catalogue", "io/halo_histories"],
    "Clusters": ["clusters", "spanning_tree", "hierarchy", "hdbscan", "topology"],
    "Correlation functions": ["pair_counts", "correlation"],
    "Files and pictures": ["io/snapshot", "io/results", "io/figure", "io/picture", "io/result_facts"],
    "Samples": ["sample", "shapes", "cosmology"],
    "Machines, devices and the rest": [],
}
PYTHON_TOPICS = {
    "Neighbors and trees": ["Tree", "KDTree", "cKDTree", "Forest", "knn", "radius", "radius_count", "radius_pairs", "density",
                            "kth_distance", "mean_distance", "Neighbors", "NeighborLists", "Pairs", "Cells", "LeftBalanced", "Plane",
                            "Splits", "left_balanced", "estimate_memory"],
    "Groups and halos": ["fof", "redshift_fof", "Groups", "halos", "catalogue", "Catalogue", "centers", "overdensities",
                         "Overdensities", "subhalos", "Subhalos", "edge_density", "peak_members", "mass_function", "MassFunction"],
    "Halos through time": ["match", "Matches", "trees", "read_trees", "MergerTrees"],
    "Clusters": ["dbscan", "hdbscan", "hierarchy", "spanning_tree", "Clusters", "HdbscanClusters", "Hierarchy", "Branches",
                 "CondensedTree", "SpanningTree"],
}
# Headers in the order of a tour: the core, then files, then samples. Those not named follow by name.
FIRST = ["points", "box", "tree", "execution", "error", "neighbors", "radius", "pair_counts", "density",
         "groups", "catalogue", "halos", "clusters", "spanning_tree", "hierarchy", "hdbscan", "correlation",
         "gradients", "topology", "io/snapshot", "io/results", "io/tree_file", "forest", "io/forest_file", "left_balanced", "io/figure", "io/picture", "sample",
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
             "[The program](../program.md) explains them with examples.\n"]
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


def header_reference(name, header):
    lines = header.read_text(encoding="utf-8").splitlines()
    opening = " ".join(line[2:].strip() for line in lines[:lines.index("#pragma once")])
    parts, last = [f"## &lt;kith/{name}.hpp&gt;\n\n{opening}\n"], None
    for comment, code in entities(lines):
        entity = name_of(code)
        parts.append((f"### {entity}\n\n" if entity != last else "") + prose(comment) + "\n")
        parts.append("```cpp\n" + "\n".join(code).rstrip() + "\n```\n")
        last = entity
    return "\n".join(parts)


def page_name(prefix, topic):
    return f"{prefix}_{re.sub('[^a-z]+', '_', topic.lower())}.md"


def cpp_reference():
    """(file, title, text) of the C++ reference: an index, then one page for each topic."""
    headers = ROOT / "include/kith"
    found = {p.relative_to(headers).with_suffix("").as_posix(): p for p in headers.rglob("*.hpp")
             if p.stem not in LEFT_OUT and p.parent.name != "detail"}
    order = [name for name in FIRST if name in found] + sorted(set(found) - set(FIRST))
    named = {name for names in CPP_TOPICS.values() for name in names}
    rows = []
    for topic, names in CPP_TOPICS.items():
        own = [name for name in order if name in names or (not names and name not in named)]
        file = page_name("cpp", topic)
        yield file, topic, "\n".join([f"# C++: {topic}\n", *(header_reference(name, found[name]) for name in own)])
        rows.append(f"* [{topic}]({file}): " + ", ".join(f"`<kith/{name}.hpp>`" for name in own))
    yield "cpp.md", "", ("# C++ reference\n\nMade from the comments of the public headers. `<kith/kith.hpp>` includes the core, "
                         "`<kith/io.hpp>` files and pictures, `<kith/sample.hpp>` sample points.\n\n" + "\n".join(rows) + "\n")


def python_reference(text):
    """The same of the Python reference, which docs/ has as one page."""
    head, *modules = re.split(r"^(?=## kith)", text, flags=re.MULTILINE)
    opening, *entries = re.split(r"^(?=### )", modules[0], flags=re.MULTILINE)
    name = lambda entry: re.match(r"### `kith\.(\w+)", entry)[1]
    named = {one for names in PYTHON_TOPICS.values() for one in names}
    parts = {topic: [e for e in entries if name(e) in names] for topic, names in PYTHON_TOPICS.items()}
    parts["Files, boxes and errors"] = [e for e in entries if name(e) not in named]
    pages = [(topic, "".join(own)) for topic, own in parts.items()]
    pages += [(re.match(r"## (\S+)", module)[1], module.split("\n", 1)[1]) for module in modules[1:]]
    rows = []
    for topic, body in pages:
        file = page_name("python", topic)
        body = re.sub(r"\]\((?!http|#)", "](../", body)
        yield file, topic, f"# Python: {topic}\n\n{body}"
        rows.append(f"* [{topic}](reference/{file})")
    yield "python_reference.md", "", head + opening.replace("## kith\n", "") + "\n" + "\n".join(rows) + "\n"


def write_references(folder, pages):
    config = (folder / "mkdocs.yml").read_text(encoding="utf-8")
    reference = pages / "reference"
    reference.mkdir()
    text = (pages / "python_reference.md").read_text(encoding="utf-8")
    for language, made in [("Python", python_reference(text)), ("C++", cpp_reference())]:
        lines = ""
        for file, title, content in made:
            place = pages if file == "python_reference.md" else reference
            (place / file).write_text(content, encoding="utf-8")
            lines += f"      - \"{language}: {title}\": reference/{file}\n" * bool(title)
        config = config.replace(f"      # Pages of the {language} reference are added here.\n", lines)
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")


def main(program, folder):
    folder = pathlib.Path(folder)
    pages = folder / "pages"
    copy_pages(pages)
    write_config(folder, pages)
    write_references(folder, pages)
    (pages / "reference/program.md").write_text(program_reference(program), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
