#!/usr/bin/env python3
"""Compares kith's merger trees with those that Gadget-4 made in the same run.

Usage: trees.py FOLDER [PICTURE]. FOLDER has snapshot_NNN.hdf5, fof_subhalo_tab_NNN.hdf5, subhalo_desc_NNN.hdf5,
subhalo_prog_NNN.hdf5 and trees.hdf5 of a run with MERGERTREE. Prints how many links are the same, and draws the
statistics of the Sussing comparison (Srisawat et al. 2013) for both.
"""
import pathlib
import sys
import tempfile

import h5py
import numpy as np

import kith

LINKS = ("TreeDescendant", "TreeFirstProgenitor", "TreeNextProgenitor", "TreeMainProgenitor", "TreeProgenitor",
         "TreeFirstDescendant", "TreeNextDescendant", "TreeFirstHaloInFOFgroup", "TreeNextHaloInFOFgroup")


def named_links(path):
    """For each column of links, from halo to halo as (snapshot, number)."""
    with h5py.File(path) as f:
        t = {name: f["TreeHalos"][name][:] for name in (*LINKS, "SnapNum", "SubhaloNr", "TreeIndex")}
        trees = len(f["TreeTable/Length"])
    halos = list(zip(t["SnapNum"].tolist(), t["SubhaloNr"].tolist()))
    start = np.arange(len(halos)) - t["TreeIndex"]
    links = {name: {halo: halos[start[k] + t[name][k]] if t[name][k] >= 0 else None for k, halo in enumerate(halos)}
             for name in LINKS}
    return links, trees


def compare_trees(theirs, ours):
    (a, count_a), (b, count_b) = named_links(theirs), named_links(ours)
    print(f"trees: {count_a} of Gadget-4, {count_b} of kith")
    for name in LINKS:
        same = sum(b[name].get(halo, "") == other for halo, other in a[name].items())
        print(f"  {name}: {same} of {len(a[name])} are the same")


def compare_catalogues(folder, trees):
    """With Gadget-4's files for each snapshot."""
    halos = list(zip(trees.snapshot.tolist(), trees.label.tolist()))
    row = {halo: k for k, halo in enumerate(halos)}
    for name, column, links, step in (("subhalo_desc", "DescSubhaloNr", trees.descendant, 1),
                                      ("subhalo_prog", "ProgSubhaloNr", trees.best_progenitor, -1)):
        count = same = large = same_large = 0
        for path in sorted(folder.glob(f"{name}_*.hdf5")):
            snapshot = int(path.stem.rsplit("_", 1)[1])
            with h5py.File(path) as f:
                numbers = f["Subhalo"][column][:] if "Subhalo" in f else []
            for number, other in enumerate(numbers):
                here = row[snapshot, number]
                found = halos[links[here]] if links[here] >= 0 else None
                is_same = found == ((snapshot + step, int(other)) if other >= 0 else None)
                count, same = count + 1, same + is_same
                if trees.members[here] >= 50:
                    large, same_large = large + 1, same_large + is_same
        print(f"{name}: {same} of {count} links are the same, {same_large} of {large} of 50 particles or more")


def statistics(trees, least=50):
    """Lengths of main branches, numbers of direct progenitors, growth and its fluctuation, of large halos."""
    last = len(trees.time) - 1
    roots = [r for r in trees.roots if trees.snapshot[r] == last and trees.members[r] >= least]
    length = [last - trees.snapshot[trees.main_leaf[r]] for r in roots]
    direct = np.bincount(trees.descendant[trees.descendant >= 0], minlength=len(trees))
    a = 1 / (1 + trees.redshift)
    time = np.arcsinh(np.sqrt(0.692 / 0.308) * a**1.5)  # proportional to the age of the universe
    growth, fluctuation = [], []
    for r in roots:
        branch = trees.main_branch(r)
        mass, t = trees.members[branch][::-1], time[trees.snapshot[branch]][::-1]
        beta = 2 / np.pi * np.arctan(np.diff(np.log(mass)) / np.diff(np.log(t)))
        growth.extend(beta)
        fluctuation.extend(np.diff(beta) / 2)
    return length, direct[trees.members >= least], growth, fluctuation


def draw(sets, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    titles = ("snapshots in the main branch", "direct progenitors", "growth of mass", "fluctuation of mass")
    bins = (np.arange(17) - 0.5, np.arange(14) - 0.5, np.linspace(-1, 1, 41), np.linspace(-1, 1, 41))
    for (name, trees), style in zip(sets.items(), ("-", "--")):
        for ax, title, values, edges in zip(axes.flat, titles, statistics(trees), bins):
            ax.hist(values, edges, histtype="step", label=name, linewidth=1.5, linestyle=style)
            ax.set(xlabel=title, ylabel="number", yscale="log")
            if edges[0] == -1:
                ax.set_xticks([-1, -0.5, 0, 0.5, 1])
    axes[0, 0].legend(loc="upper left")
    figure.savefig(path, dpi=110)


def main():
    folder = pathlib.Path(sys.argv[1])
    catalogues = sorted(folder.glob("fof_subhalo_tab_*.hdf5"))
    as_gadget = kith.trees(catalogues, reach=1, most_bound=16)  # as many as Gadget-4's code takes
    compare_catalogues(folder, as_gadget)
    with tempfile.TemporaryDirectory() as scratch:
        as_gadget.write(pathlib.Path(scratch) / "trees.hdf5")
        compare_trees(folder / "trees.hdf5", pathlib.Path(scratch) / "trees.hdf5")
    if len(sys.argv) > 2:
        draw({"kith": kith.trees(catalogues), "Gadget-4": kith.read_trees(folder / "trees.hdf5")}, sys.argv[2])


main()
