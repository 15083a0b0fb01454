"""Pictures with matplotlib: density maps with groups, mass functions, merger trees, the planes, curve and splits of a
tree, and the domains of ranks.

Each function draws into ``ax``, or into a new figure if it is None, and returns it. Only this module needs matplotlib.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._arrays import FLOAT64, points as as_points
from ._box import as_box
from ._call import carry_out
from ._catalogue import Catalogue, mass_function as count_masses
from ._errors import ArgumentError
from ._groups import Groups
from ._tree import Tree
from ._trees import MergerTrees
from .typing import BoxLike, PointsLike, TreeOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
    from typing_extensions import Unpack

__all__ = ["colormap", "curve", "density_map", "domains", "mass_function", "merger_tree", "planes", "splits"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("kith.plot needs matplotlib; install it") from error
    return pyplot


def _axes(ax: Axes | None, **options: Any) -> Axes:
    if ax is not None:
        return ax
    made: Axes = _pyplot().subplots(**options)[1]
    return made


def colormap() -> ListedColormap:
    """The colors of kith's pictures as a matplotlib colormap. It is perceptually uniform."""
    from matplotlib.colors import ListedColormap
    colors = _kith.colors(np.linspace(0, 1, 256))
    return ListedColormap(colors / 255.0, name="kith")


def density_map(points: ArrayLike, groups: Groups | Catalogue | None = None, *, box: BoxLike = None, axis: int = 2,
                center: float = 0.0, thickness: float = 0.0, size: int = 1024, largest: int = 30,
                ax: Axes | None = None) -> Axes:
    """Draws the density of the points, or of a slice, on a logarithmic color scale, with circles for groups.

    Parameters
    ----------
    points : array_like, (n, 2 or 3)
    groups : Catalogue or Groups, optional
        Draws a circle with the ``radius`` and ``center`` of each of the ``largest`` groups. In a slice, only groups
        with their center in it are drawn.
    box : float, sequence or Box, optional
        The region to draw. Default: from the lowest to the highest coordinate.
    axis, center, thickness
        The axis of view, and the center and thickness of the slice along it, as in the kith program. A thickness of 0
        draws everything.
    size : int
        The number of pixels of the longer side.
    """
    rows = as_points(points)
    options = {"box": as_box(box)._core, "axis": axis, "center": center, "thickness": thickness, "size": size}
    pixels = carry_out(_kith.picture, rows, options)
    shown = [a for a in range(rows.shape[1]) if a != axis or rows.shape[1] == 2][:2]
    lower, upper = _extent(rows, box)
    ax = _axes(ax, figsize=(7, 7))
    ax.imshow(pixels, extent=(lower[shown[0]], upper[shown[0]], lower[shown[1]], upper[shown[1]]))
    ax.set(xlabel="xyz"[shown[0]], ylabel="xyz"[shown[1]])
    if groups is not None:
        depth = (axis, lower[axis] + center, thickness) if rows.shape[1] == 3 and thickness > 0 else None
        _circles(ax, _as_catalogue(rows, groups, box), shown, depth, largest)
    return ax


def _extent(rows: NDArray[Any], box: BoxLike) -> tuple[NDArray[Any], NDArray[Any]]:
    dimension = rows.shape[1]
    space = as_box(box)
    sides, lower = space.sides(dimension), space.origins(dimension)
    is_open = sides == 0
    lower[is_open] = rows.min(axis=0)[is_open]
    upper = lower + sides
    upper[is_open] = rows.max(axis=0)[is_open]
    return lower, upper


def _as_catalogue(rows: NDArray[Any], groups: Groups | Catalogue, box: BoxLike) -> Catalogue:
    if isinstance(groups, Catalogue):
        return groups
    from ._halos import catalogue
    return catalogue(rows, groups, box=box)


