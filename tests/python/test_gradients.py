"""Derivatives against finite differences, and what the random links are."""
import numpy as np
import pytest

import kith
from kith import gradients

BOX = kith.Box([1.0, 0.0, 1.0])


@pytest.fixture
def x(rng):
    return rng.uniform(-0.2, 1.2, (50, 3))


def slope(f, x, direction, step=1e-6):
    return (f(x + step * direction) - f(x - step * direction)) / (2 * step)


def check(f, x, gradient, rng, tolerance=2e-6):
    for _ in range(3):
        direction = rng.normal(size=x.shape)
        expected = slope(f, x, direction)
        assert np.sum(gradient * direction) == pytest.approx(expected, rel=tolerance, abs=tolerance)


def test_distances_and_displacements(x, rng):
    index, distance = kith.knn(x, k=6, box=BOX)
    np.testing.assert_array_equal(gradients.distances(x, index, box=BOX), distance)
    step = gradients.displacements(x, index, box=BOX)
    np.testing.assert_allclose(np.linalg.norm(step, axis=2), distance, rtol=1e-14)
    c = rng.normal(size=distance.shape)
    found = gradients.distances_vjp(x, index, c, box=BOX)
    check(lambda y: np.sum(c * gradients.distances(y, index, box=BOX)), x, found, rng)
    t = rng.normal(size=x.shape)
    assert np.sum(gradients.distances_jvp(x, index, t, box=BOX) * c) == pytest.approx(np.sum(found * t), rel=1e-12)
    c3 = rng.normal(size=step.shape)
    found = gradients.displacements_vjp(x, index, c3, box=BOX)
    moved = gradients.displacements_jvp(x, index, t, box=BOX)
    assert np.sum(moved * c3) == pytest.approx(np.sum(found * t), rel=1e-12)


def test_queries_and_lists(x, rng):
    queries = rng.uniform(0, 1, (7, 3))
    index = kith.knn(x, queries, k=4, box=BOX).index
    c = rng.normal(size=index.shape)
    by_points, by_queries = gradients.distances_vjp(x, index, c, queries=queries, box=BOX)
    check(lambda y: np.sum(c * gradients.distances(y, index, queries=queries, box=BOX)), x, by_points, rng)
    check(lambda q: np.sum(c * gradients.distances(x, index, queries=q, box=BOX)), queries, by_queries, rng)
    near = kith.radius(x, radius=0.4, box=BOX, exclude_self=True)
    c = rng.normal(size=len(x))

    def sums(y):
        r = gradients.distances(y, near.index, offset=near.offset, box=BOX)
        return np.sum(np.repeat(c, near.count) * np.exp(-r * r))

    derivative = -2 * near.distance * np.exp(-near.distance**2)
    found = gradients.pair_sums_vjp(x, near.index, derivative, c, offset=near.offset, box=BOX)
    check(sums, x, found, rng)


def test_density(x, rng):
    mass = rng.uniform(1, 2, len(x))
    index = kith.knn(x, k=9, box=BOX).index
    np.testing.assert_array_equal(gradients.density(x, index, mass=mass, box=BOX),
                                  kith.density(x, k=9, mass=mass, box=BOX))
    c = rng.normal(size=len(x))
    by_points, by_mass = gradients.density_vjp(x, index, c, mass=mass, box=BOX)
    check(lambda y: np.sum(c * gradients.density(y, index, mass=mass, box=BOX)), x, by_points, rng, 1e-5)
    check(lambda m: np.sum(c * gradients.density(x, index, mass=m, box=BOX)), mass, by_mass, rng)


