"""Results and packed files that lie: one sentence, soon and in little memory. Usage: damaged_test.py PROGRAM"""

import gzip
import io
import os
import resource
import shutil
import signal
import stat
import subprocess
import time
import unittest
import zipfile

import h5py
import numpy as np

from program import PROGRAM, ProgramTest, clumps

MEMORY = 1 << 30  # address space, far above what small files need


class Damaged(ProgramTest):
    def setUp(self):
        super().setUp()
        self.points = self.save("x.npy", clumps(600))
        self.good = self.path("good.hdf5")
        self.works("fof", self.points, "--box", "1", "-b", "0.3", "--min-size", "5", "--labels", "-o", self.good)

    def limited(self, *words, memory=MEMORY):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))

    def refused(self, words, path, snapshot=None):
        """By every command that reads results, within the limit."""
        for command in (["info", path], ["verify", self.points, path, "--samples", "3"],
                        ["report", path, "-o", self.path("r.html")]):
            done = self.limited(*command)
            if command[0] == "info" and done.returncode == 0:
                continue  # it does not look at the numbers
            self.assertEqual(done.returncode, 1, f"{command[0]}: {done.stderr}")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            if command[0] != "info" or "kith" in words:
                self.assertIn(words, done.stderr, command[0])
            self.assertNotIn("fault", done.stderr)

    def changed(self, change):
        path = self.path("a.hdf5")
        shutil.copy(self.good, path)
        with h5py.File(path, "a") as file:
            change(file)
        return path

    def test_numbers_beyond_the_type_are_refused(self):
        for name, value in (("dimension", 2.8e14), ("dimension", -3.0), ("dimension", np.nan), ("points", 1e300),
                            ("points", 0.5), ("min_size", 2.0**63), ("strict", 7), ("type_numbers", 2**40),
                            ("k", -1)):
            def change(file):
                file["Kith"].attrs[name] = value
            self.refused("is not a count", self.changed(change))

        def types(file):
            file["Kith"].attrs["types"] = np.array([2**31 - 1])
            file["Kith"].attrs["counts"] = np.array([600])
        self.refused("results have types 0 to 255", self.changed(types))

    def replaced(self, name, **how):
        def change(file):
            del file[name]
            file.create_dataset(name, **how)
        return self.changed(change)

    def test_rows_that_are_not_there_take_no_memory(self):
        huge = 300_000_000
        for name in ("Group/GroupLen", "Group/GroupMass"):
            self.refused("was never written", self.replaced(name, shape=(huge,), dtype="i8"))
            self.refused("was never written", self.replaced(name, shape=(huge,), dtype="i8", chunks=(1024,)))

        def one_chunk(file):
            del file["Group/GroupLen"]
            file.create_dataset("Group/GroupLen", shape=(huge,), dtype="i8", chunks=(1024,), compression="gzip")[:4] = 1
        self.refused("claims 2400000000 bytes", self.changed(one_chunk))
        self.refused("without numbers", self.replaced("Group/GroupLen", shape=(10**15, 0), dtype="i8"))

    def test_what_hdf5_cannot_close_is_one_sentence(self):
        """An object header that claims 3 GB: the library leaves it open, and complains at the end of the process."""
        with h5py.File(self.good) as file:
            header = h5py.h5o.get_info(file["Kith"].id).addr
        with open(self.good, "rb") as file:
            data = bytearray(file.read())
        self.assertEqual(data[header], 1)  # the version that has its size at this place
        data[header + 8:header + 12] = (3 << 30).to_bytes(4, "little")
        with open(self.path("a.hdf5"), "wb") as file:
            file.write(data)
        for command in (["info", self.path("a.hdf5")], ["verify", self.points, self.path("a.hdf5")]):
            done = self.limited(*command, memory=8 << 30)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("/Kith: cannot be opened", done.stderr)

    def test_tables_agree(self):
        with h5py.File(self.good) as file:
            groups = len(file["Group/GroupLen"])
        self.refused("rows of", self.replaced("Group/GroupMass", data=np.ones(groups + 1)))
        self.refused("", self.replaced("Group/GroupCM", data=np.ones((groups, 2))))
        self.refused("label", self.replaced("Labels/PartType0", data=np.full(600, 2**40)))

    def test_archives_that_lie(self):
        good, path = self.path("good.npz"), self.path("a.npz")
        self.works("fof", self.points, "--box", "1", "-b", "0.3", "--min-size", "5", "--labels", "-o", good)
        with np.load(good) as file:
            arrays = dict(file)

        def forged(name, shape):
            """An array whose header claims another shape."""
            with zipfile.ZipFile(path, "w") as archive:
                for key, value in arrays.items():
                    buffer = io.BytesIO()
                    np.lib.format.write_array(buffer, value)
                    data = buffer.getvalue()
                    if key == name:
                        head = {"descr": value.dtype.str, "fortran_order": False, "shape": shape}
                        buffer = io.BytesIO()
                        np.lib.format.write_array_header_1_0(buffer, head)
                        data = buffer.getvalue() + value.tobytes()
                    archive.writestr(key + ".npy", data)
            return path
        self.refused("a.npz", forged("size", (10**9, 2**61)))
        self.refused("a.npz", forged("size", (10**9,)))
        self.refused("a.npz", forged("label", (10**12, 0)))
        self.refused("a.npz", forged("center", (len(arrays["size"]), 1)))

    def test_a_name_that_is_not_utf8(self):
        name = os.fsencode(self.path("caf")) + b"\xe9.npy"
        shutil.copy(self.points, name)
        for ending in ("csv", "npz", "hdf5"):
            out = self.path(f"out.{ending}")
            done = subprocess.run([PROGRAM, "density", name, "--box", "1", "-k", "8", "-o", out, "--json"],
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            done.stdout.decode("utf-8")
            done = subprocess.run([PROGRAM, "info", out], capture_output=True, timeout=60)
            self.assertEqual(done.returncode if ending != "csv" else 0, 0)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            head = [line for line in file if line.startswith("# snapshot")]
        self.assertTrue(head[0].rstrip().endswith("caf\ufffd.npy"), head)


class Packed(ProgramTest):
    def temporary(self):
        os.makedirs(self.path("tmp"), exist_ok=True)
        return {**os.environ, "TMPDIR": self.path("tmp")}

    def test_a_small_file_does_not_fill_the_disk(self):
        """400 MB of zeros in 400 kB: no real table of points is like that."""
        with open(self.path("a.raw.gz"), "wb") as file:
            file.write(400 * gzip.compress(bytes(1 << 20)))
        done = subprocess.run([PROGRAM, "info", self.path("a.raw.gz")], capture_output=True, text=True, timeout=60,
                              env=self.temporary())
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.raw.gz: claims more than", done.stderr)
        self.assertIn("unpack it yourself", done.stderr)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_signals_stop_unpacking_and_leave_nothing(self):
        member = gzip.compress(np.random.default_rng(1).random((1 << 17, 3)).tobytes(), 1)
        with open(self.path("a.f64.gz"), "wb") as file:
            file.write(96 * member)
        stopped = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            process = subprocess.Popen([PROGRAM, "info", self.path("a.f64.gz")], stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, env=self.temporary(), text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while self.unpacked_by(process.pid) < 1 << 20 and process.poll() is None:
                time.sleep(0.002)
            start = time.monotonic()
            process.send_signal(number)
            words = process.communicate(timeout=60)[1]
            if process.returncode == 1:
                self.assertEqual(words, "kith: stopped\n")
                self.assertLess(time.monotonic() - start, 1.5)  # 2 s: the alarm of a program that does not listen
                stopped += 1
            self.assertEqual(os.listdir(self.path("tmp")), [], number)
        self.assertEqual(stopped, 3)

    @staticmethod
    def unpacked_by(pid):
        """Bytes of the largest file without a name that a process has open."""
        most = 0
        try:
            for handle in os.scandir(f"/proc/{pid}/fd"):
                status = os.stat(handle.path)
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    most = max(most, status.st_size)
        except OSError:
            pass
        return most

    def test_what_is_packed_is_read_by_its_name(self):
        points = clumps(50)
        for name, data in (("a.csv", b"x,y,z\n" + b"".join(b"%r,%r,%r\n" % tuple(row) for row in points.tolist())),
                           ("b.f32", points.tobytes()), ("c.xyz", b"2\nwater\nO 0 0 0\nH 1 0 0\n")):
            with gzip.open(self.path(name + ".gz"), "wb") as file:
                file.write(data)
            self.assertEqual(self.told("info", self.path(name + ".gz"))["points"], 2 if name == "c.xyz" else 50)


class Outputs(ProgramTest):
    def test_the_mode_of_a_replaced_file_stays(self):
        points = self.save("x.npy", clumps(300))
        for name, words in (("h.hdf5", ["fof", points, "-b", "0.3", "--box", "1", "--min-size", "2"]),
                            ("h.csv", ["fof", points, "-b", "0.3", "--box", "1", "--min-size", "2"]),
                            ("xi.csv", ["correlate", points, "--xi", "--log-bins", "0.01,0.3,4", "--box", "1"])):
            for mode in (0o600, 0o640):
                self.works(*words, "-o", self.path(name))
                os.chmod(self.path(name), mode)
                self.works(*words, "-o", self.path(name))
                self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), mode, name)

    def test_an_interrupt_leaves_none_of_512_files(self):
        points = self.save("x.npy", np.random.default_rng(2).random((200000, 3)).astype(np.float32))
        os.mkdir(self.path("out"))
        seen = 0
        for number in (signal.SIGINT, signal.SIGSEGV):
            process = subprocess.Popen([PROGRAM, "knn", points, "--box", "1", "-k", "2", "--files", "512", "-o",
                                        self.path("out/n.hdf5")], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       text=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
            while process.poll() is None and len(os.listdir(self.path("out"))) < 130:
                time.sleep(0.001)
            process.send_signal(number)
            process.communicate(timeout=60)
            seen += process.returncode == 1
            self.assertEqual([name for name in os.listdir(self.path("out")) if name.endswith(".part")], [])
        self.assertGreater(seen, 0)


if __name__ == "__main__":
    unittest.main()
