#!/usr/bin/env python3
"""A writer that is killed leaves the old file or the new one, never half of one.
Usage: kill_test.py SNAPSHOT_TOOL [KILLS]"""
import pathlib
import random
import subprocess
import sys
import tempfile
import time

POINTS = 60000


def main(tool, kills):
    random.seed(7)
    killed = finished = replaced = 0
    with tempfile.TemporaryDirectory(prefix="kith-kill-") as folder:
        for ending in ("hdf5", "npz", "gadget2"):
            path = pathlib.Path(folder) / f"a.{ending}"
            start = time.monotonic()
            subprocess.run([tool, "write", path, str(POINTS), "1"], check=True)
            whole = time.monotonic() - start
            last = 1
            for seed in range(2, 2 + (kills + 2) // 3):
                writer = subprocess.Popen([tool, "write", path, str(POINTS), str(seed)])
                time.sleep(random.random() * 1.2 * whole)
                writer.kill()
                if writer.wait() == 0:
                    finished += 1
                else:
                    killed += 1
                check = subprocess.run([tool, "check", path], capture_output=True, text=True)
                if check.returncode != 0:
                    sys.exit(f"{path}: damaged after kill {seed}: {check.stderr}")
                now = int(check.stdout)
                if now not in (last, seed) or (writer.returncode == 0 and now != seed):
                    sys.exit(f"{path}: holds {now} where {last} or {seed} was written")
                replaced += now == seed
                last = now
                for rest in pathlib.Path(folder).glob("*.part"):
                    rest.unlink()
    print(f"{killed} writers killed, {finished} came to their end; {replaced} files replaced, none damaged")
    if killed < kills // 3:
        sys.exit("too few of them were killed in time: the test shows nothing")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30)
