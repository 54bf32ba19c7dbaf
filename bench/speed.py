#!/usr/bin/env python3
"""Compares whole runs of onnx-shapes with those of the onnx library, alternating, and prints ratios.

    speed.py ONNX_SHAPES ONNX_INFER MODELS... [--rounds N] [--python-peers]

ONNX_INFER is bench/onnx_infer (built with -DONNX_SHAPES_BENCH=ON). MODELS are files or folders; .onnx.xz is unpacked first. For each
model the least time of N rounds counts. --python-peers adds ONNX Runtime's symbolic_shape_infer, run as a process of this Python.
"""

import argparse
import lzma
import pathlib
import subprocess
import sys
import tempfile
import time


def models(paths, folder):
    for path in paths:
        for found in sorted(path.glob("*.onnx*")) if path.is_dir() else [path]:
            if found.suffix == ".xz":
                unpacked = folder / found.name.removesuffix(".xz")
                unpacked.write_bytes(lzma.decompress(found.read_bytes()))
                found = unpacked
            yield found


def seconds(command, good_exits):
    start = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode not in good_exits:
        sys.exit(f"{command[0]} failed: {run.stderr[-500:]}")
    return time.perf_counter() - start


good_exits = {"ours": {0, 1}}  # 1: findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_shapes")
    parser.add_argument("onnx_infer")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python-peers", action="store_true")
    arguments = parser.parse_args()
    total = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for model in models(arguments.models, folder):
            out = folder / "out"
            commands = {
                "ours": [arguments.onnx_shapes, "infer", "--fresh", "--quiet", model, "-o", out],
                "onnx": [arguments.onnx_infer, model, out],
            }
            if arguments.python_peers:
                commands["ort"] = [sys.executable, "-m", "onnxruntime.tools.symbolic_shape_infer", "--auto_merge",
                                   "--input", model, "--output", out]
            best = {}
            for _ in range(arguments.rounds):
                for peer, command in commands.items():
                    out.unlink(missing_ok=True)  # some file systems flush what replaces a file
                    best[peer] = min(best.get(peer, 1e9), seconds(command, good_exits.get(peer, {0})))
            for peer, value in best.items():
                total[peer] = total.get(peer, 0) + value
            ratios = "  ".join(f"ours/{peer} {best['ours'] / value:.3f}" for peer, value in best.items() if peer != "ours")
            print(f"{model.name}: ours {1000 * best['ours']:.1f} ms  {ratios}", flush=True)
    print("together: " + "  ".join(f"ours/{peer} {total['ours'] / value:.3f}" for peer, value in total.items() if peer != "ours"))


if __name__ == "__main__":
    main()
