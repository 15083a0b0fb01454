"""Wrong arguments of calls over ranks: the same error on all ranks, in time, and the next call gives the right answer."""
import subprocess

import pytest

from test_mpi import launched

# Each rank makes every call with every argument wrong, on the last rank alone and on all ranks.
HEAD = """
import faulthandler
import numpy as np
from mpi4py import MPI
import kith

faulthandler.dump_traceback_later(180, exit=True)  # ranks that wait for each other
comm = MPI.COMM_WORLD
is_last = comm.rank == comm.size - 1
random = np.random.default_rng(3)
whole = random.random((120, 3))
n = 120 // comm.size
mine = slice(comm.rank * n, (comm.rank + 1) * n if not is_last else 120)
x = whole[mine]
count = len(x)
expected = kith.density(whole, k=3)[mine]
groups = kith.fof(x, linking_length=0.1, comm=comm)
if comm.rank == 0:
    kith.write_snapshot("points.hdf5", whole, box=1)
comm.barrier()

bad_points = [np.ones(5), np.ones((5, 3, 1)), np.full((2, 3), np.nan), np.ones((2, 3), complex), [["a", "b", "c"]],
              np.ones((2, 33)), object(), np.ma.masked_array(np.ones((2, 3)), mask=True), None]
bad_common = [("points", each) for each in bad_points] + [
    ("box", -1), ("box", (1, 1)), ("box", "a"), ("box", (1, np.nan, 1)), ("box", (1, 1, 1, 1)),
    ("threads", -1), ("threads", "a"), ("threads", 2**40), ("threads", 0.5),
    ("progress", print), ("cancel", 3), ("device", "gpu:7")]
bad_k = [("k", each) for each in (0, -1, 2.5, "a", None, 2**70, True)]
bad_mass = [("mass", np.ones(count - 1)), ("mass", np.ones((count, 2))), ("mass", ["a"] * count), ("mass", "a"),
            ("mass", [[1, 2], [3]])]
bad_linking = [("linking_length", -1), ("linking_length", np.nan), ("linking_length", "a"), ("linking_length", None),
               ("b", 0.2), ("min_size", 0), ("min_size", -1), ("min_size", "a"), ("mean_separation", 1),
               ("mean_separation", "a"), ("volume", -1), ("volume", "a")]
bad_ids = [("ids", np.arange(count - 1)), ("ids", np.ones(count)), ("ids", ["a"] * count), ("ids", np.full(count, -5)),
           ("ids", np.full(count, 2**63 + 1, np.uint64)), ("ids", np.arange(2 * count).reshape(count, 2)),
           ("ids", np.zeros(count, int)), ("non_finite", "ignore"), ("non_finite", 3)]
bad_halos = bad_mass + bad_linking + [
    ("mass", -np.ones(count)), ("mass", np.full(count, np.nan)), ("mass", -1),
    ("velocity", x[1:]), ("velocity", x[:, :2]), ("velocity", np.ones(3)), ("velocity", "a"), ("velocity", [[1], [2, 3]])]
# Wrong only if the ranks differ.
other = [("points", np.ones((5, 2))), ("points", np.ones((5, 3), np.float32)), ("box", 2.0), ("box", None)]
"""

