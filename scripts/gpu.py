#!/usr/bin/env python3
"""The work of gpu.sh: machine, self-test, compilers, bits and times of a device, in a report."""
import argparse
import platform
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

import kith

SEED = 5
# Commands that describe a machine, where they are installed.
COMMANDS = (["nvidia-smi", "--query-gpu=name,uuid,driver_version,memory.total,memory.free,clocks.max.sm,pcie.link.gen.max,"
             "pcie.link.width.current", "--format=csv"], ["rocm-smi", "--showproductname", "--showmeminfo", "vram"],
            ["clinfo", "-l"])


class Report:
    """Prints lines and keeps them for the file."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.passed = self.failed = 0

    def say(self, line=""):
        print(line, flush=True)
        self.file.write(line + "\n")
        self.file.flush()

    def check(self, name, is_same, detail=""):
        self.passed += is_same
        self.failed += not is_same
        if not is_same:
            self.say(f"  DIFFERENT {name}: {detail}")


def tell_machine(report):
    report.say(f"kith {kith.__version__}, Python {platform.python_version()}, {platform.platform()}")
    for device in kith.devices():
        report.say(f"  {device}")
    for command in COMMANDS:
        if shutil.which(command[0]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            for line in done.stdout.splitlines()[:40]:
                report.say(f"  {command[0]}: {line}")


def sets(quick, most):
    """(name, points, box): sets that searches often meet, and sets that they hardly ever meet."""
    random = np.random.default_rng(SEED)
    sizes = (1, 63, 65, 3000) if quick else (1, 63, 65, 3000, 100_000, 1_000_000)
    for n in (n for n in sizes if n <= most):
        yield f"uniform {n}", random.random((n, 3)), 1.0
    n = min(most, 3000 if quick else 100_000)
    clumps = random.random((30, 3))[random.integers(0, 30, n)] + random.normal(0, 0.003, (n, 3))
    yield "clumps", clumps % 1.0, 1.0
    yield "clumps in open space", clumps, None
    yield "grid", np.stack(np.meshgrid(*[np.arange(12.0)] * 3), -1).reshape(-1, 3) / 12, 1.0
    yield "equal", np.full((500, 3), 0.25), None
    yield "subnormal", random.random((500, 3)) * 1e-42, None
    yield "one far away", np.concatenate([random.random((500, 3)), [[1e20, 0, 0]]]), None
    if not quick:
        yield "plane", random.random((700, 2)), 1.0


def same(a, b):
    return all(np.array_equal(np.asarray(x), np.asarray(y)) for x, y in zip(a, b))


def first_rows(a, b):
    """Where arrays differ, for the report."""
    for x, y in zip(map(np.asarray, a), map(np.asarray, b)):
        if x.shape != y.shape:
            return f"shapes {x.shape} and {y.shape}"
        rows = np.unique(np.nonzero(x != y)[0])[:10]
        if len(rows):
            return f"seed {SEED}, rows {rows.tolist()}: {x[rows].tolist()} and {y[rows].tolist()}"
    return ""


def calls(points, box, repeats):
    """(name, call(device)): each returns arrays."""
    length = 0.2 / max(1, len(points)) ** (1 / points.shape[1]) * float(np.ptp(points) or 1)
    yield "tree", lambda device: [kith.Tree(points, box=box, device=device).order()]
    for k in (1, 16, 40):
        yield f"knn k = {k}", lambda device, k=k: kith.knn(points, k=k, box=box, device=device)
    yield "knn in place", lambda device: rows_in_place(points, 16, box, device)
    queries = points[:200] * 0.999
    yield "knn of others", lambda device: kith.knn(points, queries, k=5, box=box, device=device)
    if len(points) <= 100_000:
        def lists(device):
            found = kith.radius(points, radius=2 * length, box=box, device=device)
            return found.offset, found.index, found.distance
        yield "radius", lists

    def groups(device):
        found = kith.fof(points, linking_length=length, box=box, device=device)
        return found.label, found.size, found.lowest
    for turn in range(repeats):  # races differ from run to run
        yield f"fof {turn}", groups

    def sums(device):
        table = kith.catalogue(points, np.arange(len(points)) // 50, velocity=points, box=box, device=device)
        return [table[name] for name in table.keys()]
    yield "catalogue", sums


def compare_bits(report, device, quick, most):
    for name, points, box in (each for each in sets(quick, most) if len(each[1]) <= most):
        for dtype in (np.float32, np.float64):
            if dtype == np.float64 and not kith_device(device).has_float64:
                continue
            typed = points.astype(dtype)
            for what, call in calls(typed, box, 2 if quick else 20):
                where = f"{what} of {name}, {np.dtype(dtype).name}"
                try:
                    found, expected = call(device), call("cpu")
                    is_same = same(found, expected)
                    report.check(where, is_same, "" if is_same else first_rows(found, expected))
                except (RuntimeError, ValueError, MemoryError) as error:
                    report.check(where, False, str(error))
    report.say(f"bits: {report.passed} of {report.passed + report.failed} results are those of the CPU")


def kith_device(name):
    known = kith.devices()
    wanted = name.lower().removeprefix("gpu-") + (":0" if name in ("gpu", "cuda", "hip", "opencl") else "")
    return next((device for device in known if wanted in (device.name, device.api, device.pci_address, device.uuid)), known[0])


def keeps_arrays(device):
    """Whether arrays may stay in its memory."""
    return not kith_device(device).api.startswith("opencl:")


def rows_in_place(points, k, box, device):
    """Neighbors, from points that are on the device and with rows that stay there, if it is one of CUDA or HIP."""
    if device == "cpu" or not keeps_arrays(device):
        return kith.knn(points, k=k, box=box, device=device)
    return [array.numpy() for array in kith.knn(kith.to_device(points, device), k=k, box=box, device=device)]


def compile_programs(report, device, quick):
    """The first call with a new dimension, scalar type or k compiles."""
    has_float64 = kith_device(device).has_float64
    for dimension in (3,) if quick else (1, 2, 3, 4, 8):
        for dtype in (np.float32, np.float64) if has_float64 else (np.float32,):
            start = time.perf_counter()
            points = np.random.default_rng(1).random((100, dimension)).astype(dtype)
            try:
                for k in (16,) if quick else (8, 16, 32):
                    kith.knn(points, k=k, device=device)
                kith.fof(points, linking_length=0.1, device=device)
                report.check("compile", True)
            except RuntimeError as error:
                report.check(f"compile d = {dimension}, {np.dtype(dtype).name}", False, str(error))
            report.say(f"  d = {dimension}, {np.dtype(dtype).name}: {time.perf_counter() - start:.2f} s")


def timed(call, repeats):
    """Best and median, without the first call, which may compile."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times), statistics.median(times)


