#!/usr/bin/env python3
"""The page of `kith report` in a real browser. Usage: report_browser_test.py PROGRAM

Skipped where there is no browser: apt-get install chromium-headless-shell."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import NAMES, Browser, find_browser  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
MAP = "#map canvas"
SPACE = "#space canvas[tabindex]"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not find_browser():
            raise unittest.SkipTest(f"no browser here ({', '.join(NAMES)}): apt-get install chromium-headless-shell")
        cls.folder = tempfile.TemporaryDirectory()
        universe, cls.page = (os.path.join(cls.folder.name, name) for name in ["u.hdf5", "report.html"])
        for command in [["sample", "cosmology", "-n", "32", "--side", "64", "-o", universe],
                        ["report", universe, "-b", "0.2", "--picture-size", "400", "-o", cls.page]]:
            result = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=120)
            assert result.returncode == 0, result.stderr
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "browser"):
            cls.browser.close()
            cls.folder.cleanup()

    def setUp(self):
        self.browser.problems.clear()
        self.browser.requests.clear()
        self.browser.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])
        others = [r for r in self.browser.requests if not r.startswith(("file://" + self.page, "data:", "blob:"))]
        self.assertEqual(others, [])

    def view(self, selector=MAP):
        return [float(v) for v in self.browser.run(f"document.querySelector('{selector}').dataset.view").split()]

    def groups(self):
        """Numbers of the groups in the rows that are shown."""
        return self.browser.run("[...document.querySelectorAll('#groups tbody tr')].map(r => Number(r.dataset.group))")

    def row(self, group):
        return self.browser.run(f"report.data.rows[{group}]")

    def expect_centered_on(self, group):
        _, _, _, x, y, *_ = self.row(group)
        self.browser.wait(f"(v => Math.abs(v[0] - {x}) + Math.abs(v[1] - {y}) < 1e-3)"
                          f"(document.querySelector('{MAP}').dataset.view.split(' ').map(Number))")

    def test_a_row_moves_the_map(self):
        before = self.view()
        self.browser.click('#groups tr[data-group="3"] td')
        self.expect_centered_on(3)
        self.assertGreater(self.view()[2], before[2])
        self.assertEqual(self.browser.run("document.querySelector('[aria-selected=true]').dataset.group"), "3")
        self.assertIn("group 3", self.browser.run("document.querySelector('#map .readout').textContent"))

    def test_the_map_selects_a_row(self):
        self.browser.click('#groups tr[data-group="1"] .pick')
        self.expect_centered_on(1)
        self.browser.run("report.select(0, 'table')")
        self.expect_centered_on(0)
        x, y = self.browser.place(MAP)
        self.browser.run("report.selected = null")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.wait("!document.querySelector('#map .tip').hidden")
        self.assertIn("members", self.browser.run("document.querySelector('#map .tip').textContent"))
        self.browser.click(x, y)
        self.browser.wait("report.selected !== null")

    def test_the_map_pans_and_zooms(self):
        before = self.view()
        self.browser.drag(MAP, 80, 0)
        self.browser.wait(f"document.querySelector('{MAP}').dataset.view.split(' ')[0] != {before[0]}")
        moved = self.view()
        self.assertAlmostEqual((before[0] - moved[0]) % 64, 80 / before[2], delta=0.5)
        self.assertAlmostEqual(moved[1], before[1], delta=1e-3)
        self.browser.click("#map .corner button")
        self.browser.wait(f"document.querySelector('{MAP}').dataset.view.split(' ')[2] > {moved[2] * 1.5}")
        self.browser.run(f"document.querySelector('{MAP}').focus()")
        for key in ["0", "n", "ArrowLeft", "-", "+"]:
            self.browser.key(key)
        self.browser.wait("report.selected === 0")

    def test_projections(self):
        names = self.browser.run("[...document.querySelectorAll('#map .tools button')].map(b => b.textContent)")
        self.assertEqual(names, ["Slice through the largest", "Along x", "Along y", "Along z"])
        self.browser.click("#map .tools button:nth-child(2)")
        self.assertEqual(self.browser.run("document.querySelector('#map [aria-pressed=true]').textContent"), "Along x")
        self.browser.click('#groups tr[data-group="2"] td')
        _, _, _, _, y, z, *_ = self.row(2)
        self.browser.wait(f"(v => Math.abs(v[0] - {y}) + Math.abs(v[1] - {z}) < 1e-3)"
                          f"(document.querySelector('{MAP}').dataset.view.split(' ').map(Number))")

    def test_sort_search_and_pages(self):
        self.assertEqual(self.groups(), list(range(20)))
        self.browser.click("#groups thead th:nth-child(4) button")  # x, falling
        rows = [self.row(g)[3] for g in self.groups()]
        self.assertEqual(rows, sorted(rows, reverse=True))
        self.browser.click("#groups thead th:nth-child(4) button")
        self.assertEqual(self.browser.run("document.querySelectorAll('#groups th')[3].getAttribute('aria-sort')"),
                         "ascending")
        self.browser.click("#groups thead th:nth-child(1) button")
        self.browser.run("document.querySelectorAll('#groups .tools')[1].querySelector('button:last-child').click()")
        self.assertEqual(self.groups()[0], 20)
        self.browser.type("#groups input", "members > 100, x < 32")
        found = self.browser.run("report.data.rows.filter(r => r[1] > 100 && r[3] < 32).length")
        self.assertEqual(len(self.groups()), min(20, found))
        self.assertIn(f"of {found} found", self.browser.run("document.querySelector('#groups [role=status]').textContent"))

    def test_a_search_that_is_not_understood_says_so(self):
        problem = "document.querySelector('#groups .problem')"
        self.assertTrue(self.browser.run(problem + ".hidden"))
        for text in ["mass > banana", "nonsense", "banana > 3"]:
            self.browser.run("document.querySelector('#groups input').value = ''")
            self.browser.type("#groups input", text)
            self.assertFalse(self.browser.run(problem + ".hidden"), text)
            self.assertIn(f"Not understood: \u201c{text}\u201d", self.browser.run(problem + ".textContent"))
            self.assertEqual(self.groups(), list(range(20)))
        self.browser.run("document.querySelector('#groups input').value = ''")
        self.browser.type("#groups input", "mass > 1e14, x < 20")
        self.assertTrue(self.browser.run(problem + ".hidden"))
        self.assertEqual(len(self.groups()),
                         min(20, self.browser.run("report.data.rows.filter(r => r[2] > 1e14 && r[3] < 20).length")))

    def panel(self):
        """The heading and the parts of the panel; none if it is closed."""
        return self.browser.run("(p => p.hidden ? null : [...p.querySelectorAll('h2, h3')].map(h => h.textContent))"
                                "(document.getElementById('panel'))")

    def test_a_click_opens_the_panel(self):
        self.assertIsNone(self.panel())
        self.browser.click('#groups tr[data-group="7"] td')
        parts = self.panel()
        self.assertEqual(parts[0], "Group 7")
        for part in ["Density profile", "Members by type", "Shape and spin", "Nearest massive neighbors"]:
            self.assertIn(part, parts)
        self.assertEqual(self.browser.run("location.hash"), "#group=7")
        text = self.browser.run("document.getElementById('panel').textContent")
        for words in ["at least 100 particles", "dark matter", "spin", "triaxiality"]:
            self.assertIn(words, text)
        self.browser.run("""Object.assign(report.data.panels.spheres.rows[7], {6: 9, 7: 5.5, 8: Array(20).fill(30)});
                         report.select(7, 'table');""")
        text = self.browser.run("document.getElementById('panel').textContent")
        for words in ["concentration5.5", "NFW, c = 5.5", "are left out of the fit"]:
            self.assertIn(words, text)
        for kind, count in [("used", 11), ("left", 9)]:
            self.assertEqual(self.browser.run(f"document.querySelectorAll('#panel circle.{kind}').length"), count)
        pixels = self.browser.run("new Set(document.querySelector('#panel canvas').getContext('2d')"
                                  ".getImageData(0, 0, 400, 400).data).size")
        self.assertGreater(pixels, 50)
        self.browser.click("#panel table a")
        self.browser.wait("report.selected !== 7")
        self.assertEqual(self.panel()[0], f"Group {self.browser.run('report.selected')}")
        self.browser.click("#panel header button:last-child")
        self.assertIsNone(self.panel())
        self.assertEqual(self.browser.run("location.hash"), "")

    def test_the_panel_shows_the_history(self):
        """Over redshift, and over time where there is none."""
        self.assertNotIn("History", self.panel() or [])
        past = {"name": "trees.hdf5", "what": "mass", "unit": "Msun/h", "time": [0.25, 0.5, 1], "redshift": [3, 1, 0],
                "rows": [[[2, 1, 0], [9e13, 5e13, 1e12], [[2, 0.3]], 1, 2], [[2], [3e13], [], 2, -1]]}
        self.browser.run(f"report.data.panels.histories = {json.dumps(past)}; report.select(0, 'table')")
        self.assertIn("History", self.panel())
        text = self.browser.run("document.getElementById('panel').textContent")
        for words in ["begins at redshift 3.", "half of its mass at redshift 1.", "1 : 4 or more: redshift 0.", "mass (Msun/h)"]:
            self.assertIn(words, text)
        plot = "[...document.querySelectorAll('#panel section')].find(s => s.textContent.startsWith('History')).querySelector('svg')"
        self.assertEqual(self.browser.run(f"{plot}.querySelectorAll('circle.used').length"), 3)
        self.assertEqual(self.browser.run(f"{plot}.querySelectorAll('line.left title').length"), 1)
        self.assertEqual(self.browser.run(f"[...{plot}.querySelectorAll('circle, line')].every(n => [...n.attributes]"
                                          ".every(a => !a.value.includes('NaN')))"), True)
        self.browser.run("report.select(1, 'table')")
        self.assertIn("No merger of 1 : 4 or more", self.browser.run("document.getElementById('panel').textContent"))
        self.browser.run("report.select(2, 'table')")
        self.assertIn("the largest groups only", self.browser.run("document.getElementById('panel').textContent"))
        self.browser.run("report.data.panels.histories.redshift = [0, 0, 0]; report.select(0, 'table')")
        self.assertIn("begins at time 0.25.", self.browser.run("document.getElementById('panel').textContent"))

    def test_neighbors_are_the_nearest(self):
        """Across the edges of the box, too."""
        self.browser.run("report.select(4, 'table')")
        found = self.browser.run("[...document.querySelectorAll('#panel a')].map(a => Number(a.hash.split('=')[1]))")
        rows = self.browser.run("report.data.rows")
        here = rows[4]

        def distance(row):
            apart = [abs(a - b) for a, b in zip(here[3:6], row[3:6])]
            return sum(min(d, 64 - d) ** 2 for d in apart) ** 0.5
        massive = [row for row in rows if row[0] != 4 and row[2] >= here[2] / 10]
        self.assertEqual(found, [row[0] for row in sorted(massive, key=distance)[:5]])

    def test_a_link_opens_its_group(self):
        self.browser.open(self.page + "?a#group=5")
        self.browser.wait("report.selected === 5")
        self.assertEqual(self.panel()[0], "Group 5")
        self.browser.run("location.hash = '#group=2'")
        self.browser.wait("report.selected === 2")
        self.assertEqual(self.panel()[0], "Group 2")
        self.browser.open(self.page + "?b#group=99999")
        self.assertIsNone(self.panel())

    def test_keys_of_the_panel(self):
        self.browser.run(f"document.querySelector('{MAP}').focus()")
        self.browser.key("n")
        self.assertEqual(self.panel()[0], "Group 0")
        self.browser.key("Enter")
        self.assertEqual(self.browser.run("document.activeElement.id"), "panel")
        for key, group in [("n", 1), ("n", 2), ("p", 1)]:
            self.browser.key(key)
            self.assertEqual(self.panel()[0], f"Group {group}")
        self.browser.key("Escape")
        self.assertIsNone(self.panel())
        self.browser.type("#groups input", "n")
        self.browser.key("Escape")
        self.assertIsNone(self.panel())

    def test_depth_and_circles(self):
        self.browser.click("#map .tools button:nth-child(4)")
        self.browser.run(f"document.querySelector('{MAP}').focus()")
        self.browser.wait(f"document.querySelector('{MAP}').dataset.rings > 20")
        few = int(self.browser.run(f"document.querySelector('{MAP}').dataset.rings"))
        self.browser.key("c")
        self.browser.wait(f"document.querySelector('{MAP}').dataset.rings > {few}")
        self.browser.key("c")
        self.browser.wait(f"document.querySelector('{MAP}').dataset.rings == 0")
        self.browser.key("c")
        self.browser.wait(f"document.querySelector('{MAP}').dataset.rings == {few}")
        shown = "[...document.querySelectorAll('#map output')].map(o => o.textContent)"
        before = self.browser.run(shown)
        self.assertEqual(before, ["everything", "everything"])
        self.browser.key("]")
        self.browser.wait(f"{shown}.join() !== {json.dumps(','.join(before))}")
        self.assertEqual(self.browser.run(shown)[1], "6.4 Mpc/h")
        self.assertIn("from the particles", self.browser.run("document.querySelector('#map > .soft').textContent"))
        self.browser.run("(i => { i.value = 0; i.dispatchEvent(new Event('input')); })"
                         "(document.querySelectorAll('#map input')[1])")
        self.assertEqual(self.browser.run(shown), ["everything", "everything"])

    def pixels(self):
        """How many pixels of the view in three dimensions are bright."""
        return self.browser.run("(c => { const s = document.createElement('canvas'); [s.width, s.height] = [c.width, c.height];"
                                "const t = s.getContext('2d'); t.drawImage(c, 0, 0);"
                                "return t.getImageData(0, 0, s.width, s.height).data.filter(v => v > 60 && v < 255).length; })"
                                "(document.querySelector('#space canvas.under'))")

    def test_particles_by_webgl_fly_to_a_group(self):
        self.assertEqual(self.browser.run("document.getElementById('space').dataset.painter"), "webgl")
        self.browser.wait("document.querySelector('#space canvas[tabindex]').dataset.view")
        self.assertGreater(self.pixels(), 1000)
        self.browser.run("report.select(3, 'table')")
        x, y, z = (v / 64 - 0.5 for v in self.row(3)[3:6])
        self.browser.wait("(v => Math.hypot(v[3] - %f, v[4] - %f, v[5] - %f) < 1e-3)(document.querySelector("
                          "'#space canvas[tabindex]').dataset.view.split(' ').map(Number))" % (x, y, z))
        self.assertGreater(self.view(SPACE)[2], 2)
        self.browser.click(SPACE)
        self.browser.wait("report.selected !== null")

    def test_without_webgl_dots_are_drawn(self):
        source = ("const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = "
                  "function(kind, ...more) { return kind === 'webgl' ? null : get.call(this, kind, ...more); };")
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]
        try:
            self.browser.open(self.page)
            self.assertEqual(self.browser.run("document.getElementById('space').dataset.painter"), "canvas")
            self.browser.drag(SPACE, 60, 20)
            self.assertGreater(self.view(SPACE)[0], 0.7)
        finally:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})

    def test_download(self):
        self.browser.run("window.saved = null; URL.createObjectURL = blob => { blob.text().then(t => saved = t); "
                         "return 'blob:null/x'; }; HTMLAnchorElement.prototype.click = () => {};")
        self.browser.click("#groups .tools button")
        self.browser.wait("saved !== null")
        lines = self.browser.run("saved").splitlines()
        self.assertTrue(lines[0].startswith("group,members,mass [1e10 Msun/h],x [Mpc/h]"), lines[0])
        self.assertEqual(len(lines), 1 + self.browser.run("report.data.rows.length"))

    def test_curves_show_values(self):
        x, y = self.browser.place('[data-figure="mass_function"] svg')
        self.browser.mouse("mouseMoved", x, y)
        self.browser.wait("!document.querySelector('[data-figure=mass_function] .tip').hidden")
        text = self.browser.run("document.querySelector('[data-figure=mass_function] .tip').textContent")
        self.assertRegex(text, r"M = [\d.]+\u00d710\S+ M\u2299/h\ngroups: .*\nSheth & Tormen 1999: ")
        self.browser.run("document.querySelector('[data-figure=group_0_profile] svg').focus()")
        self.browser.key("ArrowRight")
        self.assertIn("NFW", self.browser.run("document.querySelector('[data-figure=group_0_profile] .tip').textContent"))

    def test_the_box_turns(self):
        self.browser.drag(SPACE, 60, 20)
        before = self.view(SPACE)
        self.assertGreater(before[0], 0.7)
        self.browser.key("Tab")
        self.browser.run("document.querySelector('#space canvas[tabindex]').focus()")
        self.browser.key("ArrowLeft")
        self.browser.wait(f"document.querySelector('#space canvas[tabindex]').dataset.view.split(' ')[0] < {before[0]}")

    def shown(self, selector):
        return self.browser.run(f"[...document.querySelectorAll('{selector}')].some(e => e.getClientRects().length)")

    def test_paper_shows_still_pictures(self):
        self.browser.call("Emulation.setEmulatedMedia", {"media": "print"})
        for selector, is_shown in [(MAP, False), ("#space", False), ("#map .static svg", True), (".tools", False),
                                   ("#groups tbody tr", True), ("#largest svg", True)]:
            self.assertEqual(self.shown(selector), is_shown, selector)
        self.browser.run("report.select(1, 'table')")
        self.assertFalse(self.shown("#panel"))
        self.browser.call("Emulation.setEmulatedMedia", {"media": ""})
        self.assertTrue(self.shown("#panel"))
        self.assertTrue(self.shown(MAP))

    def test_screen_readers_get_names(self):
        for selector in [MAP, SPACE, "figure > svg", "#groups input"]:
            names = self.browser.run(f"[...document.querySelectorAll('{selector}')]"
                                     ".map(e => (e.getAttribute('aria-label') ?? '').length)")
            self.assertTrue(names and min(names) > 8, selector)
        self.assertEqual(self.browser.run("[...document.querySelectorAll('button')]"
                                          ".filter(b => !(b.textContent + (b.ariaLabel ?? '')).trim()).length"), 0)

    def test_narrow_and_without_scripts(self):
        self.browser.open(self.page, width=400, height=800, is_dark=True)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        self.browser.run("report.select(3, 'table')")
        left, right, bottom = self.browser.run("(r => [r.left, r.right, r.bottom])"
                                               "(document.getElementById('panel').getBoundingClientRect())")
        self.assertEqual((left, right, bottom), (0, 400, 800))
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        dark = "getComputedStyle(document.getElementById('panel')).backgroundColor"
        self.assertEqual(self.browser.run(dark), "rgb(28, 31, 37)")
        self.browser.open(self.page, has_scripts=False)
        root = self.browser.call("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        for selector, shown in [("#map .static svg", True), ("#map canvas", False), ("#groups tbody tr", True)]:
            node = self.browser.call("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
            self.assertEqual(node != 0, shown, selector)


if __name__ == "__main__":
    unittest.main()
