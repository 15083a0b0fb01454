"""mypy and pyright accept the package and right uses of it, with the types that results have, and refuse wrong calls."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import kith

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package beside the files of users: checkers are silent about installed packages."""
    folder = tmp_path_factory.mktemp("typing")
    shutil.copytree(pathlib.Path(kith.__file__).parent, folder / "kith",
                    ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for path in (HERE / "typed").iterdir():
        shutil.copy(path, folder)
    return folder


def run(folder, *words):
    return subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False).stdout


def mypy_errors(folder):
    pytest.importorskip("mypy")
    found = run(folder, "mypy", "--config-file", "mypy.ini", "-p", "kith", "-m", "right", "-m", "wrong")
    assert "Found" in found, found
    return [(match[1], int(match[2]), match[3]) for match in re.finditer(r"^(\S+?):(\d+): error: (.*)$", found, re.M)]


def pyright_errors(folder):
    pytest.importorskip("basedpyright")
    found = json.loads(run(folder, "basedpyright", "--project", ".", "--outputjson", "--pythonpath", sys.executable))
    return [(str(pathlib.Path(each["file"]).relative_to(folder)), each["range"]["start"]["line"] + 1, each["message"])
            for each in found["generalDiagnostics"] if each["severity"] == "error"]


@pytest.mark.parametrize("errors_of", [mypy_errors, pyright_errors])
def test_right_calls_pass_and_wrong_ones_do_not(errors_of, folder):
    found = errors_of(folder)
    assert [error for error in found if error[0] != "wrong.py"] == []
    lines = (HERE / "typed" / "wrong.py").read_text().splitlines()
    expected = {number for number, line in enumerate(lines, 1) if "# wrong" in line}
    assert {line for _, line, _ in found} == expected, found
