"""The programs in the documents and in the docstrings run, make their pictures, and the reference is up to date."""
import doctest
import importlib
import inspect
import re

import numpy as np
import pytest

import documents
import kith
import reference
from conftest import has_device

pytest.importorskip("matplotlib")
# Pictures of pages with programs that something else makes.
MADE_ELSEWHERE = {"tree_statistics.png"}  # bench/peers/trees.py
MODULES_WITH_EXAMPLES = ["kith", "kith._forest", "kith.correlation", "kith.jax"]


@pytest.mark.parametrize("page", documents.pages())
def test_programs_run_and_pictures_exist(page, tmp_path):
    if page == "gradients.md":
        pytest.importorskip("jax")
    if page == "gpu.md" and not has_device():
        pytest.skip("no OpenCL device")
    made = {picture.name for picture in documents.run(page, tmp_path)}
    shown = set(re.findall(r"\]\((?:\.\./)?images/([^)]+)\)", (documents.DOCS / page).read_text(encoding="utf-8")))
    assert documents.blocks(page)
    if page != "clusters.md":  # its pictures are made by the program, those in folders by programs of examples/
        assert {name for name in shown - MADE_ELSEWHERE if "/" not in name and name.endswith(".png")} == made
    assert all((tmp_path / name).stat().st_size > 2000 for name in made)
    assert all((documents.DOCS / "images" / name).exists() for name in shown)


def test_the_reference_is_what_the_docstrings_say():
    pytest.importorskip("sklearn")
    pytest.importorskip("jax")
    kept = reference.FILE.read_text(encoding="utf-8")
    assert kept == reference.text(), "docs/python_reference.md is old: run tests/python/reference.py"


@pytest.mark.parametrize("module", [kith, kith.correlation, kith.gradients, kith.mpi, kith.sample])
def test_documented_parameters_exist(module):
    wrong = []
    for name, thing in inspect.getmembers(module, inspect.isroutine):
        _, _, section = (inspect.getdoc(thing) or "").partition("Parameters\n----------\n")
        names = re.findall(r"^(\w[\w, ]*?)(?: : .*)?$", section.partition("\n\n")[0], re.MULTILINE)
        known = inspect.signature(thing).parameters if names else ()
        wrong += [f"{name}: {one}" for line in names for one in line.split(", ") if one not in known]
    assert wrong == []


@pytest.mark.parametrize("name", MODULES_WITH_EXAMPLES)
def test_examples_in_docstrings_run(name):
    if name == "kith.jax":
        pytest.importorskip("jax")
    known = {"kith": kith, "np": np, "x": np.random.default_rng(1).random((1000, 3), np.float32)}
    result = doctest.testmod(importlib.import_module(name), extraglobs=known, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0 and result.failed == 0
