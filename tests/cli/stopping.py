"""Signals to a program that works, and how soon it ends."""

import os
import signal
import subprocess
import time


def processor_seconds(pid):
    """Processor time that a process has used so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(command, work, number=signal.SIGINT):
    """Runs a command and sends a signal once it has used this many processor seconds: its exit code, its output,
    and the processor seconds from the signal to the end. The load of the machine plays no part."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               # A background process inherits that Ctrl-C is ignored.
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    used = 0.0
    while used < work and process.returncode is None:
        time.sleep(0.002)
        used = processor_seconds(process.pid)
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
    os.kill(process.pid, number)  # send_signal would reap a process that has ended
    words = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, words, usage.ru_utime + usage.ru_stime - used


# Processor seconds from a signal to the end: 0.25 on each CPU, and what the clock's ticks are worth.
LONGEST_STOP = 0.25 * (os.cpu_count() or 1) + 0.05
