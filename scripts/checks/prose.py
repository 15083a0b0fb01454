"""Finds the prose of a source file: comments, docstrings and strings of several words."""
import re

COMMENT_OF_C = r"(?P<comment>//(?:[^\n]|\\\n)*|/\*.*?\*/)"
COMMENT_OF_SHELL = r"(?P<comment>(?<![^\s;(])#[^\n]*)"
DOUBLE = r'"(?P<double>(?:\\.|[^"\\\n])*)"'
SINGLE = r"'(?P<single>(?:\\.|[^'\\\n])*)'"
# The tokens of a language that matter. The first alternative that matches wins, so that a quote in a comment opens no string.
TOKENS = {
    "c": (r"(?<=\w)'(?=\w)", COMMENT_OF_C, r'R"(?P<fence>\w*)\((?P<raw>.*?)\)(?P=fence)"', r"#\s*include[^\n]*", DOUBLE, SINGLE),
    "javascript": (COMMENT_OF_C, r"`(?P<raw>(?:\\.|[^`\\])*)`", DOUBLE, SINGLE),
    "python": (COMMENT_OF_SHELL, r'(?P<fence>"""|\'\'\')(?P<raw>.*?)(?P=fence)', DOUBLE, SINGLE),
    "shell": (COMMENT_OF_SHELL, r'"(?P<double>(?:\\.|[^"\\])*)"', r"'(?P<single>[^']*)'"),
    "cmake": (COMMENT_OF_SHELL, r'"(?P<double>(?:\\.|[^"\\])*)"'),
    "css": (r"(?P<comment>/\*.*?\*/)",),
}
LANGUAGES = {".cpp": "c", ".hpp": "c", ".h": "c", ".c": "c", ".cl": "c", ".js": "javascript", ".css": "css", ".py": "python",
             ".sh": "shell", ".cmake": "cmake", ".yaml": "shell", ".yml": "shell", ".toml": "shell"}
MARKERS = re.compile(r"^[ \t]*(?://[/!]?<?|#+|\*(?!/)|/\*+)", re.MULTILINE)
CODE = "\0"


def language_of(file):
    return "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix)


def masked(code):
    """Its lines, of one character each."""
    return re.sub(r"[^\n]+", CODE, code)


def prose_of(text, language):
    """The prose of a text, line by line: code in between is masked.

    Between two comments, or between two strings, white space stays white space: they read as one text.
    """
    pieces = []
    end = 0
    end_is_comment = False
    for token in re.finditer("|".join(TOKENS[language]), text, re.DOTALL):
        found = {name: words for name, words in token.groupdict().items() if words is not None and name != "fence"}
        if not found:
            continue
        (kind, words), = found.items()
        is_comment = kind == "comment"
        if not is_comment and " " not in words:
            continue
        gap = text[end:token.start()]
        pieces.append(gap if gap.isspace() and is_comment == end_is_comment else masked(gap))
        pieces.append(MARKERS.sub(" ", token[0]) if is_comment else re.sub(r"\\[nt]", " ", words))
        end = token.end()
        end_is_comment = is_comment
    return "".join(pieces) + masked(text[end:])
