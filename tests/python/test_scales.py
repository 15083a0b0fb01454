"""Every public call at scales from 1e-300 to 1e300: an answer or an error within a time limit, and powers of two change
exponents alone."""
import faulthandler

import numpy as np
import pytest

import kith

LIMIT = 30.0  # seconds for all calls of a case, on a machine that does other work
N = 200
RNG = np.random.default_rng(5)
X = np.round(RNG.random((N, 3)) * 2**20) / 2**20
V = RNG.normal(size=(N, 3))
M = 1 + RNG.random(N)
GROUPS = np.arange(N) // 20


def lists(x):
    return kith.knn(x, k=6).index


# Each: a function of (points, unit length, whether the box is periodic).
CALLS = {
    "Tree": lambda x, u, box: kith.Tree(x, box=box).coordinates(),
    "cells": lambda x, u, box: kith.Tree(x, box=box, builder="cells").order(),
    "knn": lambda x, u, box: kith.knn(x, k=5, box=box),
    "knn walk": lambda x, u, box: kith.knn(x, k=5, box=box, method="walk"),
    "knn p=1": lambda x, u, box: kith.knn(x, k=5, box=box, p=1),
    "knn p=3": lambda x, u, box: kith.knn(x, k=5, box=box, p=3),
    "radius": lambda x, u, box: kith.radius(x, radius=0.2 * u, box=box),
    "radius_count": lambda x, u, box: kith.radius_count(x, radius=0.2 * u, box=box),
    "radius_pairs": lambda x, u, box: kith.radius_pairs(x, radius=0.1 * u, box=box),
    "density": lambda x, u, box: kith.density(x, k=8, box=box),
    "kth_distance": lambda x, u, box: kith.kth_distance(x, k=4, box=box),
    "mean_distance": lambda x, u, box: kith.mean_distance(x, k=4, box=box),
    "KDTree": lambda x, u, box: kith.KDTree(x, boxsize=box).query(x, k=3),
    "count_neighbors": lambda x, u, box: kith.KDTree(x).count_neighbors(kith.KDTree(x), 0.2 * u),
    "left_balanced": lambda x, u, box: kith.left_balanced(x, box=box),
    "Forest": lambda x, u, box: forest(x, box).knn(x, k=3),
    "fof": lambda x, u, box: kith.fof(x, linking_length=0.1 * u, box=box),
    "fof b": lambda x, u, box: kith.fof(x, b=0.5, box=box or u, min_size=2),
    "redshift_fof": lambda x, u, box: kith.redshift_fof(x, linking_length=0.1 * u, stretch=2.0, box=box),
    "midpoint": lambda x, u, box: kith.redshift_fof(x, linking_length=0.1 * u, stretch=2.0, line_of_sight="midpoint"),
    "catalogue": lambda x, u, box: kith.catalogue(x, GROUPS, mass=M, velocity=V * u, gravity=1.0, box=box),
    "mass centers": lambda x, u, box: kith.centers(x, GROUPS, kind="mass", mass=M, box=box),
    "shrinking": lambda x, u, box: kith.centers(x, np.zeros(N, int), kind="shrinking", mass=M, box=box),
    "potential": lambda x, u, box: kith.centers(x, GROUPS, kind="potential", softening=0.01 * u, mass=M, box=box),
    "subhalos": lambda x, u, box: kith.subhalos(x, GROUPS, velocity=V * u, linking_length=0.5, min_size=2, box=box),
    "overdensities": lambda x, u, box: kith.overdensities(x, x[:5], density=100.0, mass=M, box=box),
    "dbscan": lambda x, u, box: kith.dbscan(x, 0.15 * u, 4, box=box),
    "spanning_tree": lambda x, u, box: kith.spanning_tree(x, 3, box=box),
    "hdbscan": lambda x, u, box: kith.hdbscan(x, 5, box=box),
    "count": lambda x, u, box: kith.correlation.count(x, edges=[0, 0.1 * u, 0.3 * u], box=box),
    "rp_pi": lambda x, u, box: kith.correlation.count(x, edges=[0, 0.1 * u, 0.3 * u], separation="rp_pi",
                                                      pi_max=0.4 * u, pi_bins=4, box=box),
    "s_mu": lambda x, u, box: kith.correlation.count(x, edges=[0, 0.1 * u, 0.3 * u], separation="s_mu", box=box),
    "xi": lambda x, u, box: kith.correlation.xi(x, edges=[0, 0.1 * u, 0.3 * u], box=box or u, regions=4),
    "distances": lambda x, u, box: kith.gradients.distances(x, lists(x), box=box),
    "distances_vjp": lambda x, u, box: kith.gradients.distances_vjp(x, lists(x), np.ones((N, 6)), box=box),
    "list density": lambda x, u, box: kith.gradients.density(x, lists(x), box=box),
    "density_vjp": lambda x, u, box: kith.gradients.density_vjp(x, lists(x), np.ones(N), box=box),
    "shape_tensors": lambda x, u, box: kith.gradients.shape_tensors(x, GROUPS, box=box),
    "halos_vjp": lambda x, u, box: kith.gradients.halos_vjp(x, GROUPS, {"mass": np.ones(10)}, box=box),
    "SoftLinks": lambda x, u, box: kith.gradients.SoftLinks(x, linking_length=0.1 * u, box=box).sample(3),
    "paint": lambda x, u, box: kith.gradients.paint(x, cells=4, box=box or u),
}


