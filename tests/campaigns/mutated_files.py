#!/usr/bin/env python3
"""Random changes of good files, given to the program: its answers, its time and its memory.

Usage: mutated_files.py PROGRAM [--cases N] [--seed S] [--kind KIND]... [--keep FOLDER]
Every case changes 1 to 8 places of one file and runs one command on it. It may work, or fail with one sentence; a fault
is counted, and so is more than 30 s of processor time or 2 GiB of memory. Files of such cases are kept in FOLDER."""

import argparse
import collections
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

MOST_SECONDS, MOST_BYTES = 30, 2 << 30


class Campaign:
    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        self.make("sample", "cosmology", "-n", 10, "--steps", 2, "--mesh", 10, "-o", "s.hdf5")
        self.make("sample", "uniform", "-n", 400, "-o", "x.npy")
        self.make("sample", "uniform", "-n", 400, "-o", "g.gadget2")
        groups = ["fof", "s.hdf5", "-b", 0.7, "--min-size", 2, "--labels"]
        self.make(*groups, "-o", "h.hdf5")
        self.make(*groups, "--compression", 4, "-o", "packed.hdf5")
        self.make(*groups, "--style", "swift", "-o", "swift.hdf5")
        self.make(*groups, "-o", "h.npz")
        self.make("subhalos", "s.hdf5", "-b", 0.7, "--phase-linking-length", 0.6, "--min-size", 2, "-o", "sub.hdf5")
        self.make("knn", "s.hdf5", "-k", 3, "-o", "n.hdf5")
        self.make("radius", "s.hdf5", "--radius", 10, "-o", "r.npz")
        self.make("cluster", "x.npy", "--method", "dbscan", "--eps", 0.1, "-o", "c.npz")
        self.make_bigfile()
        verify, report, info = ["verify", "s.hdf5", "FILE", "--samples", "3"], ["report", "FILE", "-o", "out.html"], ["info", "FILE"]
        self.kinds = {
            "snapshot": [("s.hdf5", info), ("s.hdf5", ["knn", "FILE", "-k", "2", "-o", "out.npz"])],
            "gadget": [("g.gadget2", info)],
            "bigfile": [("big", info), ("big", ["density", "FILE", "-k", "4", "-o", "out.npz"])],
            "info": [(name, info) for name in ("h.hdf5", "packed.hdf5", "swift.hdf5", "sub.hdf5", "n.hdf5", "h.npz")],
            "verify": [(name, verify) for name in ("h.hdf5", "packed.hdf5", "swift.hdf5", "sub.hdf5", "n.hdf5", "h.npz", "r.npz")]
            + [("c.npz", ["verify", "x.npy", "FILE", "--samples", "3"])],
            "report": [(name, report) for name in ("h.hdf5", "packed.hdf5", "swift.hdf5", "sub.hdf5", "h.npz")]}

    def make(self, *words):
        subprocess.run([self.program, *map(str, words), "-q"], cwd=self.folder, check=True)

    def make_bigfile(self):
        for column, width in (("Position", 3), ("Velocity", 3), ("ID", 1)):
            folder = os.path.join(self.folder, "big", "1", column)
            os.makedirs(folder)
            kind = "<i8" if column == "ID" else "<f4"
            with open(os.path.join(folder, "header"), "w", encoding="ascii") as file:
                file.write(f"DTYPE: {kind}\nNMEMB: {width}\nNFILE: 2\n000000: 60 : 0\n000001: 40 : 0\n")
            for number, rows in ((0, 60), (1, 40)):
                with open(os.path.join(folder, f"{number:06X}"), "wb") as file:
                    file.write(self.random.randbytes(rows * width * int(kind[2])))
        os.makedirs(os.path.join(self.folder, "big", "Header"))
        with open(os.path.join(self.folder, "big", "Header", "attr-v2"), "w", encoding="ascii") as file:
            file.write("BoxSize <f8 1 000000000000F03F #HUMANE [ 1 ]\n"
                       "TotNumPart <u8 6 0000000000000000640000000000000000000000000000000000000000000000"
                       "00000000000000000000000000000000 #HUMANE [ 0 100 0 0 0 0 ]\n")

    def changed(self, data):
        data = bytearray(data)
        for _ in range(self.random.randint(1, 8)):
            place = self.random.randrange(max(1, len(data)))
            kind = self.random.randrange(5)
            if kind == 0 and data:
                data[place] ^= 1 << self.random.randrange(8)
            elif kind == 1:
                data[place:place + 8] = self.random.choice([b"\0" * 8, b"\xff" * 8, b"\0\0\0\x7f\0\0\0\0", b"\1" + b"\0" * 7])
            elif kind == 2:
                data[place:place + 4] = self.random.randbytes(4)
            elif kind == 3:
                start = self.random.randrange(max(1, len(data)))
                data[place:place + 16] = data[start:start + 16]
            elif self.random.random() < 0.2:
                del data[place:]
        return bytes(data)

    def spoil(self, name):
        source, target = os.path.join(self.folder, name), os.path.join(self.folder, "bad-" + name)
        if os.path.isdir(source):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
            target_file = self.random.choice([os.path.join(here, each) for here, _, files in os.walk(target) for each in files])
        else:
            shutil.copy(source, target)
            target_file = target
        with open(target_file, "rb") as file:
            data = file.read()
        # Structures are at the beginning and the end of HDF5 files more than elsewhere; short files are hit everywhere.
        with open(target_file, "wb") as file:
            file.write(self.changed(data))
        return "bad-" + name

    def case(self, kind):
        name, words = self.random.choice(self.kinds[kind])
        bad = self.spoil(name)
        log = os.path.join(self.folder, "log")
        with open(log, "w", encoding="utf-8") as output:
            child = subprocess.Popen([self.program, *[bad if word == "FILE" else word for word in words]], cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=output,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (2 * MOST_SECONDS,) * 2))
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        return self.verdict(child.returncode, said, usage), bad, words, said

    @staticmethod
    def verdict(code, said, usage):
        if usage.ru_utime + usage.ru_stime > MOST_SECONDS:
            return "too long"
        if usage.ru_maxrss * 1024 > MOST_BYTES:
            return "too much memory"
        if "takes too long for its size" in said:
            return "stopped: too long"
        if code < 0 or "memory fault" in said:
            return "fault"
        if code == 0:
            return "works"
        return "refused" if said.count("\n") == 1 and said.startswith("kith: ") else "strange words"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(os.path.abspath(options.program), folder, options.seed)
        for kind in options.kind or campaign.kinds:
            found = collections.Counter()
            for i in range(options.cases):
                verdict, bad, words, said = campaign.case(kind)
                found[verdict] += 1
                if verdict in ("works", "refused"):
                    continue
                failed = failed or verdict not in ("fault", "stopped: too long")
                print(f"  {verdict}: {kind} {i}: kith {words[0]} {bad}: {said.strip()[:200]}", flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    shutil.copy(os.path.join(folder, bad), os.path.join(options.keep, f"{kind}-{options.seed}-{i}-{bad}"))
            print(f"{kind}: {options.cases} cases: " + ", ".join(f"{n} {what}" for what, n in found.most_common()), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