# Kernels by stage, by the beginnings of their names.
STAGES = {"sort": ("sort_", "scan_", "add_uint", "add_ulong", "fill_uint", "fill_ulong"),
          "order": ("make_", "find_large", "count_top", "clear_low", "range_boxes", "place_rows", "mark_heads", "start_runs",
                    "keep_runs", "next_round"),
          "check, frame": ("extent", "join_boxes", "prepare"), "planes": ("fill_",), "walk": ("walk_", "reach_"),
          "knn leaves": ("knn", "query_indices"), "radius leaves": ("radius_", "long_"), "fof walk": ("fof_room", "fof_step"),
          "fof links": ("fof_link", "fof_units", "fof_start"), "fof labels": ("fof_",)}


def stage_of(kernel):
    return next((stage for stage, names in STAGES.items() if kernel.startswith(names)), kernel)


def tell_stages(report, device, call):
    """Seconds of one call by the events of the device, stage by stage: without the host and the bus."""
    if not hasattr(kith._kith, "measure_kernels"):
        return
    kith._kith.measure_kernels(True, device)
    call()
    sums = {}
    for kernel, launches, seconds in kith._kith.kernel_times(device):
        before = sums.get(stage_of(kernel), (0, 0.0))
        sums[stage_of(kernel)] = (before[0] + launches, before[1] + seconds)
    kith._kith.measure_kernels(False, device)
    for stage, (launches, seconds) in sorted(sums.items(), key=lambda item: -item[1][1]):
        report.say(f"    {stage:16} {seconds:9.4f} s by events, {launches} launches")
    report.say(f"    {'all kernels':16} {sum(seconds for _, seconds in sums.values()):9.4f} s by events")


