"""kith.dbcv by its definition, and beside hdbscan's validity_index."""
import numpy as np
import pytest

import kith


def distances(x, y):
    return np.sqrt(sum((x[:, None, axis] - y[None, :, axis]) ** 2 for axis in range(x.shape[1])))


def brute(x, labels):
    """The scores of the clusters, in the plainest code."""
    inner, core, sparseness = {}, {}, {}
    count = labels.max() + 1
    for c in range(count):
        own = x[labels == c]
        d = distances(own, own)
        if len(own) == 0:
            continue
        with np.errstate(divide="ignore"):
            near = np.where(d > 0, (1 / d) ** x.shape[1], 0).sum(1) / max(len(own) - 1, 1)
            core[c] = np.where(near > 0, near ** (-1 / x.shape[1]), 0)
        reach = np.maximum(np.maximum(d, core[c]), core[c][:, None])
        inside, edges = [0], []
        while len(inside) < len(own):
            outside = [j for j in range(len(own)) if j not in inside]
            to = outside[int(np.argmin([reach[j, inside].min() for j in outside]))]
            start = min(i for i in inside if reach[to, i] == reach[to, inside].min())
            edges.append((start, to))
            inside.append(to)
        degree = np.bincount(np.ravel(edges).astype(int), minlength=len(own))
        lengths = [reach[e] for e in edges if degree[e[0]] > 1 and degree[e[1]] > 1] or [reach[e] for e in edges] or [0]
        sparseness[c] = max(lengths)
        chosen = np.flatnonzero(degree > 1) if (degree > 1).any() else np.array([0])
        inner[c], core[c] = own[chosen], core[c][chosen]
    scores = np.full(count, np.nan)
    for c in inner:
        gap = min(np.maximum(np.maximum(distances(inner[c], inner[o]), core[c][:, None]), core[o]).min()
                  for o in inner if o != c)
        most = max(gap, sparseness[c])
        scores[c] = 0 if most == 0 or np.sum(labels == c) == 1 else (gap - sparseness[c]) / most
    return scores


def clumps(rng, n, dimension):
    labels = rng.integers(-1, 4, n).astype(np.int32)
    return rng.uniform(-4, 4, (5, dimension))[labels] + rng.normal(0, 0.7, (n, dimension)), labels


@pytest.mark.parametrize("seed", range(12))
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    x, labels = clumps(rng, 150, 1 + seed % 4)
    if seed % 3 == 0:
        x = np.round(x, 0)  # many ties and copies
    if seed % 3 == 1:
        labels[labels == 2] = 5  # labels without points
        labels[3] = 4  # one point
    index, scores = kith.dbcv(x, labels, per_cluster_scores=True)
    expected = brute(x, labels)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-13)
    sizes = np.bincount(labels[labels >= 0], minlength=len(scores))
    assert index == pytest.approx(np.nansum(sizes / len(x) * expected), abs=1e-13)
    assert kith.dbcv(x, labels, threads=1) == index == kith.dbcv(x, labels, threads=3)


def test_good_clusters_score_higher():
    rng = np.random.default_rng(1)
    center = np.array([[0, 0], [8, 0], [0, 8]])
    labels = np.repeat(np.arange(3), 100)
    x = center[labels] + rng.normal(0, 0.3, (300, 2))
    assert kith.dbcv(x, labels) > 0.8 > 0 > kith.dbcv(x, rng.integers(0, 3, 300))
    assert kith.dbcv(x, kith.hdbscan(x, min_cluster_size=20).label) > 0.8
    assert np.isnan(kith.dbcv(x, np.zeros(300, int)))
    x[0] = np.nan
    labels[0] = -1
    assert kith.dbcv(x, labels) > 0.7


@pytest.mark.parametrize("labels, words", [
    ([0], "1 labels for 3 points"),
    ([-1, -1, -1], "no cluster among 3 points"),
    ([0, 3, 1], "label 3 of point 1"),
    ([0.5, 1, 2], "^dbcv: labels: values of type float64; give integers"),
    ([[0, 1, 2]], "one label per point"),
])
def test_wrong_arguments(labels, words):
    with pytest.raises(kith.Error, match=words):
        kith.dbcv(np.zeros((3, 2)), labels)


def test_points_that_are_not_numbers():
    with pytest.raises(kith.Error, match="coordinate 1 of point 2 is nan; give it the label -1"):
        kith.dbcv([[0, 0], [1, 1], [2, np.nan]], [0, 0, 1])


def test_hdbscan():
    validity = pytest.importorskip("hdbscan.validity")
    for seed in range(4):
        x, labels = clumps(np.random.default_rng(seed), 400, 2 + seed % 2)
        index, scores = kith.dbcv(x, labels, per_cluster_scores=True)
        theirs = validity.validity_index(x, labels, per_cluster_scores=True)
        np.testing.assert_allclose(index, theirs[0], rtol=1e-6)
        np.testing.assert_allclose(scores, theirs[1], rtol=1e-6)