def test_halos(rng):
    x = np.concatenate([rng.normal(c, 0.02, (30, 3)) for c in (0.0, 0.5)])
    v, m = rng.normal(size=x.shape), rng.uniform(1, 2, len(x))
    groups = kith.fof(x, linking_length=0.1, box=1.0, min_size=5)
    assert groups.label.max() == 1
    shapes = {"mass": (2,), "velocity": (2, 3), "inertia_radius": (2,), "velocity_dispersion": (2,), "shape": (2, 3)}
    c = {name: rng.normal(size=shape) for name, shape in shapes.items()}

    def value(y, w, n):
        found = kith.catalogue(y, groups, velocity=w, mass=n, box=1.0)
        return sum(np.sum(c[name] * getattr(found, name)) for name in shapes)

    for given in (groups, groups.label):
        by_place, by_velocity, by_mass = gradients.halos_vjp(x, given, c, velocity=v, mass=m, box=1.0)
        check(lambda y: value(y, v, m), x, by_place, rng)
        check(lambda w: value(x, w, m), v, by_velocity, rng)
        check(lambda n: value(x, v, n), m, by_mass, rng)
    c["decorated_mass"] = rng.normal(size=2)
    c["shape_tensor"] = rng.normal(size=(2, 3, 3))
    c["center"] = rng.normal(size=(2, 3))
    found = gradients.halos_vjp(x, groups, c, velocity=v, mass=m, box=1.0, alpha=2.0)
    t = [rng.normal(size=each.shape) for each in (x, v, m)]
    moved = gradients.halos_jvp(x, groups, tangent=t[0], velocity_tangent=t[1], mass_tangent=t[2], velocity=v, mass=m,
                                box=1.0, alpha=2.0)
    left = sum(np.sum(moved[name] * c[name]) for name in c)
    assert left == pytest.approx(sum(np.sum(a * b) for a, b in zip(found, t)), rel=1e-11)


def test_meshes_and_masses(x, rng):
    w, c = rng.uniform(1, 2, len(x)), rng.normal(size=(4, 5, 6))
    options = {"cells": (4, 5, 6), "box": 1.0}
    by_place, by_weight = gradients.paint_vjp(x, w, c, **options)
    check(lambda y: np.sum(c * gradients.paint(y, w, **options)), x, by_place, rng)
    check(lambda n: np.sum(c * gradients.paint(x, n, **options)), w, by_weight, rng)
    assert gradients.paint(x, w, **options).sum() == pytest.approx(w.sum())
    edge = [1.0, 1.2, 1.5, 2.0]
    found = gradients.soft_mass_function_vjp(w, edge, [1, 2, 3])
    check(lambda m: np.dot([1, 2, 3], gradients.soft_mass_function(m, edge)), w, found, rng)
    k, power = gradients.power_spectrum(rng.poisson(100, (16, 16, 16)), 16.0)
    assert power.mean() == pytest.approx(0.01, rel=0.2) and k[0] < k[-1]  # white noise: 1 / density


def test_random_links(rng):
    x = rng.random((300, 2))
    links = gradients.SoftLinks(x, linking_length=0.05, alpha=3.0, box=1.0)
    i, j = links.pairs
    assert np.all(i < j) and len(links) == len(i) == len(kith.radius_pairs(x, radius=0.1, box=1.0).i)
    drawn = links.sample(21, seed=3)
    linked = drawn.linked()
    assert linked.shape == (21, len(links))
    assert linked.mean() == pytest.approx(links.probability.mean(), abs=0.05)
    for s in (0, 20):  # the groups are the components of the links
        label = drawn.label[s]
        assert np.all(label[i[linked[s]]] == label[j[linked[s]]]) and label.max() + 1 == drawn.count[s]
    expected = np.where(linked, np.log(links.probability), np.log1p(-links.probability)).sum(axis=1)
    np.testing.assert_allclose(links.log_probability(drawn), expected, rtol=1e-4)
    weight = gradients.score_weights(rng.normal(size=21))
    assert weight.sum() == pytest.approx(0, abs=1e-12)
    assert links.log_probability_vjp(drawn, weight).shape == x.shape
    np.testing.assert_array_equal(links.relaxed(21, seed=3), linked)
    assert links.relaxed_vjp(linked * 1.0, seed=3).shape == x.shape


