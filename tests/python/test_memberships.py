"""Memberships of HDBSCAN* by their definition, and beside hdbscan."""
import numpy as np
import pytest

import kith

LARGEST = np.finfo(float).max


def clumps(rng, n, dimension=2):
    center = rng.uniform(-10, 10, (6, dimension))
    x = center[rng.integers(6, size=n)] + rng.normal(0, rng.choice([0.2, 0.6], n)[:, None], (n, dimension))
    x[:n // 10] = rng.uniform(-12, 12, (n // 10, dimension))
    return x


class Definition:
    """hdbscan's formulas, written down point by point."""

    def __init__(self, clusters, x):
        tree = clusters.condensed_tree
        self.x, self.n, self.selected = x, len(x), clusters.selected.tolist()
        self.up = {c: p for p, c in zip(tree.parent.tolist(), tree.child.tolist()) if c >= self.n}
        self.birth = {c: b for c, b in zip(tree.child.tolist(), tree.lambda_.tolist()) if c >= self.n}
        self.leaves = {c: (p, b) for p, c, b in zip(tree.parent.tolist(), tree.child.tolist(), tree.lambda_.tolist())
                       if c < self.n}
        self.death = {c: tree.lambda_[tree.parent == c].max() for c in set(tree.parent.tolist())}
        self.exemplars = [[p for p, (leaf, b) in self.leaves.items()
                           if self.is_below(leaf, c) and leaf not in self.up.values() and b == self.death[leaf]]
                          for c in self.selected]

    def path(self, c):
        return [c] + (self.path(self.up[c]) if c in self.up else [])

    def is_below(self, c, of):
        return of in self.path(c)

    def height(self, cluster, b, other):
        if self.is_below(cluster, other) or self.is_below(other, cluster):
            return b
        up = self.path(cluster)
        return self.birth[next(c for c in self.path(other) if self.up[c] in up)]

    def row(self, place, cluster, b, is_new):
        heights = np.array([self.height(cluster, b, c) for c in self.selected])
        death = self.death[cluster]
        distance = np.array([np.sqrt(((self.x[e] - place) ** 2).sum(1)).min() for e in self.exemplars])
        with np.errstate(divide="ignore"):
            near = np.where(distance > 0, 1 / distance, LARGEST / len(heights))
        near = near / near.sum()
        if is_new:
            gap = death - heights
            score = death / np.where(gap > 0, gap, 1e-8)
        else:
            score = np.exp(-(death + 1e-8) / heights)
        score = np.exp(score - score.max())
        score /= score.sum()
        row = np.sqrt(near) * score**2 if is_new else near * score
        most = max(b, self.death[self.selected[int(heights.argmax())]])
        return row / row.sum() * heights.max() / (most + 1e-8 if is_new else most)

    def points(self):
        return np.array([self.row(self.x[i], *self.leaves[i], False) for i in range(self.n)])

    def new(self, places, core_k):
        distances = np.sqrt(((self.x[:, None] - self.x) ** 2).sum(2))
        core = np.sort(distances, 1)[:, core_k - 1]
        rows = []
        for place in places:
            distance = np.sqrt(((self.x - place) ** 2).sum(1))
            reach = np.maximum(np.maximum(core, distance), np.sort(distance)[core_k - 1])
            nearest = np.lexsort((np.arange(self.n), distance, reach))[0]
            cluster, b = self.leaves[int(nearest)]
            rows.append(self.row(place, cluster, min(b, 1 / reach[nearest]), True))
        return np.array(rows)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("selection", ["eom", "leaf"])
def test_equals_the_definition(seed, selection):
    rng = np.random.default_rng(seed)
    x = clumps(rng, 250, dimension=1 + seed % 3)
    clusters = kith.hdbscan(x, min_cluster_size=8, selection=selection)
    assert clusters.count > 1
    definition = Definition(clusters, x)
    found = clusters.memberships()
    np.testing.assert_allclose(found, definition.points(), rtol=1e-9, atol=1e-15)
    assert np.array_equal(found, clusters.memberships(threads=1))
    places = rng.uniform(-12, 12, (40, x.shape[1]))
    np.testing.assert_allclose(clusters.memberships(places), definition.new(places, 8), rtol=1e-7, atol=1e-15)
    assert (found.sum(1) <= 1 + 1e-12).all() and (found >= 0).all()


def test_members_belong_to_their_clusters():
    x = clumps(np.random.default_rng(3), 2000)
    clusters = kith.hdbscan(x, min_cluster_size=20)
    rows = clusters.memberships()
    inside = clusters.label >= 0
    assert np.mean(rows[inside].argmax(1) == clusters.label[inside]) > 0.99
    assert rows[inside].sum(1).mean() > rows[~inside].sum(1).mean()


def test_odd_points():
    x = np.repeat([[0.0, 0], [5, 5], [0, 1e-3]], 20, axis=0)  # infinite densities
    clusters = kith.hdbscan(x, min_cluster_size=5)
    rows = clusters.memberships()
    assert np.isfinite(rows).all() and (rows.argmax(1) == clusters.label).all() and rows.sum() > 0
    assert np.isfinite(clusters.memberships(x + 1e-9)).all() and np.isfinite(clusters.memberships(x)).all()
    x = clumps(np.random.default_rng(5), 300)
    x[7] = np.nan
    clusters = kith.hdbscan(x, min_cluster_size=8, non_finite="drop")
    rows = clusters.memberships()
    assert not rows[7].any() and rows[8].any()
    assert kith.hdbscan(np.random.default_rng(1).random((30, 2)), min_cluster_size=20).memberships().shape == (30, 0)
    with pytest.raises(kith.Error, match="memberships: clusters of a hierarchy have no points"):
        kith.hierarchy(x[8:], 5).condense(8).memberships()
    with pytest.raises(kith.Error, match="memberships: a tree of 100 points"):
        clusters.memberships(tree=kith.Tree(x[8:108]))


def test_the_sky_measures_angles():
    rng = np.random.default_rng(6)
    ra, dec = rng.choice([10, 40, 80], 600) + rng.normal(0, 0.5, 600), rng.normal(0, 0.5, 600)
    clusters = kith.sky.hdbscan(ra, dec, min_cluster_size=20)
    flat = kith.hdbscan(np.column_stack([ra, dec]), min_cluster_size=20)
    assert clusters.count == flat.count == 3
    np.testing.assert_allclose(clusters.memberships(), flat.memberships(), atol=0.02)


class AsTheirs:
    """A condensed tree of kith in the place of one of hdbscan: both break ties in their own way."""

    def __init__(self, clusters):
        self._raw_tree = np.asarray(clusters.condensed_tree.to_numpy())
        self._select_clusters = clusters.selected.tolist


def test_hdbscan():
    prediction = pytest.importorskip("hdbscan.prediction")
    for seed in range(3):
        x = clumps(np.random.default_rng(seed), 400)
        ours = kith.hdbscan(x, min_cluster_size=12, min_samples=5)
        tree = AsTheirs(ours)
        theirs = type("Clusterer", (), {"condensed_tree_": tree, "prediction_data_": prediction.PredictionData(x, tree, 5)})
        np.testing.assert_allclose(ours.memberships(), prediction.all_points_membership_vectors(theirs), rtol=1e-9, atol=1e-15)
