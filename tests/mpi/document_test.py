#!/usr/bin/env python3
"""The first program of the document is the example that is run and compared.

Usage: document_test.py DOCUMENT EXAMPLE EXPECTED
"""
import pathlib
import re
import sys

document, example, expected = (pathlib.Path(name).read_text(encoding="utf-8") for name in sys.argv[1:4])
program = re.search(r"^```cpp\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)[1]
if program != example[example.index("#include"):]:
    sys.exit(f"the first program of {sys.argv[1]} is not {sys.argv[2]}; make them the same")
if expected not in document:
    sys.exit(f"{sys.argv[1]} does not show what {sys.argv[2]} prints: {sys.argv[3]}")
