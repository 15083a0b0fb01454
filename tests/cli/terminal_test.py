"""Colors and the line of progress, on a terminal. Usage: terminal_test.py PROGRAM"""

import os
import pty
import struct
import subprocess
import termios
import fcntl
import unittest

from program import PROGRAM, ProgramTest, clumps

ESCAPE = "\x1b["


def on_terminal(words, columns=80, **variables):
    """The output of the program on a terminal."""
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG")}
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([PROGRAM, *map(str, words)], stdin=its, stdout=its, stderr=its,
                          env={**env, "TERM": "xterm", **variables}) as process:
        os.close(its)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # all ends are closed
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        process.wait()
    return text.decode().replace("\r\n", "\n")


class Terminal(ProgramTest):
    def test_colors_can_be_switched_off(self):
        for words in (["--help"], ["fof", "--help"], ["frobnicate"], ["fof", "missing.hdf5"]):
            plain = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            colored = on_terminal(words)
            self.assertIn(ESCAPE, colored)
            self.assertNotIn(ESCAPE, plain.stdout + plain.stderr)
            for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                text = on_terminal(words, **variables).replace("\r\x1b[K", "")
                self.assertEqual(text, plain.stdout + plain.stderr)
            self.assertIn(ESCAPE, on_terminal(words, NO_COLOR=""))  # empty counts as unset

    def test_the_head_of_a_table_is_bold(self):
        points = self.save("x.npy", clumps(500))
        self.assertRegex(on_terminal(["fof", points, "--box", 1]), r"\x1b\[1m +group +size")

    def progress(self, **options):
        return on_terminal(["sample", "cosmology", "-n", 40, "-o", self.path("u.hdf5")], **options)

    def test_progress(self):
        self.assertRegex(self.progress(), r"\[#+\.+\] +\d+ %")
        bar = self.progress(LANG="C.UTF-8")
        self.assertRegex(bar, "\x1b\\[36m━+\x1b\\[0m\x1b\\[2m━+\x1b\\[0m +\\d+ %")
        self.assertRegex(self.progress(LANG="C.UTF-8", NO_COLOR="1"), "━+┄+ +\\d+ %")
        self.assertNotIn("%", self.progress(TERM="dumb"))

    def test_a_line_of_progress_fits(self):
        for columns in (60, 80, 120):
            drawn = self.progress(columns=columns, LANG="C.UTF-8", NO_COLOR="1")
            lines = [line for line in drawn.replace("\x1b[K", "").replace("\n", "\r").split("\r") if "%" in line]
            self.assertTrue(lines)
            self.assertLess(max(map(len, lines)), columns)


if __name__ == "__main__":
    unittest.main()
