"""Arrays in the memory of devices, for test_device_arrays.py: runs in a process with faked drivers of CUDA and HIP."""
import sys
import types

import numpy as np

import kith

random = np.random.default_rng(3)


def same(there, here):
    for one, other in zip(there, here):
        assert isinstance(one, kith.DeviceArray), one
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one.numpy(), other)


def fails(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__} with {words!r}")


def check_searches(device):
    for dtype in (np.float32, np.float64):
        x = random.random((200, 3)).astype(dtype)
        there = kith.to_device(x, device)
        assert there.device == device and there.shape == (200, 3) and len(there) == 200
        np.testing.assert_array_equal(there.numpy(), x)
        same(kith.knn(there, k=5, device=device), kith.knn(x, k=5))
        same(kith.knn(there, k=5, box=1.0, order="tree", index_dtype=np.int64, device=device),
             kith.knn(x, k=5, box=1.0, order="tree", index_dtype=np.int64))
        tree = kith.Tree(there, device=device)
        np.testing.assert_array_equal(tree.order(), kith.Tree(x).order())
        same(kith.knn(tree, k=3, exclude_self=True, device=device), kith.knn(x, k=3, exclude_self=True))
        same(kith.knn(tree, x[:7], k=3, device=device), kith.knn(x, x[:7], k=3))
        same(kith.knn(x, kith.to_device(x[:7], device), k=300, device=device), kith.knn(x, x[:7], k=300))
        # On the host: a tree of the device serves it as well.
        np.testing.assert_array_equal(kith.knn(tree, k=3).index, kith.knn(x, k=3).index)
        # Results that are always on the host.
        for call in (lambda p, **how: kith.fof(p, linking_length=0.1, **how).label,
                     lambda p, **how: kith.density(p, k=8, **how), lambda p, **how: kith.radius(p, radius=0.2, **how).index):
            np.testing.assert_array_equal(call(there, device=device), call(x))


class Foreign:
    """An array of another library, with the least of the interface."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def check_wrong_arrays():
    there = kith.to_device(random.random((40, 3)), "cuda:0")
    kith.knn(Foreign(there), k=2, device="cuda:0")
    kith.knn(Foreign(there, strides=(24, 8)), k=2, device="cuda:0")
    fails(ValueError, "device = cpu; pass device='cuda'", lambda: kith.knn(there, k=2))
    fails(ValueError, "give one row per point", lambda: kith.knn(Foreign(there, shape=(120,)), k=2, device="cuda"))
    fails(TypeError, "values of type int64", lambda: kith.knn(Foreign(there, typestr="<i8"), k=2, device="cuda"))
    fails(TypeError, "convert them to float64 there",
          lambda: kith.knn(there, kith.to_device(np.ones((2, 3), np.float32), "cuda:0"), k=2, device="cuda"))
    fails(ValueError, "rows with gaps", lambda: kith.knn(Foreign(there, strides=(8, 24)), k=2, device="cuda"))
    fails(RuntimeError, "in the memory of cuda:0", lambda: kith.knn(there, k=2, device="cuda:1"))
    fails(ValueError, "not in the memory of hip:0", lambda: kith.knn(there, k=2, device="hip:0"))
    fails(ValueError, "not in the memory of opencl:0", lambda: kith.knn(there, k=2, device="opencl:0"))
    fails(ValueError, "coordinate 0 of point 0 is nan", lambda: kith.knn(kith.to_device(np.full((3, 3), np.nan), "cuda:0"), k=2, device="cuda"))
    fails(RuntimeError, "no address in OpenCL", lambda: kith.to_device(np.ones(3), "opencl:0"))


def check_other_libraries():
    """Results are those of the caller's library, by the function of it that takes foreign arrays."""
    taken = []
    for name, function in (("cupy", "asarray"), ("torch", "from_dlpack"), ("jax", "dlpack.from_dlpack")):
        library, first = types.ModuleType(name), function.split(".")[0]
        take = lambda array, name=name: taken.append(name) or array
        setattr(library, first, types.SimpleNamespace(from_dlpack=take) if "." in function else take)
        sys.modules[name] = library
        kind = type("Array", (Foreign,), {"__module__": name + ".core"})
        kith.knn(kind(kith.to_device(random.random((20, 2)), "cuda:0")), k=2, device="cuda:0")
    assert taken == ["cupy"] * 2 + ["torch"] * 2 + ["jax"] * 2, taken


def check_dlpack():
    there = kith.to_device(np.arange(6, dtype=np.int32).reshape(2, 3), "hip:1")
    assert there.__dlpack_device__() == (10, 1)
    assert "dltensor" in repr(there.__dlpack__(stream=None))
    assert kith.to_device(np.ones(2), "cuda:0").__dlpack_device__() == (2, 0)
    assert repr(there) == "<kith.DeviceArray: int32 (2, 3) on hip:1>"
    assert kith.to_device(np.empty((0, 3))).numpy().shape == (0, 3)


check_searches("cuda:0")
check_searches("hip:1")
check_wrong_arrays()
check_other_libraries()
check_dlpack()
print("passed")
