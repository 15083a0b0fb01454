"""xi(r) and wp(rp) of galaxies in a periodic box with jackknife errors, beside Corrfunc's own.

Usage: correlation_mr19.py POINTS.npy [SIDE] [FOLDER]. POINTS: (n, 3) positions; SIDE is 420 for gals_Mr19, the galaxies of
Corrfunc's tests. The picture is correlation_mr19.png. Without Corrfunc, its curves are left out.
"""
import pathlib
import sys

import numpy as np

from kith import correlation

EDGES = np.array([0.167536, 0.238755, 0.340251, 0.484892, 0.691021, 0.984777, 1.40341, 2.0, 2.85020, 4.06184,
                  5.78853, 8.24925, 11.7560, 16.7536, 23.8755])


def of_corrfunc(x, side):
    """xi and wp by Corrfunc, if it is installed."""
    try:
        from Corrfunc.theory import wp, xi
    except ImportError:
        return None, None
    columns = [np.ascontiguousarray(x[:, axis]) for axis in range(3)]
    return xi(side, 1, EDGES, *columns)["xi"], wp(side, 40.0, 1, EDGES, *columns)["wp"]


def main(points, side=420.0, folder="."):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    x = np.load(points)
    ours = (correlation.xi(x, edges=EDGES, box=side, regions=64),
            correlation.wp(x, edges=EDGES, box=side, pi_max=40.0, regions=64))
    names = (("r [Mpc/h]", r"$\xi$"), (r"$r_p$ [Mpc/h]", r"$w_p$ [Mpc/h]"))
    figure, both = plt.subplots(1, 2, figsize=(9.5, 4))
    for axes, found, other, (x_name, y_name) in zip(both, ours, of_corrfunc(x, side), names):
        found.plot(axes, fmt="o", label="kith, 64 regions")
        if other is not None:
            axes.plot(found.center, other, linewidth=1, label="Corrfunc")
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.legend()
    figure.tight_layout()
    figure.savefig(pathlib.Path(folder) / "correlation_mr19.png", dpi=110)
    return ours


if __name__ == "__main__":
    main(sys.argv[1], *[float(side) for side in sys.argv[2:3]], *sys.argv[3:4])