CALLS = """


bad_samples = [("sample_weight", np.ones(count - 1)), ("sample_weight", np.full(count, np.nan)), ("sample_weight", -np.ones(count)),
               ("non_finite", "ignore")]
calls = {
    "density": (kith.density, {"k": 3, "box": 1.0}, bad_common + bad_k + bad_mass + [("kernel", "a"), ("kernel", None)],
                other + [("k", 4), ("kernel", "wendland_c2"), ("mass", np.ones(count)), ("mass", 2.0)]),
    "knn": (kith.knn, {"k": 3, "box": 1.0}, bad_common + bad_k + [
        ("k", 10**17), ("max_radius", -1), ("max_radius", np.nan), ("max_radius", "a"), ("queries", x[:, :2]), ("order", "tree"),
        ("p", 0.5), ("p", x), ("p", "a"), ("out", (1, 2)), ("index_dtype", np.int32)],
        other + [("k", 4), ("exclude_self", True), ("strict", True), ("max_radius", 0.1), ("p", 1), ("queries", x)]),
    "radius": (kith.radius, {"radius": 0.1, "box": 1.0}, bad_common + [
        ("radius", -1), ("radius", np.nan), ("radius", "a"), ("radius", None), ("radius", np.ones(count - 1)),
        ("radius", [[1], [2, 3]]), ("queries", "a"), ("max_neighbors", -1), ("max_neighbors", "a"), ("p", "a")],
        other + [("radius", 0.2), ("radius", np.ones(count)), ("strict", True), ("max_neighbors", 2), ("queries", x)]),
    "kth_distance": (kith.kth_distance, {"k": 3}, bad_k, [("k", 4), ("exclude_self", True)]),
    "overdensities": (kith.overdensities, {"centers": x[:2], "density": 100.0, "box": 1.0}, bad_common[:-1] + bad_mass + [
        ("centers", x[:, :2]), ("centers", "a"), ("density", "a"), ("density", -1), ("density", []),
        ("within", np.ones(3)), ("within", -np.ones(2)), ("mass_guess", "a"), ("mass", -np.ones(count))],
        other + [("density", 200.0), ("density", [100.0, 200.0]), ("mass", np.ones(count))]),
    "catalogue": (kith.catalogue, {"groups": groups}, bad_mass + [
        ("groups", 3), ("groups", np.zeros(count, int)), ("velocity", x[1:]), ("gravity", "a"), ("gravity", -1),
        ("type", np.full(count, -1)), ("types", "a"), ("peak", "a"), ("box", 1.0), ("contaminating_types", 3)],
        [("mass", np.ones(count)), ("gravity", 1.0), ("types", 2)]),
    "centers": (kith.centers, {"groups": groups}, bad_mass + [("kind", "a"), ("softening", "a"), ("softening", -1)],
                [("kind", "shrinking"), ("softening", 0.1)]),
    "subhalos": (kith.subhalos, {"groups": groups, "velocity": x, "linking_length": 0.1}, bad_mass + [
        ("velocity", None), ("velocity", "a"), ("linking_length", -1), ("linking_length", "a"), ("min_size", "a"),
        ("position_scale", -1)], [("linking_length", 0.2), ("min_size", 3)]),
    "fof": (kith.fof, {"linking_length": 0.1, "box": 1.0}, bad_common + bad_linking + [
        ("attached", x), ("non_finite", "ignore")],
        other + [("linking_length", 0.2), ("min_size", 2), ("strict", True), ("keep_roots", True), ("non_finite", "drop")]),
    "halos": (kith.halos, {"linking_length": 0.1, "box": 1.0, "min_size": 2}, bad_common + bad_halos,
              other + [("min_size", 3), ("mass", np.ones(count)), ("velocity", x)]),
    "dbscan": (kith.dbscan, {"eps": 0.1, "box": 1.0}, bad_common[:-1] + [
        ("eps", -1), ("eps", "a"), ("min_samples", 0), ("min_samples", "a"), ("border", "a"), ("border_links", 0),
        ("sample_weight", np.ones(count - 1)), ("sample_weight", np.full(count, np.nan)), ("non_finite", "ignore")],
        other + [("eps", 0.2), ("min_samples", 3), ("border", "none"), ("sample_weight", np.ones(count))]),
    "spanning_tree": (kith.spanning_tree, {"core_k": 2, "box": 1.0}, bad_common[:-1] + bad_samples + [("core_k", 0), ("core_k", "a")],
                      other + [("core_k", 3), ("sample_weight", np.ones(count))]),
    "hierarchy": (kith.hierarchy, {"box": 1.0}, bad_common[:-1] + bad_samples + [("core_k", 0), ("core_k", "a")],
                  other + [("core_k", 3), ("sample_weight", np.ones(count))]),
    "hdbscan": (kith.hdbscan, {"box": 1.0}, bad_common[:-1] + bad_samples + [
        ("min_cluster_size", 1), ("min_cluster_size", "a"), ("min_samples", 0), ("min_samples", 10**6), ("selection", "a"),
        ("selection_epsilon", -1), ("min_cluster_weight", 0)],
        other + [("min_cluster_size", 3), ("min_samples", 2), ("selection", "leaf"), ("selection_epsilon", 0.1),
                 ("allow_single_cluster", True), ("max_cluster_size", 9), ("sample_weight", np.ones(count))]),
    "correlation.count": (kith.correlation.count, {"edges": [0, 0.1], "box": 1.0}, bad_common[:-1] + [
        ("edges", "a"), ("edges", [1, 0]), ("edges", [0]), ("weight", np.ones(count - 1)), ("weight", ["a"] * count),
        ("weight", np.full(count, np.nan)), ("region", np.ones(3, int)), ("region", ["a"] * count), ("regions", "a"),
        ("regions", -1), ("separation", "a"), ("line_of_sight", 3), ("pi_max", "a"), ("others", x[:, :2]),
        ("table", [1, 2]), ("bits", "a")],
        other + [("edges", [0, 0.2]), ("weight", np.ones(count)), ("others", x), ("regions", 2), ("separation", "s_mu"),
                 ("mean_separation", True)]),
    "correlation.wp": (kith.correlation.wp, {"edges": [0, 0.1], "box": 1.0, "pi_max": 0.3, "pi_bins": 3}, bad_common[:-1] + [
        ("edges", "a"), ("edges", [0, 0.8]), ("pi_max", 2.0), ("pi_max", "a"), ("regions", 1), ("region", np.ones(3, int)),
        ("estimator", "a"), ("box", None)],
        [("pi_max", 0.2), ("regions", 3), ("randoms", x), ("weight", np.ones(count))]),
    "correlation.jackknife_regions": (kith.correlation.jackknife_regions, {"regions": 3}, [
        ("points", each) for each in bad_points] + [("regions", 0), ("regions", "a"), ("regions", 500), ("threads", "a")],
        [("regions", 4), ("box", 1.0)]),
    "mpi.fof": (lambda **given: kith.mpi.fof(comm, **{k: v for k, v in given.items() if k != "comm"}),
                {"linking_length": 0.1}, bad_ids, [("ids", np.arange(count)), ("keep", True)]),
    "mpi.knn": (lambda **given: kith.mpi.knn(comm, **{k: v for k, v in given.items() if k != "comm"}),
                {"k": 2}, bad_ids, [("ids", np.arange(count)), ("keep", True)]),
    "mpi.density": (lambda **given: kith.mpi.density(comm, **{k: v for k, v in given.items() if k != "comm"}),
                    {"k": 2}, bad_ids, [("keep", True)]),
    "mpi.halos": (lambda **given: kith.mpi.halos(comm, **{k: v for k, v in given.items() if k != "comm"}),
                  {"linking_length": 0.1}, bad_ids + [("gravity", -1), ("gravity", np.nan), ("gravity", "a")],
                  [("keep", True), ("gravity", 1)]),
    "read_snapshot": (lambda points, path="points.hdf5", **given: kith.read_snapshot(path, **given), {},
                      [("path", "missing.hdf5"), ("path", 3.5), ("types", "a"), ("dtype", "a"), ("columns", 3),
                       ("cosmology", {"omega_m": "a"})], []),
}
"""

