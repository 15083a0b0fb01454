#!/usr/bin/env python3
"""Points colored by the rank that has them, before and after Domains::kd, with the splits of the distributed tree.

Usage: kd_domains.py FILE PICTURE

The file is written by ``mpirun -n RANKS bench_kd_domains POINTS FILE``.
"""
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import kith  # noqa: E402


def read(path):
    """The points, their ranks before and after, and the splits."""
    lines = {"point": [], "split": []}
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *values = line.split()
            lines[kind].append([float(value) for value in values])
    points = np.array(lines["point"]).reshape(-1, 4)
    splits = [(int(begin), int(middle), int(end), int(axis), value) for begin, middle, end, axis, value in lines["split"]]
    return points[:, :2], points[:, 2].astype(int), points[:, 3].astype(int), splits


def main(path, picture):
    points, before, after, splits = read(path)
    figure, panels = plt.subplots(1, 2, figsize=(10, 5), sharey=True)
    kith.plot.domains(points, before, ax=panels[0]).set_title("before")
    kith.plot.domains(points, after, splits, ax=panels[1]).set_title(f"after: cells of {len(splits) + 1} ranks")
    figure.savefig(picture, dpi=80, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