def forest(x, box):
    made = kith.Forest(3, box=box, dtype=x.dtype)
    made.insert(x)
    return made


@pytest.mark.parametrize("dtype, largest", [(np.float64, 300), (np.float32, 37)])
def test_every_call_ends(dtype, largest):
    """At scales where squares overflow or vanish: an answer or an error of kith, and soon."""
    rng = np.random.default_rng(largest)
    for power in [-largest, largest, 0, *rng.uniform(-largest, largest, 4)]:
        unit = float(dtype(10.0 ** power))
        x = (X * unit).astype(dtype)
        for name, call in CALLS.items():
            for box in (None, unit):
                faulthandler.dump_traceback_later(LIMIT, exit=True)  # a call that never returns must not hang the tests
                try:
                    call(x, unit, box)
                except kith.Error as error:
                    assert ":" in str(error), (name, power)
                finally:
                    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("exponent", [-960, -700, -300, 300, 700, 990])
def test_powers_of_two_change_exponents_alone(exponent):
    unit = 2.0 ** exponent
    x = X * unit
    for box in (None, unit):
        of = None if box is None else 1.0
        for name in ("knn", "radius_pairs", "KDTree", "kth_distance"):
            found, plain = CALLS[name](x, unit, box), CALLS[name](X, 1.0, of)
            arrays = found if isinstance(found, tuple) else (found,)
            for a, b in zip(arrays, plain if isinstance(plain, tuple) else (plain,)):
                np.testing.assert_array_equal(a, b * unit if a.dtype.kind == "f" else b, err_msg=name)
        for name in ("fof", "fof b", "dbscan", "redshift_fof"):
            np.testing.assert_array_equal(CALLS[name](x, unit, box).label, CALLS[name](X, 1.0, of).label, err_msg=name)
        for name in ("mass centers", "shrinking", "potential"):
            np.testing.assert_array_equal(CALLS[name](x, unit, box), CALLS[name](X, 1.0, of) * unit, err_msg=name)
        for name in ("count", "rp_pi", "s_mu"):
            np.testing.assert_array_equal(CALLS[name](x, unit, box).counts, CALLS[name](X, 1.0, of).counts)
        np.testing.assert_array_equal(CALLS["xi"](x, unit, box).value, CALLS["xi"](X, 1.0, of).value)
        found, plain = CALLS["catalogue"](x, unit, box), CALLS["catalogue"](X, 1.0, of)
        for name in ("center", "radius", "inertia_radius", "velocity", "velocity_dispersion", "lower", "upper"):
            np.testing.assert_array_equal(found[name], plain[name] * unit, err_msg=name)
        np.testing.assert_array_equal(found.axes, plain.axes)
        np.testing.assert_array_equal(found.mass, plain.mass)
