"""Estimators that follow the conventions of scikit-learn: NearestNeighbors, FriendsOfFriends, DBSCAN and HDBSCAN.

Results are exact, and the same for any number of threads. Data may have up to 32 features. Distances are Euclidean, or
with metric="haversine" angles in radians between positions (latitude, longitude) in radians, as in scikit-learn;
NearestNeighbors also has the other Minkowski norms.
"""
from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _clusters, _groups, _neighbors, sky
from ._arrays import FLOAT64, is_single, number, values
from ._errors import ArgumentError, ArgumentTypeError
from ._tree import Tree
from .typing import Border, BoxLike, Floats, Indices, Selection

__all__ = ["DBSCAN", "FriendsOfFriends", "HDBSCAN", "NearestNeighbors"]

_NORMS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf,
          "infinity": np.inf}


def _threads(n_jobs: int | None) -> int | None:
    """The number of threads for ``n_jobs``; all processors if it is None."""
    return None if n_jobs is None or n_jobs < 0 else n_jobs


def _checked(estimator: BaseEstimator, X: ArrayLike, *, is_first: bool) -> Floats:
    """The data after scikit-learn's validation; float32 and float64 are kept."""
    given: Any = X  # scikit-learn has no types; checkers would guess them from its defaults
    data: Any = validate_data(estimator, given, reset=is_first, dtype=[np.float64, np.float32], ensure_min_features=1)
    return data


class NearestNeighbors(BaseEstimator):
    """Nearest neighbors with the interface of sklearn.neighbors.NearestNeighbors.

    Parameters
    ----------
    n_neighbors : int
        The default for kneighbors.
    radius : float
        The default for radius_neighbors.
    metric : str
        "minkowski" with ``p``, "euclidean", "manhattan", "chebyshev", or "haversine" for rows (latitude, longitude) in
        radians.
    p : float
        The order of the norm, from 1 to infinity.
    box : float, sequence or Box, optional
        The periods of the features.
    n_jobs : int, optional
        The number of threads. Default: all processors.

    Attributes
    ----------
    n_features_in_, n_samples_fit_ : int
    effective_metric_ : str
    tree_ : kith.Tree
    """

    def __init__(self, n_neighbors: int = 5, *, radius: float = 1.0, metric: str = "minkowski", p: float = 2.0,
                 box: BoxLike = None, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric
        self.p = p
        self.box = box
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> NearestNeighbors:
        """Builds the tree."""
        self._norm()
        data = _checked(self, X, is_first=True)
        self.n_samples_fit_ = len(data)
        self.effective_metric_ = self.metric
        self.tree_ = Tree(self._rows(data), box=self.box, threads=_threads(self.n_jobs))
        return self

    def _rows(self, data: Floats) -> Floats:
        return _unit_vectors(data, self.box, self.n_jobs) if self.metric == "haversine" else data

    @overload
    def kneighbors(self, X: ArrayLike | None = None, n_neighbors: int | None = None,
                   return_distance: Literal[True] = True) -> tuple[Floats, Indices]: ...

    @overload
    def kneighbors(self, X: ArrayLike | None = None, n_neighbors: int | None = None, *,
                   return_distance: Literal[False]) -> Indices: ...

    @overload
    def kneighbors(self, X: ArrayLike | None, n_neighbors: int | None, return_distance: Literal[False]) -> Indices: ...

    def kneighbors(self, X: ArrayLike | None = None, n_neighbors: int | None = None,
                   return_distance: bool = True) -> tuple[Floats, Indices] | Indices:
        """Distances and indices of the nearest neighbors of X. Without X, those of the data, leaving out each point
        itself."""
        k = self._checked_k(n_neighbors, X is None)
        index, distance = _neighbors.knn(self.tree_, self._queries(X), k=k, exclude_self=X is None, p=self._norm(),
                                         index_dtype=np.int64, threads=_threads(self.n_jobs))
        self._measure(distance)
        return (distance, index) if return_distance else index

    def radius_neighbors(self, X: ArrayLike | None = None, radius: float | None = None, return_distance: bool = True,
                         sort_results: bool = False) -> Any:
        """Arrays of distances and indices of the neighbors of X within the radius, always sorted by distance. Without
        X, those of the data, leaving out each point itself."""
        found = self._lists(X, radius)
        index = _array_of_arrays(found.index, found.offset)
        return (_array_of_arrays(found.distance, found.offset), index) if return_distance else index

    def kneighbors_graph(self, X: ArrayLike | None = None, n_neighbors: int | None = None,
                         mode: Literal["connectivity", "distance"] = "connectivity") -> csr_matrix:
        """The nearest neighbors as a sparse matrix of ones ("connectivity") or of distances ("distance")."""
        _check_mode(mode)
        distance, index = self.kneighbors(X, n_neighbors)
        rows, k = index.shape
        values = np.ones(index.size) if mode == "connectivity" else distance.ravel()
        offset = np.arange(0, rows * k + 1, k)
        return csr_matrix((values, index.ravel(), offset), shape=(rows, self.n_samples_fit_))

    def radius_neighbors_graph(self, X: ArrayLike | None = None, radius: float | None = None,
                               mode: Literal["connectivity", "distance"] = "connectivity",
                               sort_results: bool = False) -> csr_matrix:
        """The neighbors within the radius as a sparse matrix; see kneighbors_graph."""
        _check_mode(mode)
        found = self._lists(X, radius)
        values = np.ones(len(found.index)) if mode == "connectivity" else found.distance
        return csr_matrix((values, found.index, found.offset), shape=(len(found), self.n_samples_fit_))

    def _lists(self, X: ArrayLike | None, radius: float | None) -> _neighbors.NeighborLists:
        check_is_fitted(self)
        reach: Any = self.radius if radius is None else radius
        queries = self._queries(X)
        if self.metric == "haversine":
            reach = sky._limits("haversine: radius", reach, sky._rows(self.tree_, queries), "radians")
        found = _neighbors.radius(self.tree_, queries, radius=reach, exclude_self=X is None, p=self._norm(),
                                  index_dtype=np.int64, threads=_threads(self.n_jobs))
        self._measure(found.distance)
        return found

    def _measure(self, distance: Floats) -> None:
        """Chords become angles."""
        if self.metric == "haversine":
            sky._angles(distance, "radians", {"threads": _threads(self.n_jobs)})

    def _queries(self, X: ArrayLike | None) -> Floats | None:
        return None if X is None else self._rows(_checked(self, X, is_first=False))

    def _norm(self) -> float:
        if self.metric == "minkowski":
            return self.p
        if self.metric == "haversine":
            return 2.0
        if self.metric not in _NORMS:
            raise ArgumentError(f"metric = {self.metric!r}; there are: minkowski, haversine, {', '.join(_NORMS)}")
        return _NORMS[self.metric]

    def _checked_k(self, n_neighbors: int | None, is_own: bool) -> int:
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, (int, np.integer)):
            raise ArgumentTypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ArgumentError(f"Expected n_neighbors > 0. Got {k}")
        most = self.n_samples_fit_ - is_own
        if k > most:
            raise ArgumentError(f"Expected n_neighbors <= {most} (n_samples_fit{' - 1' if is_own else ''}), "
                             f"but n_neighbors = {k}")
        return int(k)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        return tags


