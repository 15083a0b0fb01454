"""Gradients through the links themselves: jFoF's figures 8 and 9.

    python topology.py [N = 512] [STEPS = 300] [FOLDER = .]

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

LENGTH = 0.85  # linking length, in spacings of the grid
WIDTH = 0.05  # of the soft edge of the image; the square has side 1


def depth(center):
    """How far inside a ring with a bar across it; negative outside."""
    x, y = center[..., 0] - 0.5, center[..., 1] - 0.5
    ring = 0.065 - abs(jnp.hypot(x, y) - 0.315)
    bar = jnp.minimum(0.06 - abs(y), 0.26 - abs(x))
    return jnp.maximum(ring, bar)


def loss(halos):
    """Halo mass outside less that inside. The edge is soft: a halo near it has a gradient by its own position too."""
    return -jnp.sum(halos.mass * jnp.tanh(depth(halos.center) / (2 * WIDTH)))


def halo_members(x, n):
    return np.asarray(kith.fof(np.asarray(x), linking_length=LENGTH / n, box=1.0, min_size=3).label) >= 0


def inside(x, n):
    """The parts of all points and of those in halos that are in the image."""
    there = np.asarray(depth(x) > 0)
    return there.mean(), there[halo_members(x, n)].mean()


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


def assemble(n, steps, samples=16, alpha=0.5, reach=1.0):
    """Moves points down the topological gradient; returns the start, the end, the losses and how much is in the image.

    As in jFoF's program, points are linked up to one linking length. With a longer reach, alpha = 0.5 links points all
    over the square. The advantage is divided by the scatter of the losses, which grows with the number of points, so more
    points need longer steps: 3 spacings for 512^2 points.
    """
    spacing = 1 / n
    x = jnp.asarray(kith.sample.grid(n, 2))
    x = x + 0.3 * spacing * jax.random.normal(jax.random.PRNGKey(1), x.shape)
    options = {"linking_length": LENGTH * spacing, "alpha": alpha, "reach": reach, "box": 1.0}
    pairs = len(gradients.SoftLinks(np.asarray(x), **options)) + 999

    @jax.jit
    def gradient(y, seed):
        return jax.value_and_grad(lambda z: kj.topological_loss(
            z, loss, samples=samples, seed=seed, min_size=3, max_groups=n * n // 3, max_pairs=20 * pairs,
            baseline="batch_mean", advantage="normalized", **options))(y)

    start, first, second, losses = x, jnp.zeros_like(x), jnp.zeros_like(x), []
    parts = [(0, *inside(x, n))]
    longest = 3 * (n / 512) ** 2 * spacing
    for step in range(1, steps + 1):  # Adam, with steps that shrink to 0
        value, g = gradient(x, step)
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
        move = first / (1 - 0.9**step) / (jnp.sqrt(second / (1 - 0.999**step)) + 1e-12)
        x = (x - longest * (1 - step / (steps + 1)) * move) % 1
        losses.append(float(value))
        if step % max(1, steps // 12) == 0:
            parts.append((step, *inside(x, n)))
            print("step {}: in the image {:.0%} of the points, {:.0%} of those in halos".format(*parts[-1]), flush=True)
    return np.asarray(start), np.asarray(x), losses, parts


def draw(n, start, end, parts, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(2, 3, figsize=(11, 7.6), layout="constrained")
    show_samples(axes[0])
    for ax, x, title in ((axes[1, 0], start, "start"), (axes[1, 1], end, f"after {parts[-1][0]} steps")):
        ax.plot(*x[halo_members(x, n)].T, "k.", ms=max(0.5, 100 / n), mew=0)
        ax.set(title=f"points in halos, {title}", xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[], aspect="equal")
    step, points, members = np.array(parts).T
    axes[1, 2].plot(step, members, "k.-", label="of the points in halos")
    axes[1, 2].plot(step, points, ".-", color="0.6", label="of all points")
    axes[1, 2].set(xlabel="step", title="part in the image", ylim=(0, 1))
    axes[1, 2].legend()
    figure.savefig(file, dpi=110)


def main(n=512, steps=300, folder="."):
    start, end, losses, parts = assemble(int(n), int(steps))
    draw(int(n), start, end, parts, pathlib.Path(folder) / "topology.png")
    print(f"loss from {losses[0]:.0f} to {losses[-1]:.0f}")
    return losses


if __name__ == "__main__":
    main(*sys.argv[1:])
