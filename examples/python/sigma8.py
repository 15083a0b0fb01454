"""What halos with frozen membership know of sigma8: jFoF's figures 4 to 7.

    python sigma8.py [N = 32] [REALIZATIONS = 8] [FOLDER = .]

Recovers sigma8 from halo positions by gradient descent; compares the derivatives of the halo power spectrum and, through
the decorated mass, of the mass function with finite differences over realizations. Writes sigma8.png.
"""
import functools
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

import kith.jax as kj
from universe import Universe

SIDE_PER_PARTICLE = 2.0  # Mpc/h, as in the paper: 128 Mpc/h for 64^3
EDGES = np.geomspace(5, 200, 7)


class Halos:
    """Halos of a universe as functions of the noise and sigma8."""

    def __init__(self, n):
        self.universe = Universe(n, SIDE_PER_PARTICLE * n)
        self.n, self.side = n, SIDE_PER_PARTICLE * n

    def find(self, noise, sigma8, alpha=0.0):
        x = self.universe.positions(noise, sigma8)
        label, _ = kj.fof(x, linking_length=0.2 * SIDE_PER_PARTICLE, box=self.side, min_size=5)
        return kj.halos(x, label, max_groups=self.n**3 // 5, box=self.side, alpha=alpha)

    def field(self, noise, sigma8, smoothing=2.0):
        """Halos painted by mass and smoothed by a Gaussian of some cells."""
        halos = self.find(noise, sigma8)
        mesh = kj.paint(halos.center, halos.mass, cells=self.n, box=self.side)
        k2 = sum(k**2 for k in self.universe.k) * (self.side / self.n) ** 2
        return jnp.fft.irfftn(jnp.fft.rfftn(mesh) * np.exp(-k2 * smoothing**2 / 2), s=mesh.shape)

    def power(self, noise, sigma8, bins=8):
        halos = self.find(noise, sigma8)
        return kj.power_spectrum(kj.paint(halos.center, halos.mass, cells=self.n, box=self.side), self.side, bins)[1]

    def mass_function(self, noise, sigma8, alpha):
        return kj.soft_mass_function(self.find(noise, sigma8, alpha).decorated_mass, EDGES, width=0.3)


def recover(halos, truth=0.8, guess=0.6, steps=12):
    """sigma8 step by step: down the gradient, with steps that shrink when its sign changes."""
    noise = halos.universe.noise(10)
    data = halos.field(noise, truth)
    loss = jax.jit(jax.value_and_grad(lambda s: jnp.mean((halos.field(noise, s) - data) ** 2)))
    path, step, before = [], 0.08, 0.0
    for _ in range(steps):
        value, slope = (float(each) for each in loss(guess))
        path.append((guess, value, slope))
        if slope * before < 0:
            step /= 2
        guess, before = guess - step * np.sign(slope), slope
    return path


def derivative_and_difference(f, halos, realizations, sigma8=0.8, step=0.02):
    """Of f(noise, sigma8): by forward-mode columns of the reverse products, and by finite differences."""
    value = jax.jit(f)
    count = len(value(halos.universe.noise(0), sigma8))
    pull = jax.jit(lambda noise, row: jax.grad(lambda s: jnp.vdot(f(noise, s), row))(sigma8))
    found, differences = [], []
    for seed in range(realizations):
        noise = halos.universe.noise(seed)
        found.append([pull(noise, row) for row in np.eye(count)])
        differences.append((value(noise, sigma8 + step) - value(noise, sigma8 - step)) / (2 * step))
    return np.array(found), np.array(differences)


def draw(path, power, masses, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    axes[0].plot([p[0] for p in path], "o-")
    axes[0].axhline(0.8, color="gray", lw=1)
    axes[0].set(xlabel="step", ylabel="$\\sigma_8$", title="recovered through halo positions")
    for ax, (found, difference), title in ((axes[1], power, "$dP/d\\sigma_8$, frozen halos"),
                                           (axes[2], masses, "$dN/d\\sigma_8$, decorated mass")):
        at = np.arange(found.shape[1])
        for values, name, color in ((found, "gradient", "k"), (difference, "finite difference", "r")):
            ax.errorbar(at, values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values)), fmt="o-", color=color,
                        label=name, ms=3)
        ax.axhline(0, color="gray", lw=1)
        ax.set(xlabel="bin", title=title)
        ax.legend()
    figure.savefig(file, dpi=110)


def main(n=32, realizations=8, folder="."):
    halos = Halos(int(n))
    path = recover(halos)
    print(f"sigma8 from {path[0][0]:.2f} to {path[-1][0]:.3f}; the truth is 0.8")
    power = derivative_and_difference(halos.power, halos, int(realizations))
    masses = derivative_and_difference(functools.partial(halos.mass_function, alpha=100.0), halos, int(realizations))
    for name, (found, difference) in (("P(k)", power), ("n(M)", masses)):
        print(f"d{name}/dsigma8: mean gradient {found.mean(axis=0).round(2)}, "
              f"mean difference {difference.mean(axis=0).round(2)}; scatter {found.std(axis=0).mean():.3g} "
              f"against {difference.std(axis=0).mean():.3g}")
    draw(path, power, masses, pathlib.Path(folder) / "sigma8.png")
    return path, power, masses


if __name__ == "__main__":
    main(*sys.argv[1:])