@pytest.mark.parametrize("dtype, step, close", [(np.float64, 1e-6, 1e-6), (np.float32, 1e-3, 2e-2)])
def test_relaxed_links_have_the_precision_of_the_points(dtype, step, close, rng):
    """Differences over a millionth in float64: the links must not be rounded to float32 on the way."""
    x = rng.random((40, 2)).astype(dtype)
    options = {"linking_length": 0.3, "reach": 4.0}
    links = gradients.SoftLinks(x, **options)
    assert links.probability.dtype == dtype
    weight = np.zeros((5, 40, 40))
    weight[:, links.pairs[0], links.pairs[1]] = rng.normal(size=(5, len(links)))
    found = links.relaxed_vjp(weight[:, links.pairs[0], links.pairs[1]], seed=2, tau=0.7)
    move = rng.normal(size=x.shape).astype(dtype)

    def value(y):  # pairs are sorted by distance, which changes
        again = gradients.SoftLinks(y, **options)
        assert len(again) == len(links)
        return np.sum(weight[:, again.pairs[0], again.pairs[1]] * again.relaxed(5, seed=2, tau=0.7, hard=False))

    change = (value(x + dtype(step) * move) - value(x - dtype(step) * move)) / (2 * step)
    assert change == pytest.approx(np.sum(found.astype(float) * move), rel=close, abs=close)


def test_errors(x):
    with pytest.raises(ValueError, match="index 99"):
        gradients.distances(x, np.full((50, 1), 99))
    with pytest.raises(ValueError, match="expected \\(50, 2\\)"):
        gradients.distances_vjp(x, np.zeros((50, 2), np.int32), np.zeros(50))
    with pytest.raises(TypeError, match="int32 or int64"):
        gradients.distances(x, np.zeros((50, 2)))
    with pytest.raises(ValueError, match="linking_length = 0"):
        gradients.SoftLinks(x, linking_length=0)


def test_forward_products(x, rng):
    """Jacobian-vector products are the transposes of the vector-Jacobian ones."""
    n = len(x)
    index, t, m, tm = kith.knn(x, k=6, box=BOX).index, rng.normal(size=x.shape), rng.uniform(1, 2, n), rng.normal(size=n)
    c = rng.normal(size=n)
    by_points, by_mass = gradients.density_vjp(x, index, c, mass=m, box=BOX)
    moved = gradients.density_jvp(x, index, t, mass=m, mass_tangent=tm, box=BOX)
    assert np.sum(moved * c) == pytest.approx(np.sum(by_points * t) + np.sum(by_mass * tm), rel=1e-12)
    heavier = gradients.density_jvp(x, index, mass=m, mass_tangent=tm, box=BOX)
    np.testing.assert_allclose(heavier, gradients.density(x, index, mass=tm, box=BOX), rtol=1e-12)
    slopes = rng.normal(size=index.shape)
    found = gradients.pair_sums_vjp(x, index, slopes, c, box=BOX)
    moved = gradients.pair_sums_jvp(x, index, slopes, t, box=BOX)
    assert np.sum(moved * c) == pytest.approx(np.sum(found * t), rel=1e-12)
    cube = {"cells": 4, "box": 1.0}
    mesh = rng.normal(size=(4, 4, 4))
    by_points, by_weight = gradients.paint_vjp(x, m, mesh, **cube)
    moved = gradients.paint_jvp(x, m, t, weight_tangent=tm, **cube)
    assert np.sum(moved * mesh) == pytest.approx(np.sum(by_points * t) + np.sum(by_weight * tm), rel=1e-12)
    for wrong in (lambda: gradients.paint_jvp(x, m, t[:3], **cube), lambda: gradients.density_jvp(x, index, t[:, :2])):
        with pytest.raises(kith.Error, match="tangent: an array of shape"):
            wrong()
