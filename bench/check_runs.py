#!/usr/bin/env python3
"""Compares `check --inputs` with running the model: bench/check_runs.py REAL [--tool PROGRAM] [--rounds N] [--check] [MODELS...]

REAL is a folder with models/NAME.onnx (or .onnx.xz) and inputs/NAME.0.npz. MODELS are parts of names; default: LARGEST below.
Each round starts three processes in turn, on one thread each:

  ours       onnx-shapes check MODEL --inputs NPZ, five times
  evaluator  Python, onnx.reference.ReferenceEvaluator(MODEL, check_shape_annotations=True), one run
  runtime    Python, onnxruntime.InferenceSession(MODEL), one run

Of each the least time of the processor counts: the time that passes says little on a busy machine. With --annotated each model has what
`infer` knows in its value_info, so that every value is checked. At last come inputs and weights of more than 1 GiB, with ours alone.

Targets (--check: exit status 1 if one is missed): 50 times faster than the evaluator and 5 times faster than the runtime on each model,
and below 64 MiB. What was measured stands in docs/architecture.md. Needs the Python packages numpy, onnx and onnxruntime.
"""

import argparse
import lzma
import os
import pathlib
import sys
import tempfile

import rewrite

LARGEST = ["torch-legacy__llama_48l", "torch-legacy__swin", "torch-legacy__bert", "torch-legacy__clip", "torch-legacy__llama_kv",
           "torch-legacy__gpt2_kv", "captcha_crnn", "torch-legacy__distilbert", "torch-legacy__wav2vec2"]
EVALUATOR_RATIO = 50
RUNTIME_RATIO = 5

LOAD = """
import sys, numpy
with numpy.load(sys.argv[2]) as arrays: feeds = dict(arrays)
"""
EVALUATOR = LOAD + """
from onnx.reference import ReferenceEvaluator
evaluator = ReferenceEvaluator(sys.argv[1], check_shape_annotations=True)
try:
    evaluator.run(None, feeds)
except Exception as error:
    if type(error).__name__ != "ShapeAnnotationError": raise
    sys.exit(1)
"""
RUNTIME = LOAD + """
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 4
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
"""
FINDINGS = 1  # the exit status of check, and of the evaluator, where an annotation is false


def fastest(command, rounds, good):
    """The least seconds of the processor and the peak memory of some runs; their exit status must be one of `good`."""
    runs = [rewrite.run(command, good) for _ in range(rounds)]
    return min(busy for _, busy, _ in runs), max(memory for _, _, memory in runs)


def unpack(path, model):
    data = path.read_bytes()
    model.write_bytes(lzma.decompress(data) if path.suffix == ".xz" else data)


def save_zeros(path, how):
    """1.25 GiB of floats for x0 of the chain of matrices."""
    import numpy  # only here: the memory of a process counts as that of its children when they begin

    getattr(numpy, how)(path, x0=numpy.zeros((5 * rewrite.GIB // 4 // (4 * 2048), 2048), numpy.float32))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tool = str(options.tool.resolve())
        self.missed = False

    def target(self, met):
        self.missed = self.missed or not met
        return "" if met else "  MISSED"

    def ours(self, model, inputs):
        return [self.tool, "check", str(model), "--inputs", str(inputs), "--quiet"]

    def prepared(self, path):
        """The model as a file of its own, annotated where that is asked for."""
        model = self.folder / path.name.removesuffix(".xz")
        rewrite.apart(unpack, path, model)
        if self.options.annotated:
            rewrite.run([self.tool, "infer", str(model), "--in-place", "--quiet"], (0, FINDINGS))
        return model

    def model(self, path):
        model = self.prepared(path)
        inputs = self.options.real / "inputs" / f"{model.stem}.0.npz"
        commands = {"ours": self.ours(model, inputs),
                    "evaluator": [sys.executable, "-c", EVALUATOR, str(model), str(inputs)],
                    "runtime": [sys.executable, "-c", RUNTIME, str(model), str(inputs)]}
        seconds, memory = dict.fromkeys(commands, float("inf")), 0
        for _ in range(self.options.rounds):
            for who, command in commands.items():
                took, peak = fastest(command, 5 if who == "ours" else 1, (0, FINDINGS))
                seconds[who] = min(seconds[who], took)
                memory = max(memory, peak) if who == "ours" else memory
        evaluator, runtime = (seconds[who] / seconds["ours"] for who in ("evaluator", "runtime"))
        met = evaluator >= EVALUATOR_RATIO and runtime >= RUNTIME_RATIO and memory < rewrite.MEMORY
        print(f"{model.stem:50} {1000 * seconds['ours']:7.1f} ms   evaluator {evaluator:5.0f} times   runtime {runtime:5.0f} times   "
              f"peak {memory / rewrite.MIB:5.1f} MiB{self.target(met)}", flush=True)
        model.unlink()

    def large(self):
        """A model with 1 GiB of weights, and 1.25 GiB of inputs on whose contents no shape depends."""
        model, inputs = self.folder / "large.onnx", self.folder / "large.npz"
        rewrite.apart(rewrite.matmul_chain, model, 64, 2048)
        for how in "savez", "savez_compressed":
            rewrite.apart(save_zeros, inputs, how)
            seconds, memory = fastest(self.ours(model, inputs), 3, (0,))
            print(f"{f'1 GiB of weights, 1.25 GiB of inputs, {how}':50} {1000 * seconds:7.1f} ms   "
                  f"{'':44}   peak {memory / rewrite.MIB:5.1f} MiB{self.target(memory < rewrite.MEMORY)}", flush=True)
            inputs.unlink()
        model.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", type=pathlib.Path)
    parser.add_argument("models", nargs="*", default=LARGEST)
    parser.add_argument("--tool", type=pathlib.Path, default=rewrite.ROOT / "build/release/bin/onnx-shapes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--annotated", action="store_true", help="annotate the models first")
    parser.add_argument("--check", action="store_true", help="exit status 1 if a target is missed")
    options = parser.parse_intermixed_args()  # names may stand behind options
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory(prefix="onnx-shapes-bench-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        paths = sorted((options.real / "models").glob("*.onnx*"))
        for name in options.models:
            found = [path for path in paths if name in path.name]
            if not found:
                parser.error(f"no model is called {name}")
            bench.model(min(found, key=lambda path: len(path.name)))
        bench.large()
    return 1 if options.check and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
