"""Particles that yt has loaded."""
import numpy as np
import pytest

import kith

yt = pytest.importorskip("yt")
yt.set_log_level(50)


def dataset(**options):
    random = np.random.default_rng(1)
    x, v = random.random((300, 3)) * 2 - 1, random.normal(size=(300, 3))
    mass = random.random(300) + 1
    data = {f"particle_position_{axis}": x[:, i] for i, axis in enumerate("xyz")}
    data |= {f"particle_velocity_{axis}": v[:, i] for i, axis in enumerate("xyz")}
    data |= {"particle_mass": mass, "particle_index": np.arange(300)}
    ds = yt.load_particles(data, length_unit="Mpc", mass_unit=(1e10, "Msun"), time_unit=(3.0856775814913673e19, "s"),
                           bbox=np.array([[-1.0, 1.0]] * 3), **options)
    return ds, x, v, mass


def test_particles_of_yt_make_the_same_groups():
    ds, x, v, mass = dataset(periodicity=(True, True, False))
    particles = kith.from_yt(ds)
    assert (len(particles), particles.units, particles.redshift) == (300, "Mpc,Msun,km/s", 0)
    assert particles.box.side == (2, 2, 0) and particles.box.origin == (-1, -1, -1)
    order = np.argsort(particles.id)
    np.testing.assert_allclose(particles.position[order], x, rtol=1e-12)
    np.testing.assert_allclose(particles.velocity[order], v, rtol=1e-9)
    np.testing.assert_allclose(particles.mass[order], mass * 1e10, rtol=1e-9)
    box = kith.Box([2, 2, 0], -1)
    found = kith.fof(particles.position, linking_length=0.2, box=particles.box)
    expected = kith.fof(x, linking_length=0.2, box=box)
    assert len(found) == len(expected)
    part = kith.from_yt(ds.sphere([0, 0, 0], (0.5, "Mpc")), dtype=np.float32)
    assert len(part) == np.count_nonzero((x**2).sum(axis=1) < 0.25) and part.position.dtype == np.float32


def test_wrong_arguments():
    ds = dataset()[0]
    with pytest.raises(ValueError, match="no particles of type stars; the dataset has"):
        kith.from_yt(ds, type="stars")
    with pytest.raises(TypeError, match="is not a dataset of yt"):
        kith.from_yt([1, 2])
    with pytest.raises(TypeError, match="float32 or float64"):
        kith.from_yt(ds, dtype=int)
