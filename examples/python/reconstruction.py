"""A universe whose halos are those of another one: jFoF's figures 10 and 11.

    python reconstruction.py [N = 16] [STEPS = 400] [FOLDER = .]

Changes the white noise that a universe starts from until its field of halos is that of the data. Halos are found among
random links, so that they may form, merge and vanish on the way. Writes reconstruction.png.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

import kith.jax as kj
from sigma8 import SPACING, Halos, figures

SIGMA8 = 0.8


def reconstruct(halos, data, steps, samples=64, rate=0.01):
    """The noise after steps down the gradient, and the losses. The smoothing of the data falls from 4 Mpc/h to 1.2.

    The gradient is smoothed as well: the score of all links is noise on small scales. Its running mean is divided by one
    number for all modes.
    """
    length = 0.2 * SPACING
    side, n = halos.side, halos.n

    def loss(noise, smoothing, seed):
        x = halos.universe.positions(noise, SIGMA8)

        def misfit(found):
            return jnp.mean(halos.smooth(halos.paint(found) - data, smoothing) ** 2)

        return kj.topological_loss(x, misfit, linking_length=length, alpha=5.0, reach=1.5, samples=samples, seed=seed,
                                   min_size=5, box=side, max_groups=n**3 // 5, max_pairs=100 * n**3)

    gradient = jax.jit(jax.value_and_grad(loss))
    noise = halos.universe.noise(99)
    mean, square, losses = jnp.zeros_like(noise), 0.0, []
    for step in range(1, steps + 1):
        smoothing = 4.0 * max(0.3, 1 - step / steps)
        value, g = gradient(noise, smoothing, step)
        g = halos.smooth(g, max(smoothing, 2.0))
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * jnp.mean(g * g)
        noise -= rate * mean / (1 - 0.9**step) / (jnp.sqrt(square / (1 - 0.999**step)) + 1e-20)
        losses.append(float(value))
    return noise, losses


def correlation(a, b, side, bins):
    """The correlation coefficient of two fields by wave number."""
    k, sum_power = kj.power_spectrum(a / a.mean() + b / b.mean(), side, bins)
    powers = [kj.power_spectrum(each, side, bins)[1] for each in (a, b)]
    return k, (4 * sum_power - powers[0] - powers[1]) / (2 * jnp.sqrt(powers[0] * powers[1]))


def main(n=16, steps=400, folder="."):
    halos = Halos(int(n))
    field = jax.jit(lambda noise: halos.paint(halos.find(halos.universe.positions(noise, SIGMA8))))
    truth = field(halos.universe.noise(10))
    data = jnp.asarray(np.random.default_rng(1).poisson(np.asarray(truth)), truth.dtype)
    noise, losses = reconstruct(halos, data, int(steps))
    fields = {"start": field(halos.universe.noise(99)), f"after {steps} steps": field(noise), "data": data}
    curves = {name: correlation(each, truth, halos.side, 8) for name, each in fields.items()}
    for name, (k, r) in curves.items():
        print(f"{name}: correlation with the truth {np.asarray(r).round(2)} at k = {np.asarray(k).round(2)} h/Mpc")
    draw(halos, fields, curves, pathlib.Path(folder) / "reconstruction.png")
    return losses, curves


def draw(halos, fields, curves, file):
    plt = figures()
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.5), layout="constrained")
    for ax, (name, field) in zip(axes, fields.items()):
        image = np.asarray(halos.smooth(field, SPACING)).sum(axis=2).T
        ax.imshow(image, cmap="magma", vmin=0, vmax=20, origin="lower")
        ax.set(title=name, xticks=[], yticks=[])
    for (name, (k, r)), style in zip(curves.items(), ("k:", "k-", "0.6")):
        axes[3].plot(k, r, style, label=name)
    axes[3].axhline(0, color="gray", lw=0.5)
    axes[3].set(xlabel="k [h/Mpc]", title="correlation with the true halos", ylim=(-0.3, 1.05))
    axes[3].legend()
    figure.savefig(file, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])
