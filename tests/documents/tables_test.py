#!/usr/bin/env python3
"""The tables of columns and facts in the documents are those of the library.
Usage: tables_test.py DOCUMENT_TABLES [--fix]

A table is between the lines `<!-- table: NAME -->` and `<!-- end of table -->`."""
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PATTERN = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end of table -->)", re.S)
WANTED = {"definitions", "names", "facts"}


def table(tool, name):
    return subprocess.run([tool, name], capture_output=True, text=True, check=True).stdout


def main():
    tool, fix = sys.argv[1], "--fix" in sys.argv
    found, wrong = set(), []
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text()
        fresh = PATTERN.sub(lambda match: match[1] + table(tool, match[2]) + match[4], text)
        found |= {match[2] for match in PATTERN.finditer(text)}
        if fresh == text:
            continue
        wrong.append(page.name)
        if fix:
            page.write_text(fresh)
    if found != WANTED:
        sys.exit(f"tables in docs: {sorted(found)}, expected {sorted(WANTED)}")
    if wrong and not fix:
        sys.exit(f"{', '.join(wrong)}: tables differ from the library; run tests/documents/tables_test.py {tool} --fix")


main()
