#!/usr/bin/env python3
"""Compares `check --inputs` with the reference evaluator: check_differential.py BINARY CONFORMANCE_FOLDER [--count N] [--seed S] [--jobs J]

Each test takes a model: an operator test (node-concrete), a random one (random_models.py) or a small real one (real). Half of them are
annotated by `infer` first, so that there is something to change in branches, loop bodies and functions. Then one thing changes in one
annotation of one graph: a size, a name, one name for two axes (shared), two names for one size (split), the rank, the element type, or a
dim is left open. Both run it with the inputs; onnx.reference.ReferenceEvaluator(check_shape_annotations=True) says what is right.

Skipped is a model that the evaluator cannot run, or not as the specification says: OptionalGetElement gives it a list, which it does not
check, it runs a Scan of opset 8 as one of opset 9, and the body of a SequenceMap without a look at its annotations. `undetermined` is no verdict: it is counted, and must stay below --most percent.
Needs the Python packages onnx and numpy. The last line is `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import json
import lzma
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy
import onnx

import engines
import model_structures  # noqa: F401, adds its templates
from model_builder import random_model
from model_operators import TEMPLATES

warnings.filterwarnings("ignore")
VIOLATIONS = {"SHP201", "SHP202", "SHP203", "SHP704", "SHP705"}
KINDS = ["size", "name", "shared", "split", "rank", "type", "unset"]
BATCH = 100


def graphs(model):
    """(kind, graph or function) of every one of the model."""
    pending = [("main graph", model.graph), *(("function", f) for f in model.functions)]
    while pending:
        kind, graph = pending.pop()
        yield kind, graph
        for node in graph.node:
            inner = "branch" if node.op_type == "If" else "loop body"
            for attribute in node.attribute:
                pending += [(inner, g) for g in ([attribute.g] if attribute.HasField("g") else attribute.graphs)]


def annotations(kind, graph):
    """(where, tensor type) of each tensor annotation with a shape."""
    fields = ["value_info"] if kind == "function" else ["input", "output", "value_info"]
    for field in fields:
        for info in getattr(graph, field):
            if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
                yield f"{field} of the {kind}" if kind == "main graph" else f"{field} of a {kind}", info.type.tensor_type


def names_of(types):
    """The axes that bear each name."""
    axes = collections.defaultdict(list)
    for tensor in types:
        for dim in tensor.shape.dim:
            if dim.dim_param:
                axes[dim.dim_param].append(dim)
    return axes


def mutate(model, rng):
    """Changes one annotation; says how and where, or None if there is none to change."""
    places = [[a for a in annotations(kind, graph)] for kind, graph in graphs(model)]
    places = [p for p in places if p]
    if not places:
        return None
    everywhere = [tensor for place in places for _, tensor in place]
    where, tensor = rng.choice(rng.choice(places))
    dims = tensor.shape.dim
    kind = rng.choice(KINDS)
    if kind == "type":
        tensor.elem_type = rng.choice([onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.DOUBLE])
    elif kind == "rank":
        if dims and rng.random() < 0.5:
            del dims[rng.randrange(len(dims))]
        else:
            dims.add().dim_value = rng.choice([1, 2])
    elif not dims:
        return None
    elif kind == "size":
        dim = rng.choice(dims)
        dim.dim_value = max(0, dim.dim_value + rng.choice([-1, 1, 2]))
    elif kind == "name":
        rng.choice(dims).dim_param = rng.choice("NM")
    elif kind == "shared":
        rng.choice(dims).dim_param = "S"
        for other in rng.sample(everywhere, min(2, len(everywhere))):
            if other.shape.dim:
                rng.choice(other.shape.dim).dim_param = "S"
    elif kind == "split":
        axes = [a for a in names_of(everywhere).values() if len(a) > 1]
        if not axes:
            return None
        chosen = rng.choice(axes)
        name = chosen[0].dim_param
        for dim in rng.sample(chosen, rng.randrange(1, len(chosen))):
            dim.dim_param = f"{name}_2"
        where = "everywhere"
    else:
        rng.choice(dims).Clear()
    return f"{kind}, {where}"


def feeds(path, model):
    wanted = {info.name for info in model.graph.input}
    with numpy.load(path, allow_pickle=False) as arrays:
        return {k: arrays[k].astype(object) if arrays[k].dtype.kind == "U" else arrays[k] for k in arrays.files if k in wanted}


class Models:
    """Draws models with their inputs."""

    def __init__(self, arguments, folder):
        self.folder, self.binary = folder, arguments.binary
        self.nodes = sorted((arguments.conformance / "node-concrete/models").glob("*.onnx"))
        self.real = [p for p in sorted((arguments.conformance / "real/models").glob("*.onnx*")) if self.small(p, arguments.max_nodes)]

    @staticmethod
    def unpacked(path):
        data = path.read_bytes()
        return onnx.load_from_string(lzma.decompress(data) if path.suffix == ".xz" else data)

    def small(self, path, most):
        if path.stat().st_size > 300_000:
            return False
        return 0 < len(self.unpacked(path).graph.node) <= most

    def draw(self, rng):
        """(name, model, inputs)"""
        source = rng.choices(["node", "random", "real"], [40, 40, 20])[0]
        if source == "random":
            seed = rng.randrange(1, 1_000_000)
            builder, model = random_model(seed, TEMPLATES)
            return f"random {seed}", model, builder.feeds(rng.randrange(len(builder.bindings)))
        path = rng.choice(self.nodes if source == "node" else self.real)
        name = path.name.removesuffix(".xz").removesuffix(".onnx")
        inputs = path.parent.parent / "inputs" / f"{name}.{rng.choice('01') if source == 'real' else '0'}.npz"
        if not inputs.exists():
            return name, None, None
        model = self.unpacked(path)
        return name, model, feeds(inputs, model)

    def annotated(self, model):
        source, target = os.path.join(self.folder, "in.onnx"), os.path.join(self.folder, "annotated.onnx")
        onnx.save(model, source)
        if os.path.exists(target):
            os.remove(target)
        subprocess.run([self.binary, "infer", source, "-o", target, "-q"], capture_output=True, timeout=120)
        return onnx.load(target, load_external_data=False) if os.path.exists(target) else None


def ours(binary, model, inputs, folder, options=()):
    path, data = os.path.join(folder, "model.onnx"), os.path.join(folder, "inputs.npz")
    onnx.save(model, path)
    numpy.savez(data, **{k: v.astype(str) if v.dtype == object else v for k, v in inputs.items()})
    run = subprocess.run([binary, "check", path, "--inputs", data, "--dim-params", "opaque", "--format", "json", *options],
                         capture_output=True, text=True, timeout=120, errors="replace")
    if run.returncode not in (0, 1):
        return {"others": [f"exit {run.returncode}: {run.stderr.strip()}"]}
    report = json.loads(run.stdout)
    verdicts = [v for r in report["runs"] for v in r["verdicts"]]
    return {"violations": [f"{f['code']} {f['place'].get('path')}: {f['message']}" for f in report["findings"] if f["code"] in VIOLATIONS],
            "undetermined": [f"{v['path']}: {v.get('reason')}" for v in verdicts if v["verdict"] == "undetermined"],
            "others": [f"{f['code']} {f['message']}" for f in report["findings"] if f["severity"] == "error" and f["code"] not in VIOLATIONS]}


def runs_otherwise(model):
    """Whether the evaluator does with an operator what the specification does not say."""
    kinds = {node.op_type for _, graph in graphs(model) for node in graph.node}
    opset = max((o.version for o in model.opset_import if not o.domain), default=0)
    return bool(kinds & {"OptionalGetElement", "SequenceMap"}) or ("Scan" in kinds and opset < 9)


def outcome(arguments, models, rng):
    """(what came out, what to print, how it was changed)"""
    name, model, inputs = models.draw(rng)
    if model is None:
        return "skipped: no inputs", "", ""
    if runs_otherwise(model):
        return "skipped: the evaluator runs it otherwise", "", ""
    if rng.random() < 0.5 or name.startswith("random"):
        model = models.annotated(model)
        if model is None:
            return "skipped: not annotated", "", ""
        if engines.annotation_error(model, [inputs]) != "":
            return "skipped: what the evaluator computes has other shapes", "", ""
    how = mutate(model, rng)
    if how is None:
        return "skipped: nothing to change", "", ""
    truth = engines.annotation_error(model, [inputs])
    if truth is None:
        return "skipped: the evaluator cannot run it", "", ""
    verdict = ours(arguments.binary, model, inputs, models.folder)
    title = f"{name} ({how})"
    if verdict["others"] and not (truth and verdict["violations"]):
        wrong = verdict["others"]
    elif truth and not verdict["violations"] and not verdict["undetermined"]:
        wrong = f"missed: {truth}"
    elif not truth and verdict["violations"]:
        wrong = f"false alarm: {verdict['violations']}"
    elif not verdict["violations"] and verdict["undetermined"]:
        return "undetermined", f"{title}: {verdict['undetermined'][0]}", how
    else:
        return "agree, violated" if truth else "agree, holds", "", how
    if arguments.keep:
        onnx.save(model, os.path.join(arguments.keep, f"{title.replace(' ', '_')}.onnx"))
        numpy.savez(os.path.join(arguments.keep, f"{title.replace(' ', '_')}.npz"), **inputs)
    return "wrong", f"{title}: {wrong}", how


def check_batch(arguments, first, count):
    with tempfile.TemporaryDirectory() as folder:
        models = Models(arguments, folder)
        for number in range(first, first + count):
            print(json.dumps([number, *outcome(arguments, models, random.Random(f"{arguments.seed} {number}"))]), flush=True)


def batch(first, count):
    """The rows of a batch, of a process of its own: an engine may end it."""
    rows, last = [], first + count
    while first < last:
        run = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--batch", str(first), str(last - first)],
                             capture_output=True, text=True)
        new = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
        rows += new
        first += len(new)
        if first < last:
            # A signal is one that an engine met: our tool has a process of its own.
            result = "skipped: an engine ended the process" if run.returncode < 0 else "crashed"
            rows.append([first, result, "" if run.returncode < 0 else run.stderr[-2000:], ""])
            first += 1
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("conformance", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-nodes", type=int, default=120, help="of real models")
    parser.add_argument("--most", type=float, default=5, help="percent that may be undetermined")
    parser.add_argument("--keep", help="where the models on which the two differ go")
    parser.add_argument("--verbose", action="store_true", help="list what is undetermined")
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.keep:
        pathlib.Path(arguments.keep).mkdir(parents=True, exist_ok=True)
    if arguments.batch:
        return check_batch(arguments, *arguments.batch)
    tally, hows = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = [pool.submit(batch, n, min(BATCH, arguments.count - n)) for n in range(0, arguments.count, BATCH)]
        for job in concurrent.futures.as_completed(jobs):
            for number, result, text, how in job.result():
                tally[result] += 1
                if how:
                    hows[how] += 1
                if text and (result != "undetermined" or arguments.verbose):
                    print(f"{number} {result}: {text}", flush=True)
    for how, count in sorted(hows.items()):
        print(f"  {count} {how}")
    for result, count in sorted(tally.items()):
        print(f"{count} {result}")
    agree = tally["agree, holds"] + tally["agree, violated"]
    failed = tally["wrong"] + tally["crashed"]
    share = 100 * tally["undetermined"] / max(1, agree + tally["undetermined"])
    print(f"{agree + tally['undetermined'] + failed} compared, {share:.1f} % undetermined")
    failed += share >= arguments.most
    print(f"{agree} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
