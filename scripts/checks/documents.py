#!/usr/bin/env python3
"""Checks that links in the documents lead to files and headings that exist, and that the files of the project that
they name exist.

Usage: documents.py [ROOT] [--width | --fix]
  --width   also complains about prose over 100 columns; tables and code may be wider
  --fix     wraps such paragraphs and list items
"""
import pathlib
import re
import sys
import textwrap

WIDTH = 100
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ *```")
# In code of ARCHITECTURE.md and CONTRIBUTING.md, `tree/planes.hpp` is a file of src/; elsewhere folders of the root are named.
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:cpp|hpp|h|py|sh|txt|md|js|cl|cmake|yml|yaml|cff))`")
RUN = re.compile(r"(?<![\w/.])((?:scripts|examples|tests|bench|packaging|docs)/[\w./-]+\.(?:py|sh|txt|md|cpp))\b")
MAPS = ("ARCHITECTURE.md", "CONTRIBUTING.md")  # pages that describe the code
PLACES = (".", "src", "include", "python")
ITEM = re.compile(r"^( *)([*-]|\d+\.) +")
GAP = "\x00"  # a space at which lines are not broken


def pages_of(root):
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"),
                   *(root / "packaging").rglob("*.md"), *(root / "examples").rglob("*.md")])


def without_code(text):
    """The lines of a page; those inside fences are empty."""
    inside = False
    for line in text.splitlines():
        is_fence = bool(FENCE.match(line))
        yield "" if inside or is_fence else line
        inside ^= is_fence


def anchor(heading):
    """The anchor that GitHub and MkDocs make of a heading."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r" +", "-", re.sub(r"[^\w\- ]", "", words))


def anchors_of(page):
    lines = without_code(page.read_text(encoding="utf-8"))
    return {anchor(line.lstrip("#")) for line in lines if line.startswith("#")}


def broken_links(page):
    for number, line in enumerate(without_code(page.read_text(encoding="utf-8")), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue  # an external link
            path, _, heading = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield number, f"there is no {path}"
            elif heading and file.suffix == ".md" and heading not in anchors_of(file):
                yield number, f"{file.name} has no heading {heading}"


def missing_files(page, root):
    """Files of the project that a page names and that do not exist."""
    text = page.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        for name in [*(NAMED.findall(line) if page.name in MAPS else []), *RUN.findall(line)]:
            is_pattern = "NAME" in name or name.startswith("build/")
            if not is_pattern and not any((root / place / name).exists() for place in PLACES):
                yield number, f"there is no {name}"


def is_wide(line):
    return len(line) > WIDTH and not line.startswith("|") and " " in line.strip().lstrip("*-# ") \
        and not line.startswith(("#", "<!--", "!["))


def wide_lines(page):
    for number, line in enumerate(without_code(page.read_text(encoding="utf-8")), 1):
        if is_wide(line):
            yield number, f"{len(line)} columns; scripts/checks/documents.py --fix wraps it"


def wrapped(paragraph):
    """A paragraph or list item in lines of at most WIDTH; lines are not broken inside code."""
    if not any(map(is_wide, paragraph)):
        return paragraph
    item = ITEM.match(paragraph[0])
    indent = " " * len(item[0]) if item else re.match(" *", paragraph[0])[0]
    text = " ".join(line.strip() for line in paragraph)
    text = re.sub(r"`[^`]{1,60}`", lambda code: code[0].replace(" ", GAP), text)
    first = item[1] if item else indent
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent,
                          break_long_words=False, break_on_hyphens=False)
    return [line.replace(GAP, " ") for line in lines]


def fix(page):
    result, paragraph, inside = [], [], False

    def flush():
        result.extend(wrapped(paragraph) if paragraph else [])
        paragraph.clear()

    for line in page.read_text(encoding="utf-8").splitlines():
        is_fence = bool(FENCE.match(line))
        is_prose = not (inside or is_fence) and line.strip() \
            and not line.lstrip().startswith(("|", "#", "<", "!["))
        if not is_prose or ITEM.match(line):
            flush()
        if is_prose:
            paragraph.append(line)
        else:
            result.append(line)
        inside ^= is_fence
    flush()
    page.write_text("\n".join(result) + "\n", encoding="utf-8")


def main(arguments):
    root = pathlib.Path(next((a for a in arguments if not a.startswith("--")), "."))
    complaints = []
    for page in pages_of(root):
        if "--fix" in arguments:
            fix(page)
        found = [*broken_links(page), *missing_files(page, root),
                 *(wide_lines(page) if "--width" in arguments else [])]
        for number, what in found:
            complaints.append(f"{page.relative_to(root)}:{number}: {what}")
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
