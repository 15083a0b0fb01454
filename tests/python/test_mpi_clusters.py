"""Spanning trees, hierarchies and HDBSCAN* over MPI ranks: the bits of one process."""
import pytest

from test_mpi import launched

PROGRAM = """
from mpi4py import MPI
import numpy as np
import kith

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
x = np.concatenate([random.random((300, 3)), 0.5 + 0.03 * random.standard_normal((500, 3))])
weight = 1.0 + random.integers(0, 3, len(x))
cuts = np.array([0, 300, 300, len(x)]) if comm.size == 3 else np.array([0, len(x)])
mine = slice(cuts[comm.rank], cuts[comm.rank + 1])
own = x[mine] if len(x[mine]) else []

for dtype in (np.float32, np.float64):
    points, part = x.astype(dtype), np.asarray(own, dtype) if len(own) else []
    for options in ({}, {"core_k": 4}, {"core_k": 5, "sample_weight": weight}):
        given = options | ({"sample_weight": weight[mine]} if "sample_weight" in options else {})
        for box in (None, 1.0):
            one, many = kith.spanning_tree(points, box=box, **options), kith.spanning_tree(part, box=box, comm=comm, **given)
            assert np.array_equal(one.index, many.index) and np.array_equal(one.length, many.length)
            one, many = kith.hierarchy(points, box=box, **options), kith.hierarchy(part, box=box, comm=comm, **given)
            assert np.array_equal(one.linkage, many.linkage) and np.array_equal(one.tree.index, many.tree.index)
            assert np.array_equal(one.branches(5).death, many.branches(5).death)
    assert np.array_equal(many.condense(6).label, one.condense(6).label)
    for options in ({}, {"min_cluster_size": 12, "min_samples": 3, "selection": "leaf"},
                    {"min_cluster_size": 20, "allow_single_cluster": True, "selection_epsilon": 0.02},
                    {"min_cluster_weight": 7.5, "sample_weight": weight, "max_cluster_size": 500}):
        given = options | ({"sample_weight": weight[mine]} if "sample_weight" in options else {})
        one, many = kith.hdbscan(points, **options), kith.hdbscan(part, comm=comm, **given)
        assert one.count == many.count > 0
        for name in ("label", "probability", "outlier_score"):
            assert np.array_equal(getattr(one, name)[mine], getattr(many, name)), name
        assert np.array_equal(np.asarray(many), one.label[mine])
        assert np.array_equal(one.selected, many.selected) and np.array_equal(one.stability, many.stability)
        assert (many.condensed_tree is None) == (comm.rank > 0)
        if comm.rank == 0:
            assert np.array_equal(many.condensed_tree.to_numpy(), one.condensed_tree.to_numpy())
            assert np.array_equal(many.condensed_tree.weight, one.condensed_tree.weight)

domains = kith.mpi.Domains(comm, own)
assert np.array_equal(kith.mpi.hdbscan(comm, domains, 8).label, kith.hdbscan(x, 8).label[mine])
assert np.array_equal(kith.hierarchy(domains, comm=comm).linkage, kith.hierarchy(x).linkage)
kept = kith.mpi.spanning_tree(comm, own, 3, keep=True)
assert np.array_equal(kept.index, kith.spanning_tree(x, 3).index)
named = kith.mpi.Domains(comm, own, ids=2 * np.arange(mine.start, mine.stop))
try:
    kith.mpi.hdbscan(comm, named)
except ValueError as error:
    assert "the points have ids" in str(error), error
else:
    raise AssertionError("ids were accepted")
if comm.rank == 0:
    print("equal")
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_answers_are_those_of_one_process(ranks, tmp_path):
    result = launched(PROGRAM, ranks, tmp_path)
    assert result.stdout == "equal\n", result.stdout + result.stderr
