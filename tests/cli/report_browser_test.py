#!/usr/bin/env python3
"""The page of `kith report` in a real browser. Usage: report_browser_test.py PROGRAM

Skipped where there is no browser: apt-get install chromium-headless-shell."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import NAMES, Browser, find_browser  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
MAP = "#map canvas"


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
        self.browser.run("document.querySelector('#groups input').value = ''")
        self.browser.type("#groups input", "nonsense")
        self.assertEqual(self.groups(), [])

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
        self.browser.drag("#space canvas", 60, 20)
        before = self.view("#space canvas")
        self.assertGreater(before[0], 0.7)
        self.browser.key("Tab")
        self.browser.run("document.querySelector('#space canvas').focus()")
        self.browser.key("ArrowLeft")
        self.browser.wait(f"document.querySelector('#space canvas').dataset.view.split(' ')[0] < {before[0]}")

    def shown(self, selector):
        return self.browser.run(f"[...document.querySelectorAll('{selector}')].some(e => e.getClientRects().length)")

    def test_paper_shows_still_pictures(self):
        self.browser.call("Emulation.setEmulatedMedia", {"media": "print"})
        for selector, is_shown in [(MAP, False), ("#space", False), ("#map .static svg", True), (".tools", False),
                                   ("#groups tbody tr", True), ("#largest svg", True)]:
            self.assertEqual(self.shown(selector), is_shown, selector)
        self.browser.call("Emulation.setEmulatedMedia", {"media": ""})
        self.assertTrue(self.shown(MAP))

    def test_screen_readers_get_names(self):
        for selector in [MAP, "#space canvas", "figure > svg", "#groups input"]:
            names = self.browser.run(f"[...document.querySelectorAll('{selector}')]"
                                     ".map(e => (e.getAttribute('aria-label') ?? '').length)")
            self.assertTrue(names and min(names) > 8, selector)
        self.assertEqual(self.browser.run("[...document.querySelectorAll('button')]"
                                          ".filter(b => !(b.textContent + (b.ariaLabel ?? '')).trim()).length"), 0)

    def test_narrow_and_without_scripts(self):
        self.browser.open(self.page, width=400, height=800, is_dark=True)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        self.browser.open(self.page, has_scripts=False)
        root = self.browser.call("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        for selector, shown in [("#map .static svg", True), ("#map canvas", False), ("#groups tbody tr", True)]:
            node = self.browser.call("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
            self.assertEqual(node != 0, shown, selector)


if __name__ == "__main__":
    unittest.main()
