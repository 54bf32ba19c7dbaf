#!/usr/bin/env python3
"""Compares `check --inputs` with the reference evaluator: check_differential.py BINARY MODELS_FOLDER [--count N] [--seed S] [--only TEXT]

MODELS_FOLDER has models/NAME.onnx and inputs/NAME.0.npz. Each model is taken as it is and with one change to an annotation (a size
changed, a name shared or split, a rank changed, an element type changed; on inputs, outputs, value_info, in bodies and functions).
Both run it with the inputs; onnx.reference.ReferenceEvaluator(check_shape_annotations=True) says what is right. A model that the
evaluator cannot run, or where it ends for another reason, is skipped. Our `undetermined` is counted, and wrong only if the evaluator
has found nothing and we refute, or the other way around with everything proved.
Needs the Python packages onnx and numpy. Exit status: 0 if all verdicts agree.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy
import onnx
from onnx.reference import ReferenceEvaluator

warnings.filterwarnings("ignore")
VIOLATIONS = {"SHP201", "SHP202", "SHP203", "SHP704", "SHP705"}


def graphs(model):
    """Every graph and function of the model."""
    pending = [model.graph, *model.functions]
    while pending:
        graph = pending.pop()
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                pending += [attribute.g] if attribute.HasField("g") else list(attribute.graphs)


def annotations(model):
    """Every tensor type with at least one axis, or with none but a shape."""
    for graph in graphs(model):
        infos = list(graph.value_info)
        if not isinstance(graph, onnx.FunctionProto):
            infos += list(graph.input) + list(graph.output)
        for info in infos:
            if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
                yield info.type.tensor_type


def mutate(model, rng):
    """Changes one annotation; says how, or None if there is none to change."""
    types = list(annotations(model))
    if not types:
        return None
    tensor = rng.choice(types)
    dims = tensor.shape.dim
    kind = rng.choice(["size", "name", "shared", "rank", "type", "unset"])
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
        for _ in range(3):
            other = rng.choice(types)
            if other.shape.dim:
                rng.choice(other.shape.dim).dim_param = "S"
    else:
        rng.choice(dims).Clear()
    return kind


def feeds(path, model):
    wanted = {info.name for info in model.graph.input}
    with numpy.load(path, allow_pickle=False) as arrays:
        return {k: arrays[k].astype(object) if arrays[k].dtype.kind == "U" else arrays[k] for k in arrays.files if k in wanted}


def reference(model, inputs):
    """'' if all annotations hold, the complaint if one does not, None if the model cannot be run."""
    try:
        ReferenceEvaluator(model, check_shape_annotations=True).run(None, inputs)
        return ""
    except Exception as error:
        return str(error) if type(error).__name__ == "ShapeAnnotationError" else None


def ours(binary, path, inputs):
    run = subprocess.run([binary, "check", path, "--inputs", inputs, "--dim-params", "opaque", "--format", "json"],
                         capture_output=True, text=True, timeout=120, errors="replace")
    if run.returncode not in (0, 1):
        return {"crash": f"exit {run.returncode}: {run.stderr.strip()}"}
    report = json.loads(run.stdout)
    codes = [f"{f['code']} {f['place'].get('path')}: {f['message']}" for f in report["findings"] if f["code"] in VIOLATIONS]
    counts = report["runs"][0]["counts"] if report["runs"] else {"undetermined": 1}
    reasons = [v.get("reason", "") for r in report["runs"] for v in r["verdicts"] if v["verdict"] == "undetermined"]
    return {"violations": codes, "undetermined": counts["undetermined"], "reasons": reasons,
            "others": [f["message"] for f in report["findings"] if f["severity"] == "error" and f["code"] not in VIOLATIONS]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=3000, help="0: only the models as they are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--max-nodes", type=int, default=200)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    paths = [p for p in sorted((arguments.folder / "models").glob("*.onnx")) if arguments.only in p.stem]
    tasks = [(p, False) for p in paths] if arguments.count == 0 else [(rng.choice(paths), True) for _ in range(arguments.count)]
    tally = collections.Counter()
    waits = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary) / "model.onnx"
        for number, (path, changed) in enumerate(tasks):
            inputs = arguments.folder / "inputs" / f"{path.stem}.0.npz"
            if not inputs.exists():
                continue
            model = onnx.load(str(path), load_external_data=False)
            if len(model.graph.node) > arguments.max_nodes:
                continue
            how = mutate(model, random.Random(f"{arguments.seed} {number}")) if changed else "as it is"
            truth = reference(model, feeds(inputs, model)) if how else None
            if truth is None:
                tally["skipped"] += 1
                continue
            onnx.save(model, str(target))
            verdict = ours(arguments.binary, target, inputs)
            name = f"{path.stem} #{number} ({how})"
            if "crash" in verdict or verdict["others"]:
                tally["wrong"] += 1
                print(f"{name}: {verdict.get('crash') or verdict['others']}")
            elif truth and not verdict["violations"] and not verdict["undetermined"]:
                tally["wrong"] += 1
                print(f"{name}: missed: {truth}")
            elif not truth and verdict["violations"]:
                tally["wrong"] += 1
                print(f"{name}: false alarm: {verdict['violations']}")
            else:
                undetermined = verdict["undetermined"] and not verdict["violations"]
                tally["undetermined" if undetermined else "agree, violated" if truth else "agree, holds"] += 1
                if undetermined:
                    waits[model.graph.node[-1].op_type] += 1
    print("undetermined by last operator:", dict(waits.most_common(12)))
    print(", ".join(f"{count} {what}" for what, count in sorted(tally.items())))
    return tally["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
