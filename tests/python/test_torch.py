"""kith.torch: gradcheck, and values as kith's own."""
import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
import kith  # noqa: E402
import kith.torch as kt  # noqa: E402


def tensor(rng, *shape, low=0.0, high=1.0):
    return torch.tensor(rng.uniform(low, high, shape), requires_grad=True)


def test_neighbors(rng):
    x, q = tensor(rng, 30, 3), tensor(rng, 5, 3)
    index, distance = kt.knn(x, k=4, box=1.0)
    np.testing.assert_array_equal(index.numpy(), kith.knn(x.detach().numpy(), k=4, box=1.0).index)
    assert not index.requires_grad and distance.dtype == torch.float64
    assert torch.autograd.gradcheck(lambda y: kt.knn(y, k=4, box=1.0)[1], (x,))
    assert torch.autograd.gradcheck(lambda y, z: kt.knn(y, z, k=3, box=1.0)[1], (x, q))
    assert kt.knn(x.float(), k=4)[1].dtype == torch.float32


def test_types_follow_kith_knn(rng):
    """Integers become float64 and half precision float32, as for kith.knn; nothing is truncated."""
    whole = torch.tensor(rng.integers(0, 50, (40, 3)))
    for x in (whole, whole.to(torch.int16), whole.half(), whole.to(torch.bfloat16), whole.float()):
        plain = x.float().numpy() if x.is_floating_point() else x.numpy()
        index, distance = kt.knn(x, k=5)
        expected = kith.knn(plain, k=5)
        assert distance.dtype == (torch.float32 if x.is_floating_point() else torch.float64)
        np.testing.assert_array_equal(index.numpy(), expected.index)
        np.testing.assert_array_equal(distance.numpy(), expected.distance)
        np.testing.assert_allclose(kt.density(x, k=8).numpy(), kith.density(plain, k=8), rtol=1e-5)
        assert kt.paint(x, cells=4, box=50.0).sum() == pytest.approx(40)
        assert kt.halos(x, torch.zeros(40, dtype=torch.int32)).mass[0] == 40
    half = torch.rand(30, 3, dtype=torch.float16, requires_grad=True)
    kt.knn(half, k=3)[1].sum().backward()
    assert half.grad.dtype == torch.float16 and half.grad.abs().sum() > 0
    for bad in (whole + 1j, [[1.0, 2.0]]):
        with pytest.raises(kith.Error, match="points"):
            kt.knn(bad, k=1)


@pytest.mark.parametrize("loss", [
    lambda x: kt.knn(x, k=4)[1].sum(), lambda x: (kt.knn(x, k=4)[1] ** 2).sum(),
    lambda x: kt.density(x, k=8).sum(), lambda x: kt.paint(x, cells=4, box=1.0).square().sum(),
    lambda x: kt.halos(x, torch.zeros(30, dtype=torch.int32)).inertia_radius.sum(),
    lambda x: kt.topological_loss(x, lambda halos: halos.mass.square().sum(), linking_length=0.2, samples=4),
])
def test_second_derivatives_are_refused(loss, rng):
    """Also where the loss has another term, whose second derivatives exist, and where the cotangent is constant."""
    x = tensor(rng, 30, 3)
    for more in (lambda y: 0.0, lambda y: (y**3).sum()):
        first, = torch.autograd.grad(loss(x) + more(x), x, create_graph=True)
        with pytest.raises(kith.Error, match="second derivatives are not available"):
            torch.autograd.grad(first.sum(), x)
    first, = torch.autograd.grad(loss(x), x)
    assert not first.requires_grad


def test_density_and_mesh(rng):
    x, m = tensor(rng, 40, 2), tensor(rng, 40, low=1.0, high=2.0)
    assert torch.autograd.gradcheck(lambda y, w: kt.density(y, k=12, mass=w, box=1.0), (x, m), rtol=1e-2)
    assert torch.autograd.gradcheck(lambda y, w: kt.paint(y, w, cells=4, box=1.0), (x, m))


def test_halos_and_topology(rng):
    x = torch.tensor(np.concatenate([rng.normal(c, 0.02, (12, 3)) for c in (0.2, 0.6)]), requires_grad=True)
    v, m = tensor(rng, 24, 3), tensor(rng, 24, low=1.0, high=2.0)
    label = kt.fof(x, linking_length=0.1)
    assert int(label.max()) == 1
    assert torch.autograd.gradcheck(lambda *a: tuple(kt.halos(a[0], label, velocity=a[1], mass=a[2]))[:7], (x, v, m))
    found = kt.topological_loss(x, lambda halos: (halos.mass**1.5 * halos.center[:, 0]).sum(), linking_length=0.03,
                                samples=4)
    found.backward()
    assert torch.isfinite(x.grad).all() and (x.grad != 0).any()
