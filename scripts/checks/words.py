#!/usr/bin/env python3
"""Checks the words of the project: no path outside it, no issue numbers. Documents must be in plain American
English: no British spelling, and no phrases that were translated word by word.

Usage: words.py [ROOT]. Checks the files that git tracks, or all files if there is no git.
"""
import pathlib
import re
import subprocess
import sys

# Assembled from pieces, so that this file passes its own check.
FORBIDDEN = {
    re.compile(r"\.\./" + "shared"): "a path outside the project",
    re.compile(r"\bissues?\s+(no\.?\s*)?#?\d", re.IGNORECASE): "the number of an issue",
    re.compile(r"(?<![^\s(,])(?<!: )#[1-9]\d{0,4}\b"): "the number of an issue",  # but colors of a style sheet
}
# In documents only, and not in CHANGELOG.md, which keeps what was written.
PLAIN = {
    re.compile(r"\b(neighbour|colour|behaviour|licence|normalis|optimis|recognis|summaris)", re.IGNORECASE):
        "British spelling",
    re.compile(r"\b(hangs? together|is to be had|as people call|at hand|of (its|their|our) own|stands? (in|for)|hard on"
               r"|tells?|nobody|somebody|whoever|dearer)\b", re.IGNORECASE):
        "a phrase that a plain word replaces",
}
# Folders that a build or a person makes.
SKIPPED = {".git", "build", ".venv", "__pycache__", "demo", "dist"}


def files_of(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]
    return [p for p in sorted(root.rglob("*"))
            if p.is_file() and not SKIPPED & set(p.relative_to(root).parts)]


def check(root):
    complaints = []
    for file in files_of(root):
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a picture or other data
        is_document = file.suffix == ".md" and file.name not in ("CHANGELOG.md", "python_reference.md")
        for number, line in enumerate(lines, 1):
            for pattern, what in {**FORBIDDEN, **(PLAIN if is_document else {})}.items():
                if pattern.search(line):
                    complaints.append(f"{file.relative_to(root)}:{number}: {what}: {line.strip()}")
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
