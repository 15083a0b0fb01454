"""Arrays in the memory of devices, for test_device_arrays.py: runs in a process with faked drivers of CUDA and HIP."""
import functools
import sys
import types

import numpy as np

import kith
import xla_call

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


def same_handlers(platform, device, name, inputs, outputs, **attributes):
    """The bytes of a handler for buffers of a device are those of the CPU's."""
    outs = [np.zeros(shape, dtype) for shape, dtype in outputs]
    xla_call.call("cpu", name, inputs, outs, **attributes)
    there = [kith.to_device(np.full_like(out, 7), device) for out in outs]
    xla_call.call(platform, name, [kith.to_device(each, device) for each in inputs], there, **attributes)
    for one, other in zip(there, outs):
        np.testing.assert_array_equal(one.numpy(), other)
    return outs


def check_xla(platform, device):
    """The calls of kith.jax in programs for GPUs."""
    options = {"side": np.ones(3), "origin": np.zeros(3), "threads": np.int64(1)}
    for dtype in (np.float32, np.float64):
        x, mass = random.random((150, 3)).astype(dtype), random.random(150).astype(dtype)
        check = functools.partial(same_handlers, platform, device)
        search = {"k": np.int64(4), "exclude_self": np.int64(0), **options}
        index, _ = check("knn", [x], [((150, 4), np.int32), ((150, 4), dtype)], **search)
        check("knn", [x, x[:9].copy()], [((9, 4), np.int32), ((9, 4), dtype)], **search)
        check("fof", [x], [((150,), np.int32), ((), np.int32)], linking_length=np.float64(0.1), min_size=np.int64(2),
              **options)
        check("distances_vjp", [x, index, np.ones((150, 4), dtype)], [(x.shape, dtype)], **options)
        sums = {"k": np.int64(8), "kernel": np.int64(0), **options}
        check("density", [x, mass], [((150,), dtype), ((150, 8), np.int32)], **sums)
        check("paint", [x, mass], [((4, 4, 4), dtype)], **options)
        check("knn", [x[:0]], [((0, 4), np.int32), ((0, 4), dtype)], **search)
        fails(RuntimeError, "k = 0", lambda: check("knn", [x], [((150, 0), np.int32), ((150, 0), dtype)],
                                                    **{**search, "k": np.int64(0)}))
        fails(RuntimeError, "has no attribute threads",
              lambda: xla_call.call(platform, "paint", [kith.to_device(x, device), kith.to_device(mass, device)],
                                    [kith.to_device(np.zeros((4, 4, 4), dtype), device)]))


check_searches("cuda:0")
check_searches("hip:1")
check_wrong_arrays()
check_other_libraries()
check_dlpack()
check_xla("CUDA", "cuda:0")
check_xla("CUDA", "cuda:2")
check_xla("ROCM", "hip:1")
print("passed")
