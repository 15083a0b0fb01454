#!/usr/bin/env python3
"""Checks that the code on which exactness rests exists once, for CPUs and devices: gaps and periodic wrapping, the step
of the curve, union-find, a node's box, the walk.

Usage: one_text.py [ROOT]. Prints every line of src/ that writes one of them again, and fails if there is one.
"""
import fnmatch
import pathlib
import re
import sys

# The brute-force definitions share no code with the searches that are compared with them.
BRUTE = "src/*/brute*"
# Each rule: what the code does, a pattern for it, and the files or folders of src/ that may contain it.
RULES = [
    ("a gap between intervals", "geometry/gaps-inl.h has it",
     re.compile(r"\b(?:max|Max|larger)\s*\(\s*(?:std::|hn::)?(?:max|Max|larger)\s*\(\s*"
                r"(?:hn::Sub\(|minus\(|[\w.\[\]>-]+\s-\s)"),
     ["src/geometry/gaps-inl.h", BRUTE]),
    ("the way around a periodic box", "geometry/gaps-inl.h has it",
     re.compile(r"\b(?:min|Min|smaller)\s*\(\s*(?:[\w.\[\]]+\s*,\s*)?"
                r"(?:hn::Sub\(\s*|minus\(\s*)?(?:hn::Set\([\w<>() ]*,\s*)?[\w.]*side\w*(?:\[\w+\])?\)?(?:\s-\s|\s*,\s*)\w"),
     ["src/geometry/gaps-inl.h", BRUTE]),
    ("the wrapping of a coordinate", "geometry/wrap-inl.h has it",
     re.compile(r"if \((\w+) < 0\) \1 \+= \w*side"),
     ["src/geometry/wrap-inl.h", "src/sample", BRUTE]),
    ("the step of the Hilbert curve", "geometry/hilbert-inl.h has it",
     re.compile(r"\b(\w+) \^ \1 >> 1\b"),
     ["src/geometry/hilbert-inl.h"]),
    ("the search for the root of a set", "parallel/sets-inl.h has it",
     re.compile(r"\bup != (?:i|at|root)\b"),
     ["src/parallel/sets-inl.h"]),
    ("the box of a node, from its chunk", "tree/planes_view.hpp has box_of_lane",
     re.compile(r"\.(?:lo|hi)\[\w+\]\s*=\s*[^;=]*(?:kLanes|column_at|[.>](?:lower|upper)\()"),
     ["src/tree/planes_view.hpp"]),
    ("the indices of a block", "tree/planes_view.hpp has indices_of",
     re.compile(r"reinterpret_cast<(?:const )?std::uint32_t\s*\*>\(\s*(?:\w+\s*\+\s*kLanes|block|x_|\w*blocks)"),
     ["src/tree/planes_view.hpp"]),
    ("a walk down the planes", "src/walk has depth_first.hpp, in_reach.hpp and walk-inl.h",
     re.compile(r"[.>]children\(|\bfor \(int (?:plane|level|height) = [^;]*;[^;]*;\s*(?:--(?:plane|level|height)|"
                r"(?:plane|level|height)--)"),
     ["src/walk",
      "src/tree",  # builders make the planes, invariants check them
      # The join: a verdict links sets and marks nodes as joined, which changes the verdicts that follow, and a pair of
      # nodes is seen once. walk-inl.h asks its judge for a bound of each receiver, and no verdict changes another.
      "src/groups/join-inl.h", "src/groups/components-inl.h",
      # The reach is given, not found from the list, and a receiver can be finished before its list is.
      "src/clusters/near_walk-inl.h",
      # The reach of a node shrinks while other threads find edges, and pairs within one component are left out.
      "src/clusters/span-inl.h",
      # Children first: a node is joined when all its children are.
      "src/clusters/zero_length_edges.hpp"]),
]
SUFFIXES = {".hpp", ".cpp", ".h", ".cl"}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def without_comments(text):
    """The text with blanks for comments, so that lines keep their numbers."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def is_home(place, homes):
    return any(place.startswith(home + "/") or fnmatch.fnmatch(place, home) for home in homes)


def complaints_of(place, text):
    text = without_comments(text)
    for what, instead, pattern, homes in RULES:
        if is_home(place, homes):
            continue
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{place}:{line}: writes {what} again; {instead}"


def check(root):
    complaints = []
    for file in sorted((root / "src").rglob("*")):
        if file.suffix in SUFFIXES:
            place = file.relative_to(root).as_posix()
            complaints.extend(complaints_of(place, file.read_text(encoding="utf-8")))
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
