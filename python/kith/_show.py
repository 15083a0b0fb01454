"""Views in notebooks: tables of results, and the page of `kith report` in a frame."""
from __future__ import annotations

import atexit
import builtins
import html
import os
import shutil
import tempfile
import webbrowser
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ._program import report
from ._snapshot import write_snapshot
from .typing import PathLike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._catalogue import Catalogue


def cell(value: ArrayLike) -> str:
    """A number, or a few of them, in five digits."""
    return ", ".join(str(v) if isinstance(v, (int, np.integer)) else f"{v:.5g}" for v in np.atleast_1d(value))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], note: str) -> str:
    """A table with a line of text below it. Words are escaped, numbers shortened."""
    text = [html.escape(head) for head in heads]
    body = "".join("<tr>" + "".join(f"<td>{html.escape(c) if isinstance(c, str) else cell(c)}</td>" for c in row) + "</tr>"
                   for row in rows)
    head = "".join(f"<th>{name}</th>" for name in text)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{html.escape(note)}</p>"


def sizes(size: NDArray[np.int64], points: int, word: str, rows: int = 10) -> str:
    """The largest of some groups."""
    grouped = int(size.sum())
    part = 100 * grouped / points if points else 0
    note = f"{len(size):,} {word} with {grouped:,} of {points:,} points ({part:.1f} %)"
    return table(["", "size"], list(enumerate(size[:rows])), note)


class Page:
    """A page that kith.Catalogue.show made. A notebook shows it in a frame; ``path`` is its file."""

    def __init__(self, path: str, height: int) -> None:
        self.path = path
        self.height = height

    def open(self) -> None:
        """Opens the page in a browser."""
        webbrowser.open("file://" + os.path.abspath(self.path))

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        return (f'<iframe srcdoc="{html.escape(text)}" width="100%" height="{self.height}" style="border:0" '
                'title="Report of kith"></iframe>')

    def __repr__(self) -> str:
        return f"<kith.Page: {self.path}>"


def _is_notebook() -> bool:
    """Whether a kernel with a display runs this."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def _folder() -> str:
    """One that lasts as long as the process."""
    folder = tempfile.mkdtemp(prefix="kith-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def show(catalogue: Catalogue, points: Any, output: PathLike | None, height: int,
         options: dict[str, Any]) -> Page:
    """As Catalogue.show says."""
    folder = _folder()
    path = os.fspath(output) if output is not None else os.path.join(folder, "report.html")
    groups = os.path.join(folder, "groups.hdf5")
    catalogue.save(groups)
    if points is None:
        report(groups, path, **options)
    else:
        snapshot = os.path.join(folder, "points.npz")
        write_snapshot(snapshot, np.asarray(points))
        report(snapshot, path, catalogue=groups, **options)
    page = Page(path, height)
    if not _is_notebook():
        page.open()
    return page