def _circles(ax: Axes, groups: Catalogue, shown: Sequence[int], depth: Any, largest: int) -> None:
    from matplotlib.patches import Circle
    chosen = np.arange(len(groups))
    if depth is not None:
        along, middle, thickness = depth
        chosen = chosen[np.abs(groups.center[:, along] - middle) <= thickness / 2]
    for row in chosen[:largest]:
        place = groups.center[row, list(shown)]
        ax.add_patch(Circle(tuple(place), float(groups.radius[row]), fill=False, edgecolor="white", linewidth=0.8,
                            alpha=0.8))


def mass_function(groups: Catalogue | ArrayLike, volume: float, *, bins_per_decade: int = 5, theory: bool = False,
                  ax: Axes | None = None, label: str = "kith", **cosmology: Any) -> Axes:
    """Draws the number of groups per volume and logarithmic mass, with Poisson limits.

    ``groups`` is a Catalogue or an array of masses. ``theory`` adds the curves of Press & Schechter and of Sheth &
    Tormen, for masses in Msun/h and lengths in Mpc/h; ``cosmology`` accepts the parameters of kith.sample.cosmology.
    """
    masses = groups.mass if isinstance(groups, Catalogue) else groups
    counted = count_masses(masses, volume, bins_per_decade=bins_per_decade)
    is_there = counted.count > 0
    ax = _axes(ax)
    errors = np.array([counted.density - counted.lower, counted.upper - counted.density])[:, is_there]
    ax.errorbar(counted.mass[is_there], counted.density[is_there], errors, fmt="o", markersize=4, capsize=2,
                label=label)
    if theory:
        _add_theory(ax, counted.edge, cosmology)
        ax.legend()
    ax.set(xscale="log", yscale="log", xlabel="mass", ylabel="dn / dln M")
    return ax


def merger_tree(trees: MergerTrees, row: int = 0, *, least: float = 0.0, ax: Axes | None = None) -> Axes:
    """Draws the history of a halo: time upward, the main branch on the left, a circle for each halo, whose area grows
    with the mass. Dotted lines skip snapshots.

    ``least`` leaves out branches whose largest mass is less than this share of the mass of the halo.
    """
    rows = trees.progenitors(row)
    mass, snapshot = trees.mass, trees.snapshot
    place = {row: 0.0}
    columns = 1
    for i in range(rows.start, rows.stop):
        if i not in place:
            continue
        progenitor = int(trees.first_progenitor[i])
        while progenitor >= 0:
            is_main = progenitor == trees.first_progenitor[i]
            if is_main or mass[trees.main_branch(progenitor)].max() >= least * mass[row]:
                place[progenitor] = place[i] if is_main else float(columns)
                columns += not is_main
            progenitor = int(trees.next_progenitor[progenitor])
    ax = _axes(ax)
    for i, x in place.items():
        to = int(trees.descendant[i])
        if i != row:
            skips = snapshot[to] > snapshot[i] + 1
            ax.plot([x, place[to]], [snapshot[i], snapshot[to]], color="0.6", linewidth=1, zorder=1,
                    linestyle="dotted" if skips else "solid")
    shown = np.fromiter(place, np.int64)
    area = 300 * mass[shown] / mass[shown].max()
    ax.scatter(list(place.values()), snapshot[shown], np.maximum(area, 2), c=[colormap()(0.6)], zorder=2)
    ax.set(xlabel="branch", ylabel="snapshot")
    ax.margins(0.1)
    return ax


def _add_theory(ax: Axes, edge: NDArray[Any], cosmology: dict[str, Any]) -> None:
    mass = np.geomspace(edge[0], edge[-1], 100)
    for is_press_schechter, name, style in ((True, "Press & Schechter", ":"), (False, "Sheth & Tormen", "-")):
        expected = _kith.mass_function_theory(mass, is_press_schechter, 1.0, cosmology)
        ax.plot(mass, expected, style, color="0.4", label=name)


