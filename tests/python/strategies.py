"""Random point sets for hypothesis: any dimension, both types, open and periodic, with ties and duplicates."""
import numpy as np
from hypothesis import strategies as st


@st.composite
def point_sets(draw, max_points=60, max_dimension=5):
    """(points, side or None); on a coarse grid half of the time, so that distances tie."""
    n = draw(st.integers(0, max_points))
    dimension = draw(st.integers(1, max_dimension))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    side = draw(st.sampled_from([None, 1.0, 3.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.random((n, dimension))
    if draw(st.booleans()):
        x = np.floor(x * 4) / 4
    return (x * (side or 1.0)).astype(dtype), side
