"""Graphs of neighbors for PyTorch and JAX: the edges of kith.neighbor_list, and derivatives."""
import numpy as np
import pytest

import kith

CELL = np.array([[2.0, 0, 0], [0.7, 1.8, 0], [-0.4, 0.3, 2.2]])


def positions(n=12, seed=1):
    return np.random.default_rng(seed).random((n, 3)) * 3 - 1


def expect_edges(graph, found):
    """Rows (target, source, -S) in the order of the list."""
    i, j, shift = found
    source, target = np.asarray(graph.edge_index)
    assert np.array_equal(target, i) and np.array_equal(source, j) and np.array_equal(np.asarray(graph.shift), -shift)


def nearest(x, k, cell=None, batch=None):
    """The k first of each atom's neighbors within a long cutoff."""
    i, j, shift, vector = kith.neighbor_list("ijSD", x, 6.0, cell, batch=batch)
    d2 = vector[:, 0]**2 + vector[:, 1]**2 + vector[:, 2]**2
    order = np.lexsort((*shift.T[::-1], j, d2, i))
    rank = np.arange(len(i)) - np.searchsorted(i, i)
    kept = np.sort(order[rank < k])
    return i[kept], j[kept], shift[kept]


def test_torch_edges():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    import kith.torch as kt
    x = torch.tensor(positions())
    graph = kt.radius_graph(x, 1.5, cell=torch.tensor(CELL))
    expect_edges(graph, kith.neighbor_list("ijS", x.numpy(), 1.5, CELL))
    assert graph.edge_index.dtype == torch.int64 and graph.edge_index.shape[0] == 2
    source, target = graph.edge_index
    assert torch.allclose(graph.vector, x[target] - x[source] + graph.shift.double() @ torch.tensor(CELL))
    assert torch.allclose(graph.distance, graph.vector.norm(dim=1))
    expect_edges(kt.radius_graph(x, 1.0), kith.neighbor_list("ijS", x.numpy(), 1.0))
    expect_edges(kt.radius_graph(x, 1.5, cell=CELL, max_neighbors=3, loop=True),
                 kith.neighbor_list("ijS", x.numpy(), 1.5, CELL, max_neighbors=3, self_interaction=True))
    for cell in (None, CELL):
        expect_edges(kt.knn_graph(x, 5, cell=cell), nearest(x.numpy(), 5, cell))
    batch = np.repeat([0, 1], 6)
    expect_edges(kt.knn_graph(x, 3, batch=torch.tensor(batch)), nearest(x.numpy(), 3, batch=batch))
    assert kt.knn_graph(x[:2], 5).edge_index.tolist() == [[1, 0], [0, 1]]
    assert kt.radius_graph(x[:0], 1.0).edge_index.shape == (2, 0)
    assert kt.radius_graph(x.float(), 1.0).vector.dtype == torch.float32


def test_torch_derivatives():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    import kith.torch as kt
    x = torch.tensor(positions(5), requires_grad=True)
    cell = torch.tensor(CELL, requires_grad=True)

    def energy(y, lattice):
        graph = kt.radius_graph(y, 1.7, cell=lattice, loop=True)
        return torch.exp(-graph.distance).sum() + (graph.vector[:, 0] * graph.vector[:, 1]**2).sum()

    assert torch.autograd.gradcheck(energy, (x, cell))
    assert torch.autograd.gradgradcheck(energy, (x, cell))
    cells = torch.tensor(np.stack([CELL, CELL * 1.1]), requires_grad=True)
    batch = torch.tensor([0, 0, 0, 1, 1])
    assert torch.autograd.gradcheck(lambda y, c: kt.knn_graph(y, 4, cell=c, batch=batch).distance, (x, cells))


def jax_in_double():
    jax = pytest.importorskip("jax")
    pytest.importorskip("kith.jax")
    return jax, jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def test_jax_edges():
    jax, in_double = jax_in_double()
    import kith.jax as kj
    x = positions()
    with in_double:
        graph = kj.radius_graph(x, 1.5, cell=CELL)
        found = kith.neighbor_list("ijSd", x, 1.5, CELL)
        expect_edges(graph, found[:3])
        assert np.allclose(graph.distance, found[3])
        expect_edges(kj.knn_graph(x, 5, cell=CELL), nearest(x, 5, CELL))
        count = len(found[0])
        padded = jax.jit(lambda y, c: kj.radius_graph(y, 1.5, cell=c, max_edges=count + 7))(x, CELL)
        assert np.array_equal(padded.edge_index[:, :count], graph.edge_index)
        assert (np.asarray(padded.edge_index)[:, count:] == len(x)).all() and not np.asarray(padded.vector)[count:].any()
        with pytest.raises(kith.Error, match="max_edges is missing"):
            jax.jit(lambda y: kj.radius_graph(y, 1.5).distance)(x)
        with pytest.raises(Exception, match="give at least as many"):
            kj.radius_graph(x, 1.5, cell=CELL, max_edges=3).edge_index.block_until_ready()


def test_jax_derivatives():
    jax, in_double = jax_in_double()
    import kith.jax as kj
    x = positions(5)

    def energy(y, cell):
        graph = kj.radius_graph(y, 1.7, cell=cell, max_edges=400, loop=True)
        return jax.numpy.exp(-graph.distance).sum() + (graph.vector[:, 0] * graph.vector[:, 1]**2).sum()

    rng = np.random.default_rng(2)
    with in_double:
        value = jax.jit(energy)
        gradients = jax.jit(jax.grad(energy, (0, 1)))(x, CELL)
        for _ in range(3):
            steps = [1e-6 * rng.normal(size=each.shape) for each in (x, CELL)]
            change = value(x + steps[0], CELL + steps[1]) - value(x - steps[0], CELL - steps[1])
            assert float(change) / 2 == pytest.approx(sum(float((g * s).sum()) for g, s in zip(gradients, steps)), rel=1e-5)
