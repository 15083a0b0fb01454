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
    """Half precision becomes float32, as for kith.knn."""
    whole = torch.tensor(rng.integers(0, 50, (40, 3)))
    for x in (whole.half(), whole.to(torch.bfloat16), whole.float()):
        plain = x.float().numpy()
        index, distance = kt.knn(x, k=5)
        expected = kith.knn(plain, k=5)
        assert distance.dtype == torch.float32
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


@pytest.mark.parametrize("call", [
    lambda x: kt.knn(x, k=1), lambda x: kt.density(x, k=2), lambda x: kt.paint(x, cells=2, box=1.0),
    lambda x: kt.knn(x.double(), x, k=1), lambda x: kt.density(x.double(), k=2, mass=torch.arange(5)),
    lambda x: kt.halos(x.double(), torch.zeros(5, dtype=torch.int32), velocity=x), lambda x: kt.knn_graph(x, 1),
])
def test_integers_are_refused(call):
    for kind in (torch.int64, torch.int16, torch.bool):
        with pytest.raises(kith.Error, match="integers have no derivatives.*pass x.double"):
            call(torch.arange(15).reshape(5, 3).to(kind))


@pytest.mark.parametrize("name, loss", [
    ("paint", lambda x: kt.paint(x, cells=4, box=1.0).square().sum()),
    ("halos", lambda x: kt.halos(x, torch.zeros(30, dtype=torch.int32)).inertia_radius.sum()),
    ("halos|topological_loss", lambda x: kt.topological_loss(x, lambda halos: halos.mass.square().sum(), linking_length=0.2,
                                                             samples=4)),
])
def test_second_derivatives_of_others_are_refused(name, loss, rng):
    """Also where the loss has another term, whose second derivatives exist, and where the cotangent is constant."""
    x = tensor(rng, 30, 3)
    for more in (lambda y: 0.0, lambda y: (y**3).sum()):
        first, = torch.autograd.grad(loss(x) + more(x), x, create_graph=True)
        with pytest.raises(kith.Error, match=f"second derivatives of ({name}) are not available"):
            torch.autograd.grad(first.sum(), x)
    first, = torch.autograd.grad(loss(x), x)
    assert not first.requires_grad


def smooth(rng):
    """Functions with derivatives of any order, at fixed neighbors, and where to take them."""
    x, q, m = tensor(rng, 12, 3), tensor(rng, 5, 3), tensor(rng, 12, low=1.0, high=2.0)
    return [(lambda y: kt.knn(y, k=4, box=1.0)[1], (x,)), (lambda y, z: kt.knn(y, z, k=3, box=1.0)[1], (x, q)),
            (lambda y, w: kt.density(y, k=7, mass=w, box=1.0), (x, m)),
            (lambda y: kt.density(y, k=7, kernel="wendland_c2"), (x,)), (lambda y: kt.density(y, k=5), (tensor(rng, 9, 1),))]


def test_forward_mode(rng):
    for function, inputs in smooth(rng):
        assert torch.autograd.gradcheck(function, inputs, check_forward_ad=True, rtol=1e-2)
    x, m = tensor(rng, 20, 2), tensor(rng, 20, low=1.0, high=2.0)
    assert torch.autograd.gradcheck(lambda y, w: kt.paint(y, w, cells=4, box=1.0), (x, m), check_forward_ad=True)
    label = torch.tensor(rng.integers(0, 2, 20), dtype=torch.int32)
    assert torch.autograd.gradcheck(lambda y, v, w: tuple(kt.halos(y, label, velocity=v, mass=w))[:7],
                                    (x, tensor(rng, 20, 2), m), check_forward_ad=True)


def test_second_derivatives(rng):
    for function, inputs in smooth(rng):
        assert torch.autograd.gradgradcheck(function, inputs, rtol=1e-2, atol=1e-4)
        assert torch.autograd.gradgradcheck(function, inputs, rtol=1e-2, atol=1e-4, check_fwd_over_rev=True,
                                            check_rev_over_rev=False, check_undefined_grad=False)
    x = tensor(rng, 8, 2)
    hessian = torch.autograd.functional.hessian(lambda y: kt.knn(y, k=3)[1].sum(), x).reshape(16, 16)
    torch.testing.assert_close(hessian, hessian.T)
    third, = torch.autograd.grad((torch.autograd.functional.hessian(lambda y: kt.knn(y, k=3)[1].pow(3).sum(), x,
                                                                    create_graph=True)).sum(), x)
    assert torch.isfinite(third).all()


def test_points_at_one_place_have_derivatives_of_zero():
    x = torch.tensor([[0.5, 0.5], [0.5, 0.5], [0.7, 0.5]], dtype=torch.float64, requires_grad=True)
    first, = torch.autograd.grad(kt.knn(x, k=2)[1][:2].sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    assert (first == 0).all() and (second == 0).all()


@pytest.mark.skipif(not hasattr(torch, "func"), reason="torch.func came with PyTorch 2.0")
def test_transforms(rng):
    """torch.func: the same numbers as autograd; a batch is a loop."""
    func = torch.func
    for function, inputs in smooth(rng):
        x, *others = (each.detach() for each in inputs)

        def loss(y):
            return (function(y, *others) ** 2).sum()

        gradient = func.grad(loss)(x)
        y = x.clone().requires_grad_()
        torch.testing.assert_close(gradient, torch.autograd.grad(loss(y), y)[0], rtol=0, atol=0)
        move = torch.randn_like(x)
        torch.testing.assert_close(func.jvp(loss, (x,), (move,))[1], (gradient * move).sum())
        hessian = func.hessian(loss)(x)
        torch.testing.assert_close(hessian, torch.autograd.functional.hessian(loss, x))
        torch.testing.assert_close(hessian, func.jacrev(func.grad(loss))(x))
        batch = torch.stack([x, x * 0.9, x * 0.8 + 0.05])
        torch.testing.assert_close(func.vmap(loss)(batch), torch.stack([loss(each) for each in batch]), rtol=0, atol=0)
        torch.testing.assert_close(func.vmap(func.grad(loss))(batch), torch.stack([func.grad(loss)(z) for z in batch]),
                                   rtol=0, atol=0)
    points = torch.tensor(np.concatenate([rng.normal(c, 0.02, (12, 3)) for c in (0.2, 0.6)]))

    def found(y):
        halos = kt.halos(y, kt.fof(y, linking_length=0.1))
        return (halos.center ** 2).sum() + kt.paint(y, cells=3, box=1.0).square().sum()

    y = points.clone().requires_grad_()
    torch.testing.assert_close(func.grad(found)(points), torch.autograd.grad(found(y), y)[0], rtol=0, atol=0)


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
