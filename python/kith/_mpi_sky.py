"""The sky over ranks: the calls of kith.sky with ``comm``. Positions become unit vectors on their ranks; the searches are
those of kith.mpi in three dimensions."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import mpi, sky
from ._errors import ArgumentTypeError
from ._mpi_clusters import _hdbscan
from ._ranks import agreed, communicator, refuse
from ._tree import Tree
from .typing import AngleUnit


class Sky:
    """Positions over the ranks, ready for a search: unit vectors, those of queries, and a limit that became a chord.

    ``places()`` returns the catalogue and the queries. ``read_limit(rows)`` has the number of rows of the result on this
    rank. Errors of one rank are raised on all.
    """

    def __init__(self, comm: Any, call: str, places: Callable[[], tuple[Any, Any]], unit: Any, non_finite: Any,
                 how: dict[str, Any], read_limit: Callable[[int], Any], **refused: bool) -> None:
        self.comm = communicator(comm)
        self.unit: AngleUnit = unit
        self.how = {"threads": how["threads"], "cancel": how["cancel"]}
        refuse(comm, f"sky.{call}", progress=bool(how["progress"]), **refused)
        mpi._same_kind(comm, f"sky.{call}", isinstance(unit, str) and unit == "radians")

        def read() -> tuple[NDArray[np.float64], NDArray[np.float64] | None, Any]:
            mpi._as_call(how["threads"], how["cancel"])
            catalogue, queries = places()
            if isinstance(catalogue, Tree):
                raise ArgumentTypeError(f"sky.{call}: a tree is one of this process alone; with comm give ra and dec, or a "
                                        "SkyCoord")
            searched = sky._vectors(catalogue, self.unit, non_finite, self.how)
            asked = None if queries is None else sky._vectors(queries, self.unit, non_finite, self.how)
            return searched, asked, read_limit(len(searched if asked is None else asked))

        self.vectors, self.queries, self.limit = agreed(comm, read)
        self.how["non_finite"] = non_finite

    def angles(self, chords: NDArray[np.float64]) -> NDArray[np.float64]:
        how = {"threads": self.how["threads"], "cancel": self.how["cancel"]}
        return agreed(self.comm, lambda: sky._angles(chords, self.unit, how))

    def knn(self, k: int, exclude_self: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        index, chord = mpi.knn(self.comm, self.vectors, self.queries, k=k, exclude_self=exclude_self,
                               max_radius=self.limit, **self.how)
        return index, self.angles(chord)

    def radius(self, exclude_self: bool, max_neighbors: int) -> Any:
        lists = mpi.radius(self.comm, self.vectors, self.queries, radius=self.limit, exclude_self=exclude_self,
                           max_neighbors=max_neighbors, **self.how)
        lists.distance = self.angles(lists.distance)
        return lists

    def radius_count(self, exclude_self: bool) -> NDArray[np.int64]:
        return mpi.radius_count(self.comm, self.vectors, self.queries, radius=self.limit, exclude_self=exclude_self,
                                **self.how)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Those whose i is a position of this rank."""
        lists = self.radius(exclude_self=True, max_neighbors=0)
        first = sum(self.comm.allgather(len(lists))[:self.comm.rank])
        i = np.repeat(np.arange(first, first + len(lists)), lists.count)
        is_later = lists.index > i
        return i[is_later], lists.index[is_later], lists.distance[is_later]

    def spanning_tree(self, core_k: int, sample_weight: Any) -> Any:
        chords = mpi.spanning_tree(self.comm, self.vectors, core_k, sample_weight=sample_weight, **self.how)
        return agreed(self.comm, lambda: sky._in_angles(chords, self.unit))

    def hdbscan(self, *condensing: Any) -> mpi.HdbscanClusters:
        return _hdbscan(self.comm, self.vectors, {"unit": self.unit}, *condensing, box=None, keep=False, **self.how)

    def fof(self, min_size: int, keep_roots: bool) -> mpi.Groups:
        return mpi.fof(self.comm, self.vectors, linking_length=self.limit, min_size=min_size, keep_roots=keep_roots,
                       **self.how)

    def dbscan(self, min_samples: int, sample_weight: Any, border: str, border_links: int) -> mpi.Clusters:
        return mpi.dbscan(self.comm, self.vectors, self.limit, min_samples, sample_weight=sample_weight, border=border,
                          border_links=border_links, **self.how)