# The sky, atoms, and lengths of points.
PLACES = """
bad_sky = [("ra", each) for each in ("a", None, x, x[1:, 0], np.full(count, np.nan))] + [
    ("dec", np.full(count, 91.0)), ("dec", "a"), ("unit", "hours"), ("non_finite", "ignore"), ("threads", "a"), ("progress", print)]
bad_atoms = [("points", each) for each in bad_points if each is not bad_points[2]] + [
    ("cell", "a"), ("cell", np.zeros((3, 3))), ("cell", np.ones((3, 3))), ("cell", np.eye(2)), ("pbc", "a"),
    ("batch", np.zeros(count, int)), ("threads", "a"), ("progress", print)]


def on_sky(call):
    # With the first two coordinates as positions, in degrees.
    def called(points, **given):
        return call(given.pop("ra", points[:, 0]), given.pop("dec", points[:, 1]), **given)
    return called


def of_atoms(call):
    return lambda points, **given: call(points, **given)


calls = {
    "fof by lengths": (kith.fof, {"linking_length": np.full(count, 0.1), "box": 1.0}, bad_common[:-1] + [
        ("linking_length", np.ones(count - 1)), ("linking_length", np.full(count, -1.0)), ("linking_length", [[1], [2, 3]]),
        ("linking_length", ["a"] * count), ("rule", "most"), ("b", 0.2), ("min_size", 0), ("attached", x)],
        other + [("linking_length", 0.1), ("rule", "least"), ("min_size", 2), ("strict", True)]),
    "redshift_fof": (kith.redshift_fof, {"linking_length": 0.1, "stretch": 2.0, "line_of_sight": "x", "box": 1.0}, bad_common[:-1] + [
        ("linking_length", np.ones(count - 1)), ("linking_length", -1), ("line_of_sight", "w"), ("stretch", "a"),
        ("stretch", -1), ("observer", "a"), ("observer", 3), ("rule", "mean"), ("min_size", "a"), ("non_finite", "ignore")],
        other + [("linking_length", 0.2), ("linking_length", np.ones(count)), ("stretch", 3.0), ("line_of_sight", "y"),
                 ("min_size", 2)]),
    "sky.knn": (on_sky(kith.sky.knn), {"k": 2}, bad_sky + bad_k + [
        ("max_angle", -1), ("max_angle", "a"), ("query_ra", x[:, 0]), ("index_dtype", np.int32)],
        [("k", 3), ("unit", "radians"), ("max_angle", 1.0), ("exclude_self", True)]),
    "sky.radius": (on_sky(kith.sky.radius), {"angle": 1.0}, bad_sky + [
        ("angle", -1), ("angle", "a"), ("angle", np.ones(count - 1)), ("angle", -np.ones(count)), ("max_neighbors", -1)],
        [("angle", 2.0), ("angle", np.ones(count)), ("unit", "radians")]),
    "sky.match": (lambda points, **given: kith.sky.match(points[:, 0], points[:, 1], given.pop("ra2", points[:, 0]),
                                                         given.pop("dec2", points[:, 1]), **given),
                  {}, [("ra2", x[1:, 0]), ("ra2", "a"), ("dec2", None), ("max_angle", -1), ("unit", "hours")],
                  [("max_angle", 1.0)]),
    "sky.pairs": (on_sky(kith.sky.pairs), {"angle": 1.0}, bad_sky + [("angle", -1), ("angle", None)], [("angle", 2.0)]),
    "sky.fof": (on_sky(kith.sky.fof), {"angle": 1.0}, bad_sky + [("angle", 0), ("angle", "a"), ("min_size", 0)],
                [("angle", 2.0), ("min_size", 2)]),
    "sky.dbscan": (on_sky(kith.sky.dbscan), {"eps": 1.0}, bad_sky + [("eps", -1), ("min_samples", 0), ("border", "a")],
                   [("eps", 2.0), ("sample_weight", np.ones(count))]),
    "sky.spanning_tree": (on_sky(kith.sky.spanning_tree), {"core_k": 1}, bad_sky + [("core_k", 0)], [("core_k", 2)]),
    "sky.hdbscan": (on_sky(kith.sky.hdbscan), {"min_cluster_size": 2}, bad_sky + [
        ("min_cluster_size", 0), ("selection", "a"), ("selection_epsilon", "a")], [("min_cluster_size", 3)]),
    "neighbor_list": (lambda points, **given: kith.neighbor_list(given.pop("quantities", "ij"), points, **given),
                      {"cutoff": 0.1, "cell": np.eye(3)}, bad_atoms + [
        ("cutoff", -1), ("cutoff", "a"), ("cutoff", np.ones(count - 1)), ("cutoff", -np.ones(count)), ("quantities", "x"),
        ("quantities", 3), ("cutoff", {("H", "H"): 1}), ("index_dtype", np.int32)],
        [("cutoff", 0.2), ("cutoff", np.ones(count)), ("cell", 2 * np.eye(3)), ("pbc", False), ("quantities", "ijd"),
         ("half", True)]),
    "cells.fof": (of_atoms(kith.cells.fof), {"linking_length": 0.1, "cell": np.eye(3)}, bad_atoms + [
        ("linking_length", 0), ("linking_length", "a"), ("linking_length", np.ones(count - 1)), ("min_size", 0)],
        [("linking_length", 0.2), ("min_size", 2), ("strict", True), ("linking_length", np.ones(count))]),
    "cells.knn": (of_atoms(kith.cells.knn), {"k": 2, "cell": np.eye(3)}, bad_atoms + bad_k[:-1], [("k", 3), ("exclude_self", True)]),
    "cells.radius_count": (of_atoms(kith.cells.radius_count), {"radius": 0.1, "cell": np.eye(3)}, bad_atoms + [
        ("radius", -1), ("radius", "a")], [("radius", 0.2), ("strict", True)]),
}
"""

