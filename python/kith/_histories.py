"""Objects through time: matching by the IDs of their members."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith, mpi
from ._arrays import integers, whole
from ._call import CancelToken, carry_out
from ._errors import ArgumentError
from ._ranks import refuse
from .typing import Communicator, Progress, RankWeight


@dataclass(frozen=True, repr=False)
class Matches:
    """The best partners of each object of one set in another set.

    The score of object i with partner j is the sum of the weights of those members of i whose IDs are members of j.
    ``len(matches)`` is the number of objects.

    Attributes
    ----------
    best, second : ndarray of int32
        The partners with the largest scores, equal ones by label; -1 if there is none.
    score, second_score : ndarray of float64
        Their scores; 0 if there is none.
    shared : ndarray of int64
        The number of members in common with the best partner, of any rank.
    reverse : Matches
        The partners of the objects of the other set in this one.
    """

    best: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    second_score: NDArray[np.float64]
    shared: NDArray[np.int64]
    reverse: Matches

    @classmethod
    def _of(cls, forward: dict[str, Any], reverse: dict[str, Any]) -> Matches:
        here, there = object.__new__(cls), object.__new__(cls)
        here.__dict__.update(forward, reverse=there)
        there.__dict__.update(reverse, reverse=here)
        return here

    @property
    def margin(self) -> NDArray[np.float64]:
        """1 - second_score / score: 1 if no other object shares a weighted member, 0 if two have equal scores; 0 for
        objects without a partner."""
        has_partner = self.best >= 0
        share = np.divide(self.second_score, self.score, out=np.ones(len(self)), where=has_partner)
        return 1 - share

    @property
    def is_mutual(self) -> NDArray[np.bool_]:
        """Whether each object is the best partner of its best partner."""
        back = self.reverse.best[np.maximum(self.best, 0)] if len(self.reverse) else self.best
        is_mutual: NDArray[np.bool_] = (self.best >= 0) & (back == np.arange(len(self)))
        return is_mutual

    def __len__(self) -> int:
        return len(self.best)

    def __repr__(self) -> str:
        return f"<kith.Matches: {np.count_nonzero(self.best >= 0)} of {len(self)} objects have a partner>"


def match(ids_a: ArrayLike, labels_a: ArrayLike, ids_b: ArrayLike, labels_b: ArrayLike, *,
          weight: RankWeight = "sqrt_rank", most_bound: int | None = None, threads: int | None = None,
          progress: Progress = None, cancel: CancelToken | None = None, comm: Communicator | None = None) -> Matches:
    """Matches the objects of two sets by the IDs of their members: halos of two times, of two runs, or of two finders.

    Parameters
    ----------
    ids_a, ids_b : array_like of int
        IDs of particles, in any order; those of one set may be missing in the other. The members of an object come
        in order of binding, the most bound one first.
    labels_a, labels_b : array_like of int
        The object of each particle, from 0; negative for particles of none. A particle may be listed several times,
        as a member of different objects.
    weight : {"sqrt_rank", "inverse_rank", "equal"}
        The weight of a member of rank r, the most bound one having rank 0: 1 / (1 + sqrt(r)) as Gadget-4,
        1 / (1 + r) as SubLink, or 1. Choose "equal" if members are not in order of binding.
    most_bound : int, optional
        Only as many of the most bound members of each object have a weight. Default: all.
    threads, progress, cancel
        See Tree.
    comm : mpi4py.MPI.Comm, optional
        A communicator over whose ranks the sets are distributed. Every rank passes its part, the members of an object
        in order rank by rank, and gets the rows of all objects.

    Returns
    -------
    Matches
        The partners of the objects of a; ``.reverse`` has those of the objects of b.
    """
    if comm is not None:
        refuse(comm, "match", progress=bool(progress))
        return Matches._of(*mpi.match(comm, ids_a, labels_a, ids_b, labels_b, weight=weight, most_bound=most_bound,
                                      threads=threads, cancel=cancel))
    return Matches._of(*carry_out(_kith.match, *_arguments(ids_a, labels_a, ids_b, labels_b, weight, most_bound),
                                  threads=threads, progress=progress, cancel=cancel))


def _arguments(ids_a: ArrayLike, labels_a: ArrayLike, ids_b: ArrayLike, labels_b: ArrayLike, weight: RankWeight,
               most_bound: int | None) -> tuple[Any, ...]:
    """As the extension modules take them."""
    options = {"weight": weight, "most_bound": None if most_bound is None else whole(most_bound, "match: most_bound")}
    return *_labeled(ids_a, labels_a, "a"), *_labeled(ids_b, labels_b, "b"), options


def _labeled(ids: ArrayLike, labels: ArrayLike, name: str) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """IDs as 64-bit numbers, where negative ones of signed files keep their bits."""
    given = np.asarray(ids)
    id = given.astype(np.int64).view(np.uint64) if given.dtype.kind == "i" else integers(ids, f"ids_{name}", np.uint64)
    label = integers(labels, f"labels_{name}", np.int32)
    if id.ndim != 1 or label.ndim != 1:
        raise ArgumentError(f"match: ids_{name} of shape {id.shape} and labels_{name} of shape {label.shape}; give one "
                            "number per particle")
    return id, label
