"""Points over the ranks of MPI: the answers of one process."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import kith

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each rank runs this on its part of the points, and compares with its part of the result of one
# process.
PROGRAM = """
import pickle
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
for dtype in (np.float32, np.float64):
    x = random.random((1000, 3)).astype(dtype)
    mass = random.random(1000)
    edges = [0, 100, 100, 1000][:comm.size] + [1000]
    mine = slice(edges[comm.rank], edges[comm.rank + 1])
    one = kith.fof(x, b=0.5, box=1, min_size=2)
    many = kith.fof(x[mine], b=0.5, box=1, min_size=2, comm=comm)
    assert np.array_equal(many.label, one.label[mine])
    assert many.count == one.count == len(many) and many.linking_length == one.linking_length
    rows = slice(many.first, many.first + len(many.size))
    assert np.array_equal(many.size, one.size[rows]) and np.array_equal(many.lowest, one.lowest[rows])
    assert comm.allreduce(len(many.size)) == one.count
    kept = kith.mpi.fof(comm, x[mine], linking_length=0.05, keep=True)
    assert np.array_equal(np.asarray(kept), kith.fof(x, linking_length=0.05).label[mine])
    lengths = 0.03 + 0.05 * random.random(1000)
    for rule in ("mean", "least", "largest"):
        one = kith.fof(x, linking_length=lengths, rule=rule, box=1, min_size=2)
        many = kith.fof(x[mine], linking_length=lengths[mine], rule=rule, box=1, min_size=2, comm=comm)
        assert np.array_equal(many.label, one.label[mine]) and many.linking_length == one.linking_length
    for sight in ({"line_of_sight": "y", "box": 1}, {"line_of_sight": "midpoint", "observer": [0, 0, -2]}):
        for length, own in ((0.04, 0.04), (lengths, lengths[mine])):
            one = kith.redshift_fof(x, linking_length=length, stretch=2, **sight)
            many = kith.redshift_fof(x[mine], linking_length=own, stretch=2, comm=comm, **sight)
            assert np.array_equal(many.label, one.label[mine]) and many.domains is None
    index, distance = kith.knn(x[mine], k=8, box=1, comm=comm)
    found = kith.knn(x, k=8, box=1)
    assert np.array_equal(index, found.index[mine]) and np.array_equal(distance, found.distance[mine])
    rho = kith.density(x[mine], k=16, mass=mass[mine], comm=comm)
    assert np.array_equal(rho, kith.density(x, k=16, mass=mass)[mine])
    every_second = np.hstack([x, x])[mine][:, :3]
    assert np.array_equal(kith.density(every_second, k=16, mass=mass[mine], comm=comm), rho)
    v = random.normal(size=(1000, 3)).astype(dtype)
    whole = kith.halos(x, velocity=v, mass=mass, b=0.6, box=1, min_size=2)
    halos = kith.halos(x[mine], velocity=v[mine], mass=mass[mine], b=0.6, box=1, min_size=2, comm=comm)
    assert np.array_equal(halos.groups.label, whole.groups.label[mine]) and comm.allreduce(len(halos)) == len(whole)
    rows = slice(halos.first, halos.first + len(halos))
    assert {"size", "mass", "center", "velocity", "axes", "spans"} <= set(halos.columns)
    for name, column in halos.columns.items():
        assert np.array_equal(column, getattr(whole, name)[rows]), name
    rows = slice(many.first, many.first + len(many.size))
    queries = random.random((50, 3)).astype(dtype)
    asked = slice(50 * comm.rank // comm.size, 50 * (comm.rank + 1) // comm.size)
    index, distance = kith.knn(x[mine], queries[asked], k=5, p=3, max_radius=0.2, box=1, comm=comm)
    found = kith.knn(x, queries, k=5, p=3, max_radius=0.2, box=1)
    assert np.array_equal(index, found.index[asked]) and np.array_equal(distance, found.distance[asked])
    radii = np.linspace(0.05, 0.15, 1000)
    domains = kith.mpi.Domains(comm, x[mine], box=1, distribution="kd")
    assert domains.total == 1000 == comm.allreduce(len(domains))
    weighted = kith.mpi.Domains(comm, x[mine], box=1, weight=1 + 50 * x[mine][:, 0])
    a, b = kith.mpi.knn(comm, weighted, k=4), kith.mpi.knn(comm, domains, k=4)
    assert all(np.array_equal(one, other) for one, other in zip(a, b))
    for radius, own in ((0.1, 0.1), (radii, radii[mine])):
        near, all_near = kith.mpi.radius(comm, domains, radius=own), kith.radius(x, radius=radius, box=1)
        assert len(near) == len(x[mine])
        for i, j in enumerate(range(1000)[mine]):
            assert np.array_equal(near[i].index, all_near[j].index)
            assert np.array_equal(near[i].distance, all_near[j].distance)
        assert np.array_equal(kith.radius_count(x[mine], radius=own, box=1, comm=comm), all_near.count[mine])
    near = kith.radius(x[mine], queries[asked], radius=0.1, max_neighbors=3, box=1, comm=comm)
    all_near = kith.radius(x, queries, radius=0.1, max_neighbors=3, box=1)
    assert np.array_equal(near.count, all_near.count[asked])
    for reduce in ("kth_distance", "mean_distance"):
        assert np.array_equal(getattr(kith, reduce)(x[mine], k=4, box=1, comm=comm),
                              getattr(kith, reduce)(x, k=4, box=1)[mine])
    one = kith.fof(x, b=0.6, box=1, min_size=2, keep_roots=True)
    many = kith.fof(x[mine], b=0.6, box=1, min_size=2, keep_roots=True, comm=comm)
    assert np.array_equal(many.root, one.root[mine])
    rows = slice(many.first, many.first + len(many.size))
    kind = (np.arange(1000) % 3).astype(np.uint8)
    table = kith.catalogue(x, one, mass=mass, velocity=v, type=kind, types=3, gravity=1.0, box=1)
    part = kith.catalogue(x[mine], many, mass=mass[mine], velocity=v[mine], type=kind[mine], types=3, gravity=1.0,
                          box=1, comm=comm)
    assert set(part.columns) == set(table.columns)
    for name, column in part.columns.items():
        assert np.array_equal(column, table.columns[name][rows]), name
    for how in ("mass", "shrinking", "potential"):
        center = kith.centers(x[mine], many, kind=how, mass=mass[mine], softening=0.01, comm=comm)
        assert np.array_equal(center, kith.centers(x, one, kind=how, mass=mass, softening=0.01, box=1)[rows]), how
    spheres = kith.overdensities(x[mine], part.center, density=[600, 2000], mass=mass[mine], box=1, comm=comm)
    whole_spheres = kith.overdensities(x, table.center, density=[600, 2000], mass=mass, box=1)
    assert all(np.array_equal(a, b[rows]) for a, b in zip(spheres, whole_spheres))
    one, many = kith.fof(x, b=0.9, box=1, min_size=50), kith.fof(x[mine], b=0.9, box=1, min_size=50, comm=comm)
    subs = kith.subhalos(x, one, velocity=v, linking_length=0.4, min_size=3, box=1)
    parts = kith.subhalos(x[mine], many, velocity=v[mine], linking_length=0.4, min_size=3, comm=comm)
    assert np.array_equal(np.concatenate(comm.allgather(parts.parent)), subs.parent) and len(subs) > 0
    assert np.array_equal(np.concatenate(comm.allgather(parts.index)), subs.order[:subs.offset[-1]])
    assert np.array_equal(np.concatenate(comm.allgather(parts.catalogue.center)), subs.catalogue.center)
    options = {"mass": 1.0, "gravity": 10.0, "softening": 0.01, "density_neighbors": 8, "link_neighbors": 5, "min_size": 3}
    for method in ("subfind", "phase"):
        subs = kith.subhalos(x, one, velocity=v, box=1, method=method, **options)
        parts = kith.subhalos(x[mine], many, velocity=v[mine], comm=comm, method=method, **options)
        for name in ("parent", "host", "most_bound", "peak", "by_binding"):
            found = np.concatenate(comm.allgather(getattr(parts, name)))
            assert np.array_equal(found, getattr(subs, name)) and len(subs) > 0, (method, name)
for options in ({}, {"border": "sklearn", "border_links": 2}, {"border": "none", "sample_weight": 3 * mass}):
    own = options | ({"sample_weight": 3 * mass[mine]} if "sample_weight" in options else {})
    one = kith.dbscan(x, 0.08, 5, box=1, **options)
    many = kith.dbscan(x[mine] if len(x[mine]) else [], 0.08, 5, box=1, comm=comm, **own)
    assert np.array_equal(many.label, one.label[mine]) and np.array_equal(many.is_core, one.is_core[mine])
    rows = slice(many.first, many.first + len(many.size))
    assert many.count == one.count > 0 and np.array_equal(many.size, one.size[rows])
    part = kith.catalogue(x[mine], many, mass=mass[mine], comm=comm)
    assert np.array_equal(part.center, kith.catalogue(x, one, mass=mass, box=1).center[rows])


def same_pairs(found, expected):
    assert pickle.dumps(found) == pickle.dumps(expected)


data, randoms, weight = random.random((400, 3)), random.random((700, 3)), random.random(400)
own_rows = slice(*(np.array([0, 150, 150, 400])[comm.rank:comm.rank + 2] if comm.size == 3 else (0, 400)))
half = slice(700 * comm.rank // comm.size, 700 * (comm.rank + 1) // comm.size)
clustering = kith.correlation
bins = {"edges": np.linspace(0.01, 0.3, 7)}
part = data[own_rows] if len(data[own_rows]) else []
for find, options in ((clustering.xi, {}), (clustering.wp, {"pi_max": 0.4, "pi_bins": 4}), (clustering.multipoles, {})):
    for columns in ({}, {"weight": weight, "regions": 5, "mean_separation": True}):
        own = columns | ({"weight": weight[own_rows]} if "weight" in columns else {})
        same_pairs(find(part, box=1, comm=comm, **bins, **options, **own), find(data, box=1, **bins, **options, **columns))
        same_pairs(find(part, randoms[half], comm=comm, **bins, **options, **own),
                   find(data, randoms, **bins, **options, **columns))
region = clustering.jackknife_regions(data, 4)
own = clustering.jackknife_regions(part, 4, comm=comm)
assert np.array_equal(own, region[own_rows])
assert np.array_equal(clustering.nearest_regions(part, own, randoms[:9], comm=comm),
                      clustering.nearest_regions(data, region, randoms[:9]))
bits = random.integers(0, 2**63, 400)
table = clustering.pip_table(1, 64)
for columns in ({"region": region}, {"bits": bits, "table": table}, {"regions": 3}):
    own = {name: value[own_rows] if name in ("region", "bits") else value for name, value in columns.items()}
    same_pairs(clustering.count(part, comm=comm, **bins, **own), clustering.count(data, **bins, **columns))
ids, early, late = random.permutation(1000), random.integers(-1, 40, 1000), random.integers(-1, 40, 1000)
one = kith.match(ids, early, ids[::-1], late, weight="inverse_rank")
many = kith.match(ids[mine], early[mine], ids[::-1][mine], late[mine], weight="inverse_rank", comm=comm)
for found, expected in ((many, one), (many.reverse, one.reverse)):
    for name in ("best", "second", "score", "second_score", "shared"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
if comm.rank == 0:
    kith.write_snapshot("points.hdf5", x, id=np.arange(1000), box=1)
comm.barrier()
found = kith.halos(kith.read_snapshot("points.hdf5"), b=0.6, min_size=2)
if comm.rank == 0:
    found.save("halos.hdf5")
    found.columns["mass"] = found.mass * 1.001
    found.save("wrong.hdf5")
comm.barrier()
assert kith.verify("points.hdf5", "halos.hdf5", comm=comm)["result"] == "halos.hdf5"
try:
    kith.verify("points.hdf5", "wrong.hdf5", comm=comm)
except kith.ProgramError as error:
    assert "mass" in str(error), error
else:
    raise AssertionError("a wrong result")
whole = kith.read_snapshot("points.hdf5")
part = kith.read_snapshot("points.hdf5", comm=comm)
assert comm.allreduce(len(part)) == 1000 and len(part.position) == len(part) == len(part.type)
assert np.array_equal(np.concatenate(comm.allgather(part.position)), whole.position)
assert np.array_equal(np.concatenate(comm.allgather(part.id)), whole.id)
try:
    kith.read_snapshot("points.hdf5" if comm.rank == 0 and comm.size > 1 else "missing.hdf5", comm=comm)
except OSError as error:
    assert "missing.hdf5" in str(error)
else:
    raise AssertionError("the error of one rank is that of all")
try:
    kith.match(ids[mine], early[mine], ids[mine], late[mine] if comm.rank < comm.size - 1 else [1, 2], comm=comm)
except ValueError as error:
    assert "2 labels for b" in str(error), error
else:
    raise AssertionError("labels of another length")
for wrong in ({}, {"linking_length": -1}, {"linking_length": 1, "min_size": 0}):
    try:
        kith.fof(x[mine], comm=comm, **wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
assert kith.fof(x[mine], linking_length=2, comm=comm).count == 1
token = kith.CancelToken()
if comm.rank == comm.size - 1:
    token.cancel()
try:
    kith.knn(x[mine], k=3, cancel=token, comm=comm)
except kith.Cancelled as error:
    assert f"rank {comm.size - 1}" in str(error)
else:
    raise AssertionError("cancelled on one rank")
if comm.rank == 0:
    print("equal")
"""


# Ctrl-C on one rank while all search: an exception on every rank, within a second.
INTERRUPTED = """
import os
import signal
import threading
import time
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
x = np.random.default_rng(comm.rank).random((200000, 3))
if comm.rank == 0:
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        kith.knn(x, k=64, comm=comm)
except KeyboardInterrupt:
    assert comm.rank == 0
except RuntimeError as error:
    assert comm.rank == 1 and "rank 0" in str(error), error
assert kith.fof(x[:100], linking_length=2, comm=comm).count == 1
if comm.rank == 0:
    print("stopped")
"""


# The sky and atoms: positions of all ranks, of which each passes a part.
PLACES = """
import numpy as np
from mpi4py import MPI
import kith

comm = MPI.COMM_WORLD
random = np.random.default_rng(7)
edges = [0, 100, 100, 600][:comm.size] + [600]
mine = slice(edges[comm.rank], edges[comm.rank + 1])


def same(own, whole, rows=mine):
    assert len(own) == len(whole)
    for a, b in zip(own, whole):
        assert np.array_equal(a, b[rows], equal_nan=True)


ra, dec = random.uniform(0, 360, 600), np.degrees(np.arcsin(random.uniform(-1, 1, 600)))
ra[::7], dec[::7] = 30 + random.normal(size=86), 10 + random.normal(size=86)
for unit, one in (("degrees", 1.0), ("radians", np.pi / 180)):
    a, d, how = ra * one, dec * one, {"unit": unit}
    over = {**how, "comm": comm}
    same(kith.sky.knn(a[mine], d[mine], k=4, **over), kith.sky.knn(a, d, k=4, **how))
    same(kith.sky.knn(a[mine], d[mine], a[mine] + one, d[mine], k=2, max_angle=2 * one, **over),
         kith.sky.knn(a, d, a + one, d, k=2, max_angle=2 * one, **how))
    same(kith.sky.match(a[mine], d[mine], a[::-1][mine], d[::-1][mine], max_angle=3 * one, **over),
         kith.sky.match(a, d, a[::-1], d[::-1], max_angle=3 * one, **how))
    for angle, own in ((4 * one, 4 * one), (one * np.linspace(0, 9, 600), one * np.linspace(0, 9, 600)[mine])):
        near, whole = kith.sky.radius(a[mine], d[mine], angle=own, **over), kith.sky.radius(a, d, angle=angle, **how)
        rows = slice(*whole.offset[[mine.start, mine.stop]])
        assert np.array_equal(near.count, whole.count[mine])
        assert np.array_equal(near.index, whole.index[rows]) and np.array_equal(near.distance, whole.distance[rows])
        counts = kith.sky.radius_count(a[mine], d[mine], angle=own, exclude_self=True, **over)
        assert np.array_equal(counts, whole.count[mine] - 1)
    whole = kith.sky.pairs(a, d, angle=5 * one, **how)
    same(kith.sky.pairs(a[mine], d[mine], angle=5 * one, **over), whole, (whole.i >= mine.start) & (whole.i < mine.stop))
    groups, whole = kith.sky.fof(a[mine], d[mine], angle=3 * one, min_size=2, **over), kith.sky.fof(a, d, angle=3 * one,
                                                                                                  min_size=2, **how)
    assert np.array_equal(groups.label, whole.label[mine]) and groups.linking_length == whole.linking_length
    clusters, whole = (kith.sky.dbscan(a[part], d[part], eps=4 * one, **each)
                       for part, each in ((mine, over), (slice(None), how)))
    assert np.array_equal(clusters.label, whole.label[mine]) and np.array_equal(clusters.is_core, whole.is_core[mine])
    own, whole = (kith.sky.spanning_tree(a[part], d[part], core_k=3, **each)
                  for part, each in ((mine, over), (slice(None), how)))
    same((own.length, own.index), (whole.length, whole.index), slice(None))
    own, whole = (kith.sky.hierarchy(a[part], d[part], **each) for part, each in ((mine, over), (slice(None), how)))
    same(own.count(np.arange(5) * one), whole.count(np.arange(5) * one), slice(None))
    own, whole = (kith.sky.hdbscan(a[part], d[part], selection_epsilon=one, **each)
                  for part, each in ((mine, over), (slice(None), how)))
    same((own.label, own.probability), (whole.label, whole.probability))
    assert whole.count > 0 and np.array_equal(own.stability, whole.stability)

cell = np.array([[5.0, 0, 0], [2.5, 4.3, 0], [-1, 0.5, 6]])
for dtype in (np.float32, np.float64):
    x = (random.random((600, 3)) @ cell * 2).astype(dtype)
    at = {"cell": cell, "pbc": [True, True, False]}
    over = {**at, "comm": comm}
    for cutoff, own in ((0.9, 0.9), (0.6 * random.random(600), None)):
        own = cutoff[mine] if own is None else own
        whole = kith.neighbor_list("ijSdD", x, cutoff, index_dtype=np.int64, **at)
        rows = (whole[0] >= mine.start) & (whole[0] < mine.stop)
        same(kith.neighbor_list("ijSdD", x[mine], own, **over), whole, rows)
    assert np.array_equal(kith.neighbor_list("j", x[mine], 0.9, half=True, **over),
                          kith.neighbor_list("j", x, 0.9, half=True, **at)[np.isin(
                              kith.neighbor_list("i", x, 0.9, half=True, **at), np.arange(600)[mine])])
    for length, own in ((0.7, 0.7), (cutoff, cutoff[mine])):
        groups, whole = kith.cells.fof(x[mine], linking_length=own, **over), kith.cells.fof(x, linking_length=length, **at)
        assert np.array_equal(groups.label, whole.label[mine]) and groups.count == whole.count
    same(kith.cells.knn(x[mine], k=5, **over), kith.cells.knn(x, k=5, **at))
    assert np.array_equal(kith.cells.radius_count(x[mine], radius=1.1, **over),
                          kith.cells.radius_count(x, radius=1.1, **at)[mine])
if comm.rank == 0:
    print("equal")
"""


def launched_file(arguments, ranks, folder, seconds=300):
    """Runs a Python program on some ranks."""
    pytest.importorskip("mpi4py")
    launcher = shutil.which("mpirun")
    if launcher is None or importlib.util.find_spec("kith._mpi") is None:
        pytest.skip("needs mpirun, and kith built with MPI")
    return subprocess.run([ROOT / "tests/mpi/launch.sh", launcher, str(ranks), sys.executable, *arguments],
                          cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)


def launched(program, ranks, folder, seconds=300):
    (folder / "program.py").write_text(program)
    return launched_file(["program.py"], ranks, folder, seconds)


@pytest.mark.parametrize("ranks", [1, 3])
def test_answers_are_those_of_one_process(ranks, tmp_path):
    result = launched(PROGRAM, ranks, tmp_path)
    assert result.stdout == "equal\n", result.stdout + result.stderr


GRADIENTS = """
import numpy as np
from mpi4py import MPI
import kith
from kith import gradients

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
for dtype in (np.float32, np.float64):
    x = random.random((1000, 3)).astype(dtype)
    edges = [0, 100, 100, 1000][:comm.size] + [1000]
    mine = slice(edges[comm.rank], edges[comm.rank + 1])
    index = np.asarray(kith.knn(x, k=8, box=1).index, np.int64)
    own, _ = kith.knn(x[mine], k=8, box=1, comm=comm)
    assert np.array_equal(own, index[mine])
    c, t, m, tm = random.normal(size=(1000, 8)), random.normal(size=x.shape), random.random(1000), random.normal(size=1000)
    one = gradients.distances_vjp(x, index, c, box=1)
    assert np.array_equal(gradients.distances_vjp(x[mine], own, c[mine], box=1, comm=comm), one[mine])
    one = gradients.distances_jvp(x, index, t, box=1)
    assert np.array_equal(gradients.distances_jvp(x[mine], own, t[mine], box=1, comm=comm), one[mine])
    one = gradients.density_vjp(x, index, m, mass=tm, box=1)
    for all_values, here in zip(one, gradients.density_vjp(x[mine], own, m[mine], mass=tm[mine], box=1, comm=comm)):
        assert np.array_equal(here, all_values[mine])
    one = gradients.density_jvp(x, index, t, mass_tangent=tm, box=1)
    here = gradients.density_jvp(x[mine], own, t[mine], mass_tangent=tm[mine], box=1, comm=comm)
    assert np.array_equal(here, one[mine])
    queries = random.random((60, 3)).astype(dtype)
    asked = slice(60 if comm.rank == 0 and comm.size > 1 else 0, None) if comm.rank < 2 else slice(60, None)
    near = np.asarray(kith.knn(x, queries, k=3, box=1).index, np.int64)
    one = gradients.distances_vjp(x, near, c[:60, :3], queries=queries, box=1)
    here = gradients.distances_vjp(x[mine], near[asked], c[:60][asked, :3], queries=queries[asked], box=1, comm=comm)
    assert np.array_equal(here[0], one[0][mine]) and np.array_equal(here[1], one[1][asked])
    v = random.normal(size=x.shape).astype(dtype)
    groups = kith.fof(x, b=0.9, box=1, min_size=2)
    own_groups = kith.fof(x[mine], b=0.9, box=1, min_size=2, comm=comm)
    rows = slice(own_groups.first, own_groups.first + len(own_groups.size))
    by = {"center": random.normal(size=(groups.count, 3)), "velocity_dispersion": random.normal(size=groups.count),
          "inertia_radius": random.normal(size=groups.count), "shape": random.normal(size=(groups.count, 3))}
    one = gradients.halos_vjp(x, groups, by, mass=m, velocity=v, box=1)
    here = gradients.halos_vjp(x[mine], own_groups, {name: each[rows] for name, each in by.items()}, mass=m[mine],
                               velocity=v[mine], comm=comm)
    for all_values, found in zip(one, here):
        assert np.array_equal(found, all_values[mine])
    one = gradients.halos_jvp(x, groups, tangent=t, mass_tangent=tm, mass=m, box=1)
    here = gradients.halos_jvp(x[mine], own_groups, tangent=t[mine], mass_tangent=tm[mine], mass=m[mine], comm=comm)
    assert set(one) == set(here)
    for name in one:
        assert np.array_equal(here[name], one[name][rows]), name
for wrong, words in ((lambda: gradients.distances_vjp(x[mine], own, c[mine][:3] if comm.rank == 0 else c[mine], comm=comm),
                      "cotangent: an array of shape"),
                     (lambda: gradients.distances_vjp(x[mine], own.ravel(), c[mine], offset=[0], comm=comm), "offset"),
                     (lambda: gradients.density_vjp(x[mine], own + 10**6 * (comm.rank == 0), m[mine], comm=comm),
                      "all ranks have 1000 points"),
                     (lambda: gradients.halos_vjp(x[mine], groups, {}, comm=comm), "give the kith.mpi.Groups")):
    try:
        wrong()
        raise SystemExit("no error: " + words)
    except kith.Error as error:
        assert words in str(error), error
comm.barrier()
if comm.rank == 0:
    print("equal")
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_gradients_are_those_of_one_process(ranks, tmp_path):
    result = launched(GRADIENTS, ranks, tmp_path)
    assert result.stdout == "equal\n", result.stdout + result.stderr


def test_a_simulation_has_the_halos_of_its_versions_in_c_and_fortran(tmp_path):
    folder = ROOT / "examples/nbody"
    result = launched_file([str(folder / "nbody.py")], 3, tmp_path)
    assert result.stdout == (folder / "expected.txt").read_text(), result.stdout + result.stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_places_on_the_sky_and_in_cells(ranks, tmp_path):
    result = launched(PLACES, ranks, tmp_path)
    assert result.stdout == "equal\n", result.stdout + result.stderr


def test_the_program_of_the_page_runs(tmp_path):
    pytest.importorskip("matplotlib")
    universe = kith.sample.cosmology(16)
    kith.write_snapshot(tmp_path / "snapshot.hdf5", universe.position, velocity=universe.velocity,
                        mass=universe.particle_mass, box=universe.box)
    result = launched_file([ROOT / "tests/python/documents.py", "mpi.md"], 2, tmp_path)
    halos = kith.halos(universe.position, b=0.2, box=universe.box, min_size=20)
    assert result.stdout == f"{len(halos)} halos, the largest of {halos.size[0]} particles\n", result.stdout + result.stderr


def test_ctrl_c_ends_the_call_on_all_ranks(tmp_path):
    result = launched(INTERRUPTED, 2, tmp_path)
    assert result.stdout == "stopped\n", result.stdout + result.stderr


OTHER_MPI = """
from mpi4py import MPI
import kith
import kith._mpi

kith._mpi.library_version = lambda: "MPICH 9.9"
try:
    kith.fof([[0.0]], linking_length=1, comm=MPI.COMM_WORLD)
except ImportError as error:
    assert "kith was built with MPICH 9.9, and mpi4py uses" in str(error), error
    print("refused")
"""


def test_another_mpi_is_refused(tmp_path):
    result = launched(OTHER_MPI, 1, tmp_path)
    assert result.stdout == "refused\n", result.stdout + result.stderr


def test_comm_must_be_a_communicator():
    x = np.zeros((3, 3))
    with pytest.raises((TypeError, ImportError)):
        kith.fof(x, linking_length=1, comm="world")
    with pytest.raises(TypeError, match="give a communicator"):
        kith.knn(x, k=1, comm="world", p=1)
    with pytest.raises(TypeError, match="give a communicator"):
        kith.verify("snapshot.hdf5", "halos.hdf5", comm="world")
