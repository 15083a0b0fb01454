"""kith.jax: values as kith's own, gradients as finite differences, inside compiled programs."""
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kith  # noqa: E402

try:
    import kith.jax as kj  # noqa: E402
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture
def x(rng):
    return jnp.asarray(rng.uniform(0, 1, (60, 3)))


@pytest.fixture
def clumps(rng):
    return jnp.asarray(np.concatenate([rng.normal(c, 0.02, (20, 3)) for c in (0.0, 0.3, 0.6)]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_are_those_of_kith(x, clumps, dtype):
    y = x.astype(dtype)
    index, distance = jax.jit(lambda z: kj.knn(z, k=5, box=1.0))(y)
    expected = kith.knn(np.asarray(y), k=5, box=1.0)
    np.testing.assert_array_equal(index, expected.index)
    np.testing.assert_array_equal(distance, expected.distance)
    np.testing.assert_allclose(kj.density(y, k=8, box=1.0), kith.density(np.asarray(y), k=8, box=1.0), rtol=1e-6)
    z = clumps.astype(dtype)
    label, count = kj.fof(z, linking_length=0.05, box=1.0, min_size=3)
    groups = kith.fof(np.asarray(z), linking_length=0.05, box=1.0, min_size=3)
    np.testing.assert_array_equal(label, groups.label)
    halos = kj.halos(z, label, max_groups=10, box=1.0)
    table = kith.catalogue(np.asarray(z), groups, box=1.0)
    assert count == halos.count == len(table) and halos.mass[int(count):].sum() == 0
    for name in ("size", "mass", "center", "inertia_radius", "shape"):
        np.testing.assert_allclose(getattr(halos, name)[:len(table)], getattr(table, name), rtol=2e-6)


def test_gradients(x, clumps):
    check_grads(lambda y: kj.knn(y, k=5, box=1.0)[1], (x,), 1, modes="rev", eps=1e-6)
    check_grads(lambda y, q: kj.knn(y, q, k=3, box=1.0)[1], (x, x[:7] + 0.01), 1, modes="rev", eps=1e-6)
    mass = jnp.linspace(1, 2, len(x))
    check_grads(lambda y, m: kj.density(y, k=9, mass=m, box=1.0), (x, mass), 1, modes="rev", eps=1e-6, rtol=1e-3)
    check_grads(lambda y, m: kj.paint(y, m, cells=5, box=1.0), (x, mass), 1, modes="rev", eps=1e-6)
    label, _ = kj.fof(clumps, linking_length=0.1, box=1.0)

    def fields(y, v, m):
        found = kj.halos(y, label, max_groups=4, velocity=v, mass=m, box=1.0)
        return (found.velocity, found.inertia_radius, found.velocity_dispersion, found.shape_tensor, found.shape,
                jnp.sin(2 * jnp.pi * found.center))

    check_grads(fields, (clumps, clumps * 2, mass), 1, modes="rev", eps=1e-6)
    check_grads(lambda m: kj.soft_mass_function(m, jnp.array([0.5, 1.2, 1.6, 3.0])), (mass,), 1, modes="rev")
    check_grads(lambda y: kj.power_spectrum(kj.paint(y, cells=8, box=1.0), 1.0)[1], (x,), 1, modes="rev", eps=1e-6)


def test_forward_mode(x, clumps):
    """Jacobian-vector products agree with differences; the Jacobians of both modes agree."""
    mass = jnp.linspace(1, 2, len(x))
    label, _ = kj.fof(clumps, linking_length=0.1, box=1.0)

    def fields(y, v, m):
        found = kj.halos(y, label, max_groups=4, velocity=v, mass=m, box=1.0, alpha=2.0)
        return (found.velocity, found.inertia_radius, found.velocity_dispersion, found.shape_tensor, found.shape,
                jnp.sin(2 * jnp.pi * found.center))

    for function, inputs, rtol in (
            (lambda y: kj.knn(y, k=5, box=1.0)[1], (x,), None),
            (lambda y, q: kj.knn(y, q, k=3, box=1.0)[1], (x, x[:7] + 0.01), None),
            (lambda y, m: kj.density(y, k=9, mass=m, box=1.0), (x, mass), 1e-3),
            (lambda y, m: kj.paint(y, m, cells=5, box=1.0), (x, mass), None),
            (fields, (clumps, clumps * 2, mass), None)):
        check_grads(function, inputs, 1, modes="fwd", eps=1e-6, rtol=rtol)
        for a, b in zip(jax.tree.leaves(jax.jit(jax.jacfwd(function))(*inputs)), jax.tree.leaves(jax.jacrev(function)(*inputs))):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)

    def decorated(y):
        return kj.halos(y, label, max_groups=4, box=1.0, alpha=2.0).decorated_mass

    np.testing.assert_allclose(jax.jacfwd(decorated)(clumps), jax.jacrev(decorated)(clumps), rtol=1e-9, atol=1e-9)
    assert jax.jvp(lambda y: kj.knn(y, k=2)[0], (x,), (x,))[1].dtype == jax.dtypes.float0


def losses(x):
    mass = jnp.linspace(1, 2, len(x))
    return [(lambda y: jnp.sum(kj.knn(y, k=4, box=1.0)[1]), x),
            (lambda y: jnp.sum(kj.knn(x, y, k=4, box=1.0)[1] ** 3), x[:9] + 0.01),
            (lambda y: jnp.sum(kj.density(y, k=9, box=1.0)), x),
            (lambda y: jnp.sum(kj.density(y, k=9, mass=mass, box=1.0, kernel="wendland_c2") ** 2), x),
            (lambda m: jnp.sum(kj.density(x, k=9, mass=m, box=1.0) ** 2), mass),
            (lambda y: jnp.sum(kj.knn(y, k=4)[1]), x[:, :2]), (lambda y: jnp.sum(kj.density(y, k=9)), x[:, :1])]


def test_second_derivatives(x):
    """Of distances and densities, at fixed neighbors: Hessians agree with differences of gradients and between modes."""
    for loss, at in losses(x[:20]):
        hessian = jax.jit(jax.hessian(loss))(at)
        gradient = jax.grad(loss)
        np.testing.assert_allclose(hessian, jax.jacrev(gradient)(at), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(hessian, jax.jacrev(jax.jacfwd(loss))(at), rtol=1e-8, atol=1e-8)
        move = jnp.asarray(np.random.default_rng(3).normal(size=at.shape))
        along = jnp.tensordot(hessian, move, at.ndim)
        step = 1e-6
        expected = (gradient(at + step * move) - gradient(at - step * move)) / (2 * step)
        np.testing.assert_allclose(along, expected, rtol=1e-5, atol=1e-5 * float(jnp.abs(expected).max()))


def test_third_derivatives_and_batches_of_hessians(x):
    loss, at = losses(x[:8])[0]
    third = jax.jacfwd(jax.hessian(loss))(at)
    step = 1e-5
    move = jnp.zeros_like(at).at[2, 1].set(step)
    expected = (jax.hessian(loss)(at + move) - jax.hessian(loss)(at - move)) / (2 * step)
    np.testing.assert_allclose(third[..., 2, 1], expected, rtol=1e-4, atol=1e-4 * float(jnp.abs(expected).max()))
    stack = jnp.stack([at, at * 0.9])
    np.testing.assert_allclose(jax.vmap(jax.hessian(loss))(stack), jnp.stack([jax.hessian(loss)(y) for y in stack]),
                               rtol=1e-12, atol=1e-12)


def test_points_at_one_place_have_derivatives_of_zero():
    x = jnp.asarray([[0.5, 0.5], [0.5, 0.5], [0.7, 0.5]])
    for derivative in (jax.grad, jax.hessian):
        found = derivative(lambda y: kj.knn(y, k=2)[1][:2].sum())(x)
        assert (np.asarray(found) == 0).all()


def test_second_derivatives_of_others_are_refused(x):
    label = np.zeros(len(x), np.int32)
    for name, loss in (("halos", lambda y: kj.halos(y, label, max_groups=1).inertia_radius.sum()),
                       ("paint", lambda y: jnp.sum(kj.paint(y, cells=4, box=1.0) ** 2))):
        with pytest.raises(kith.Error, match=f"second derivatives of {name} are not available"):
            jax.hessian(loss)(x)


@pytest.mark.parametrize("call", [
    lambda x: kj.knn(x, k=1), lambda x: kj.density(x, k=2), lambda x: kj.paint(x, cells=2, box=1.0),
    lambda x: kj.knn(x.astype(float), x, k=1), lambda x: kj.density(x.astype(float), k=2, mass=jnp.arange(5)),
    lambda x: kj.halos(x.astype(float), np.zeros(5, int), max_groups=1, velocity=x),
])
def test_integers_are_refused(call):
    with pytest.raises(kith.Error, match="integers have no derivatives"):
        call(jnp.arange(15).reshape(5, 3))


def test_products_run_in_compiled_code_without_gathers(x):
    """The derivative of distances is not x[index] in JAX."""
    program = jax.make_jaxpr(jax.grad(lambda y: kj.knn(y, k=5, box=1.0)[1].sum()))(x)
    text = str(program)
    assert "kith_distances_vjp" in text and "kith_knn" in text
    assert "gather" not in text and "scatter" not in text and "pure_callback" not in text


def test_under_jit_and_vmap(x):
    def loss(y):
        return jnp.sum(kj.knn(y, k=4, box=1.0)[1] ** 2)

    stack = jnp.stack([x, x * 0.9, x + 0.3])
    expected = jnp.stack([jax.grad(loss)(each) for each in stack])
    np.testing.assert_array_equal(jax.jit(jax.vmap(jax.grad(loss)))(stack), expected)
    assert jax.jit(jax.grad(loss))(x.astype(jnp.float32)).dtype == jnp.float32


def test_too_little_room_is_an_error(clumps):
    label, _ = kj.fof(clumps, linking_length=0.1, box=1.0)
    with pytest.raises(Exception, match="3 groups, but room for 2; raise max_groups"):
        kj.halos(clumps, label, max_groups=2)[0].block_until_ready()
    with pytest.raises(Exception, match="room for 5; raise max_pairs"):
        kj.topological_loss(clumps, lambda halos: halos.mass.sum(), linking_length=0.05, max_groups=60,
                            max_pairs=5).block_until_ready()


def test_topological_loss(rng):
    """The gradient is the score term plus the pathwise term of kith.gradients."""
    from kith import gradients
    x = rng.random((40, 2))

    def loss(halos):
        return jnp.sum(halos.mass**1.5 * halos.center[:, 0])

    options = {"linking_length": 0.1, "alpha": 2.0}
    value, found = jax.value_and_grad(lambda y: kj.topological_loss(
        y, loss, samples=6, seed=5, max_groups=40, max_pairs=400, **options))(jnp.asarray(x))
    links = gradients.SoftLinks(x, **options)
    drawn = links.sample(6, seed=5)
    losses, expected = [], np.zeros_like(x)
    for label in drawn.label:
        table = kith.catalogue(x, kith.Groups(label))
        losses.append(np.sum(table.mass**1.5 * table.center[:, 0]))
        c = {"center": np.stack([table.mass**1.5, 0 * table.mass], axis=1)}
        expected += gradients.halos_vjp(x, label, c)[0] / 6
    assert value == pytest.approx(np.mean(losses), rel=1e-12)
    expected += links.log_probability_vjp(drawn, gradients.score_weights(losses))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    for baseline in ("none", "batch_mean"):
        for advantage in ("normalized", "clipped"):
            kj.topological_loss(jnp.asarray(x), loss, samples=3, max_groups=40, max_pairs=400, baseline=baseline,
                                advantage=advantage, **options)


def test_links_are_straight_through(rng):
    from kith import gradients
    x = rng.random((40, 2))
    options = {"linking_length": 0.1, "alpha": 2.0, "samples": 5, "seed": 2, "tau": 0.4, "max_pairs": 400}
    weight = rng.normal(size=(5, 400))
    found = kj.links(jnp.asarray(x), **options)
    links = gradients.SoftLinks(x, linking_length=0.1, alpha=2.0)
    np.testing.assert_array_equal(found.link[:, :len(links)], links.relaxed(5, seed=2))
    assert found.count == len(links)
    gradient = jax.grad(lambda y: jnp.sum(weight * kj.links(y, **options).link))(jnp.asarray(x))
    np.testing.assert_allclose(gradient, links.relaxed_vjp(weight[:, :len(links)], seed=2, tau=0.4), rtol=1e-9)


@pytest.mark.parametrize("call, words", [
    (lambda x: kj.knn(x, k=0), "knn: k = 0"),
    (lambda x: kj.knn(x, k=1.5), "k = 1.5; give a whole number"),
    (lambda x: kj.density(x, k=0), "density: k = 0"),
    (lambda x: kj.density(x, kernel="flat"), "kernel = 'flat'; there are"),
    (lambda x: kj.fof(x, linking_length="a"), "linking_length = 'a'; give a number"),
    (lambda x: kj.fof(x, linking_length=0.1, min_size=0), "min_size = 0"),
    (lambda x: kj.links(x, linking_length=0.1, max_pairs=0), "max_pairs = 0"),
    (lambda x: kj.paint(x, cells=0, box=1.0), "cells = 0"),
    (lambda x: kj.halos(x, np.zeros(20, int), max_groups=0), "max_groups = 0"),
    (lambda x: kj.knn(x.astype(int), k=1), "give float32 or float64"),
    (lambda x: kj.knn(x, k=1, box="a"), "box"),
])
def test_bad_arguments(call, words, rng):
    with pytest.raises(kith.Error, match=words):
        call(rng.random((20, 3)).astype(np.float32))