class FriendsOfFriends(ClusterMixin, BaseEstimator):
    """Friends-of-friends groups: points connected by steps of at most a linking length. This is DBSCAN with
    min_samples=1, or single linkage cut at a distance.

    Parameters
    ----------
    linking_length : float
        Points at most this far apart are friends.
    min_size : int
        Points of smaller groups get the label -1.
    metric : {"euclidean", "haversine"}
        With "haversine", rows are (latitude, longitude), and the linking length is an angle, all in radians.
    box : float, sequence or Box, optional
        The periods of the features.
    n_jobs : int, optional
        The number of threads. Default: all processors.

    Attributes
    ----------
    labels_ : ndarray
        The group of every point, numbered from the largest to the smallest.
    sizes_ : ndarray
        The number of points of each group.
    groups_ : kith.Groups
    n_features_in_ : int
    """

    def __init__(self, linking_length: float = 0.5, *, min_size: int = 1, metric: str = "euclidean",
                 box: BoxLike = None, n_jobs: int | None = None) -> None:
        self.linking_length = linking_length
        self.min_size = min_size
        self.metric = metric
        self.box = box
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> FriendsOfFriends:
        """Finds the groups."""
        data = _checked(self, X, is_first=True)
        rows, length = _in_metric(self, data, self.linking_length)
        self.groups_ = _groups.fof(rows, linking_length=length, box=self.box, min_size=self.min_size,
                                   threads=_threads(self.n_jobs))
        self.labels_ = np.array(self.groups_.label, dtype=np.intp)
        self.sizes_ = self.groups_.size
        return self


