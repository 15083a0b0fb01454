"""Sample points: simple shapes, difficult cases, and a universe.

Samples depend only on the arguments: the same seed gives the same bits with any number of threads. Points are float32
rows.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kith
from ._box import Box
from ._call import CancelToken, carry_out
from .typing import Progress, Transfer

__all__ = ["Universe", "all_equal", "cosmology", "grid", "half_identical", "linear_power", "lines", "nfw", "normal",
           "plummer", "shells", "uniform"]


def _make(kind: str, **options: Any) -> NDArray[np.float32]:
    make: Callable[..., NDArray[np.float32]] = getattr(_kith, f"sample_{kind}")
    return carry_out(make, options)


def uniform(n: int, dimension: int = 3, *, side: float = 1.0, seed: int = 1) -> NDArray[np.float32]:
    """Uniformly distributed points in the cube [0, side)^dimension."""
    return _make("uniform", n=n, dimension=dimension, side=side, seed=seed)


def normal(n: int, dimension: int = 3, *, sigma: float = 1.0, seed: int = 1) -> NDArray[np.float32]:
    """A Gaussian cloud around the origin."""
    return _make("normal", n=n, dimension=dimension, sigma=sigma, seed=seed)


def grid(n: int, dimension: int = 3, *, side: float = 1.0) -> NDArray[np.float32]:
    """The centers of n^dimension equal cells of the cube [0, side)^dimension, with many equal distances."""
    return _make("grid", n=n, dimension=dimension, side=side)


def plummer(n: int, *, radius: float = 1.0, max_radius: float = 0.0, seed: int = 1) -> NDArray[np.float32]:
    """A Plummer sphere in three dimensions, with a few points very far out. ``max_radius`` truncates it."""
    return _make("plummer", n=n, radius=radius, max_radius=max_radius, seed=seed)


def nfw(n: int, *, radius: float = 1.0, concentration: float = 10.0, seed: int = 1) -> NDArray[np.float32]:
    """A halo with the profile of Navarro, Frenk and White, truncated at ``radius``."""
    return _make("nfw", n=n, radius=radius, concentration=concentration, seed=seed)


def shells(n: int, dimension: int = 3, *, shells: int = 5, radius: float = 1.0, seed: int = 1) -> NDArray[np.float32]:
    """Points on concentric spheres around the origin."""
    return _make("shells", n=n, dimension=dimension, shells=shells, radius=radius, seed=seed)


def lines(n: int, dimension: int = 3, *, lines: int = 16, side: float = 1.0, seed: int = 1) -> NDArray[np.float32]:
    """Points on straight lines between random ends in the cube [0, side)^dimension."""
    return _make("lines", n=n, dimension=dimension, lines=lines, side=side, seed=seed)


def all_equal(n: int, dimension: int = 3, *, value: float = 0.5) -> NDArray[np.float32]:
    """The same point n times."""
    return _make("all_equal", n=n, dimension=dimension, value=value)


def half_identical(n: int, dimension: int = 3, *, side: float = 1.0, seed: int = 1) -> NDArray[np.float32]:
    """Points with an even index are at the center of the cube, the others uniformly distributed in it."""
    return _make("half_identical", n=n, dimension=dimension, side=side, seed=seed)


class Universe:
    """Dark matter in a periodic box at one time: ``position`` (n^3 rows) in Mpc/h, peculiar ``velocity`` in km/s,
    ``particle_mass`` in Msun/h, and the ``box``."""

    def __init__(self, position: NDArray[np.float32], velocity: NDArray[np.float32], particle_mass: float,
                 side: float) -> None:
        self.position = position
        self.velocity = velocity
        self.particle_mass = particle_mass
        self.box = Box(side)

    def __repr__(self) -> str:
        return f"<kith.sample.Universe: {len(self.position)} particles in {self.box!r}>"


def cosmology(n: int = 128, *, side: float = 0.0, seed: int = 1, omega_m: float = 0.31, omega_b: float = 0.049,
              h: float = 0.68, n_s: float = 0.97, sigma8: float = 0.81, transfer: Transfer = "eisenstein_hu",
              order: int = 2, a_start: float = 0.05, a_end: float = 1.0, steps: int = 40, mesh: int = 0,
              threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None) -> Universe:
    """Simulates n^3 particles in a box of ``side`` Mpc/h (n if 0) under gravity, from a Gaussian random field at
    ``a_start`` to ``a_end``. 128^3 particles take half a minute of processor time."""
    options = {"n": n, "side": side, "seed": seed, "omega_m": omega_m, "omega_b": omega_b, "h": h, "n_s": n_s,
               "sigma8": sigma8, "transfer": transfer, "order": order, "a_start": a_start, "a_end": a_end,
               "steps": steps, "mesh": mesh}
    return Universe(*carry_out(_kith.sample_cosmology, options, threads=threads, progress=progress,
                               cancel=cancel))


def linear_power(k: ArrayLike, *, omega_m: float = 0.31, omega_b: float = 0.049, h: float = 0.68, n_s: float = 0.97,
                 sigma8: float = 0.81, transfer: Transfer = "eisenstein_hu") -> NDArray[np.float64]:
    """The linear power spectrum today, in (Mpc/h)^3, at wave numbers ``k`` in h/Mpc."""
    options = {"omega_m": omega_m, "omega_b": omega_b, "h": h, "n_s": n_s, "sigma8": sigma8, "transfer": transfer}
    given = np.asarray(k, np.float64)
    return _kith.linear_power(np.ascontiguousarray(given.ravel()), options).reshape(given.shape)