LOOP = """
def error_of(call, arguments):
    try:
        call(comm=comm, **arguments)
    except Exception as error:
        return type(error).__name__, str(error), isinstance(error, (ValueError, TypeError, MemoryError, OSError))
    return None


tries = 0
for name, (call, good, wrong, differing) in calls.items():
    for key, value in wrong + differing:
        for everyone in (False, True) if (key, id(value)) not in [(k, id(v)) for k, v in differing] else (False,):
            arguments = {"points": x} | good | ({key: value} if everyone or is_last else {})
            errors = comm.allgather(error_of(call, arguments))
            what = f"{name}, {key} = {value!r} on {'all ranks' if everyone else 'the last rank'}: {errors}"
            assert errors[0] is not None and errors.count(errors[0]) == comm.size, what
            assert errors[0][2], what
            assert "rank " in errors[0][1] or "different ranks" in errors[0][1], what
            tries += 1
            if tries % 5 == 0:
                assert np.array_equal(kith.density(x, k=3, comm=comm), expected), "after " + what
    assert np.array_equal(kith.density(x, k=3, comm=comm), expected), "after " + name
if comm.rank == 0:
    print("refused" if tries > least else tries)
"""

# Ranks without points: [] takes the dimension and the type from the others.
EMPTY = """
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
for dtype in (np.float32, np.float64):
    whole = np.random.default_rng(3).random((200, 2)).astype(dtype)
    for holder in range(comm.size):
        for nothing in ([], np.empty((0, 2)), np.empty((0, 2), np.float32), ()):
            x, mine = (whole, slice(None)) if comm.rank == holder else (nothing, slice(0, 0))
            rows = whole[mine]
            index, distance = kith.knn(x, k=3, comm=comm)
            found = kith.knn(whole, k=3)
            assert distance.dtype == dtype and index.shape == (len(rows), 3)
            assert np.array_equal(index, found.index[mine]) and np.array_equal(distance, found.distance[mine])
            mass = np.arange(200.0)[mine] if len(rows) else []
            assert np.array_equal(kith.density(x, k=3, mass=mass, comm=comm),
                                  kith.density(whole, k=3, mass=np.arange(200.0))[mine])
            assert np.array_equal(kith.density(x, k=3, mass=0.3, comm=comm), kith.density(whole, k=3, mass=0.3)[mine])
            many = kith.halos(x, velocity=rows.astype(float) / 3 if len(rows) else [], mass=mass, linking_length=0.1,
                              min_size=2, comm=comm)
            one = kith.halos(whole, velocity=whole.astype(float) / 3, mass=np.arange(200.0), linking_length=0.1, min_size=2)
            assert comm.allreduce(len(many)) == len(one)
            assert np.array_equal(many.velocity, one.velocity[many.first:many.first + len(many)])
            lengths = np.linspace(0.01, 0.1, 200)
            own = lengths[mine] if len(rows) else []
            assert np.array_equal(kith.fof(x, linking_length=own, comm=comm).label,
                                  kith.fof(whole, linking_length=lengths).label[mine])
            ra, dec = (90 * rows[:, 0], 90 * rows[:, 1]) if len(rows) else ([], [])
            assert np.array_equal(kith.sky.knn(ra, dec, k=3, comm=comm).angle,
                                  kith.sky.knn(90 * whole[:, 0], 90 * whole[:, 1], k=3).angle[mine])
            assert np.array_equal(kith.cells.radius_count(rows, radius=0.1, cell=[1, 1], comm=comm),
                                  kith.cells.radius_count(whole, radius=0.1, cell=[1, 1])[mine])
            near = kith.knn(x, k=2, max_radius=0.0, comm=comm)
            assert np.array_equal(near.index, kith.knn(whole, k=2, max_radius=0.0).index[mine])
for nothing in ([], ()):
    try:
        kith.knn(nothing, k=3, comm=comm)
    except ValueError as error:
        assert "shape (0,)" in str(error)
    else:
        raise AssertionError("no rank knows the dimension")
if comm.rank == 0:
    print("empty")
"""


@pytest.mark.parametrize("calls, least", [(CALLS, 250), (PLACES, 100)])
def test_a_wrong_argument_of_one_rank_is_the_same_error_on_all(calls, least, tmp_path):
    try:
        result = launched(f"{HEAD}{calls}\nleast = {least}\n{LOOP}", 3, tmp_path, seconds=200)
    except subprocess.TimeoutExpired as error:
        pytest.fail(f"ranks wait for each other: {error.stdout!r} {error.stderr!r}")
    assert result.stdout == "refused\n", result.stdout + result.stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_may_have_no_points(ranks, tmp_path):
    result = launched(EMPTY, ranks, tmp_path, seconds=120)
    assert result.stdout == "empty\n", result.stdout + result.stderr
