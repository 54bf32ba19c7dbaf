#!/usr/bin/env python3
"""Runs what `check` says breaks an annotation: run_counterexamples.py BINARY CONFORMANCE_FOLDER [--count N] [--seed S]

Each refutation of the static check of the top graph, of the real models and of random ones (random_models.py) in which one annotation
was changed, is run in ONNX Runtime, or the reference evaluator: with the sizes of the counterexample, where it has one, else with those
of a run that the model was made for. Then the value must have the size that the refutation says, and not the declared one.

A model that does not run with these sizes shows nothing; it is counted, with what the engine says.
Needs the Python packages onnx, numpy and onnxruntime. The last line is `N passed, N failed`.
"""

import argparse
import collections
import json
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import engines
import model_structures  # noqa: F401, adds its templates
from model_builder import random_model
from model_operators import TEMPLATES

PATH = re.compile(r"(?:output|value_info) (?P<value>.*)$")


def dims_of(info):
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.WhichOneof("value") == "dim_value" and d.dim_value >= 0 else d.dim_param or f"{info.name}_{axis}"
            for axis, d in enumerate(tensor.shape.dim)]


def sizes_of(model, feed):
    """What each name on an input is in the feed, also the names that unnamed dims get."""
    sizes = {}
    for info in model.graph.input:
        for dim, size in zip(dims_of(info) or [], np.shape(feed.get(info.name, ()))):
            if isinstance(dim, str):
                sizes.setdefault(dim, size)
    return sizes


def resized(model, feed, sizes, rng):
    """The feed with the arrays of the sizes; those whose shape stays are kept, with their contents."""
    result = {}
    for info in model.graph.input:
        if info.name not in feed:
            continue
        old = np.asarray(feed[info.name])
        dims = dims_of(info)
        shape = old.shape if dims is None else tuple(sizes[d] if isinstance(d, str) else d for d in dims)
        if shape == old.shape:
            result[info.name] = old
        elif old.dtype == object:
            result[info.name] = np.full(shape, "a", object)
        elif np.issubdtype(old.dtype, np.floating):
            result[info.name] = rng.standard_normal(shape).astype(old.dtype)
        else:
            high = int(old.max()) + 1 if old.size else 1
            result[info.name] = rng.integers(0, max(high, 1), shape).astype(old.dtype)
    return result


def expression_sizes(model, sizes):
    """The sizes of dims such as 2*h on inputs."""
    sizes = dict(sizes)
    for info in model.graph.input:
        for dim in dims_of(info) or []:
            if isinstance(dim, str) and dim not in sizes and re.fullmatch(r"[\w.]+([*+ ]+[\w.]+)*", dim):
                try:
                    sizes[dim] = eval(dim, {"__builtins__": {}}, dict(sizes))
                except (NameError, SyntaxError):
                    pass
    return sizes


def refuted(binary, path):
    run = subprocess.run([binary, "check", path, "--format", "json"], capture_output=True, text=True, timeout=300, errors="replace")
    if run.returncode not in (0, 1):
        return [f"exit {run.returncode}: {run.stderr}"], []
    report = json.loads(run.stdout)
    verdicts = [v for r in report["runs"] for v in r["verdicts"] if v["verdict"] == "refuted"]
    return [], [v for v in verdicts if re.search(r":graph(?:/[^/.]*)?:(?:output|value_info) ", v["path"])]


class Tests:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.tally = binary, folder, collections.Counter()
        self.rng = np.random.default_rng(1)

    def fail(self, text):
        self.tally["failed"] += 1
        print(f"failed: {text}", flush=True)

    def model(self, name, model, feed, runnable=None):
        """`runnable`: the model as it was before the change, which engines load."""
        path = os.path.join(self.folder, "model.onnx")
        onnx.save(model, path)
        faults, verdicts = refuted(self.binary, path)
        for fault in faults:
            self.fail(f"{name}: {fault}")
        exposed = engines.exposed(runnable or model)
        del exposed.graph.value_info[:]
        for verdict in verdicts:
            value = PATH.search(verdict["path"]).group("value")
            example = verdict.get("counterexample")
            sizes = sizes_of(model, feed)
            if example:
                sizes = expression_sizes(model, {k: v for k, v in sizes.items() if not re.search(r"[*+]", k)} | example["inputs"])
            results, why = engines.run_onnxruntime(exposed, [resized(model, feed, sizes, self.rng)])
            title = f"{name}: {value} with {example['inputs'] if example else 'any sizes'}: {verdict['reason']}"
            if results is None and any(text in why for text in engines.NO_KERNEL):
                results, why = engines.run_reference(exposed, [resized(model, feed, sizes, self.rng)]), "no kernel"
            if results is None:
                self.tally["do not run"] += 1
                print(f"does not run: {title}: {' '.join(why.split())[:300]}", flush=True)
                continue
            array = results[0][value]
            declared = next(i for i in [*model.graph.output, *model.graph.value_info] if i.name == value)
            if example:
                shown = np.ndim(array) > example["axis"] and np.shape(array)[example["axis"]] == example["actual"] != example["declared"]
            else:
                shown = self.differs(declared, array)
            if shown:
                self.tally["passed"] += 1
            else:
                self.fail(f"{title}: it has the shape {np.shape(array)}")

    @staticmethod
    def differs(info, array):
        tensor = info.type.tensor_type
        if not hasattr(array, "dtype") or onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type) != array.dtype:
            return True
        dims = [d.dim_value if d.WhichOneof("value") == "dim_value" else None for d in tensor.shape.dim]
        names = [d.dim_param for d in tensor.shape.dim if d.dim_param]
        return len(dims) != array.ndim or any(d is not None and d != n for d, n in zip(dims, array.shape)) or bool(names)


def change(model, rng):
    """Another size or name on an axis of an output or inner value."""
    infos = [i for i in [*model.graph.output, *model.graph.value_info] if dims_of(i)]
    if not infos:
        return False
    info = rng.choice(infos)
    dim = rng.choice(info.type.tensor_type.shape.dim)
    names = [d for i in model.graph.input for d in dims_of(i) or [] if isinstance(d, str)]
    if names and rng.random() < 0.6:
        dim.dim_param = rng.choice(names) + rng.choice(["", "", " + 1", "*2"])
    else:
        dim.dim_value = rng.randrange(0, 7)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("conformance", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300, help="random models")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(arguments.binary, folder)
        for path in sorted((arguments.conformance / "real/models").glob("*.onnx*")):
            name = path.name.removesuffix(".xz").removesuffix(".onnx")
            inputs = arguments.conformance / "real/inputs" / f"{name}.0.npz"
            if inputs.exists():
                data = path.read_bytes()
                model = onnx.load_from_string(lzma.decompress(data) if path.suffix == ".xz" else data)
                with np.load(inputs, allow_pickle=False) as arrays:
                    feed = {k: arrays[k] for k in arrays.files}
                tests.model(name, model, feed)
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            builder, model = random_model(seed, TEMPLATES)
            rng = random.Random(seed)
            source, target = os.path.join(folder, "in.onnx"), os.path.join(folder, "annotated.onnx")
            onnx.save(model, source)
            if os.path.exists(target):
                os.remove(target)
            subprocess.run([arguments.binary, "infer", source, "-o", target, "-q"], capture_output=True)
            if not os.path.exists(target):
                continue
            changed = onnx.load(target)
            if change(changed, rng):
                tests.model(f"random {seed}", changed, builder.feeds(0), model)
    print(f"{tests.tally['do not run']} do not run")
    print(f"{tests.tally['passed']} passed, {tests.tally['failed']} failed")
    return tests.tally["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
