"""The nodes of a kd-tree as scipy builds it, for code that walks through them. Searches do not use them."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .typing import Floats


class Node:
    """A node as scipy.spatial.cKDTree has it; ``split_dim`` is -1 for a leaf.

    ``lesser`` has the points below ``split`` on the axis ``split_dim``, ``greater`` the others. The node's points are
    ``indices``, the part from ``start_idx`` to ``end_idx`` of the tree's.
    """

    __slots__ = ("level", "split_dim", "split", "start_idx", "end_idx", "lesser", "greater", "_builder")

    def __init__(self, builder: NodeBuilder, level: int, start: int, end: int) -> None:
        self.level = level
        self.split_dim = -1
        self.split = 0.0
        self.start_idx = start
        self.end_idx = end
        self.lesser: Node | None = None
        self.greater: Node | None = None
        self._builder = builder

    @property
    def children(self) -> int:
        """Points in the node."""
        return self.end_idx - self.start_idx

    @property
    def indices(self) -> NDArray[np.intp]:
        return self._builder.indices[self.start_idx:self.end_idx]

    @property
    def data_points(self) -> Floats:
        return self._builder.data[self.indices]

    def __repr__(self) -> str:
        kind = "leaf" if self.split_dim == -1 else f"split at {self.split} on axis {self.split_dim}"
        return f"<node of {self.children} points, {kind}>"


class NodeBuilder:
    """Builds the nodes by scipy's rules: the longest side of a box is split at the median (``balanced``) or in the
    middle, moved to the nearest point where one side would be empty; boxes are tight (``compact``) or what the splits
    above leave. Sets of identical points and of at most ``leafsize`` points are leaves."""

    def __init__(self, data: Floats, leafsize: int, balanced: bool, compact: bool) -> None:
        self.data = data
        self.indices: NDArray[np.intp] = np.arange(len(data), dtype=np.intp)
        self.size = 0
        self._leafsize = leafsize
        self._balanced = balanced
        self._compact = compact
        self.root = Node(self, 0, 0, len(data))
        self._build()

    def _build(self) -> None:
        # A list instead of recursion: trees split in the middle can be as deep as there are points.
        lower, upper = (self.data.min(axis=0), self.data.max(axis=0)) if len(self.data) else (None, None)
        waiting: list[tuple[Node, Any, Any]] = [(self.root, lower, upper)]
        while waiting:
            node, lower, upper = waiting.pop()
            self.size += 1
            if node.children <= self._leafsize:
                continue
            if self._compact:
                points = self.data[node.indices]
                lower, upper = points.min(axis=0), points.max(axis=0)
            axis = int(np.argmax(upper - lower))
            if upper[axis] == lower[axis]:
                continue
            values = self.data[node.indices, axis]
            if (values == values[0]).all():  # nothing to split here: try the other axes
                lower, upper = lower.copy(), upper.copy()
                lower[axis] = upper[axis] = values[0]
                self.size -= 1
                waiting.append((node, lower, upper))
                continue
            middle = self._split(node, axis, lower[axis], upper[axis])
            node.lesser = Node(self, node.level + 1, node.start_idx, middle)
            node.greater = Node(self, node.level + 1, middle, node.end_idx)
            below, above = upper.copy(), lower.copy()
            below[axis] = above[axis] = node.split
            waiting.append((node.greater, above, upper))
            waiting.append((node.lesser, lower, below))

    def _split(self, node: Node, axis: int, lower: float, upper: float) -> int:
        """Sets the split of a node, puts its points on their sides; returns where the greater side begins."""
        indices = node.indices
        values = self.data[indices, axis]
        split = np.partition(values, len(values) // 2)[len(values) // 2] if self._balanced else (lower + upper) / 2
        if not (values < split).any():
            split = np.nextafter(values.min(), np.inf)
        elif not (values >= split).any():
            split = values.max()
        node.split_dim, node.split = axis, float(split)
        is_lesser = values < split
        indices[:] = np.concatenate((indices[is_lesser], indices[~is_lesser]))
        return node.start_idx + int(is_lesser.sum())


class NodeView:
    """A node as scipy.spatial.KDTree has it."""

    def __init__(self, node: Node | None = None) -> None:
        self._node = node

    @staticmethod
    def of(node: Node) -> NodeView:
        return LeafNode(node) if node.split_dim == -1 else InnerNode(node)

    def __lt__(self, other: object) -> bool:
        return id(other) < id(self)

    def __gt__(self, other: object) -> bool:
        return id(other) > id(self)

    def __le__(self, other: object) -> bool:
        return id(other) <= id(self)

    def __ge__(self, other: object) -> bool:
        return id(other) >= id(self)

    def __eq__(self, other: object) -> bool:
        return id(other) == id(self)

    __hash__ = object.__hash__

    @property
    def children(self) -> int:
        """Points in the node."""
        assert self._node is not None
        return self._node.children


class LeafNode(NodeView):
    @property
    def idx(self) -> NDArray[np.intp]:
        assert self._node is not None
        return self._node.indices


class InnerNode(NodeView):
    def __init__(self, node: Node) -> None:
        super().__init__(node)
        assert node.lesser is not None and node.greater is not None
        self.split_dim = node.split_dim
        self.split = node.split
        self._sides: dict[str, NodeView] = {}

    def _side(self, name: str) -> NodeView:
        if name not in self._sides:
            self._sides[name] = NodeView.of(getattr(self._node, name))
        return self._sides[name]

    @property
    def less(self) -> NodeView:
        return self._side("lesser")

    @property
    def greater(self) -> NodeView:
        return self._side("greater")
