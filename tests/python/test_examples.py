"""The programs of examples/python, at small sizes."""
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
    path, power, masses = sigma8.main(16, 2, tmp_path)
    assert abs(path[-1][0] - 0.8) < 0.06 and path[0][2] < 0  # from 0.6 upwards
    gradient, _, frozen = (each.mean(axis=0) for each in power)
    assert np.abs(gradient - frozen)[:3].max() < 0.1 * np.abs(gradient).max()
    assert np.isfinite(masses[0]).all()
    assert (tmp_path / "sigma8.png").exists() and (tmp_path / "derivatives.png").exists()


def test_a_halo_field_is_followed(tmp_path):
    import reconstruction
    losses, curves = reconstruction.main(12, 5, tmp_path)
    assert np.isfinite(losses).all() and np.isfinite(curves["data"][1][:4]).all()
    assert (tmp_path / "reconstruction.png").exists()


def test_points_move_into_an_image(tmp_path):
    import topology
    losses = topology.main(64, 20, tmp_path)
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) and (tmp_path / "topology.png").exists()


def test_figures_of_the_paper(tmp_path, monkeypatch):
    import paper_figures
    names = {"2": "order", "4": "planes", "7a": "distributions", "8a": "fof"}
    monkeypatch.setattr(sys, "argv", ["paper_figures.py", *names, "--points", str(22**3), "--particles", "22",
                                      "--folder", str(tmp_path)])
    paper_figures.main()
    for name in names.values():
        assert (tmp_path / f"paper_{name}.png").exists()