class DBSCAN(ClusterMixin, BaseEstimator):
    """DBSCAN with the interface of sklearn.cluster.DBSCAN, for the Euclidean metric and angles on the sphere.

    Parameters
    ----------
    eps : float
        Points at most this far apart are neighbors.
    min_samples : int
        A core point has at least this many neighbors, itself included.
    metric : {"euclidean", "haversine"}
        With "haversine", rows are (latitude, longitude), and lengths are angles, all in radians.
    border : {"sklearn", "nearest", "none"}
        The cluster that a border point joins; see kith.dbscan.
    border_links : int
        A border point joins a cluster only if at least this many core points of it are within eps.
    box : float, sequence or Box, optional
        The periods of the features.
    n_jobs : int, optional
        The number of threads. Default: all processors.

    Attributes
    ----------
    labels_ : ndarray
        The cluster of every point, numbered from the largest to the smallest; -1 for noise.
    core_sample_indices_ : ndarray
    components_ : ndarray
        The core points.
    n_features_in_ : int
    """

    def __init__(self, eps: float = 0.5, *, min_samples: int = 5, metric: str = "euclidean", border: Border = "sklearn",
                 border_links: int = 1, box: BoxLike = None, n_jobs: int | None = None) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.border: Border = border
        self.border_links = border_links
        self.box = box
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> DBSCAN:
        """Finds the clusters. With weights, a core point is one where those within eps, its own included, add up to
        min_samples."""
        data = _checked(self, X, is_first=True)
        rows, eps = _in_metric(self, data, self.eps)
        clusters = _clusters.dbscan(rows, eps, self.min_samples, sample_weight=_weights(sample_weight, data),
                                    border=self.border, border_links=self.border_links, box=self.box,
                                    threads=_threads(self.n_jobs))
        self.labels_ = np.array(clusters.label, dtype=np.intp)
        self.core_sample_indices_ = np.flatnonzero(clusters.is_core)
        self.components_ = data[self.core_sample_indices_].copy()
        return self


class HDBSCAN(ClusterMixin, BaseEstimator):
    """HDBSCAN* with the interface of sklearn.cluster.HDBSCAN and hdbscan.HDBSCAN, for the Euclidean metric and angles
    on the sphere.

    Parameters
    ----------
    min_cluster_size : int
        Parts that split off with fewer points are not clusters: their points leave the cluster.
    min_samples : int, optional
        The core distance of a point is the distance to this neighbor, counting the point itself as the first, as
        scikit-learn does (hdbscan counts one fewer). Default: min_cluster_size.
    cluster_selection_epsilon : float
        Do not split clusters at distances below this.
    max_cluster_size : int, optional
        "eom" does not select clusters larger than this.
    metric : {"euclidean", "haversine"}
        With "haversine", rows are (latitude, longitude), and lengths are angles, all in radians.
    cluster_selection_method : {"eom", "leaf"}
    allow_single_cluster : bool
    min_cluster_weight : float, optional
        The weight of the smallest cluster, instead of min_cluster_size.
    box : float, sequence or Box, optional
        The periods of the features.
    n_jobs : int, optional
        The number of threads. Default: all processors.

    Attributes
    ----------
    labels_, probabilities_, outlier_scores_ : ndarray
        Cluster, membership and outlier score of every point; the label -1 means noise.
    condensed_tree_ : kith.CondensedTree
    single_linkage_tree_, minimum_spanning_tree_ : TreeArray
        ``to_numpy()`` returns rows (cluster, cluster, length, size) and (point, point, length).
    n_features_in_ : int
    """

    def __init__(self, min_cluster_size: int = 5, min_samples: int | None = None,
                 cluster_selection_epsilon: float = 0.0, max_cluster_size: int | None = None,
                 metric: str = "euclidean", cluster_selection_method: Selection = "eom",
                 allow_single_cluster: bool = False, min_cluster_weight: float | None = None, box: BoxLike = None,
                 n_jobs: int | None = None) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_cluster_weight = min_cluster_weight
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.cluster_selection_method: Selection = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.box = box
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> HDBSCAN:
        """Finds the clusters. A point of weight w counts w times; one of weight 0 is noise and counts nowhere."""
        data = _checked(self, X, is_first=True)
        weight = _weights(sample_weight, data)
        counted = slice(None) if weight is None else np.flatnonzero(weight)
        rows, _ = _in_metric(self, data[counted], 0.0)
        if len(rows) < 2 and weight is None:
            raise ArgumentError(f"n_samples={len(rows)} while HDBSCAN requires more than one sample")
        samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        if weight is None and samples > len(rows):
            raise ArgumentError(f"min_samples ({samples}) must be at most the number of samples in X ({len(rows)})")
        self._found = self._clusters(rows, samples, None if weight is None else weight[counted])
        self.labels_ = np.full(len(data), -1, dtype=np.intp)
        self.labels_[counted] = self._found.label
        self.probabilities_, self.outlier_scores_ = np.zeros(len(data)), np.zeros(len(data))
        self.probabilities_[counted] = self._found.probability
        self.outlier_scores_[counted] = self._found.outlier_score
        self.condensed_tree_ = self._found.condensed_tree
        self.single_linkage_tree_ = TreeArray(self._found.hierarchy.linkage)
        tree = self._found.hierarchy.tree
        self.minimum_spanning_tree_ = TreeArray(np.column_stack([tree.index, tree.length]))
        return self

    def _clusters(self, rows: Floats, samples: int, weight: NDArray[np.float64] | None) -> _clusters.HdbscanClusters:
        how: dict[str, Any] = {"threads": _threads(self.n_jobs), "selection": self.cluster_selection_method,
                               "selection_epsilon": self.cluster_selection_epsilon, "sample_weight": weight,
                               "allow_single_cluster": self.allow_single_cluster,
                               "min_cluster_weight": self.min_cluster_weight,
                               "max_cluster_size": self.max_cluster_size}
        if self.metric == "haversine":
            return sky.hdbscan(Tree(rows, threads=_threads(self.n_jobs)), min_cluster_size=self.min_cluster_size,
                               min_samples=samples, unit="radians", **how)
        return _clusters.hdbscan(rows, self.min_cluster_size, samples, box=self.box, **how)

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """The clusters in which new points would fall, -1 for noise; the clusters do not change. Points of X that were
        fitted keep their labels. See kith.HdbscanClusters.predict."""
        check_is_fitted(self)
        rows, _ = _in_metric(self, _checked(self, X, is_first=False), 0.0)
        label, _ = self._found.predict(rows, threads=_threads(self.n_jobs))
        return label.astype(np.intp)


