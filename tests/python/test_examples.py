"""The programs of examples/python, in small."""
import pathlib
import sys

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("matplotlib")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"))
pytest.importorskip("kith.jax")


def test_sigma8_is_recovered_through_halos(tmp_path):
    import sigma8
    halos = sigma8.Halos(16)
    path = sigma8.recover(halos, steps=10)
    assert abs(path[-1][0] - 0.8) < 0.06 and path[0][2] < 0  # from 0.6 upwards
    found, difference = sigma8.derivative_and_difference(halos.power, halos, 2)
    assert found.shape == difference.shape and np.isfinite(found).all()
    sigma8.draw(path, (found, difference), (found, difference), tmp_path / "sigma8.png")


def test_points_move_into_an_image(tmp_path):
    import topology
    losses = topology.main(24, 25, tmp_path)
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) and (tmp_path / "topology.png").exists()

