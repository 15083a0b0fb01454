"""Pair counts of kith, Corrfunc and TreeCorr, in one run: counts must agree, times are the best of several.

    python bench/peers/pairs.py POINTS.npy SIDE [--threads 1] [--dtype f8] [--repeat 3] [--mock MOCK.npy] [--treecorr]

POINTS: (n, 3) in a periodic box. MOCK: (n, 3) of right ascension, declination and comoving distance. Corrfunc's own
14 bins to 23.9. With one thread times are processor time, which other programs disturb less; else wall time.
"""
from __future__ import annotations

import argparse
import time

import numpy as np

from kith import correlation

EDGES = np.array([0.167536, 0.238755, 0.340251, 0.484892, 0.691021, 0.984777, 1.40341, 2.0, 2.85020, 4.06184,
                  5.78853, 8.24925, 11.7560, 16.7536, 23.8755])


def best(repeat, work, clock=time.process_time):
    seconds, result = np.inf, None
    for _ in range(repeat):
        start = clock()
        result = work()
        seconds = min(seconds, clock() - start)
    return seconds, result


def mock_cases(sky, threads):
    """The survey variants: the line of sight of a pair goes to its middle."""
    from Corrfunc.mocks import DDrppi_mocks, DDsmu_mocks, DDtheta_mocks
    ra, dec, distance = (np.ascontiguousarray(column) for column in sky.T)
    x, unit = correlation.sky_positions(ra, dec, distance), correlation.sky_positions(ra, dec)
    angles = np.logspace(-2, 1, 15)
    common = {"line_of_sight": "midpoint", "threads": threads}
    return {
        "DDrppi_mocks": (lambda: correlation.count(x, edges=EDGES, separation="rp_pi", **common).counts.ravel(),
                         lambda: DDrppi_mocks(1, 1, threads, 40.0, EDGES, ra, dec, distance,
                                              is_comoving_dist=True)["npairs"]),
        "DDsmu_mocks": (lambda: correlation.count(x, edges=EDGES, separation="s_mu", **common).counts.ravel(),
                        lambda: DDsmu_mocks(1, 1, threads, 1.0, 20, EDGES, ra, dec, distance,
                                            is_comoving_dist=True)["npairs"]),
        "DDtheta_mocks": (lambda: correlation.count(unit, edges=angles, separation="theta", threads=threads).counts,
                          lambda: DDtheta_mocks(1, threads, angles, ra, dec)["npairs"]),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("points")
    parser.add_argument("side", type=float)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", default="f8")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--mock")
    parser.add_argument("--treecorr", action="store_true")
    given = parser.parse_args()
    from Corrfunc.theory import DD, DDrppi, DDsmu, wp
    x = np.ascontiguousarray(np.load(given.points).astype(given.dtype))
    columns = [np.ascontiguousarray(x[:, i]) for i in range(3)]
    ones = np.ones(len(x))
    weight = np.ones_like(columns[0])
    side, threads = given.side, given.threads
    region = correlation.jackknife_regions(x, 64, box=side)

    def ours(edges=EDGES, **options):
        return correlation.count(x, edges=edges, box=side, threads=threads, **options)

    cases = {
        "DD": (lambda: ours().counts, lambda: DD(1, threads, EDGES, *columns, boxsize=side)["npairs"]),
        "DD weighted": (lambda: ours(weight=ones).weight,
                        lambda: DD(1, threads, EDGES, *columns, weights1=weight, weight_type="pair_product",
                                   boxsize=side)["npairs"]),
        "DD, 64 regions": (lambda: ours(region=region).counts, None),
        "wp": (lambda: ours(separation="rp_pi", pi_max=40.0, pi_bins=1).counts[:, 0],
               lambda: wp(side, 40.0, threads, EDGES, *columns)["npairs"]),
        "DDrppi": (lambda: ours(separation="rp_pi", pi_max=40.0, pi_bins=40).counts.ravel(),
                   lambda: DDrppi(1, threads, 40.0, EDGES, *columns, boxsize=side)["npairs"]),
        "DDsmu": (lambda: ours(separation="s_mu", mu_bins=20).counts.ravel(),
                  lambda: DDsmu(1, threads, EDGES, 1.0, 20, *columns, boxsize=side)["npairs"]),
    }
    for last in (5, 8, 10):
        few = EDGES[:last]
        cases[f"DD to {few[-1]:.3g}"] = (lambda few=few: ours(few).counts,
                                         lambda few=few: DD(1, threads, few, *columns, boxsize=side)["npairs"])
    cases["DD, 1000 bins"] = (lambda: ours(np.linspace(0, EDGES[-1], 1001)).counts, None)
    if given.mock:
        cases |= mock_cases(np.load(given.mock), threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    for name, (mine, theirs) in cases.items():
        if given.only and given.only not in name:
            continue
        seconds, found = best(given.repeat, mine, clock)
        if theirs is None:
            print(f"{name:16} kith {seconds:7.3f} s")
            continue
        other_seconds, expected = best(given.repeat, theirs, clock)
        differing = int(np.sum(np.asarray(found) != np.asarray(expected)))
        print(f"{name:16} kith {seconds:7.3f} s  Corrfunc {other_seconds:7.3f} s  ratio {other_seconds / seconds:5.2f}"
              f"  bins that differ: {differing} of {len(expected)}", flush=True)
    if given.treecorr:
        import treecorr
        catalogue = treecorr.Catalog(x=columns[0], y=columns[1], z=columns[2])

        def count():
            pairs = treecorr.NNCorrelation(min_sep=EDGES[0], max_sep=EDGES[-1], nbins=14, bin_slop=0,
                                           xperiod=side, yperiod=side, zperiod=side, metric="Periodic",
                                           num_threads=threads)
            pairs.process(catalogue)
            return pairs.npairs
        seconds, _ = best(1, count, clock)
        print(f"{'DD':16} TreeCorr (bin_slop 0) {seconds:7.3f} s")


if __name__ == "__main__":
    main()
