"""Files of other programs, and options that describe them. Usage: files_test.py PROGRAM"""

import gzip
import os
import signal
import struct
import subprocess
import time
import unittest

import h5py
import numpy as np

import program
from program import ProgramTest, brute_labels, clumps


def write_tipsy(path, order=">", pad=True):
    """Gas, dark matter and stars; the positions of each."""
    x = clumps(300)
    gas, dark, stars = x[:50], x[50:250], x[250:]
    rows = [np.column_stack([np.full(len(p), mass), p, 2 * p, np.zeros((len(p), more))]).astype(order + "f4")
            for p, mass, more in ((gas, 1.5, 5), (dark, 2.5, 2), (stars, 3.5, 4))]
    with open(path, "wb") as file:
        file.write(struct.pack(order + "diiiii", 0.5, 300, 3, 50, 200, 50) + (b"\0" * 4 if pad else b""))
        for part in rows:
            file.write(part.tobytes())
    return gas, dark, stars


def fits_header(cards):
    text = "".join(f"{key:8}= {value:>20}".ljust(80) if value is not None else key.ljust(80) for key, value in cards)
    return (text + "END".ljust(80)).ljust(-(-(len(text) + 80) // 2880) * 2880).encode()


def write_fits(path, x, form="3E", names=("POS",)):
    """A table with text, positions, ids and masses, as the standard lays it out."""
    n = len(x)
    kind = np.dtype(">f4" if form.endswith("E") else ">f8")
    columns = [("LABEL", "4A", np.full((n, 4), ord("a"), np.uint8))]
    if len(names) == 1:
        columns.append((names[0], form, x.astype(kind)))
    else:
        columns += [(name, form, x[:, i].astype(kind)) for i, name in enumerate(names)]
    columns += [("ID", "K", np.arange(n, dtype=">i8") + 5), ("MASS", "D", np.full(n, 2.5, ">f8"))]
    bytes_ = [np.ascontiguousarray(values).view(np.uint8).reshape(n, -1) for _, _, values in columns]
    table = np.concatenate(bytes_, axis=1)
    cards = [("XTENSION", "'BINTABLE'"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", table.shape[1]), ("NAXIS2", n),
             ("PCOUNT", 0), ("GCOUNT", 1), ("TFIELDS", len(columns))]
    for i, (name, shape, _) in enumerate(columns, 1):
        cards += [(f"TTYPE{i}", f"'{name}'"), (f"TFORM{i}", f"'{shape}'")]
    with open(path, "wb") as file:
        file.write(fits_header([("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 0)]) + fits_header(cards))
        data = table.tobytes()
        file.write(data + b"\0" * (-len(data) % 2880))


def write_block(folder, values, files=2):
    os.makedirs(folder)
    parts = np.array_split(values, files)
    with open(os.path.join(folder, "header"), "w") as file:
        file.write(f"DTYPE: {values.dtype.str}\nNMEMB: {1 if values.ndim == 1 else values.shape[1]}\nNFILE: {files}\n")
        for i, part in enumerate(parts):
            file.write(f"{i:06X}: {len(part)} : 1 : 2\n")
            part.tofile(os.path.join(folder, f"{i:06X}"))


def write_bigfile(folder, x):
    write_block(os.path.join(folder, "1", "Position"), x.astype("<f8"), 3)
    write_block(os.path.join(folder, "1", "Velocity"), (2 * x).astype("<f4"))
    write_block(os.path.join(folder, "1", "ID"), np.arange(len(x), dtype="<u8"))
    os.makedirs(os.path.join(folder, "Header"))
    with open(os.path.join(folder, "Header", "header"), "w") as file:
        file.write("DTYPE: i8\nNMEMB: 0\nNFILE: 0\n")
    with open(os.path.join(folder, "Header", "attr-v2"), "w") as file:
        for name, value in (("BoxSize", [1.0]), ("Time", [0.5]), ("Omega0", [0.3]), ("HubbleParam", [0.7]),
                            ("MassTable", [0, 4.5, 0, 0, 0, 0])):
            numbers = np.array(value, "<f8")
            file.write(f"{name} <f8 {len(numbers)} {numbers.tobytes().hex()} #HUMANE [ ... ]\n")


class Formats(ProgramTest):
    def positions(self, path, *words):
        """The points that the program reads, in the order of the file, through the labels of fof."""
        self.works("fof", path, "--linking-length", 0.03, "--min-size", 2, "--labels", "-o", self.path("l.npz"), *words)
        with np.load(self.path("l.npz")) as file:
            return file["label"]

    def test_tipsy_in_both_byte_orders(self):
        for order, pad in ((">", True), ("<", False)):
            gas, dark, stars = write_tipsy(self.path("t.dat"), order, pad)
            told = self.told("info", self.path("t.dat"))
            self.assertEqual((told["format"], told["time"]), ("tipsy", 0.5))
            self.assertEqual([(p["type"], p["count"]) for p in told["particles"]], [(0, 50), (1, 200), (4, 50)])
            labels = self.positions(self.path("t.dat"), "--link-types", "1", "--attach-types", "none")
            np.testing.assert_array_equal(labels, brute_labels(dark, 0.03, min_size=2))
        everything = self.told("fof", self.path("t.dat"), "--linking-length", 2, "--link-types", "0,1,4", "--min-size", 1)
        self.assertAlmostEqual(everything["largest"][0]["mass"], 50 * 1.5 + 200 * 2.5 + 50 * 3.5, places=3)
        with open(self.path("t.dat"), "ab") as file:
            file.write(b"bytes")
        self.fails(1, "does not occur in text", "info", self.path("t.dat"))

    def test_fits_tables(self):
        x = clumps(400)
        for form, names in (("3E", ("POS",)), ("1D", ("X", "Y", "Z"))):
            write_fits(self.path("t.fits"), x, form, names)
            told = self.told("info", self.path("t.fits"))
            self.assertEqual((told["format"], told["points"], told["dimension"]), ("fits", 400, 3))
            self.assertEqual(told["scalar"], "float32" if form == "3E" else "float64")
            kept = x if form == "3E" else x.astype(np.float64)
            np.testing.assert_array_equal(self.positions(self.path("t.fits")), brute_labels(kept, 0.03, min_size=2))
            self.assertTrue(told["particles"][0]["has_mass"] and told["particles"][0]["has_id"])
        write_fits(self.path("t.fits"), x, "1D", ("FIRST", "SECOND", "THIRD"))
        self.fails(2, "FIRST, SECOND, THIRD", "info", self.path("t.fits"))
        self.assertEqual(self.told("info", self.path("t.fits"), "--columns", "FIRST,SECOND")["dimension"], 2)
        with open(self.path("t.fits"), "r+b") as file:
            file.truncate(2880 * 2 + 100)
        self.fails(1, "is cut off: 5,860 of ", "info", self.path("t.fits"))

    def test_bigfile(self):
        x = clumps(400).astype(np.float64)
        write_bigfile(self.path("snap"), x)
        told = self.told("info", self.path("snap"))
        self.assertEqual((told["format"], told["box"], told["cosmology"]["redshift"]), ("bigfile", [1, 1, 1], 1))
        self.assertEqual((told["particles"][0]["mass"], told["particles"][0]["has_id"]), (4.5, True))
        np.testing.assert_array_equal(self.positions(self.path("snap")), brute_labels(x, 0.03, 1.0, min_size=2))
        os.truncate(self.path("snap/1/Position/000001"), 100)
        self.fails(1, "000001: is cut off: 100 of ", "info", self.path("snap"))

    def test_datasets_of_any_hdf5_file(self):
        x = clumps(400)
        with h5py.File(self.path("f.h5"), "w") as file:
            file["a/points"] = x
            file["a/b/x"], file["a/b/y"], file["a/b/z"] = x[:, 0], x[:, 1], x[:, 2]
            file["a/b/vx"], file["a/b/vy"], file["a/b/vz"] = x[:, 0], x[:, 1], x[:, 2]
            file["a/b/mass"] = np.full(400, 2.5)
            file["c/position"] = x.astype(np.float64)
        right = brute_labels(x, 0.03, min_size=2)
        for place in ("a/points", "a/b", "c", "c/position"):
            path = self.path("f.h5:/" + place)
            np.testing.assert_array_equal(self.positions(path, "--scalar", "float32"), right)
        told = self.told("info", self.path("f.h5:/a/b"))
        self.assertEqual((told["format"], told["dimension"]), ("hdf5", 3))
        self.assertTrue(told["particles"][0]["has_mass"] and told["particles"][0]["has_velocity"])
        self.fails(1, "name the dataset", "info", self.path("f.h5"))
        self.fails(1, "above are b, points", "info", self.path("f.h5:/a/other"))
        self.fails(1, "there are a, c", "info", self.path("f.h5:/"))

    def test_packed_text_and_pipes(self):
        x = clumps(300).astype(np.float64)
        right = brute_labels(x, 0.03, min_size=2)
        text = "\n".join(" ".join(map(repr, map(float, row))) for row in x) + "\n"
        before = set(os.listdir("/tmp"))
        with gzip.open(self.path("p.csv.gz"), "wt") as file:
            file.write("x,y,z\n" + text.replace(" ", ","))
        np.testing.assert_array_equal(self.positions(self.path("p.csv.gz")), right)
        np.save(self.path("p.npy"), x)
        with open(self.path("p.npy"), "rb") as file, gzip.open(self.path("q.gz"), "wb") as packed:
            packed.write(file.read())
        np.testing.assert_array_equal(self.positions(self.path("q.gz")), right)
        words = ("--linking-length", "0.03", "--min-size", "2", "--labels", "-q", "-o", self.path("o.npz"))
        with open(self.path("p.npy"), "rb") as file:
            plain = file.read()
        for name, data in (("-", text.encode()), ("/dev/stdin", plain)):
            done = subprocess.run([program.PROGRAM, "fof", name, *words], input=data, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(self.path("o.npz")) as file:
                np.testing.assert_array_equal(file["label"], right)
        data = gzip.compress(text.encode())
        with open(self.path("bad.txt.gz"), "wb") as file:
            file.write(data[:len(data) // 2])
        self.fails(1, "bad.txt.gz: is cut off after ", "info", self.path("bad.txt.gz"))
        with gzip.open(self.path("bad.txt.gz"), "wt") as file:
            file.write("1 2 3\n1 2\n")
        self.fails(1, "bad.txt.gz: line 2 has 2 columns", "info", self.path("bad.txt.gz"))
        for words in ("1 2 x", "1 2 3,5"):  # a row that is far from the first
            with open(self.path("far.txt"), "w", encoding="ascii") as file:
                file.write("1 2 3\n" * 500 + words + "\n" + "1 2 3\n" * 500)
            self.fails(1, "line 501", "info", self.path("far.txt"))
        self.assertEqual({name for name in set(os.listdir("/tmp")) - before if name.startswith("kith-")}, set())

    def test_a_pipe_that_stays_silent_can_be_left(self):
        os.mkfifo(self.path("fifo"))
        writer = os.open(self.path("fifo"), os.O_RDWR)
        process = subprocess.Popen([program.PROGRAM, "info", self.path("fifo")], stderr=subprocess.PIPE)
        while not any(os.path.realpath(f"/proc/{process.pid}/fd/{fd}") == os.path.realpath(self.path("fifo"))
                      for fd in os.listdir(f"/proc/{process.pid}/fd")):
            time.sleep(0.02)
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        self.assertEqual((process.wait(10), process.stderr.read()), (1, b"kith: stopped\n"))
        self.assertLess(time.monotonic() - start, 2)
        process.stderr.close()
        os.close(writer)

    def test_one_of_eight_files_that_has_everything(self):
        with h5py.File(self.path("s.hdf5"), "w") as file:
            header = file.create_group("Header")
            header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = np.array([0, 100], np.uint64)
            header.attrs["BoxSize"], header.attrs["NumFilesPerSnapshot"] = 1.0, np.int32(8)
            file["PartType1/Coordinates"] = clumps(100)
        told = self.told("info", self.path("s.hdf5"))
        self.assertIn("one of 8 files", told["warnings"][0])
        self.assertIn("warning: ", self.works("info", self.path("s.hdf5")))


class SaidByTheUser(ProgramTest):
    UNITS = ("--units", "Mpc/h,1e10 Msun/h,km/s", "--cosmology", "omega_m=0.3,omega_lambda=0.7,h=0.7", "--redshift", 0.5)

    def test_units_cosmology_and_mass_make_overdensities_possible(self):
        path = self.save("p.npy", clumps(3000) * 10)
        words = ("fof", path, "--box", 10, "--linking-length", 0.1, "--overdensities", "-o", self.path("h.hdf5"))
        self.assertRegex(program.run(*words).stderr, r"lacks a cosmology .* and units .* and masses \(--mass\)")
        self.assertIn("lacks masses (--mass)", program.run(*words, *self.UNITS).stderr)
        told = self.told(*words, *self.UNITS, "--mass", 50)
        self.assertEqual((told["length_unit"], told["mass_unit"]), ("Mpc/h", "1e10 Msun/h"))
        row = told["largest"][0]
        self.assertAlmostEqual(row["mass"], 50 * row["size"])
        with h5py.File(self.path("h.hdf5")) as file:
            about = dict(file["Kith"].attrs)
            self.assertGreater(file["Group/Group_M_Crit200"][0], 0)
            m, r = file["Group/Group_M_Crit200"][0], file["Group/Group_R_Crit200"][0]
        self.assertEqual((about["given_mass"], about["redshift"], about["omega_m"]), (50, 0.5, 0.3))
        critical = 27.7536627 * (0.3 * 1.5**3 + 0.7) / 1.5**3  # 1e10 Msun/h per comoving (Mpc/h)^3
        self.assertAlmostEqual(m / (4 / 3 * np.pi * r**3) / (200 * critical), 1, places=3)
        self.assertIn("the result is correct", self.works("verify", path, self.path("h.hdf5")))

    def test_units_in_words(self):
        path = self.save("p.npy", clumps(50))
        for text, length in (("kpc,g,km/s", "kpc"), ("3.0856775814913673e24,2e33,1e5", "Mpc"), ("1e3 kpc,Msun,km/s", "Mpc"),
                             ("ckpc/h,Msun/h,km/s", "kpc/h"), ("pkpc,Msun,km/s", "kpc"), ("pc,Msun,cm/s", "pc")):
            self.assertEqual(self.told("info", path, "--units", text)["length_unit"], length)
        for text, words in (("kpc", "names 1 units"), ("kpc/h,Msun,km/s", "both lengths and masses"),
                            ("ly,Msun,km/s", "ly is not a unit of length"), ("kpc,Msun,km", "km is not a unit of velocity"),
                            ("kpc,-1 Msun,km/s", "not a unit of mass")):
            self.fails(2, words, "info", path, "--units", text)
        for text, words in (("h=0.7", "no omega_m"), ("omega=0.3", "not understood"), ("omega_m=x", "not understood")):
            self.fails(2, words, "info", path, "--cosmology", text)
        self.fails(2, "above -1", "info", path, "--redshift", "-2")

    def test_points_outside_of_the_box(self):
        path = self.save("p.npy", clumps(200) * 10)
        words = ("fof", path, "--linking-length", 0.3, "--min-size", 2)
        self.fails(2, "outside of the box from 0 to 5", *words, "--box", 5)
        self.works(*words, "--box", 5, "--wrap", "-o", self.path("h.npz"), "--labels")
        self.works("verify", path, self.path("h.npz"))
        self.fails(2, "outside of the box from -5 to 5", *words, "--box", 10, "--origin", "-5")
        x = clumps(200)
        x[3] = 1.005  # some drift
        self.works("knn", self.save("q.npy", x), "--box", 1, "-k", 2)

    def test_decimal_commas_are_an_error(self):
        for name, text in (("a.txt", "0,5 1,5 2,5\n1,5 2,5 3,5\n"), ("b.csv", "0,5;1,5;2,5\n1,5;2,5;3,5\n")):
            with open(self.path(name), "w") as file:
                file.write(text)
            self.fails(1, "decimal commas", "info", self.path(name))


class RedshiftSpace(ProgramTest):
    def test_an_axis_is_squeezed(self):
        x = clumps(600)
        squeezed = x.copy()
        squeezed[:, 2] = (x[:, 2].astype(np.float64) / 4).astype(np.float32)
        path, out = self.save("p.npy", x), self.path("h.npz")
        told = self.told("fof", path, "--linking-length", 0.02, "--linking-length-parallel", 0.08, "--los", "z", "--min-size",
                         2, "--labels", "-o", out)
        self.assertAlmostEqual(told["linking_length_parallel"], 0.08, places=6)
        with np.load(out) as file:
            np.testing.assert_array_equal(file["label"], brute_labels(squeezed, 0.02, min_size=2))
        self.assertIn("the result is correct\n", self.works("verify", path, out))
        with np.load(out) as file:
            arrays = dict(file)
        arrays["label"][np.argmax(arrays["label"] == 0)] = 1
        np.savez(out, **arrays)
        self.fails(1, "", "verify", path, out)

    def test_lines_to_midpoints(self):
        path, out = self.save("p.npy", clumps(600)), self.path("h.npz")
        words = ("fof", path, "-b", 0.2, "--volume", 1, "--b-parallel", 1, "--los", "radial", "--min-size", 2)
        told = self.told(*words, "--labels", "-o", out)
        self.assertGreater(told["groups"], 3)
        self.assertAlmostEqual(told["linking_length_parallel"] / told["linking_length"], 5, places=5)
        self.assertIn("not checked: label", self.works("verify", path, out))
        self.fails(2, "--box open", *words, "--box", 1)

    def test_options_that_do_not_go_together(self):
        path = self.save("p.npy", clumps(50))
        self.fails(2, "needs --los", "fof", path, "--linking-length", 0.1, "--linking-length-parallel", 0.2)
        self.fails(2, "--b-parallel", "fof", path, "-b", 0.1, "--box", 1, "--los", "z")


if __name__ == "__main__":
    unittest.main()
