"""The views of results in notebooks, without a notebook."""
import html
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import kith
from kith import _program


def tables(thing):
    """Rows of the table of a result, and the line below it."""
    root = ElementTree.fromstring(f"<div>{thing._repr_html_()}</div>")
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    return rows, "".join(root.find("p").itertext())


@pytest.fixture(scope="module")
def universe():
    return kith.sample.cosmology(24, side=48)


def test_tables_of_results(universe):
    x = universe.position
    groups = kith.fof(x, b=0.2, box=48.0, min_size=10)
    rows, note = tables(groups)
    assert rows[0] == ["", "size"] and rows[1] == ["0", str(groups.size[0])]
    assert len(rows) == 1 + min(10, len(groups)) and note.startswith(f"{len(groups)} groups with")
    assert "clusters" in tables(kith.dbscan(x, 0.5, 5, box=48.0))[1]
    lists = kith.radius(x[:100], radius=2.0)
    rows, note = tables(lists)
    assert rows[1][1] == str(lists.count[0]) and f"{len(lists.index):,} neighbors" in note
    halos = kith.catalogue(x, groups, box=48.0)
    rows, note = tables(halos)
    assert rows[0][:2] == ["", "size"] and len(rows) == 1 + min(10, len(halos)) and note == f"{len(halos)} groups"
    sub = kith.subhalos(x, groups, velocity=universe.velocity, linking_length=0.4, box=48.0)
    assert len(tables(sub)[0]) == 1 + min(10, len(sub))


def test_a_snapshot_lists_its_types(universe, tmp_path):
    path = tmp_path / "<b>.hdf5"
    kith.write_snapshot(path, universe.position, box=48.0)
    rows, note = tables(kith.read_snapshot(path))
    assert rows == [["type", "name", "particles"], ["1", "dark matter", str(24**3)]]
    assert note.startswith("kith.Snapshot")


def program():
    try:
        return _program.program("test")
    except kith.UnavailableError:
        return None


@pytest.mark.skipif(program() is None, reason="the program kith is not here")
def test_show_makes_the_page(universe, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    halos = kith.halos(universe.position, b=0.2, box=48.0, min_size=10)
    page = halos.show(universe.position, output=tmp_path / "page.html", height=300, picture_size=200)
    assert opened == [f"file://{tmp_path}/page.html"]
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="map"' in text and "Density profile" in text
    frame = page._repr_html_()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1]) == text and 'height="300"' in frame
    without = halos.show(picture_size=200)
    assert without.path != page.path and 'id="map"' not in open(without.path, encoding="utf-8").read()


@pytest.mark.skipif(program() is None, reason="the program kith is not here")
def test_a_notebook_shows_the_page_itself(universe, monkeypatch):
    class Shell:
        kernel = None
    monkeypatch.setattr("webbrowser.open", lambda url: pytest.fail(url))
    monkeypatch.setattr("builtins.get_ipython", Shell, raising=False)
    halos = kith.halos(universe.position, b=0.2, box=48.0, min_size=10)
    assert halos.show()._repr_html_().startswith("<iframe")


def test_show_needs_the_program(universe, monkeypatch):
    monkeypatch.delenv("KITH_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_program, "_installed", lambda: None)
    groups = kith.Groups(np.zeros(5, int))
    with pytest.raises(kith.UnavailableError, match="no program kith"):
        kith.catalogue(universe.position[:5], groups).show()
