"""scipy's own tests of its KDTree, taken from the scipy that is installed, with kith's in its place.

scipy_excluded.txt lists the tests that cannot pass, each with its reason; conftest.py expects them to fail.
"""
import pathlib

import pytest

import kith

scipy_spatial = pytest.importorskip("scipy.spatial")
SOURCE = pathlib.Path(scipy_spatial.__file__).parent / "tests" / "test_kdtree.py"
if not SOURCE.exists():
    pytest.skip("this scipy comes without its tests", allow_module_level=True)


def _define_tests_with_ours_in_place(namespace):
    """Runs scipy's file here, so that pytest finds its tests; what it imports as KDTree is kith's."""
    theirs = scipy_spatial.KDTree, scipy_spatial.cKDTree
    scipy_spatial.KDTree, scipy_spatial.cKDTree = kith.KDTree, kith.cKDTree
    try:
        exec(compile(SOURCE.read_text(encoding="utf-8"), str(SOURCE), "exec"), namespace)
    finally:
        scipy_spatial.KDTree, scipy_spatial.cKDTree = theirs


_define_tests_with_ours_in_place(globals())
