"""Gradients through the links themselves: jFoF's figures 8 and 9.

    python topology.py [N = 128] [STEPS = 300] [FOLDER = .]

Samples of random links for several alpha, then N^2 points on a plane that move into a target image: mass in halos outside
of it is penalized, inside rewarded. Writes topology.png.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

import kith
import kith.jax as kj
from kith import gradients

LENGTH = 0.6  # linking length, in spacings of the grid


def target(center):
    """Inside a ring and a bar across it, in the unit square."""
    x, y = center[..., 0] - 0.5, center[..., 1] - 0.5
    r = jnp.hypot(x, y)
    return ((r > 0.25) & (r < 0.38)) | ((jnp.abs(y) < 0.06) & (r < 0.25))


def show_samples(axes):
    """Links and groups of one small set."""
    x = np.concatenate([kith.sample.normal(40, 2, seed=s) * 0.07 + c for s, c in ((1, 0.35), (2, 0.65))])
    for ax, alpha in zip(axes, (100.0, 5.0, 1.0)):
        links = gradients.SoftLinks(x, linking_length=0.05, alpha=alpha)
        drawn = links.sample(1, seed=3)
        i, j = links.pairs
        on = drawn.linked()[0]
        ax.plot(np.stack([x[i[on], 0], x[j[on], 0]]), np.stack([x[i[on], 1], x[j[on], 1]]), "-", color="0.7", lw=0.7)
        ax.scatter(*x.T, c=drawn.label[0] % 10, cmap="tab10", s=8)
        ax.set(title=f"alpha = {alpha:g}: {drawn.count[0]} groups", xticks=[], yticks=[])


def assemble(n, steps, samples=64, alpha=5.0, min_size=3):
    """Moves points down the topological gradient; returns the start, the end and the losses."""
    spacing = 1 / n
    x = jnp.asarray(kith.sample.grid(n, 2))
    x = x + 0.3 * spacing * jax.random.normal(jax.random.PRNGKey(1), x.shape)
    length = LENGTH * spacing
    pairs = 3 * len(gradients.SoftLinks(np.asarray(x), linking_length=length, alpha=alpha, reach=1.5, box=1.0)) + 9999

    def loss(halos):
        return jnp.sum(jnp.where(target(halos.center), -halos.mass, halos.mass))

    @jax.jit
    def gradient(y, seed):
        return jax.value_and_grad(lambda z: kj.topological_loss(
            z, loss, linking_length=length, alpha=alpha, samples=samples, reach=1.5, min_size=min_size, box=1.0, seed=seed,
            max_groups=n * n, max_pairs=20 * pairs, advantage="normalized"))(y)

    start, first, second, losses = x, jnp.zeros_like(x), jnp.zeros_like(x), []
    for step in range(1, steps + 1):  # Adam
        value, g = gradient(x, step)
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
        move = first / (1 - 0.9**step) / (jnp.sqrt(second / (1 - 0.999**step)) + 1e-12)
        x = (x - 0.05 * spacing * move) % 1
        losses.append(float(value))
    return np.asarray(start), np.asarray(x), losses


def main(n=128, steps=300, folder="."):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(2, 3, figsize=(11, 7.2), layout="constrained")
    show_samples(axes[0])
    start, end, losses = assemble(int(n), int(steps))
    for ax, x, title in ((axes[1, 0], start, "start"), (axes[1, 1], end, f"after {steps} steps")):
        label = kith.fof(x, linking_length=LENGTH / int(n), box=1.0, min_size=3).label
        ax.plot(*x.T, ".", color="0.8", ms=0.5)
        ax.plot(*x[label >= 0].T, "k.", ms=1)
        ax.set(title=title, xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[], aspect="equal")
    axes[1, 2].plot(losses)
    axes[1, 2].set(xlabel="step", ylabel="mean loss of the samples")
    figure.savefig(pathlib.Path(folder) / "topology.png", dpi=110)
    print(f"loss from {losses[0]:.0f} to {losses[-1]:.0f}")
    return losses


if __name__ == "__main__":
    main(*sys.argv[1:])
