#!/usr/bin/env python3
"""Times the 32-stage convolution chain in the engine and in SymPy: bench/expr_vs_sympy.py <build>/bin/expr_bench

Prints both times and their ratio, after both results were found to have the same values. Exit status: 0 when the chain
takes less than 50 microseconds and SymPy at least 500 times as long, 1 otherwise.
"""

import json
import re
import subprocess
import sys
import time

import sympy

BENCHMARK = "convolution_chain_32"
MAX_MICROSECONDS = 50
MIN_RATIO = 500
# The least of several runs: what else the machine does can only add to a time.
REPETITIONS = 5


def engine(program):
    """(seconds, the size as text) of the chain in the engine."""
    command = [program, f"--benchmark_filter=^{BENCHMARK}$", f"--benchmark_repetitions={REPETITIONS}", "--benchmark_format=json"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["benchmarks"]
    runs = [run for run in runs if run["run_type"] == "iteration"]
    nanoseconds = {"ns": 1, "us": 1e3, "ms": 1e6}
    return min(run["cpu_time"] * nanoseconds[run["time_unit"]] for run in runs) / 1e9, runs[0]["label"]


def chain(size):
    for stage in range(32):
        size = sympy.floor((size - 1) / (2 if stage % 8 == 7 else 1)) + 1
    return size


def in_sympy():
    """(seconds, the size) of the same chain for two dims, without the cache of an earlier run."""
    height, width = sympy.symbols("H W", integer=True, nonnegative=True)
    times = []
    for _ in range(REPETITIONS):
        sympy.core.cache.clear_cache()
        start = time.process_time()
        result = chain(height)
        chain(width)
        times.append(time.process_time() - start)
    return min(times), result


def main():
    seconds, text = engine(sys.argv[1])
    sympy_seconds, size = in_sympy()
    (height,) = size.free_symbols
    if not re.fullmatch(r"[H0-9 ()+*/-]+", text):
        sys.exit(f"not an expression: {text}")
    for value in range(1, 200):
        ours, theirs = eval(text, {"H": value}), size.subs(height, value)
        if ours != theirs:
            sys.exit(f"H={value}: {text} is {ours}, SymPy says {theirs}")
    ratio = sympy_seconds / seconds
    print(f"engine  {seconds * 1e6:10.1f} us   {text}")
    print(f"SymPy   {sympy_seconds * 1e6:10.1f} us   {size}")
    print(f"ratio   {ratio:10.0f}")
    return 0 if seconds * 1e6 < MAX_MICROSECONDS and ratio >= MIN_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
