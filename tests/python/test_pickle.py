"""Every public result through pickle and copy."""
import copy
import pickle

import numpy as np
import pytest

import kith

X = np.random.default_rng(1).random((300, 3))
V = np.random.default_rng(2).normal(size=(300, 3))


def filled_forest():
    forest = kith.Forest(3, box=1.0)
    forest.insert(X)
    forest.remove([3, 4])
    return forest


RESULTS = {
    "Box": lambda: kith.Box((1.0, 2.0, 0.0), origin=0.5),
    "Tree": lambda: kith.Tree(X, box=1.0),
    "KDTree": lambda: kith.KDTree(X),
    "cKDTree": lambda: kith.cKDTree(X, boxsize=1.0),
    "Forest": filled_forest,
    "Plane": lambda: kith.Tree(X).plane(0),
    "Cells": lambda: kith.Tree(X, builder="cells").cells(0),
    "Splits": lambda: kith.Tree(X, curve="kd").splits(0),
    "LeftBalanced": lambda: kith.left_balanced(X),
    "Neighbors": lambda: kith.knn(X, k=3),
    "NeighborLists": lambda: kith.radius(X, radius=0.1),
    "Pairs": lambda: kith.radius_pairs(X, radius=0.1),
    "Groups": lambda: kith.fof(X, linking_length=0.1),
    "Catalogue": lambda: kith.halos(X, linking_length=0.1, velocity=V, min_size=1),
    "Subhalos": lambda: kith.subhalos(X, kith.fof(X, linking_length=0.2), velocity=V, linking_length=1.0, min_size=2),
    "Overdensities": lambda: kith.overdensities(X, X[:3], density=100.0),
    "MassFunction": lambda: kith.mass_function(kith.halos(X, linking_length=0.1, min_size=1).mass, 1.0),
    "Clusters": lambda: kith.dbscan(X, 0.1),
    "SpanningTree": lambda: kith.spanning_tree(X),
    "Hierarchy": lambda: kith.hierarchy(X),
    "Branches": lambda: kith.hierarchy(X).branches(3),
    "HdbscanClusters": lambda: kith.hdbscan(X),
    "CondensedTree": lambda: kith.hdbscan(X).condensed_tree,
    "Matches": lambda: kith.match([1, 2, 3], [0, 0, 1], [1, 2, 3], [0, 1, 1]),
    "MergerTrees": lambda: kith.trees([([1, 2, 3], [0, 0, 1]), ([1, 2, 3], [1, 0, 0])]),
    "PairHistogram": lambda: kith.correlation.count(X, edges=[0, 0.1, 0.2]),
    "Correlation": lambda: kith.correlation.xi(X, edges=[0, 0.1, 0.2], box=1.0, regions=8),
    "SoftLinks": lambda: kith.gradients.SoftLinks(X, linking_length=0.1),
    "YtParticles": lambda: kith.YtParticles({"position": X, "velocity": V}, kith.Box((1.0, 1.0, 1.0)), 0.5, "Mpc/h,Msun/h,km/s"),
    "LinkSamples": lambda: kith.gradients.SoftLinks(X, linking_length=0.1).sample(5),
}


def content(value):
    """Arrays and numbers of a result, by name."""
    if isinstance(value, (np.ndarray, float, int, str, bool, type(None))):
        return value
    if isinstance(value, dict):
        return {str(key): content(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [content(each) for each in value]
    public = [name for name in dir(value) if not name.startswith("_") and name != "memory"]
    taken = {}
    for name in public:
        each = getattr(value, name, None)
        if isinstance(each, (np.ndarray, float, int, str, dict, tuple)) and not callable(each):
            taken[name] = content(each)
    return taken


@pytest.mark.parametrize("name", RESULTS)
def test_copies_have_the_same_content(name):
    value = RESULTS[name]()
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        assert content(value), "nothing to compare"
        np.testing.assert_equal(content(again), content(value))


def test_the_list_is_complete():
    """Classes of the package that are no results: singletons, classes without content, points and groups on disk
    or on a device."""
    others = {"CancelToken", "Device", "DeviceArray", "Snapshot", "StoredGroups", "StoredPoints", "StoredSubhalos", "TqdmProgress", "Error",
              "ArgumentError", "ArgumentTypeError", "Cancelled", "FileError", "InternalError", "OutOfMemoryError", "ProgramError",
              "UnavailableError"}
    public = {name for name in kith.__all__ if isinstance(getattr(kith, name), type)}
    assert public - others <= set(RESULTS)


def test_samples_go_on_as_before():
    links = kith.gradients.SoftLinks(X, linking_length=0.1)
    samples = links.sample(9, seed=3)
    again_links, again = pickle.loads(pickle.dumps((links, samples)))
    np.testing.assert_array_equal(again.linked(), samples.linked())
    weight = np.arange(9.0)
    np.testing.assert_array_equal(again_links.log_probability_vjp(again, weight),
                                  links.log_probability_vjp(samples, weight))
