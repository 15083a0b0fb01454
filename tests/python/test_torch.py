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