class TreeArray:
    """A tree as an array of rows, with the method ``to_numpy`` that hdbscan has."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self._rows = rows

    def to_numpy(self) -> NDArray[Any]:
        return self._rows

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._rows, dtype=dtype, copy=bool(copy)) if copy else np.asarray(self._rows, dtype=dtype)


def _unit_vectors(data: Floats, box: BoxLike, n_jobs: int | None) -> Floats:
    """Rows (latitude, longitude) in radians on the sphere."""
    if data.shape[1] != 2:
        raise ArgumentError(f"metric = 'haversine' for {data.shape[1]} features; give latitude and longitude in radians")
    if box is not None:
        raise ArgumentError("metric = 'haversine' with a box; leave it out")
    return sky.unit_vectors(data[:, 1], data[:, 0], unit="radians", threads=_threads(n_jobs))


def _in_metric(estimator: Any, data: Floats, length: float) -> tuple[Floats, float]:
    """The rows to search and a length in the metric of the estimator."""
    if estimator.metric in ("euclidean", "l2"):
        return data, length
    if estimator.metric != "haversine":
        raise ArgumentError(f"metric = {estimator.metric!r}; there are: euclidean, haversine")
    return _unit_vectors(data, estimator.box, estimator.n_jobs), sky._limit("haversine: length", length, "radians")


def _weights(sample_weight: ArrayLike | None, data: Floats) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    if is_single(sample_weight, "sample_weight"):
        sample_weight = np.full(len(data), number(sample_weight, "sample_weight"))
    weight = values(sample_weight, len(data), "sample_weight", FLOAT64)
    if not np.any(weight):
        raise ArgumentError("Sample weights must contain at least one non-zero number.")
    return weight


def _check_mode(mode: str) -> None:
    if mode not in ("connectivity", "distance"):
        raise ArgumentError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


def _array_of_arrays(values: NDArray[Any], offset: NDArray[Any]) -> NDArray[Any]:
    result = np.empty(len(offset) - 1, dtype=object)
    for i in range(len(result)):
        result[i] = values[offset[i]:offset[i + 1]]
    return result
