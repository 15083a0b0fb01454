"""sigma8 from halos with frozen membership: jFoF's figures 4 to 7.

    python sigma8.py [N = 32] [REALIZATIONS = 8] [FOLDER = .]

Recovers sigma8 from halo positions by gradient descent (sigma8.png); compares the derivatives of the halo power spectrum
and, through the decorated mass, of the mass function with finite differences over realizations (derivatives.png).
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

import kith.jax as kj
from universe import Universe

SPACING = 2.0  # Mpc/h between particles, as in the paper: 128 Mpc/h for 64^3
EDGES = np.geomspace(5, 320, 7)  # particles


class Halos:
    """Halos of a universe, and statistics of them."""

    def __init__(self, n):
        self.n, self.side = n, SPACING * n
        self.universe = Universe(n, self.side)

    def label(self, x):
        return kj.fof(x, linking_length=0.2 * SPACING, box=self.side, min_size=5)[0]

    def find(self, x, alpha=0.0, label=None):
        label = self.label(x) if label is None else label
        return kj.halos(x, label, max_groups=self.n**3 // 5, box=self.side, alpha=alpha)

    def paint(self, halos):
        return kj.paint(halos.center, halos.mass, cells=self.n, box=self.side)

    def smooth(self, mesh, length=2 * SPACING):
        k2 = sum(k**2 for k in self.universe.k)
        return jnp.fft.irfftn(jnp.fft.rfftn(mesh) * jnp.exp(-k2 * length**2 / 2), s=mesh.shape)

    def field(self, noise, sigma8):
        """Halos painted by mass and smoothed."""
        return self.smooth(self.paint(self.find(self.universe.positions(noise, sigma8))))

    def power(self, x, label=None, bins=8):
        return kj.power_spectrum(self.paint(self.find(x, label=label)), self.side, bins)[1]

    def mass_function(self, x):
        return kj.soft_mass_function(self.find(x, alpha=1.0).decorated_mass, EDGES, width=0.3)


def recover(halos, truth=0.8, guess=0.6, steps=12):
    """(sigma8, loss, slope, field) step by step: down the gradient, with steps that shrink when its sign changes."""
    noise = halos.universe.noise(10)
    data = halos.field(noise, truth)

    def loss(sigma8):
        field = halos.field(noise, sigma8)
        return jnp.mean((field - data) ** 2), field

    gradient = jax.jit(jax.value_and_grad(loss, has_aux=True))
    path, step, before = [], 0.08, 0.0
    for _ in range(steps):
        (value, field), slope = gradient(guess)
        path.append((guess, float(value), float(slope), np.asarray(field)))
        if slope * before < 0:
            step /= 2
        guess, before = guess - step * float(np.sign(slope)), slope
    return path, np.asarray(data)


def derivatives(halos, realizations, sigma8=0.8, step=0.02):
    """(gradients, finite differences) of power spectrum and mass function by sigma8, a row for each realization; for
    the power spectrum also finite differences with the membership at sigma8.

    sigma8 is one number and the bins are several, so positions are differentiated forward, halos in reverse.
    """
    move = jax.jit(lambda noise: jax.jvp(lambda s: halos.universe.positions(noise, s), (sigma8,), (1.0,)))
    place = jax.jit(halos.universe.positions)

    def rows(f):
        def along(x, moved):
            value, pull = jax.vjp(f, x)
            return jax.lax.map(lambda row: jnp.vdot(pull(row)[0], moved), jnp.eye(len(value), dtype=value.dtype))
        return jax.jit(along), jax.jit(f)

    programs = [rows(halos.power), rows(halos.mass_function)]
    frozen_power = jax.jit(halos.power)
    found, frozen = [([], []) for _ in programs], []
    for seed in range(realizations):
        noise = halos.universe.noise(seed)
        x, moved = move(noise)
        above, below = place(noise, sigma8 + step), place(noise, sigma8 - step)
        for (along, value), (gradients, differences) in zip(programs, found):
            gradients.append(along(x, moved))
            differences.append((value(above) - value(below)) / (2 * step))
        label = halos.label(x)
        frozen.append((frozen_power(above, label) - frozen_power(below, label)) / (2 * step))
    found[0] += (frozen,)
    return [tuple(np.array(each) for each in kept) for kept in found]


def fitted(gradient, difference):
    """The alpha of the decorated mass that brings the mean gradient closest to the mean difference, in particles."""
    g, f = gradient.mean(axis=0), difference.mean(axis=0)
    return float(g @ f / (g @ g))


def figures():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def draw_path(path, data, side, file):
    """Figure 4: halo fields of some steps above, their residuals below."""
    plt = figures()
    shown = [path[i] for i in sorted({0, 1, 2, len(path) // 2, len(path) - 1})]
    figure, axes = plt.subplots(2, len(shown) + 1, figsize=(2.4 * (len(shown) + 1), 5), layout="constrained")
    top = data.sum(axis=2).max()
    for (sigma8, _, slope, field), (above, below) in zip(shown, axes.T):
        options = {"origin": "lower", "extent": (0, side, 0, side)}
        above.imshow(field.sum(axis=2).T, cmap="magma", vmin=0, vmax=top / 2, **options)
        below.imshow((field - data).sum(axis=2).T, cmap="RdBu", vmin=-top / 3, vmax=top / 3, **options)
        above.set_title(f"$\\sigma_8$ = {sigma8:.3f}\n$dL/d\\sigma_8$ = {slope:.2g}", fontsize=9)
    axes[0, 0].set_ylabel("halo field")
    axes[1, 0].set_ylabel("residual")
    axes[0, -1].imshow(data.sum(axis=2).T, cmap="magma", vmin=0, vmax=top / 2, origin="lower", extent=(0, side, 0, side))
    axes[0, -1].set_title("target\n$\\sigma_8$ = 0.8", fontsize=9)
    for ax in axes.flat[:-1]:
        ax.set(xticks=[], yticks=[])
    axes[1, -1].plot([step[0] for step in path], "o-", ms=3)
    axes[1, -1].axhline(0.8, color="gray", lw=1)
    axes[1, -1].set(xlabel="step", title="$\\sigma_8$")
    figure.savefig(file, dpi=100)


def draw_derivatives(halos, power, masses, file):
    """Figures 5 to 7."""
    plt = figures()
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    k = kj.power_spectrum(jnp.ones((halos.n,) * 3), halos.side, power[0].shape[1])[0]
    alpha = fitted(*masses)
    compare(axes[0], k, power, 1.0)
    axes[0].plot(k, power[2].mean(axis=0), "--", color="tab:cyan", zorder=5, label="finite differences, frozen")
    axes[0].legend()
    axes[0].set(xlabel="k [h/Mpc]", title="$dP/d\\sigma_8$ of halos, frozen membership")
    found = halos.find(halos.universe.positions(halos.universe.noise(0), 0.8))
    there = np.asarray(found.mass) > 0
    mass, radius = np.asarray(found.mass)[there], np.asarray(found.inertia_radius)[there]
    axes[1].loglog(mass, radius / mass, ".", ms=2, alpha=0.5)
    axes[1].set(xlabel="particles", ylabel="inertia radius / particles [Mpc/h]", title="radius and mass")
    compare(axes[2], np.sqrt(EDGES[1:] * EDGES[:-1]), masses, alpha)
    axes[2].legend()
    axes[2].set(xscale="log", xlabel="particles", title=f"$dN/d\\sigma_8$, decorated mass, alpha = {alpha:.1f}")
    figure.savefig(file, dpi=100)


def compare(ax, at, both, scale):
    """Means over realizations, with their scatter."""
    for values, name, color in ((both[1], "finite differences", "tab:red"), (scale * both[0], "gradient", "k")):
        ax.errorbar(at, values.mean(axis=0), values.std(axis=0), fmt="o-", color=color, label=name, ms=3, capsize=2)
    ax.axhline(0, color="gray", lw=1)


def main(n=32, realizations=8, folder="."):
    halos, folder = Halos(int(n)), pathlib.Path(folder)
    path, data = recover(halos)
    print(f"sigma8 from {path[0][0]:.2f} to {path[-1][0]:.3f}; the truth is 0.8")
    draw_path(path, data, halos.side, folder / "sigma8.png")
    power, masses = derivatives(halos, int(realizations))
    for name, (found, difference), scale in (("P(k)", power[:2], 1.0), ("N(M)", masses, fitted(*masses))):
        print(f"d{name}/dsigma8: mean gradient {(scale * found.mean(axis=0)).round(1)}, "
              f"mean difference {difference.mean(axis=0).round(1)}; scatter {scale * found.std(axis=0).mean():.3g} "
              f"against {difference.std(axis=0).mean():.3g}")
    print(f"dP(k)/dsigma8 with frozen membership: mean difference {power[2].mean(axis=0).round(1)}")
    draw_derivatives(halos, power, masses, folder / "derivatives.png")
    return path, power, masses


if __name__ == "__main__":
    main(*sys.argv[1:])