def planes(tree: PointsLike, *, planes: Sequence[int] | None = None, cells: bool = False,
           axes: Sequence[Axes] | None = None, **options: Unpack[TreeOptions]) -> Sequence[Axes]:
    """Draws the boxes of the nodes of a two-dimensional tree, one picture per plane, from coarse to fine.

    Parameters
    ----------
    tree : Tree or array_like
        For an array, a tree is built with ``options``, for example builder="cells".
    planes : sequence of int, optional
        The planes to draw. Default: all but the root, at most four.
    cells : bool
        Draw the Morton cells instead of the tight boxes, for a tree in z-order.
    axes : sequence of matplotlib axes, optional
    """
    tree = tree if isinstance(tree, Tree) else Tree(tree, **options)
    if tree.dimension != 2:
        raise ArgumentError(f"planes: a tree in {tree.dimension} dimensions; pictures show 2")
    chosen = list(range(min(tree.planes - 1, 4) - 1, -1, -1)) if planes is None else list(planes)
    drawn: Sequence[Axes] = axes if axes is not None else _pyplot().subplots(
        1, len(chosen), figsize=(4 * len(chosen), 4), squeeze=False)[1][0]
    place = tree.coordinates()
    for ax, plane in zip(drawn, chosen):
        nodes = tree.cells(plane) if cells else tree.plane(plane)
        _draw_boxes(ax, nodes.lower, nodes.upper, place)
        ax.set_title(f"plane {plane}: {len(nodes)} nodes")
    return drawn


