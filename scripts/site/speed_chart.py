#!/usr/bin/env python3
"""Draws the table "How fast" of README.md as bars: docs/images/speed.svg.

Usage: speed_chart.py [--check]. With --check it only compares, and fails if the picture is not that of the table.
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/images/speed.svg"
WIDTH, LEFT, BAR, GAP = 640, 120, 15, 21
LONGEST = WIDTH - LEFT - 70  # room for the number behind a bar
STYLE = """<style>
  .paper { fill: #ffffff } .kith { fill: #d2622a } .other { fill: #b9bec7 }
  text { font: 13px system-ui, sans-serif; fill: #24292f } .task { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .other { fill: #57606a } text { fill: #e6edf3 }
  }
</style>"""


def tasks(readme):
    """Pairs of a task and its rows, each a library and its seconds on one thread, as they are written."""
    found = []
    for line in readme.partition("| task | code | 1 thread |")[2].splitlines()[2:]:
        cells = [cell.strip(" *") for cell in line.replace("\\*", "\u2217").strip("|").split("|")]
        if len(cells) < 3:
            break
        if cells[0]:
            found.append((cells[0].replace("\u2217", "*"), []))
        found[-1][1].append((cells[1], cells[2]))
    return found


def text(x, y, words, kind="", anchor="start"):
    words = re.sub(r"\^(\d)", lambda power: "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(power[1])], html.escape(words))
    return f'<text x="{x}" y="{y}"{kind and f" class={chr(34)}{kind}{chr(34)}"} text-anchor="{anchor}">{words}</text>'


def drawing(all_tasks):
    parts, y = [], 12
    for task, rows in all_tasks:
        y += 16
        parts.append(text(16, y, task, "task"))
        y += 9
        slowest = max(float(seconds) for _, seconds in rows)
        for library, seconds in rows:
            width = max(2, round(LONGEST * float(seconds) / slowest, 1))
            parts.append(text(LEFT - 8, y + BAR - 3, library, anchor="end"))
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{width}" height="{BAR}" rx="2" '
                         f'class="{"kith" if library == "kith" else "other"}"/>')
            parts.append(text(LEFT + width + 6, y + BAR - 3, f"{seconds} s"))
            y += GAP
    height = y + 10
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
                      f'height="{height}" role="img" aria-label="Seconds of kith and of other libraries">', STYLE,
                      f'<rect class="paper" width="{WIDTH}" height="{height}"/>', *parts, "</svg>\n"])


def main():
    picture = drawing(tasks((ROOT / "README.md").read_text()))
    if sys.argv[1:] != ["--check"]:
        PICTURE.write_text(picture)
    elif PICTURE.read_text() != picture:
        sys.exit("docs/images/speed.svg is not the table in README.md; run scripts/site/speed_chart.py")


main()
