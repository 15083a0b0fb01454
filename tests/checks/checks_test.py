"""The checks in scripts/checks find violations: each fails on a bad example."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "checks"


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        # The order of the layers is the project's own.
        self.write("src/CMakeLists.txt", (CHECKS.parents[1] / "src/CMakeLists.txt").read_text("utf-8"))

    def write(self, place, text):
        file = self.root / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self, name):
        result = subprocess.run([sys.executable, CHECKS / name, self.root], text=True,
                                capture_output=True, check=False)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return result.returncode == 0, result.stdout

    def assert_passes(self, name):
        passed, output = self.run_check(name)
        self.assertTrue(passed, output)
        self.assertEqual(output, "")

    def assert_complains(self, name, words):
        passed, output = self.run_check(name)
        self.assertFalse(passed, f"{name} has nothing against a bad example")
        self.assertIn(words, output)


class Layers(CheckTest):
    def test_downward_includes_pass(self):
        self.write("src/tree/a.cpp", '#include <vector>\n#include <kith/tree.hpp>\n'
                                     '#include "base/fail.hpp"\n#include "tree/planes.hpp"\n')
        self.write("src/drawing/a.cpp", '#include <png.h>\n#include "parallel/workers.hpp"\n')
        self.write("cli/main.cpp", "#include <kith/kith.hpp>\n")
        self.assert_passes("layers.py")

    def test_upward_include(self):
        self.write("src/base/a.hpp", '#pragma once\n\n#include "tree/planes.hpp"\n')
        self.assert_complains("layers.py", "src/base/a.hpp:3: includes tree/planes.hpp")

    def test_sideways_include(self):
        self.write("src/drawing/a.hpp", '#include "snapshots/table.hpp"\n')
        self.assert_complains("layers.py", "beside snapshots")

    def test_the_library_does_not_stand_on_files(self):
        self.write("src/groups/a.hpp", '#  include "files/npy.hpp"\n')
        self.assert_complains("layers.py", "beside files")

    def test_rooms_of_a_layer_have_an_order(self):
        self.write("src/mpi/groups/a.cpp", '#include "mpi/transport/call.hpp"\n')
        self.assert_passes("layers.py")
        self.write("src/mpi/transport/a.cpp", '#include "mpi/groups/fof.hpp"\n')
        self.assert_complains("layers.py", "transport is below groups")

    def test_unknown_room(self):
        self.write("src/mpi/misc/a.cpp", '#include "mpi/transport/call.hpp"\n')
        self.assert_complains("layers.py", "misc is not a room")

    def test_the_program_has_rooms(self):
        self.write("cli/groups/groups.hpp", "#pragma once\n")
        self.write("cli/groups/fof.cpp", '#include "groups/groups.hpp"\n')
        self.assert_passes("layers.py")

    def test_angle_brackets_do_not_hide_a_layer(self):
        self.write("src/base/a.hpp", "#include <tree/planes.hpp>\n")
        self.assert_complains("layers.py", "below or beside tree")

    def test_a_program_sees_public_headers_only(self):
        self.write("cli/groups/fof.cpp", '#include "base/fail.hpp"\n')
        self.assert_complains("layers.py", "cli sees only <kith/...>")

    def test_a_public_header_includes_no_private_one(self):
        self.write("include/kith/a.hpp", '#include "base/fail.hpp"\n')
        self.assert_complains("layers.py", "public headers include")

    def test_tbb_has_one_home(self):
        self.write("src/parallel/arena.cpp", "#include <tbb/parallel_for.h>\n")
        self.assert_passes("layers.py")
        self.write("src/tree/a.cpp", "#include <tbb/parallel_for.h>\n")
        self.assert_complains("layers.py", "src/tree/a.cpp:1")

    def test_unknown_layer(self):
        self.write("src/misc/a.hpp", "#include <vector>\n")
        self.assert_complains("layers.py", "not a layer")


class OneText(CheckTest):
    def complains(self, place, text, words):
        self.write(place, text)
        self.assert_complains("one_text.py", words)
        (self.root / place).unlink()

    def test_the_homes_pass(self):
        self.write("src/geometry/gaps-inl.h", "return larger(larger(minus(q_lo, p_hi), minus(p_lo, q_hi)), zero);\n"
                                              "return smaller(dx, minus(side, dx));\n")
        self.write("src/walk/depth_first.hpp", "open(plane - 1, sources_.children(plane, node));\n")
        self.write("src/groups/join-inl.h", "const IndexRange range = nodes_.children(height, node);\n")
        self.write("src/neighbors/brute.cpp", "dx = std::min(dx, side[axis] - dx);\n")
        self.write("src/neighbors/knn.cpp", "// std::min(dx, side - dx)\nconst T r = std::min(limit, side);\n")
        self.assert_passes("one_text.py")

    def test_a_second_gap(self):
        self.complains("src/kernels/a-inl.h",
                       "x = hn::Max(hn::Max(hn::Sub(lo, q_hi), hn::Sub(q_lo, hi)), hn::Zero(tag));\n",
                       "src/kernels/a-inl.h:1: writes a gap between intervals again")
        self.complains("src/groups/a.cpp", "\nT x = std::max(std::max(q.lo[axis] - p.hi[axis],\n p.lo - q.hi), T(0));\n",
                       "src/groups/a.cpp:2: writes a gap between intervals again")

    def test_a_second_text_for_devices(self):
        for text, words in (("real least = larger(larger(q_lo - p_hi, p_lo - q_hi), (real)0);", "a gap between intervals"),
                            ("return smaller(dx, side - dx);", "the way around a periodic box"),
                            ("if (r < 0) r += side;", "the wrapping of a coordinate"),
                            ("uint entry_of = place == 0 ? 0 : gray ^ gray >> 1;", "the step of the Hilbert curve"),
                            ("while (up != at) {", "the search for the root of a set")):
            self.complains("src/gpu/a.cl", text + "\n", "src/gpu/a.cl:1: writes " + words + " again")

    def test_a_second_way_around(self):
        for text in ("dx = std::min(dx, side - dx);", "gap = std::min(gap, metric.side[axis] - far);",
                     "dx = hn::Min(dx, hn::Sub(hn::Set(tag, side[axis]), dx));",
                     "return hn::Min(hn::Sub(side, gap), gap);"):
            self.complains("src/clusters/a.hpp", text + "\n", "the way around a periodic box again")

    def test_a_second_box_of_a_node(self):
        self.complains("src/walk/a.hpp", "box.lo[axis] = chunk[static_cast<std::size_t>(axis) * kLanes + lane];\n",
                       "the box of a node")
        self.complains("src/groups/a.cpp", "box.hi[axis] = planes_.upper(plane, node, axis);\n", "the box of a node")

    def test_a_second_view_of_indices(self):
        self.complains("src/neighbors/a.hpp", "reinterpret_cast<const std::uint32_t*>(block + indices)[i];\n",
                       "the indices of a block")

    def test_a_walk_elsewhere(self):
        self.complains("src/groups/a.cpp", "for (const auto c : planes_.children(plane, node)) go(c);\n",
                       "a walk down the planes")
        self.complains("src/neighbors/a.cpp", "for (int plane = tree.top(); plane >= 0; --plane) look(plane);\n",
                       "a walk down the planes")


class Headers(CheckTest):
    def test_a_good_header_passes(self):
        self.write("include/kith/a.hpp", "#pragma once\n#include <algorithm>\nstruct A {};\n")
        self.assert_passes("headers.py")

    def test_a_header_that_leans_on_another(self):
        self.write("include/kith/a.hpp", "#pragma once\ninline std::vector<int> list;\n")
        self.assert_complains("headers.py", "kith/a.hpp does not compile alone with clang++")

    def test_a_header_without_a_guard(self):
        self.write("include/kith/a.hpp", "struct A {};\n")
        self.assert_complains("headers.py", "does not compile alone with g++")

    def test_a_header_that_pulls_in_a_library(self):
        self.write("include/kith/a.hpp", "#pragma once\n#include <kith/b.hpp>\n")
        self.write("include/kith/b.hpp", "#pragma once\n#include <tbb/blocked_range.h>\n")
        self.assert_complains("headers.py", "kith/a.hpp pulls in tbb")


class Words(CheckTest):
    def test_plain_text_passes(self):
        self.write("README.md", "# 1. Color #fff0aa, step 2 of 3, issue a warning\n")
        self.write("a.cpp", "#if 0\n#endif\n#1a2b3c\n")
        self.assert_passes("words.py")

    def test_a_folder_outside(self):
        self.write("README.md", "see .." + "/shared/design.md\n")
        self.assert_complains("words.py", "README.md:1: a path outside")

    def test_spelling_and_phrases_of_documents(self):
        for text, advice in (("its neighbour", "American spelling"), ("which points hang together", "connected"),
                             ("a number that stands for another", "is, means"), ("the message tells why", "says")):
            self.write("README.md", text + "\n")
            self.assert_complains("words.py", "README.md:1: ")
            self.assert_complains("words.py", advice)

    def test_comments_docstrings_and_messages(self):
        """In each language: bad prose is found on its line, and code with the same words is not."""
        for place, line, text in (
                ("a.cpp", 1, "// points that nobody\nint tells = 1;\n"),
                ("a.cpp", 3, "int a = 1'000;  // a number\n/* as many\n   rows, likewise */\n"),
                ("a.hpp", 2, "#pragma once\n/// What a row holds.\nint row;\n"),
                ("a.hpp", 1, "/// The rows and what\n/// is left of them.\nint row;\n"),
                ("a.h", 3, '#include "nobody is here.h"\nfail("{}: it is "\n     "the neighbour");\n'),
                ("a.cl", 1, "int x;  // so that each is looked at\n"),
                ("a.js", 2, "/* nothing */\nconst text = `the normalised value`;\n"),
                ("a.py", 2, "def f(nobody):\n    \"\"\"Whoever calls this.\"\"\"\n"),
                ("a.py", 1, "x = 'memory is given back to them'\n"),
                ("a.sh", 3, "told=1\necho $told  \n# goes on with the rest\n"),
                ("CMakeLists.txt", 1, 'message("nobody asked for it")\n'),
                ("a.cmake", 2, "set(nobody 1)\n  # of a kind of its own\n")):
            self.write(place, text)
            self.assert_complains("words.py", f"{place}:{line}: ")
            (self.root / place).unlink()

    def test_code_and_plain_prose_pass(self):
        self.write("a.cpp", "int nobody = tells(whoever);  // What is it?\nauto a = \"likewise\";\n"
                            "/// Says what is missing, in a color of its own kind; see what to do.\n")
        self.write("a.py", 'nobody = {"tells": 1}  # the neighbor\n"""What to do with it."""\n')
        self.write("CHANGELOG.md", "nobody tells\n")
        self.write("README.md", "## What is counted\n")
        self.assert_passes("words.py")

    def commit(self, subject):
        for words in (["init", "-q"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", subject]):
            subprocess.run(["git", "-C", self.root, *words], check=True)
        return subprocess.run(["git", "-C", self.root, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()

    def test_subjects_of_commits(self):
        first = self.commit("Whatever it was")
        self.commit("mpi: refuse negative masses")
        self.commit("build: pass -O1, and process all files")
        self.assertEqual(self.subjects_after(first), "")
        for subject in ("Refuse negative masses", "mpi: Refuse masses", "mpi: the masses", "tests: masses that are negative",
                        "mpi: refusing masses"):
            self.commit(subject)
            self.assertIn(subject, self.subjects_after(first))
            self.assertEqual(self.subjects_after(self.commit("mpi: add a row")), "")
        self.assertEqual(self.subjects_after("ac047195b3"), "", "a clone without the first commit")

    def subjects_after(self, commit):
        return subprocess.run([sys.executable, CHECKS / "words.py", self.root, commit], text=True, capture_output=True,
                              check=False).stdout

    def test_numbers_of_issues(self):
        for text in ("as issue" + " 3 says", "fixes #" + "12", "(Issues" + " #" + "4)"):
            self.write("a.cpp", f"// {text}\n")
            self.assert_complains("words.py", "the number of an issue")


class Documents(CheckTest):
    def test_links_and_files_that_exist_pass(self):
        self.write("src/tree/planes.hpp", "")
        self.write("scripts/demo.sh", "")
        self.write("CONTRIBUTING.md", "# Working\n\nSee `tree/planes.hpp`, [above](#working), scripts/demo.sh\n")
        self.assert_passes("documents.py")

    def test_a_link_to_nothing(self):
        self.write("README.md", "[tree](docs/tree.md)\n")
        self.assert_complains("documents.py", "README.md:1: there is no docs/tree.md")
        self.write("README.md", "[here](#nowhere)\n")
        self.assert_complains("documents.py", "README.md:1: README.md has no heading nowhere")

    def test_a_file_that_does_not_exist(self):
        self.write("CONTRIBUTING.md", "see `tree/plane.hpp`\n")
        self.assert_complains("documents.py", "CONTRIBUTING.md:1: there is no tree/plane.hpp")
        self.write("CONTRIBUTING.md", "```sh\nscripts/domo.sh\n```\n")
        self.assert_complains("documents.py", "CONTRIBUTING.md:2: there is no scripts/domo.sh")


class CompareOutput(CheckTest):
    def compare(self, expected, printed):
        self.write("expected.txt", expected)
        return subprocess.run([sys.executable, CHECKS / "compare_output.py", self.root / "expected.txt",
                               "printf", "%s", printed], capture_output=True, check=False).returncode

    def test_equal_output_passes(self):
        self.assertEqual(self.compare("3 nodes\nin <number> ms\n", "3 nodes\nin 12.5 ms\n"), 0)

    def test_other_output_fails(self):
        self.assertEqual(self.compare("3 nodes\n", "4 nodes\n"), 1)
        self.assertEqual(self.compare("in <number> ms\n", "in no ms\n"), 1)
        self.assertEqual(self.compare("3 nodes\n", "3 nodes\nand more\n"), 1)
        self.assertEqual(self.compare("3 nodes\n", ""), 1)

    def test_a_failing_program_fails(self):
        self.write("expected.txt", "")
        result = subprocess.run([sys.executable, CHECKS / "compare_output.py",
                                 self.root / "expected.txt", "false"], capture_output=True, check=False)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
