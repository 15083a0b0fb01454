#!/usr/bin/env python3
"""`kith report` as a person would use it. Usage: report_test.py PROGRAM"""

import base64
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = os.path.abspath(sys.argv.pop(1))
SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def text_of(element):
    return "".join(element.itertext())


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keeper = tempfile.TemporaryDirectory()
        cls.universe = os.path.join(cls.keeper.name, "universe.hdf5")
        cls.halos = os.path.join(cls.keeper.name, "halos.hdf5")
        for command in [["sample", "cosmology", "-n", "32", "--side", "64", "-o", cls.universe],
                        ["fof", cls.universe, "-b", "0.2", "-o", cls.halos, "--json"]]:
            result = run(*command)
            assert result.returncode == 0, result.stderr
        cls.fof = json.loads(result.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.keeper.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def make(self, *words, output="report.html"):
        """Runs the report and returns its page as a tree."""
        size = [] if "--picture-size" in words else ["--picture-size", "256"]
        result = run("report", *words, *size, "-o", self.path(output))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path(output), encoding="utf-8") as file:
            self.page = file.read()
        return ElementTree.fromstring(self.page)

    def headings(self, page):
        return [text_of(h) for h in page.iter(HTML + "h2")]

    def tables(self, page):
        return [[[text_of(cell) for cell in row] for row in table.iter(HTML + "tr")]
                for table in page.iter(HTML + "table")]

    def expect_failure(self, code, words, *command):
        result = run("report", *command)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_of_a_snapshot_tells_everything(self):
        page = self.make(self.universe, "-b", "0.2", "--rows", "7")
        headings = self.headings(page)
        self.assertEqual(headings, ["Mass function", "Sizes of the groups", "Map of the groups", "Table of groups",
                                    "The largest groups", "Input and options", "Run time"])
        tiles = [text_of(t) for t in page.iter(HTML + "div") if t.get("class") == "tile"]
        self.assertRegex(" ".join(tiles), r"mass of the largest group.*of the mass in groups")
        groups, facts, times = self.tables(page)
        self.assertEqual(len(groups), 1 + 7)
        largest = self.fof["largest"][0]
        self.assertEqual(groups[1][:2], ["0", f"{largest['size']:,}"])
        facts = dict(facts)
        self.assertTrue(facts["command"].startswith("kith report "), facts["command"])
        self.assertIn("-b 0.2", facts["command"])
        self.assertIn("32,768", facts["points"])
        self.assertIn("64", facts["box"])
        self.assertIn("Mpc/h", facts["linking length"])
        self.assertEqual(facts["redshift"], "0")
        self.assertIn("Omega_m = 0.31", facts["cosmology"])
        self.assertTrue(all(re.fullmatch(r"\d+\.\d{3} s", row[1]) for row in times), times)

    def test_needs_nothing_else(self):
        self.make(self.universe, "-b", "0.2")
        self.assertEqual(re.findall(r"<script[^>]*>", self.page), ['<script type="application/json" id="data">', "<script>"])
        self.assertNotIn("<link", self.page)
        for reference in re.findall(r'(?:href|src)="([^"]{0,30})', self.page):
            self.assertTrue(reference.startswith("data:image/png;base64,"), reference)
        self.assertEqual(set(re.findall(r"https?://[^\"' ]+", self.page)),
                         {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"})

    def test_of_a_catalogue_has_no_times(self):
        page = self.make(self.universe, "--catalogue", self.halos)
        self.assertNotIn("Run time", self.headings(page))
        self.assertEqual(self.headings(page)[2], "Map of the groups")
        alone = self.make(self.halos)
        self.assertEqual(self.headings(alone)[2], "Map of the groups")
        self.assertEqual(self.tables(alone)[0], self.tables(page)[0])

    def test_is_the_same_page_each_time(self):
        self.make(self.halos, "--threads", "1", output="a.html")
        first = self.page
        self.make(self.halos, "--threads", "2", output="b.html")
        cleaned = [re.sub(r"<code>.*?</code>", "", page) for page in (first, self.page)]
        self.assertEqual(cleaned[0], cleaned[1])

    def test_of_a_catalogue_without_its_snapshot_has_no_picture(self):
        with open(self.halos, "rb") as file:
            content = file.read()
        moved = os.path.join(self.keeper.name, "universe.away")
        os.rename(self.universe, moved)
        try:
            with open(self.path("halos.hdf5"), "wb") as file:
                file.write(content)
            page = self.make(self.path("halos.hdf5"))
        finally:
            os.rename(moved, self.universe)
        self.assertEqual(self.headings(page)[:3], ["Mass function", "Sizes of the groups", "Table of groups"])

    def test_writes_figures(self):
        self.make(self.universe, "-b", "0.2", "--figures", self.path("figures"),
                  "--picture-size", "600")
        names = sorted(os.listdir(self.path("figures")))
        wanted = ["density", "density_0", "density_1", "density_2", "mass_function", "sizes"]
        for group in range(5):
            wanted += [f"group_{group}", f"group_{group}_profile"]
        self.assertEqual(names, sorted(name + ending for name in wanted for ending in [".pdf", ".png", ".svg"]))
        for name in ["density", "mass_function", "sizes"]:
            svg = ElementTree.parse(self.path(f"figures/{name}.svg")).getroot()
            with open(self.path(f"figures/{name}.png"), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
                width, height = struct.unpack(">8xII", file.read(16))
            self.assertAlmostEqual(width, 2 * float(svg.get("width")), delta=1)
            self.assertAlmostEqual(height, 2 * float(svg.get("height")), delta=1)

    def test_circles_the_largest_group_where_it_is(self):
        page = self.make(self.universe, "-b", "0.2", "--picture-size", "640")
        figure = next(f for f in page.iter(HTML + "figure") if f.get("data-figure") == "density")
        svg = next(figure.iter(SVG + "svg"))
        image = next(svg.iter(SVG + "image"))
        left, top, width, height = (float(image.get(k)) for k in ("x", "y", "width", "height"))
        self.assertEqual((width, height), (320, 320))
        x, y, _ = self.fof["largest"][0]["center"]
        radius = self.fof["largest"][0]["radius"]
        unit = 320 / 64
        wanted = (left + x * unit, top + height - y * unit, radius * unit)
        circles = [tuple(float(c.get(k)) for k in ("cx", "cy", "r"))
                   for c in svg.iter(SVG + "circle")]
        self.assertTrue(any(all(abs(a - b) < 0.02 for a, b in zip(c, wanted)) for c in circles),
                        (wanted, circles[:4]))
        texts = [text_of(t) for t in svg.iter(SVG + "text")]
        for label in ["x (Mpc/h)", "y (Mpc/h)", "projected density / mean", "60"]:
            self.assertIn(label, texts)

    def test_compares_with_theory(self):
        page = self.make(self.universe, "-b", "0.2", "--sigma8", "0.7")
        figure = next(f for f in page.iter(HTML + "figure") if f.get("data-figure") == "mass_function")
        svg = next(figure.iter(SVG + "svg"))
        texts = [text_of(t) for t in svg.iter(SVG + "text")]
        for label in ["groups", "Sheth & Tormen 1999", "Press & Schechter 1974",
                      "M (M\u2299/h)", "dn / dlnM (h3 Mpc\u22123)", "1014"]:
            self.assertIn(label, texts)
        captions = " ".join(text_of(c) for c in page.iter(HTML + "figcaption"))
        self.assertIn("\u03c38 = 0.7", captions)

    def test_escapes_names(self):
        name = self.path("<b>&\"'x^{2}.npy")
        result = run("sample", "uniform", "-n", "2000", "-d", "2", "-o", name)
        self.assertEqual(result.returncode, 0, result.stderr)
        page = self.make(name, "--linking-length", "0.01", "--min-size", "2", "--box", "1",
                         "--title", "<script>1</script>")
        self.assertNotIn("<script>1", self.page)
        self.assertEqual(text_of(next(page.iter(HTML + "h1"))), "<script>1</script>")
        self.assertIn(name, dict(self.tables(page)[1])["snapshot"])

    def test_of_points_without_units(self):
        points = self.path("points.npy")
        run("sample", "uniform", "-n", "3000", "-o", points)
        page = self.make(points, "--linking-length", "0.03", "--min-size", "2")
        self.assertEqual(self.headings(page)[1:3], ["Map of the groups", "Table of groups"])
        none = self.make(points, "--linking-length", "1e-9", "--min-size", "2")
        self.assertEqual(self.headings(none), ["Map of the groups", "Input and options",
                                               "Run time"])

    def test_profiles_follow_the_sphere(self):
        """R200 as kith fof --overdensities finds it, from a snapshot and from its catalogue."""
        halos = self.path("spheres.csv")
        result = run("fof", self.universe, "-b", "0.2", "--overdensities", "-o", halos)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(halos, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
        column = next(i for i, name in enumerate(lines[0]) if name == "critical200_radius")
        for words in [[self.universe, "-b", "0.2"], [self.halos]]:
            page = self.make(*words)
            for group, article in enumerate(page.iter(HTML + "article")):
                facts = {text_of(d[0]): text_of(d[1]) for d in article.iter(HTML + "div")}
                radius = float(facts["R200c"].split()[0])
                self.assertAlmostEqual(radius, float(lines[1 + group][column]), delta=1e-3)
            self.assertEqual(group, 4)

    def data(self):
        return json.loads(re.search(r'id="data">(.*?)</script>', self.page, re.S).group(1))

    def test_panels_have_shells_shapes_and_types(self):
        self.make(self.universe, "-b", "0.2")
        data = self.data()
        spheres, rows = data["panels"]["spheres"], data["rows"]
        self.assertEqual(len(spheres["rows"]), sum(row[1] >= spheres["resolved"] for row in rows))
        for sphere in spheres["rows"]:
            if sphere and len(sphere) > 6:
                self.assertEqual(len(sphere[8]), spheres["shells"])
                self.assertLessEqual(sum(sphere[8]), sphere[5])  # points inside the innermost shell are in none
                self.assertAlmostEqual(sphere[4] / (4 / 3 * math.pi * sphere[3] ** 3) / spheres["density"], 200, delta=0.01)
        names = [column["name"] for column in data["panels"]["columns"]]
        self.assertEqual(names, ["b / a", "triaxiality", "|J| / M", "spin \u03bb\u2032", "V_{max}"])
        self.assertEqual(data["panels"]["types"]["rows"][0][0][1], rows[0][1])
        self.assertEqual(data["panels"]["types"]["names"], ["dark matter"])

    def test_particles_stand_for_all(self):
        self.make(self.halos)
        space = self.data()["space"]
        self.assertEqual((space["count"], space["all"]), (32768, 32768))
        self.assertEqual(space["shares"], [row[1] for row in self.data()["rows"]])
        self.assertEqual(space["others"], 32768 - sum(space["shares"]))
        self.assertEqual(len(base64.b64decode(space["points"])), 7 * space["count"])

    def test_softening_leaves_shells_out(self):
        def first_fitted(*words):
            self.make(self.halos, *words)
            return [s[6] for s in self.data()["panels"]["spheres"]["rows"] if s and len(s) > 6]
        without, soft = first_fitted(), first_fitted("--softening", "0.3")
        self.assertTrue(all(a <= b for a, b in zip(without, soft)) and without != soft, (without, soft))
        self.assertNotIn("give --softening: then", self.page)

    def test_subhalos(self):
        result = run("subhalos", self.universe, "-b", "0.2", "-o", self.path("sub.hdf5"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.make(self.path("sub.hdf5"))
        subhalos = self.data()["panels"]["subhalos"]
        self.assertGreater(len(subhalos), 0)
        self.assertTrue(all(s[1] <= self.data()["rows"][s[0]][1] for s in subhalos))
        for figure in ("group_0_subhalos", "subhalo_masses"):
            self.assertIn(f'data-figure="{figure}"', self.page)
        self.assertIn("subhalos per group", self.page)

    def comparison(self, page):
        section = next(s for s in page.iter(HTML + "section") if s.get("id") == "comparison")
        return text_of(next(section.iter(HTML + "p"))), text_of(section)

    def test_compares_catalogues(self):
        """With itself all groups match. With a smaller b, ids of particles and labels give the same pairs."""
        summary, _ = self.comparison(self.make(self.halos, "--compare", self.halos))
        count = len(self.data()["rows"])
        self.assertIn(f"{count} of {count} groups here match", summary)
        self.assertIn("by the ids of the particles", summary)
        self.assertIn("median mass ratio is 1;", summary)
        pairs = []
        for name in ["other.hdf5", "other.npz"]:
            result = run("fof", self.universe, "-b", "0.16", "-o", self.path(name))
            self.assertEqual(result.returncode, 0, result.stderr)
            page = self.make(self.universe, "-b", "0.2", "--compare", self.path(name))
            pairs.append(self.data()["panels"]["comparison"]["rows"])
            self.assertIn("Lost: ", self.comparison(page)[1])
        self.assertEqual(pairs[0], pairs[1])
        self.assertTrue(any(pairs[0]) and not all(pairs[0]))
        # A group of the smaller linking length lies inside one of the larger.
        self.assertTrue(all(p[1] <= row[1] for p, row in zip(pairs[0], self.data()["rows"]) if p))

    def at(self, end, steps):
        """The universe earlier, with the same IDs, and its groups."""
        snapshot, halos = self.path(f"universe_{end}.hdf5"), self.path(f"halos_{end}.hdf5")
        for command in [["sample", "cosmology", "-n", "32", "--side", "64", "--a-end", str(end), "--steps", str(steps),
                         "-o", snapshot], ["fof", snapshot, "-o", halos]]:
            result = run(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
        return halos

    def test_histories(self):
        """They are the main branches of the trees, with the masses of the catalogues."""
        early = self.at(0.6, 24)
        trees = self.path("trees.hdf5")
        result = run("trees", early, self.halos, "-o", trees)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.make(self.halos, "--trees", trees)
        past = self.data()["panels"]["histories"]
        self.assertEqual((past["name"], past["what"], past["unit"]), ("trees.hdf5", "mass", "1e10 Msun/h"))
        self.assertAlmostEqual(past["redshift"][0], 1 / 0.6 - 1, places=6)
        mass = self.data()["rows"]
        self.assertEqual(len(past["rows"]), len(mass))
        for (snapshots, masses, mergers, half, major), row in zip(past["rows"], mass):
            self.assertIn(snapshots, ([1], [1, 0]))
            self.assertAlmostEqual(masses[0] / row[2], 1, places=3)
            self.assertEqual(half, snapshots[max(i for i, m in enumerate(masses) if m >= masses[0] / 2)])
            self.assertTrue(all(s == 1 and ratio >= 0.1 for s, ratio in mergers))
            self.assertEqual(major, 1 if any(ratio >= 0.25 for _, ratio in mergers) else -1)
        self.assertTrue(any(len(row[0]) == 2 for row in past["rows"]) and any(row[2] for row in past["rows"]))
        self.make(self.halos)
        self.assertIsNone(self.data()["panels"]["histories"])
        self.expect_failure_of(2, "is not among the 2 catalogues of these trees", self.at(0.5, 20), "--trees", trees)
        tighter = self.path("tighter/halos.hdf5")
        os.mkdir(os.path.dirname(tighter))
        self.assertEqual(run("fof", self.universe, "-b", "0.15", "-o", tighter).returncode, 0)
        self.expect_failure_of(2, "make the trees again", tighter, "--trees", trees)

    def test_compares_by_position_where_members_are_not_known(self):
        bare = self.path("bare.hdf5")
        result = run("fof", self.universe, "-b", "0.2", "--no-order", "-o", bare)
        self.assertEqual(result.returncode, 0, result.stderr)
        summary, _ = self.comparison(self.make(self.halos, "--compare", bare))
        count = len(self.data()["rows"])
        self.assertIn(f"{count} of {count} groups here match", summary)
        self.assertIn("by position and mass", summary)
        self.expect_failure_of(2, "contains knn", self.halos, "--compare", self.knn())

    def knn(self):
        path = self.path("knn.npz")
        result = run("knn", self.universe, "-k", "2", "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def expect_failure_of(self, code, words, *command):
        result = run("report", *command, "-o", self.path("never.html"))
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertFalse(os.path.exists(self.path("never.html")))

    def test_json(self):
        result = run("report", self.halos, "-o", self.path("r.html"), "--json")
        self.assertEqual(json.loads(result.stdout)["output"], self.path("r.html"))

    def test_errors(self):
        page = self.path("r.html")
        self.expect_failure(2, "reports are HTML pages", self.halos, "-o", self.path("r.pdf"))
        self.expect_failure(1, "there is no folder", self.halos, "-o", self.path("x/r.html"))
        self.expect_failure(2, "leave out -b", self.universe, "--catalogue", self.halos, "-b", "0.2",
                            "-o", page)
        self.expect_failure(1, "points.npy", "points.npy", "-o", page)
        self.expect_failure(1, "missing.hdf5", "missing.hdf5", "-b", "0.2", "-o", page)
        self.expect_failure(2, "--output", self.universe)
        self.expect_failure(2, "axis = 7", self.universe, "-b", "0.2", "--picture-axis", "7",
                            "-o", page)

    def test_refuses_the_catalogue_of_another_snapshot(self):
        other = os.path.join(self.keeper.name, "other.hdf5")
        run("sample", "cosmology", "-n", "16", "--a-end", "0.05", "-o", other)
        self.expect_failure(2, "was made from 32768 points", other, "--catalogue", self.halos, "-o",
                            self.path("r.html"))


if __name__ == "__main__":
    unittest.main()
