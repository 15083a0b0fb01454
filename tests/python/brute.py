"""The answers by comparing every pair: the definition that all results are compared with, bit by bit."""
import numpy as np


def distances2(x, queries, side=None):
    """Squared distances, (queries, points), in the type of the points, axis by axis as the library has it."""
    queries = queries.astype(x.dtype)
    total = np.zeros((len(queries), len(x)), x.dtype)
    for axis in range(x.shape[1]):
        gap = np.abs(queries[:, None, axis] - x[None, :, axis])
        if side is not None:
            gap = np.minimum(gap, x.dtype.type(side) - gap)
        total += gap * gap
    return total


def knn(x, queries, k, side=None, max_radius=np.inf, exclude_self=False):
    """Index and distance of the k nearest, by (squared distance, index); -1 and infinity where there are fewer."""
    d2 = distances2(x, queries, side)
    with np.errstate(over="ignore"):
        bound2 = x.dtype.type(max_radius) ** 2
    d2 = np.where(d2 <= bound2, d2, np.inf).astype(x.dtype)
    if exclude_self:
        np.fill_diagonal(d2, np.inf)
    order = np.argsort(d2, axis=1, kind="stable")[:, :k]
    distance = np.sqrt(np.take_along_axis(d2, order, axis=1))
    index = np.where(np.isinf(distance), -1, order)
    missing = k - order.shape[1]
    if missing > 0:
        index = np.pad(index, ((0, 0), (0, missing)), constant_values=-1)
        distance = np.pad(distance, ((0, 0), (0, missing)), constant_values=np.inf)
    return index, distance


def within(x, queries, radius, side=None):
    """For each query the indices of the points within the radius, by (squared distance, index)."""
    d2 = distances2(x, queries, side)
    bound2 = x.dtype.type(radius) ** 2
    return [[int(i) for i in np.argsort(row, kind="stable") if row[i] <= bound2] for row in d2]


def labels(x, linking_length, side=None, min_size=1):
    """Groups by falling size, then by lowest member."""
    is_friend = distances2(x, x, side) <= x.dtype.type(linking_length) ** 2
    root = np.arange(len(x))
    while True:  # every point takes the lowest root among its friends, until nothing changes
        lower = np.where(is_friend, root[None, :], len(x)).min(axis=1, initial=len(x))
        lower = np.minimum(lower, root)
        if np.array_equal(lower, root):
            break
        root = lower
    roots, counts = np.unique(root, return_counts=True)
    label = np.full(len(x), -1)
    kept = [(-c, r) for r, c in zip(roots, counts) if c >= min_size]
    for number, (_, lowest) in enumerate(sorted(kept)):
        label[root == lowest] = number
    return label
