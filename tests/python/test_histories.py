"""Objects through time: matching by the IDs of their members."""
import numpy as np
import pytest

import kith

WEIGHTS = {"equal": lambda r: 1.0, "inverse_rank": lambda r: 1 / (1 + r), "sqrt_rank": lambda r: 1 / (1 + np.sqrt(r))}


def brute(ids_a, labels_a, ids_b, labels_b, weight, most_bound):
    """Best, second, their scores, and shared members of the best, from the definition."""
    where = {}
    for i, label in zip(ids_b.tolist(), labels_b.tolist()):
        if label >= 0:
            where.setdefault(i, []).append(label)
    rows = []
    for halo in range(labels_a.max() + 1):
        score, shared = {}, {}
        for rank, i in enumerate(ids_a[labels_a == halo].tolist()):
            for other in where.get(i, []):
                counts = most_bound is None or rank < most_bound
                score[other] = score.get(other, 0.0) + (WEIGHTS[weight](rank) if counts else 0.0)
                shared[other] = shared.get(other, 0) + 1
        order = sorted((-s, other) for other, s in score.items() if s > 0)
        order += [(0.0, -1)] * 2
        rows.append((order[0][1], order[1][1], -order[0][0], -order[1][0], shared.get(order[0][1], 0)))
    return [np.array(column) for column in zip(*rows)]


@pytest.mark.parametrize("weight", sorted(WEIGHTS))
@pytest.mark.parametrize("most_bound", [None, 3])
def test_match_equals_the_definition(weight, most_bound, rng):
    for _ in range(10):
        ids_a, ids_b = rng.permutation(300)[:200], rng.permutation(300)[:250]
        a = np.append(rng.integers(-1, 12, 199), 11)
        b = np.append(rng.integers(-2, 7, 249), 6)
        found = kith.match(ids_a, a, ids_b, b, weight=weight, most_bound=most_bound)
        for one, args in ((found, (ids_a, a, ids_b, b)), (found.reverse, (ids_b, b, ids_a, a))):
            best, second, score, second_score, shared = brute(*args, weight, most_bound)
            np.testing.assert_array_equal(one.best, best)
            np.testing.assert_array_equal(one.second, second)
            np.testing.assert_array_equal(one.score, score)
            np.testing.assert_array_equal(one.second_score, second_score)
            np.testing.assert_array_equal(one.shared, shared)
            has = best >= 0
            np.testing.assert_array_equal(one.margin[has], 1 - second_score[has] / score[has])
            assert (one.margin[~has] == 0).all()
        mutual = [found.best[i] >= 0 and found.reverse.best[found.best[i]] == i for i in range(len(found))]
        np.testing.assert_array_equal(found.is_mutual, mutual)
        assert found.reverse.reverse is found


def test_ids_are_64_bit_numbers():
    large = np.array([2**64 - 1, 2**63, 5], np.uint64)
    found = kith.match(large, [0, 0, 1], large.view(np.int64)[::-1], [1, 0, 0])
    np.testing.assert_array_equal(found.best, [0, 1])
    assert "2 of 2 objects have a partner" in repr(found)


def test_empty_sets_have_no_matches():
    found = kith.match([], [], [1], [0])
    assert len(found) == 0 and found.reverse.best.tolist() == [-1] and found.reverse.margin.tolist() == [0]
    assert not found.reverse.is_mutual.any()


@pytest.mark.parametrize("call, words", [
    (lambda: kith.match([1, 2], [0], [1], [0]), "2 IDs and 1 labels for a"),
    (lambda: kith.match([1], [0], [[1]], [0]), "ids_b of shape"),
    (lambda: kith.match([1], [0.5], [1], [0]), "labels_a"),
    (lambda: kith.match([1, 1], [0, 0], [1], [0]), "ID 1 is twice a member of object 0 of a"),
    (lambda: kith.match([1], [7], [1], [0]), "7 is the largest of 1 labels of a"),
    (lambda: kith.match([1], [0], [1], [0], weight="mass"), "mass"),
    (lambda: kith.match([1], [0], [1], [0], most_bound=0), "most_bound = 0"),
])
def test_wrong_arguments_are_named(call, words):
    with pytest.raises((kith.ArgumentError, kith.ArgumentTypeError), match=words):
        call()
