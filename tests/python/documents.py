#!/usr/bin/env python3
"""Runs the Python programs in the documents: every block that begins with ```python, those of one page as one program.

Usage: documents.py [--pictures] [PAGE]
  --pictures   keeps the pictures that the pages make in docs/images
  PAGE         runs this page in the current folder, for example on several ranks
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
# reading_results.md reads files of the program with packages of others: see tests/cli/elsewhere_test.py.
# mpi.md needs a launcher: see test_mpi.py.
# gpu_arrays.md needs a faked driver: see test_device_arrays.py.
LEFT_OUT = {"reading_results.md", "python_reference.md", "mpi.md", "gpu_arrays.md"}
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    """The pages with programs."""
    found = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [os.path.relpath(page, DOCS) for page in found
            if page.name not in LEFT_OUT and FENCE.search(page.read_text(encoding="utf-8"))]


def blocks(page):
    """The programs of a page, each with the line on which it begins."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in FENCE.finditer(text)]


def run(page, folder):
    """Runs a page's programs in a folder; returns the pictures that they made there."""
    import matplotlib
    matplotlib.use("Agg")
    before = pathlib.Path.cwd()
    os.chdir(folder)
    try:
        namespace = {}
        for line, code in blocks(page):
            exec(compile("\n" * line + code, str(DOCS / page), "exec"), namespace)
    finally:
        os.chdir(before)
    return sorted(pathlib.Path(folder).glob("*.png"))


def main(keep_pictures):
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            pictures = run(page, folder)
            print(page, [p.name for p in pictures])
            if keep_pictures:
                (DOCS / "images").mkdir(exist_ok=True)
                for picture in pictures:
                    shutil.copy(picture, DOCS / "images")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] != "--pictures":
        run(sys.argv[1], ".")
    else:
        main("--pictures" in sys.argv[1:])