def _draw_boxes(ax: Axes, lower: NDArray[Any], upper: NDArray[Any], place: NDArray[Any]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    edge_low, edge_high = place.min(axis=0), place.max(axis=0)
    lower, upper = np.maximum(lower, edge_low), np.minimum(upper, edge_high)  # cells may be infinite
    boxes = [Rectangle(tuple(low), *(high - low)) for low, high in zip(lower, upper)]
    ax.plot(place[:, 0], place[:, 1], ".", color="0.6", markersize=1.5)
    ax.add_collection(PatchCollection(boxes, facecolor="none", edgecolor="tab:blue", linewidth=0.8))
    ax.set_aspect("equal")


def curve(tree: PointsLike, *, ax: Axes | None = None, **options: Unpack[TreeOptions]) -> Axes:
    """Draws the line through the points of a two-dimensional tree in tree order. If you pass points, a tree is built
    with ``options``, for example curve="z"."""
    tree = tree if isinstance(tree, Tree) else Tree(tree, **options)
    if tree.dimension != 2:
        raise ArgumentError(f"curve: a tree in {tree.dimension} dimensions; pictures show 2")
    from matplotlib.collections import LineCollection
    place = np.ascontiguousarray(tree.coordinates(), dtype=FLOAT64)
    steps = np.stack([place[:-1], place[1:]], axis=1)
    ax = _axes(ax, figsize=(5, 5))
    lines = LineCollection(list(steps), cmap=colormap(), array=np.linspace(0, 0.75, len(steps)), linewidth=1.0,
                           clim=(0, 1))
    ax.add_collection(lines)
    ax.plot(place[:, 0], place[:, 1], ".", color="black", markersize=2)
    ax.set_aspect("equal")
    ax.set_title(f"{tree.curve} curve through {tree.size} points")
    return ax


def splits(tree: PointsLike, *, depth: int = 6, ax: Axes | None = None, **options: Unpack[TreeOptions]) -> Axes:
    """Draws the points of a two-dimensional tree in kd order and its first splits, thinner from level to level.

    Parameters
    ----------
    tree : Tree or array_like
        For an array, a tree is built with ``options``, for example split_axis="cyclic".
    depth : int
        The number of levels of splits to draw, from the root.
    """
    options["curve"] = "kd"
    tree = tree if isinstance(tree, Tree) else Tree(tree, **options)
    if tree.dimension != 2:
        raise ArgumentError(f"splits: a tree in {tree.dimension} dimensions; pictures show 2")
    place = tree.coordinates()
    ax = _axes(ax, figsize=(5, 5))
    ax.plot(place[:, 0], place[:, 1], ".", color="0.6", markersize=2)
    lines = _tree_lines(tree, _region(place), depth) if tree.planes else []
    _draw_lines(ax, lines)
    return ax


def domains(points: ArrayLike, rank: ArrayLike, splits: Sequence[Any] = (), *, ax: Axes | None = None) -> Axes:
    """Draws two-dimensional points in the color of their rank, and the splits of a distributed kd-tree.

    Parameters
    ----------
    points : array_like, (n, 2)
    rank : array_like, (n,)
    splits : sequence of (begin, middle, end, axis, value)
        The splits from ``kith::mpi::Domains::splits``. Ranks begin to middle - 1 are on the lesser side.
    """
    rows = as_points(points)
    if rows.shape[1] != 2:
        raise ArgumentError(f"domains: points in {rows.shape[1]} dimensions; pictures show 2")
    ranks = np.asarray(rank)
    ax = _axes(ax, figsize=(5, 5))
    ax.scatter(rows[:, 0], rows[:, 1], c=ranks, cmap="tab20", s=4, linewidths=0,
               vmin=0, vmax=max(19, int(ranks.max(initial=0))))
    below = {(int(s[0]), int(s[2])): s for s in splits}
    if below:
        whole = min(s[0] for s in below), max(s[1] for s in below)
        _draw_lines(ax, _rank_lines(below, *whole, _region(rows), 0))
    ax.set_aspect("equal")
    return ax


def _region(place: NDArray[Any]) -> NDArray[Any]:
    return np.array([place.min(axis=0), place.max(axis=0)], dtype=FLOAT64)


def _halves(region: NDArray[Any], axis: int, value: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The line of a split through a region, and the region on either side."""
    line, lesser, greater = region.copy(), region.copy(), region.copy()
    line[:, axis] = lesser[1, axis] = greater[0, axis] = value
    return line, lesser, greater


def _tree_lines(tree: Tree, region: NDArray[Any], depth: int) -> list[tuple[int, NDArray[Any]]]:
    """Splits as (level, ends of the line), of the levels above ``depth``."""
    all_splits = [tree.splits(plane) for plane in range(tree.planes)]
    all_nodes = [tree.plane(plane) for plane in range(tree.planes)]
    lines = []

    def visit(plane: int, node: int, first: int, last: int, place: int, space: NDArray[Any], level: int) -> None:
        while last - first == 1 and plane > 0:  # down to the child's own splits
            plane, node, place = plane - 1, first, 0
            first, last = int(all_nodes[plane].first[node]), int(all_nodes[plane].last[node])
        if plane == 0 or level >= depth:
            return
        axis, value = int(all_splits[plane].axis[node, place]), float(all_splits[plane].value[node, place])
        line, lesser, greater = _halves(space, axis, value)
        lines.append((level, line))
        middle = first + (last - first + 1) // 2
        visit(plane, node, first, middle, 2 * place + 1, lesser, level + 1)
        visit(plane, node, middle, last, 2 * place + 2, greater, level + 1)

    root = all_nodes[-1]
    visit(tree.planes - 1, 0, int(root.first[0]), int(root.last[0]), 0, region, 0)
    return lines


def _rank_lines(below: dict[tuple[int, int], Any], begin: int, end: int, region: NDArray[Any],
                level: int) -> list[tuple[int, NDArray[Any]]]:
    if (begin, end) not in below:
        return []
    _, middle, _, axis, value = below[begin, end][:5]
    if axis < 0:
        return []
    line, lesser, greater = _halves(region, int(axis), float(value))
    return [(level, line), *_rank_lines(below, begin, int(middle), lesser, level + 1),
            *_rank_lines(below, int(middle), end, greater, level + 1)]


def _draw_lines(ax: Axes, lines: list[tuple[int, NDArray[Any]]]) -> None:
    from matplotlib.collections import LineCollection
    widths = [max(0.6, 2.0 * 0.8**level) for level, _ in lines]
    ax.add_collection(LineCollection([line for _, line in lines], colors="tab:blue", linewidths=widths))
    ax.set_aspect("equal")