def measure(report, device, quick, most):
    """Whole calls by the clock of the host; returns (n, seconds) of the last kNN."""
    report.say(f"{'task':34} {device:>20} {'cpu':>20}   (seconds, best and median)")
    last = (0, 0.0)
    for n in [min(20_000, most)] if quick else [n for n in (10**6, 10**7, 10**8) if n <= most]:
        random = np.random.default_rng(SEED)
        x = random.random((n, 3), dtype=np.float32)
        try:
            tree = {name: kith.Tree(x, box=1.0, device=name) for name in (device, "cpu")}
            tasks = {"tree": lambda name: kith.Tree(x, box=1.0, device=name),
                     "knn k = 16, rows on the host": lambda name: kith.knn(tree[name], k=16, device=name),
                     "fof b = 0.2": lambda name: kith.fof(tree[name], linking_length=0.2 * n ** (-1 / 3), device=name)}
            if keeps_arrays(device):
                tasks["knn k = 16, rows on the device"] = lambda name: (
                    kith.knn(there, k=16, device=device) if name == device else kith.knn(tree["cpu"], k=16))
                there = kith.Tree(kith.to_device(x, device), box=1.0, device=device)
            for task, call in tasks.items():
                here = [timed(lambda: call(name), 2 if quick else 5) for name in (device, "cpu")]
                report.say(f"{task + ', n = ' + format(n, ','):34} " +
                           " ".join(f"{best:9.3f} {median:9.3f} " for best, median in here))
                tell_stages(report, device, lambda: call(device))
                if task.startswith("knn"):
                    last = (n, here[0][0])
        except (RuntimeError, MemoryError) as error:
            report.say(f"  n = {n:,}: {error}")
            break
    return last


def knn_of_jax(x, k):
    """All pairs in chunks: the plain way on a card."""
    import jax
    import jax.numpy as jnp
    points = jnp.asarray(x)

    @jax.jit
    def chunk(queries):
        d2 = jnp.sum((queries[:, None, :] - points[None, :, :]) ** 2, axis=-1)
        return jax.lax.top_k(-d2, k)

    return lambda: [jax.block_until_ready(chunk(points[i:i + 500])) for i in range(0, len(x), 500)]


def knn_of_cupy(x, k):
    import cupy
    from cupyx.scipy.spatial import KDTree
    points = cupy.asarray(x)

    def call():
        found = KDTree(points).query(points, k=k)
        cupy.cuda.Device().synchronize()
        return found
    return call


def knn_of_jztree(x, k):
    import jax
    import jax.numpy as jnp
    from jztree.knn import knn
    points = jnp.asarray(x)
    return lambda: jax.block_until_ready(knn(points, k=k))


def time_others(report, quick, most_points):
    """Libraries beside kith, if they are installed: the k = 16 nearest in open space, data on their device. A library whose
    interface has changed is reported and does not matter."""
    n = min(most_points, 20_000 if quick else 10**6)
    x = np.random.default_rng(SEED).random((n, 3), dtype=np.float32)
    for name, make, most in (("jztree", knn_of_jztree, n), ("cupy", knn_of_cupy, n), ("jax", knn_of_jax, min(n, 20_000))):
        try:
            module = __import__(name)
        except ImportError:
            report.say(f"  {name}: not installed")
            continue
        try:
            best, median = timed(make(x[:most], 16), 2 if quick else 5)
            report.say(f"  {name} {getattr(module, '__version__', '')}: knn k = 16, n = {most:,}: {best:.3f} {median:.3f} s")
        except Exception as error:  # any exception of another library
            report.say(f"  {name} {getattr(module, '__version__', '')}: {type(error).__name__}: {str(error)[:200]}")


def main():
    parser = argparse.ArgumentParser(prog="gpu.sh", description=__doc__)
    parser.add_argument("device", nargs="?", default="gpu")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--points", type=int, default=10**8, help="most points of a set")
    parser.add_argument("--report", default="gpu-report.txt", help="the file to write")
    given = parser.parse_args()
    report = Report(given.report)
    tell_machine(report)
    start = time.perf_counter()
    try:
        kith.Tree(np.zeros((1, 3), np.float32), device=given.device)
    except (RuntimeError, ValueError) as error:
        report.say(f"self-test: {error}")
        report.say("FAIL the device cannot be used")
        return 1
    report.say(f"self-test: ok, {time.perf_counter() - start:.2f} s with opening")
    compile_programs(report, given.device, given.quick)
    compare_bits(report, given.device, given.quick, given.points)
    n, seconds = measure(report, given.device, given.quick, given.points)
    time_others(report, given.quick, given.points)
    total = report.passed + report.failed
    word = "PASS" if report.failed == 0 else "FAIL"
    report.say(f"{word} {report.passed}/{total} bits; kNN n = {n:,}, k = 16, end to end: {seconds:.3f} s on "
               f"{kith_device(given.device).model}")
    return 0 if report.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
