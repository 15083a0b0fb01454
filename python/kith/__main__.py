"""`python -m kith` is the program `kith`."""
import os
import sys

from ._program import program

path = program("python -m kith")
os.execv(path, [path, *sys.argv[1:]])
