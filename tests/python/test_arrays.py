"""Which arrays are accepted, what they become, and when nothing is copied."""
import tracemalloc

import numpy as np
import pytest

import kith
from kith import _arrays


@pytest.fixture
def x(rng):
    return rng.integers(0, 1000, (200, 3)).astype(np.float64)  # exact in every type below


def same_neighbors(one, other):
    a, b = kith.knn(one, k=5), kith.knn(other, k=5)
    np.testing.assert_array_equal(a.index, b.index)
    np.testing.assert_array_equal(a.distance.astype(float), b.distance.astype(float))
    return b


@pytest.mark.parametrize("given, computed", [
    (np.float32, np.float32), (np.float64, np.float64), (np.float16, np.float32), (np.longdouble, np.float64),
    (np.int16, np.float64), (np.int64, np.float64), (np.uint32, np.float64), (">f4", np.float32), (">f8", np.float64),
    (">i4", np.float64),
])
def test_types(x, given, computed):
    found = same_neighbors(x.astype(computed), x.astype(given))
    assert found.distance.dtype == computed
    assert _arrays.points(x.astype(given)).dtype == np.dtype(computed)


def test_bool_and_lists_and_tables(x):
    assert kith.knn(np.eye(3, dtype=bool), k=1).distance.dtype == np.float64
    same_neighbors(x, x.tolist())
    same_neighbors(x, np.asmatrix(x))
    pandas = pytest.importorskip("pandas")
    same_neighbors(x, pandas.DataFrame(x))


@pytest.mark.parametrize("layout", [
    np.asfortranarray, lambda a: a[::-1], lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    lambda a: np.hstack([a, a])[:, :3], lambda a: a.T.copy().T, lambda a: np.broadcast_to(a[:1], (50, 3)),
])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts(x, layout, dtype):
    strided = layout(x.astype(dtype))
    same_neighbors(np.ascontiguousarray(strided), strided)


def test_misaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    shifted = raw[1:].view()
    shifted = np.frombuffer(raw.data, np.float64, x.size, offset=1).reshape(x.shape)
    shifted[:] = x
    same_neighbors(x, shifted)


@pytest.mark.parametrize("layout", [
    lambda a: a, lambda a: a[::2], lambda a: a[5:100], lambda a: np.hstack([a, a])[:, 1:4], lambda a: a[:1],
])
def test_usable_layouts_are_not_copied(x, layout):
    for dtype in (np.float32, np.float64):
        given = layout(x.astype(dtype))
        assert np.shares_memory(_arrays.points(given), given)


def test_read_only_arrays(x):
    x.flags.writeable = False
    assert _arrays.points(x) is not None
    same_neighbors(x.copy(), x)


def test_results_are_handed_over_without_a_copy(rng):
    x = rng.random((20000, 3), dtype=np.float32)
    tree = kith.Tree(x)
    kith.knn(tree, k=16)
    tracemalloc.start()
    found = kith.knn(tree, k=16)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # NumPy reports its arrays to tracemalloc: a copy of either half would show.
    assert peak < found.index.nbytes / 10
    assert found.index.base is not None and found.index.flags.writeable


def test_results_outlive_everything_else(rng):
    x = rng.random((1000, 3))
    index = kith.knn(x, k=4).index
    label = kith.fof(x, linking_length=0.1).label
    column = kith.catalogue(x, kith.fof(x, linking_length=0.1)).center
    copies = index.copy(), label.copy(), column.copy()
    del x
    junk = [np.ones(100000) for _ in range(20)]
    for kept, copy in zip((index, label, column), copies):
        np.testing.assert_array_equal(kept, copy)
    assert len(junk) == 20


def test_queries_are_rounded_to_the_tree(rng):
    tree = kith.Tree(rng.random((500, 3), dtype=np.float32))
    queries = rng.random((40, 3))
    exact = kith.knn(tree, queries.astype(np.float32), k=3)
    rounded = kith.knn(tree, queries, k=3)
    np.testing.assert_array_equal(exact.distance, rounded.distance)
    assert rounded.distance.dtype == np.float32


def test_torch(x):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(x)
    same_neighbors(x, tensor)
    assert np.shares_memory(_arrays.points(tensor), x)
    same_neighbors(x, tensor.T.contiguous().T)
    same_neighbors(x.astype(np.float32), tensor.half().float())
    with pytest.raises(TypeError, match="points.*grad"):
        kith.knn(tensor.clone().requires_grad_(), k=1)


def test_jax(x):
    jax = pytest.importorskip("jax")
    array = jax.numpy.asarray(x.astype(np.float32))
    same_neighbors(x.astype(np.float32), array)
    assert np.shares_memory(_arrays.points(array), np.from_dlpack(array))
    small = jax.numpy.asarray(x % 128, dtype=jax.numpy.bfloat16)
    assert kith.knn(small, k=2).distance.dtype == np.float32


class OnlyDlpack:
    """An array that knows DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_alone(x):
    same_neighbors(x, OnlyDlpack(x))
    assert np.shares_memory(_arrays.points(OnlyDlpack(x)), x)


@pytest.mark.parametrize("bad, error, words", [
    (np.zeros((3, 3), complex), TypeError, "complex"),
    (np.zeros((3, 3), "M8[s]"), TypeError, "times"),
    (np.array([["a", "b"]]), TypeError, "not numbers"),
    (np.array([[object(), 1]]), TypeError, "not numbers"),
    (np.zeros((2, 3, 4)), ValueError, "one row per point"),
    (7.0, ValueError, "one row per point"),
    (np.zeros((5, 0)), ValueError, "dimension"),
])
def test_what_is_not_accepted(bad, error, words):
    with pytest.raises(error, match=words):
        kith.knn(bad, k=1)
