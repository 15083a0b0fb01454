#!/usr/bin/env python3
"""Which functions of MPI the library calls: no collective operations but those that tests/mpi/traffic_test.cpp counts,
and nothing that ends the program.

Usage: functions_test.py LIBRARY
"""

import re
import subprocess
import sys

COLLECTIVE = {"Allreduce", "Iallreduce", "Iallgather", "Ibcast"}  # the counted ones
MESSAGES = {"Issend", "Isend", "Irecv", "Recv", "Iprobe", "Test", "Testall", "Wait", "Get_count"}
SETUP = {"Comm_dup", "Comm_free", "Comm_rank", "Comm_size", "Comm_split_type", "Comm_set_errhandler", "Comm_f2c",
         "Error_string", "Initialized", "Finalized", "Query_thread", "Init_thread", "Finalize"}

symbols = subprocess.run(["nm", "--undefined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
called = set(re.findall(r"\bU MPI_(\w+)", symbols))
assert COLLECTIVE <= called, f"not found: {COLLECTIVE - called}"
others = called - COLLECTIVE - MESSAGES - SETUP
assert not others, f"the library calls {sorted(others)}; count them in traffic_test.cpp, or do without"
