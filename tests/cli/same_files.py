#!/usr/bin/env python3
"""Two builds of the program write the same bytes: for samples, catalogues, neighbors, clusters, pictures and the rest, in all
formats. scripts/arm.sh compares builds for two kinds of processor.

Usage: same_files.py KITH OTHER [PATTERN]   commands that match PATTERN, and the samples; default: all commands
"""
import concurrent.futures
import filecmp
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLES = [
    "sample cosmology -n 24 -o universe.hdf5",
    "sample cosmology -n 24 --swift -o swift.hdf5",
    "sample uniform -n 8000 -o uniform.npy",
    "sample uniform -n 5000 -d 2 -o plane.csv",
    "sample normal -n 4000 -d 5 -o normal.npz",
    "sample plummer -n 6000 -o plummer.npy",
    "sample nfw -n 6000 -o nfw.ply",
    "sample lines -n 3000 -o lines.npy",
    "sample grid -n 10 -o grid.npy",
    "sample shells -n 3000 -o shells.gadget2",
    "sample half-identical -n 3000 -o half.npy",
    "sample all-equal -n 500 -o equal.npy",
]
COMMANDS = [
    "fof universe.hdf5 --overdensities --labels --min-size 8 -o halos.hdf5",
    "fof universe.hdf5 --center density --style swift --files 2 --min-size 8 -o fof.hdf5",
    "fof universe.hdf5 --center shrinking --min-size 8 -o shrinking.npz",
    "fof universe.hdf5 --min-size 8 -o table.csv --picture halos.png --sorted-snapshot sorted.hdf5",
    "fof swift.hdf5 --min-size 8 -o swift_halos.hdf5 --picture swift.svg",
    "fof universe.hdf5 --los z --b-parallel 0.6 --min-size 8 -o survey.hdf5",
    "fof uniform.npy -b 0.8 --box 1 --min-size 2 --labels -o groups.npz",
    "fof normal.npz --linking-length 0.4 --min-size 2 --labels -o normal_groups.npz",
    "fof half.npy --linking-length 0.05 --min-size 2 --labels -o half_groups.npz",
    "fof plummer.npy --linking-length 0.05 --scalar float64 --labels -o plummer_groups.npz",
    "fof universe.hdf5 --all-lengths 0.15,0.2 --min-size 8 -o lengths.hdf5 --picture lengths.pdf",
    "subhalos universe.hdf5 --phase-linking-length 0.3 --min-size 8 -o subhalos.hdf5",
    "knn universe.hdf5 -k 8 -o neighbors.hdf5",
    "knn normal.npz -k 5 -o normal_neighbors.npz",
    "knn equal.npy -k 20 -o equal_neighbors.npz",
    "knn plane.csv -k 6 --scalar float64 -o plane_neighbors.npz",
    "density universe.hdf5 -k 16 -o density.npz",
    "density nfw.ply -k 32 -o nfw_density.hdf5",
    "radius grid.npy --radius 0.15 -o grid_pairs.npz",
    "radius universe.hdf5 --radius 2 -o pairs.hdf5",
    "cluster plane.csv --method hdbscan -o hdbscan.npz --picture hdbscan.png",
    "cluster normal.npz --method dbscan --eps 0.5 -o dbscan.npz",
    "correlate universe.hdf5 --xi --log-bins 0.5,10,10 --regions 8 --figure xi.svg -o xi.csv",
    "info universe.hdf5 --json",
    "verify universe.hdf5 halos.hdf5 --json",
]


def run(program, folder, command):
    """The command in this folder; its standard output is one of the files. Messages name numbers, not times."""
    done = subprocess.run([program, *command.split(), "-q"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program} {command}: {done.stderr}")


def differences(first, second):
    names = sorted({path.name for folder in (first, second) for path in folder.iterdir()})
    for name in names:
        ours, theirs = first / name, second / name
        if not (ours.exists() and theirs.exists()):
            yield f"{name}: only one build writes it"
        elif not filecmp.cmp(ours, theirs, shallow=False):
            yield f"{name}: differs"
    print(f"{len(names)} files compared")


def main(program, other, pattern="."):
    commands = [command for command in COMMANDS if re.search(pattern, command)]
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name, which) for which in ("ours", "theirs")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for step in (SAMPLES, commands):
                for folder, path in zip(folders, (program, other)):
                    folder.mkdir(exist_ok=True)
                    list(pool.map(lambda command, path=path, folder=folder: run(path, folder, command), step))
                found = list(differences(*folders))
                if found:
                    print("\n".join(found))
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:3]), *sys.argv[3:]))
