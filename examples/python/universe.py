"""A small particle-mesh universe in JAX: Zel'dovich displacements, then leapfrog steps in an Einstein-de Sitter world.

Positions are differentiable functions of sigma8 and of the white noise that they start from. Lengths are in Mpc/h.
"""
import jax
import jax.numpy as jnp
import numpy as np


def wave_vectors(n, side):
    """k along each axis of a real Fourier transform, shaped to broadcast."""
    full, half = (2 * np.pi / side * f(n, 1 / n) for f in (np.fft.fftfreq, np.fft.rfftfreq))
    return full[:, None, None], full[None, :, None], half[None, None, :]


def linear_power(k):
    """A cold dark matter spectrum without units (BBKS transfer function, shape 0.21, index 0.96)."""
    q = k / 0.21
    transfer = np.log(1 + 2.34 * q) / (2.34 * q)
    transfer *= (1 + 3.89 * q + (16.1 * q) ** 2 + (5.46 * q) ** 3 + (6.71 * q) ** 4) ** -0.25
    return k**0.96 * transfer**2


def amplitude():
    """sigma8 of linear_power."""
    k = np.logspace(-4, 2, 4000)
    x = 8 * k
    window = 3 * (np.sin(x) - x * np.cos(x)) / x**3
    values = k**2 * linear_power(k) * window**2 / (2 * np.pi**2)
    return np.sqrt(np.sum((values[1:] + values[:-1]) / 2 * np.diff(k)))


CORNERS = np.array(list(np.ndindex(2, 2, 2)))


def corners(x, cells):
    """The eight nodes around points given in cells, as indices (3, 8, n), and their weights (8, n)."""
    low = jnp.floor(x).astype(jnp.int32)
    above = (x - low)[None]
    weight = jnp.prod(jnp.where(CORNERS[:, None] == 1, above, 1 - above), axis=2)
    return tuple(jnp.moveaxis((low[None] + CORNERS[:, None]) % cells, 2, 0)), weight


class Universe:
    """n^3 particles in a box; ``positions(noise, sigma8)`` evolves them to today."""

    def __init__(self, n, side, steps=5, start=0.1):
        self.n, self.side = n, side
        self.scale = np.linspace(start, 1.0, steps + 1)
        self.k = wave_vectors(n, side)
        k2 = sum(k**2 for k in self.k)
        self.k2 = np.where(k2 == 0, 1, k2)
        spectrum = linear_power(np.sqrt(self.k2)) / amplitude() ** 2
        self.transfer = np.where(k2 == 0, 0, np.sqrt(spectrum / (side / n) ** 3))
        grid = np.stack(np.meshgrid(*[np.arange(n) * side / n] * 3, indexing="ij"), axis=-1)
        self.start = grid.reshape(-1, 3)

    def noise(self, seed):
        return jax.random.normal(jax.random.PRNGKey(seed), (self.n,) * 3)

    def gradient_of_potential(self, contrast_k):
        """grad laplace^-1 of a contrast, on the mesh."""
        return [jnp.fft.irfftn(-1j * k * contrast_k / self.k2, s=(self.n,) * 3) for k in self.k]

    def force(self, x):
        cells = x * (self.n / self.side)
        nodes, weight = corners(cells, self.n)
        mesh = jnp.zeros((self.n,) * 3).at[nodes].add(weight)
        field = jnp.stack(self.gradient_of_potential(jnp.fft.rfftn(mesh - 1)), axis=-1)
        return -(weight[..., None] * field[nodes]).sum(axis=0)

    def positions(self, noise, sigma8):
        contrast = sigma8 * self.transfer * jnp.fft.rfftn(noise)
        shift = -jnp.stack([f.ravel() for f in self.gradient_of_potential(contrast)], axis=1)
        a = self.scale[0]
        x, p = self.start + a * shift, a**1.5 * shift
        ends, middles = self.scale, (self.scale[:-1] + self.scale[1:]) / 2
        # dp = 1.5 a^-1/2 force da and dx = a^-3/2 p da, integrated over each step.
        steps = np.stack([3 * (np.sqrt(middles) - np.sqrt(ends[:-1])), 2 * (ends[:-1] ** -0.5 - ends[1:] ** -0.5),
                          3 * (np.sqrt(ends[1:]) - np.sqrt(middles))], axis=1)

        def leap(state, step):
            y, q, force = state
            q = q + step[0] * force
            y = y + step[1] * q
            force = self.force(y)
            return (y, q + step[2] * force, force), None

        (x, _, _), _ = jax.lax.scan(leap, (x, p, self.force(x)), jnp.asarray(steps, x.dtype))
        return x % self.side
