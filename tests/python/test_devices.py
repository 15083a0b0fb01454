"""device=: the arrays of the CPU, bit by bit, and errors that say what is missing."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kith
from conftest import has_device


needs_device = pytest.mark.skipif(not has_device(), reason="no OpenCL device")
BOX = 1.0


@pytest.fixture(params=[np.float32, np.float64])
def points(request):
    random = np.random.default_rng(4)
    clumps = random.random((9, 3))[random.integers(0, 9, 400)] + random.normal(0, 0.01, (400, 3))
    return (np.concatenate([clumps, random.random((500, 3))]) % BOX).astype(request.param)


def same(a, b):
    for one, other in zip(a, b):
        np.testing.assert_array_equal(one, other)


@needs_device
def test_searches(points):
    same(kith.knn(points, k=8, box=BOX, device="gpu"), kith.knn(points, k=8, box=BOX))
    same(kith.knn(points, points[:50] + 0.01, k=40, device="gpu"), kith.knn(points, points[:50] + 0.01, k=40))
    lists, expected = (kith.radius(points, radius=0.04, box=BOX, device=name) for name in ("gpu", "cpu"))
    same((lists.offset, lists.index, lists.distance), (expected.offset, expected.index, expected.distance))
    for call in (lambda **how: kith.radius_count(points, radius=0.1, **how),
                 lambda **how: kith.density(points, k=20, box=BOX, **how),
                 lambda **how: kith.kth_distance(points, k=5, **how),
                 lambda **how: kith.mean_distance(points, k=5, **how)):
        np.testing.assert_array_equal(call(device="gpu"), call())


@needs_device
def test_groups(points):
    for options in ({"min_size": 3, "box": BOX}, {"keep_roots": True}, {"attached": points[:100] + 0.001}):
        groups, expected = (kith.fof(points, linking_length=0.02, device=name, **options) for name in ("gpu", "cpu"))
        same((groups.label, groups.size, groups.lowest), (expected.label, expected.size, expected.lowest))


@needs_device
def test_catalogues(points):
    velocity = np.sin(97 * points)
    for call in (lambda device: kith.halos(points, velocity=velocity, mass=1 + points[:, 0], linking_length=0.03,
                                           box=BOX, min_size=2, device=device),
                 lambda device: kith.catalogue(points, np.arange(len(points)) // 300, gravity=1, device=device)):
        found, expected = call("gpu"), call("cpu")
        assert len(expected) > 1
        for name in expected.keys():
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


@needs_device
def test_trees(points):
    tree, expected = kith.Tree(points, device="gpu"), kith.Tree(points)
    np.testing.assert_array_equal(tree.order(), expected.order())
    tree.check()
    same(kith.knn(tree, k=4), kith.knn(expected, k=4, device="gpu"))
    same(kith.knn(pickle.loads(pickle.dumps(kith.Tree(points, device="gpu"))), k=4), kith.knn(points, k=4))


@needs_device
def test_what_is_not_there(points):
    for call, words in ((lambda: kith.knn(points, k=4, device="gpu:99"), "the devices here are gpu:0"),
                        (lambda: kith.knn(points, k=4, p=1, device="gpu"), "no code for p = 1 on a device")):
        with pytest.raises(RuntimeError, match=words) as error:
            call()
        assert error.value.code == "unavailable"


def test_names(points):
    with pytest.raises(ValueError, match="device = tpu; give cpu, gpu, or gpu:N"):
        kith.knn(points, k=4, device="tpu")
    with pytest.raises(TypeError, match="device = 0; give"):
        kith.knn(points, k=4, device=0)


def test_without_a_loader():
    code = ("import kith, numpy\nfor call in (kith.devices, lambda: kith.fof(numpy.zeros((4, 3)), linking_length=1, "
            "device='gpu')):\n    try:\n        call()\n    except RuntimeError as error:\n        print(error.code, error)")
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "KITH_OPENCL": "/nowhere.so"},
                          capture_output=True, text=True, check=True)
    assert done.stdout.count("unavailable gpu: the OpenCL loader cannot be opened") == 2, done.stdout
