"""xi(r) of the sample universe with jackknife errors, beside linear theory.

Usage: correlation_universe.py [N] [FOLDER]: n^3 particles (128) in a box of 4 n Mpc/h; the picture is correlation_universe.png.
"""
import pathlib
import sys

import numpy as np

import kith
from kith import correlation


def linear_xi(r, smoothing=0.5):
    """The transform of the linear power spectrum, with waves shorter than ``smoothing`` damped so that it converges."""
    k = np.logspace(-5, 2, 40_000)
    power = kith.sample.linear_power(k) * np.exp(-(k * smoothing) ** 2)
    waves = np.sinc(np.outer(r, k) / np.pi)
    return np.sum(k**3 * power * waves, axis=1) * np.log(k[1] / k[0]) / (2 * np.pi**2)


def main(n=128, folder="."):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    universe = kith.sample.cosmology(n, side=4.0 * n)
    edges = correlation.logspace(2, 60, 16)
    found = correlation.xi(universe.position, edges=edges, box=universe.box, regions=64)
    r = np.geomspace(edges[0], edges[-1], 200)
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(r, linear_xi(r), color="black", linewidth=1, label="linear theory")
    found.plot(axes, fmt="o", markersize=4, label="sample universe, 64 regions")
    axes.set(xscale="log", yscale="log", xlabel="r [Mpc/h]", ylabel=r"$\xi(r)$")
    ticks = [2, 5, 10, 20, 50]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.legend()
    figure.tight_layout()
    figure.savefig(pathlib.Path(folder) / "correlation_universe.png", dpi=110)
    return found, linear_xi(found.center)


if __name__ == "__main__":
    main(*[int(number) for number in sys.argv[1:2]], *sys.argv[2:3])
