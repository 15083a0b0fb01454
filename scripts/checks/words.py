#!/usr/bin/env python3
"""Checks the words of the project: no path outside it, no issue numbers, and plain American English in documents, comments,
docstrings, messages and the subjects of commits.

Usage: words.py [ROOT [COMMIT]]. Checks the files that git tracks, or all files if there is no git, and the subjects of commits
after COMMIT.
"""
import pathlib
import re
import subprocess
import sys

from prose import language_of, prose_of


def words(text):
    """A pattern of whole words; a space in it matches any white space, since lines of prose are wrapped."""
    return re.compile(r"\b(" + text.replace(" ", r"\s+") + r")\b", re.IGNORECASE)


# In every file; assembled from pieces, so that this file passes.
FORBIDDEN = {
    re.compile(r"\.\./" + "shared"): "a path outside the project",
    re.compile(r"\bissues?\s+(no\.?\s*)?#?\d", re.IGNORECASE): "the number of an issue",
    re.compile(r"(?<![^\s(,])(?<!: )#[1-9]\d{0,4}\b"): "the number of an issue",  # but colors of a style sheet
}
VERBS = (r"is|are|was|were|came|comes|lies|lay|stands|stays|remains|goes|went|follows|belongs|happens|happened|arrives|arrived"
         r"|holds|needs|counts|fits|falls|exists|matters|moves|has|had")
# In documents and in the prose of code, with the plain words instead. Not in CHANGELOG.md, which keeps what was written.
PLAIN = {
    words(r"neighbour\w*|colour\w*|behaviour\w*|favour\w*|licence|centre|artefacts?|analyse[ds]?|grey|labell(ed|ing)"
          r"|modell(ed|ing)|(un)?(normal|optim|recogn|summar|minim|maxim|initial|serial|organ|real|synchron|parallel|vector"
          r"|general|special|util|visual|regular|character)is(e|ed|es|ing|ations?)"): "the American spelling",
    words(r"hang(s|ing)? together|hung (in|below|together)"): "connected, attached",
    words(r"is to be had|at hand"): "available",
    words(r"as people call"): "with default settings",
    words(r"of (its|their|our|his) own(?!\s+\w)"): "separate, private",
    words(r"(stands?|stood|standing) (in|for|at|on|beside|before|behind|above|below|first)"): "is, means",
    words(r"hard on|dear(er|est)"): "expensive",
    words(r"tells?|telling|told"): "says, reports, prints; receives",
    words(r"nobody|somebody|everybody|anybody|whoever"): "the caller, the owner, no process, ...",
    words(r"whence"): "hence",
    words(r"likewise"): "also, or the noun again",
    words(r"as (they|it) (lies?|stands?)"): "unchanged, in the order of the file",
    words(r"(is|are|was|were|be|being|been) looked at|looks at (the|a|an|each|every|all|one|it|them|its)|(two|between) looks"):
        "reads, checks, visits",
    words(r"goes on|went on|go on"): "continues",
    words(r"so many(?!( \w+)? (that|as|of|to))"): "this many, up to this many",
    words(r"on (its|their) way (in|out|to|into|from)|as they come(?! to)"): "written to, read from; in order",
    words(r"dealt|deals? (the |them |it )?out|groves?"): "distributed; a part of the forest",
    words(r"gives? ((it|them|one|memory|room) )?back|given back"): "returns",
}
# In the prose of code only: a heading of a document may be "What is counted".
CLAUSES = {
    words(rf"what (?!(is|was) (missing|wrong))({VERBS})(?![^.\0]*\?)"): "the noun: candidates, arrived rows, the rest",
    re.compile(r"\bWhat\s+(?!to\b)[a-z][^.?\0]*([.\0]|\Z)"): "the noun; a sentence that begins with What is a question",
}
# Files full of bad examples.
EXAMPLES = {"words.py", "checks_test.py"}
# Subjects of commits: a scope and an imperative. Older ones are as they are.
FIRST = "ac047195b3"
SUBJECT = re.compile(r"[a-z][\w./+, -]*: (?!(a|an|the|of|on|in|how|what|which|where|why|no|all|one|more|also|its)\b)"
                     r"(?!\w*[^sua]s\b)(?!\w{3,}ing\b)[a-z]")
# Folders that a build or a person makes.
SKIPPED = {".git", "build", ".venv", "__pycache__", "demo", "dist"}


def git(root, *arguments):
    """The output of a command of git; None if it fails."""
    result = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def files_of(root):
    listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        return [root / name for name in listed.splitlines() if (root / name).is_file()]
    return [p for p in sorted(root.rglob("*"))
            if p.is_file() and not SKIPPED & set(p.relative_to(root).parts)]


def findings(patterns, text):
    """(line, words that match, advice), in the order of the patterns."""
    for pattern, advice in patterns.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split())[:60], advice


def has_prose(file):
    return (language_of(file) or file.suffix == ".md") and file.name not in EXAMPLES | {"CHANGELOG.md"}


def check_files(root):
    for file in files_of(root):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or other data
        place = file.relative_to(root)
        for line, words, advice in findings(FORBIDDEN, text):
            yield f"{place}:{line}: {advice}: {words}"
        if not has_prose(file):
            continue
        language = language_of(file)
        found = findings({**PLAIN, **CLAUSES}, prose_of(text, language)) if language else findings(PLAIN, text)
        for line, words, advice in sorted(found):
            yield f'{place}:{line}: "{words}": rather {advice}'


def check_subjects(root, first):
    """Commits after `first`, unless the clone is shallow or does not descend from it."""
    if git(root, "merge-base", "--is-ancestor", first, "HEAD") is None:
        return
    for line in (git(root, "log", "--no-merges", "--format=%h %s", f"{first}..HEAD") or "").splitlines():
        commit, subject = line.split(" ", 1)
        if not SUBJECT.match(subject):
            yield f'{commit}: "{subject}": rather "scope: verb ..."'


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [*check_files(root), *check_subjects(root, sys.argv[2] if len(sys.argv) > 2 else FIRST)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
