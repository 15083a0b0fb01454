"""Threads, progress, cancelling and Ctrl-C."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import kith

# Processor seconds between a cancel and the end of a call, whatever else the machine does: 0.25 on each CPU.
LONGEST_STOP = 0.25 * (os.cpu_count() or 1)
SLOW_POINTS = 1_000_000  # a search of these for 400 neighbors takes some seconds


@pytest.fixture(scope="module")
def slow_tree():
    return kith.Tree(kith.sample.uniform(SLOW_POINTS))


def slow_call(tree, **how):
    return kith.kth_distance(tree, k=400, threads=1, **how)


def test_results_do_not_depend_on_threads(rng):
    x = rng.random((5000, 3), dtype=np.float32)
    one, many = kith.knn(x, k=8, threads=1), kith.knn(x, k=8, threads=5)
    np.testing.assert_array_equal(one.index, many.index)
    np.testing.assert_array_equal(one.distance, many.distance)
    with pytest.raises(ValueError, match="threads"):
        kith.knn(x, k=8, threads=-2)
    for wrong in ({"threads": 2.5}, {"progress": 3}, {"cancel": "now"}):
        with pytest.raises(TypeError, match="integer|progress = 3|cancel = 'now'"):
            kith.knn(x, k=8, **wrong)


def test_progress_rises_to_the_end(slow_tree):
    seen = []
    kith.kth_distance(slow_tree, k=4, progress=lambda *report: seen.append(report))
    stages = {stage for stage, _, _ in seen}
    assert seen and all(isinstance(stage, str) for stage in stages)
    for stage in stages:
        done = [d for s, d, _ in seen if s == stage]
        assert done == sorted(done) and all(d <= total for s, d, total in seen if s == stage)


def test_an_exception_of_the_callback_stops_the_call(slow_tree):
    def fail(stage, done, total):
        raise ZeroDivisionError("enough")
    start = time.process_time()
    with pytest.raises(ZeroDivisionError, match="enough"):
        slow_call(slow_tree, progress=fail)
    assert time.process_time() - start < 2.0  # far less than the call takes


def test_tqdm(slow_tree, capsys):
    pytest.importorskip("tqdm")
    kith.kth_distance(slow_tree, k=4, progress=kith.TqdmProgress(mininterval=0))
    kith.kth_distance(slow_tree, k=4, progress=True)
    assert "%" in capsys.readouterr().err


def test_a_token_stops_a_call_of_another_thread(slow_tree):
    token = kith.CancelToken()
    ended = {}

    def work():
        try:
            slow_call(slow_tree, cancel=token)
        except kith.Cancelled as error:
            ended["error"], ended["at"] = error, time.process_time()

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    start = time.process_time()
    token.cancel()
    thread.join()
    assert "cancel" in str(ended["error"])
    assert ended["at"] - start < LONGEST_STOP
    assert token.is_cancelled


def test_other_threads_run_meanwhile(slow_tree):
    """Without the interpreter's lock during the call, a second thread counts on."""
    counted = 0
    is_over = threading.Event()

    def count():
        nonlocal counted
        while not is_over.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    kith.kth_distance(slow_tree, k=16)
    seconds = time.perf_counter() - start
    is_over.set()
    thread.join()
    assert counted > 20 * seconds


def test_one_tree_from_many_threads(rng):
    x = rng.random((20000, 3))
    tree = kith.KDTree(x)
    expected = tree.query(x[:500], k=3)
    failures = []

    def work():
        for i in range(500):
            d, index = tree.query(x[i], k=3)
            if not (np.array_equal(d, expected[0][i]) and np.array_equal(index, expected[1][i])):
                failures.append(i)
        if not np.array_equal(kith.knn(tree._tree, x[:500], k=3).index, expected[1]):
            failures.append("rows")

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


INTERRUPTED = """
import os, signal, sys, threading, time
import kith
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process inherits "ignore"
tree = kith.Tree(kith.sample.uniform({points}))
sent = []
def interrupt():
    begin = time.process_time()
    while time.process_time() < begin + 0.3:
        time.sleep(0.01)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted after", time.process_time() - sent[0])
else:
    print("finished")
"""


@pytest.mark.parametrize("call", [
    "kith.kth_distance(tree, k=400, threads=1)",
    "kith.sample.cosmology(192)",
    "kith.KDTree(kith.sample.uniform({points})).query(None, k=32, p=3, workers=1)",
])
def test_ctrl_c_stops_a_call(call):
    program = INTERRUPTED.format(points=SLOW_POINTS, call=call.format(points=SLOW_POINTS))
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.startswith("interrupted after"), output
    assert float(output.split()[-1]) < LONGEST_STOP


def test_a_handler_that_does_not_raise_stops_nothing(slow_tree):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        found = kith.kth_distance(slow_tree, k=16, threads=1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [1] and len(found) == SLOW_POINTS


def test_ctrl_c_while_another_thread_calls():
    """The main thread is interrupted at once; the other's call continues, or stops by its token."""
    program = textwrap.dedent("""
        import os, signal, threading, time
        import kith
        signal.signal(signal.SIGINT, signal.default_int_handler)
        tree = kith.Tree(kith.sample.uniform({points}))
        token = kith.CancelToken()
        ended = []
        def work():
            try:
                kith.kth_distance(tree, k=400, threads=1, cancel=token)
            except kith.Cancelled:
                ended.append("stopped")
            is_over.set()
        is_over = threading.Event()
        worker = threading.Thread(target=work)
        worker.start()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            is_over.wait()
        except KeyboardInterrupt:
            start = time.process_time()
            token.cancel()
            is_over.wait()
            print(*ended, time.process_time() - start)
    """).format(points=SLOW_POINTS)
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.startswith("stopped"), output
    assert float(output.split()[-1]) < LONGEST_STOP


def test_the_interpreter_may_end_while_a_daemon_thread_calls():
    program = textwrap.dedent("""
        import threading, time
        import kith
        tree = kith.Tree(kith.sample.uniform({points}))
        threading.Thread(target=lambda: kith.knn(tree, k=8, threads=1), daemon=True).start()
        time.sleep(0.1)
    """).format(points=SLOW_POINTS // 5)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_calls_work_after_a_fork():
    program = textwrap.dedent("""
        import multiprocessing, numpy as np, kith
        x = kith.sample.uniform(20000)
        def child(i):
            return int(kith.knn(x, k=4).index.sum())
        if __name__ == "__main__":
            expected = child(0)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map(child, range(4)) == [expected] * 4
            print("same")
    """)
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert output.stdout.strip() == "same", output.stderr


def test_too_much_memory_is_a_memory_error():
    with pytest.raises((MemoryError, ValueError)):
        kith.knn(np.zeros((1000, 2)), k=2**45)
