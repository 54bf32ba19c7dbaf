#!/usr/bin/env python3
"""Do annotated models pass the reference evaluator's check of annotations wherever the originals pass?

annotated_runs.py BINARY [--count N] [--seed S] [--jobs J]      generated models
annotated_runs.py BINARY --models FOLDER [--max-nodes N]        recorded inputs of conformance models

Generated are N models of random_models.py that have control flow, functions or sizes that depend on data. Each gets declared names on
some outputs and inner values: one name for axes that happen to be as long as each other in the runs at hand, a number where a length
never changes, and texts over the inputs' names that come out right. Some of them hold for all inputs and some by chance. The model is
then annotated in several ways and run by ReferenceEvaluator(check_shape_annotations=True), on the inputs it was made with and on
inputs of other sizes: where the original passes, the annotated one has to pass, in all graphs and each iteration. Runs in which ONNX
Runtime gets other sizes, or none, do not count.
Needs the Python packages onnx and numpy; onnxruntime makes the models richer. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.inliner
from onnx import helper

import conformance
import engines
import model_structures  # noqa: F401, adds its templates
from dim_texts import dims_of
from model_builder import random_model
from model_operators import TEMPLATES
from random_models import DATA_DEPENDENT, shapes

BATCH = 20
WAYS = [
    [],
    ["--fresh"],
    ["--outputs", "full"],
    ["--trust", "none"],
    ["--trust", "outputs", "--bounds"],
    ["--dims", "names"],
    ["--dim-params", "opaque"],
    ["--drop-stale"],
    ["--inputs", "keep"],
]


def has_structure(model):
    kinds = {n.op_type for n in model.graph.node}
    return bool(kinds & DATA_DEPENDENT or model.functions)


def passes(model, feed):
    """True, False (with the message), or None when the evaluator cannot run it."""
    error = engines.annotation_error(model, [feed])
    return error if error is None else (error == "", error)


def declare(model, builder, rng):
    """Names and numbers on outputs and inner values that are true in the runs at hand."""
    outputs = {o.name for o in model.graph.output}
    by_sizes = {}
    for value in model.graph.input:
        for axis, dim in enumerate(dims_of(value) or []):
            if isinstance(dim, str):
                by_sizes.setdefault(tuple(builder.by_name[value.name].dims(axis)), []).append(dim)
    texts = {}
    for sizes, names in list(by_sizes.items()):
        texts.setdefault(sizes, []).extend(names)
        texts.setdefault(tuple(2 * s for s in sizes), []).append(f"2*{names[0]}")
        texts.setdefault(tuple(s + 1 for s in sizes), []).append(f"{names[0]} + 1")
    for a, b in zip(list(by_sizes), list(by_sizes)[1:]):
        texts.setdefault(tuple(x + y for x, y in zip(a, b)), []).append(f"{by_sizes[a][0]} + {by_sizes[b][0]}")
    labels = {}
    for node in model.graph.node:
        for name in node.output:
            value = builder.by_name.get(name)
            if value is None or not value.is_tensor or not value.one_rank or rng.random() < (0.3 if name in outputs else 0.6):
                continue
            dims = []
            for axis in range(value.rank):
                sizes = tuple(value.dims(axis))
                choice = rng.random()
                if choice < 0.25:
                    dims.append(None)
                elif choice < 0.35 and len(set(sizes)) == 1:
                    dims.append(sizes[0])
                elif choice < 0.65 and sizes in texts:
                    dims.append(rng.choice(texts[sizes]))
                else:
                    dims.append(labels.setdefault(sizes, f"L{len(labels)}"))
            info = builder.type_info(name)
            info.CopyFrom(helper.make_tensor_value_info(name, info.type.tensor_type.elem_type, dims))
            if name in outputs:
                next(o for o in model.graph.output if o.name == name).CopyFrom(info)
            else:
                model.graph.value_info.append(info)


def other_feeds(model, builder, rng):
    """Inputs of other sizes; what is no size of a name stays as long as it was."""
    for _ in range(3):
        binding = {}
        feed = {}
        for value in model.graph.input:
            array = builder.by_name[value.name].runs[0]
            dims = dims_of(value)
            shape = [
                binding.setdefault(d, rng.choice([0, 1, 1, 2, 3, 4, 5, 7])) if isinstance(d, str) else array.shape[axis]
                for axis, d in enumerate(dims)
            ]
            feed[value.name] = builder.random_array(shape, array.dtype)
        yield feed


def annotated(binary, model, arguments, folder):
    path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    if os.path.exists(out):
        os.remove(out)
    run = subprocess.run([binary, "infer", path, "-o", out, "-q", *arguments], capture_output=True, text=True, timeout=120, errors="replace")
    if not os.path.exists(out):
        return None, f"nothing written, exit {run.returncode}: {(run.stdout + run.stderr).strip()[:300]}"
    return onnx.load(out), ""


def engines_agree(model, feed):
    """Whether ONNX Runtime runs the model too, and each value of the main graph and of functions is as long in both: where the two
    differ, the reference evaluator does not do what the specification says of an operator, or of sizes that it does not allow."""
    if engines.onnxruntime is None:
        return True
    flat = engines.exposed(onnx.inliner.inline_local_functions(model))
    del flat.graph.value_info[:]
    ours, why = engines.run_onnxruntime(flat, [feed])
    if ours is None:
        return any(text in why for text in engines.NO_KERNEL)
    theirs = engines.run_reference(flat, [feed])
    return theirs is not None and shapes(ours[0]) == shapes(theirs[0])


def check_model(binary, model, feeds, ways, folder):
    """(how many runs were compared, what is false)."""
    good = [feed for feed in feeds if (passes(model, feed) or (False, ""))[0] and engines_agree(model, feed)]
    found = []
    for way in ways if good else []:
        result, why = annotated(binary, model, way, folder)
        if result is None:
            found.append(f"{' '.join(way)}: {why}")
            continue
        for feed in good:
            verdict = passes(result, feed)
            if verdict is None or not verdict[0]:
                sizes = {name: list(np.shape(array)) for name, array in feed.items()}
                found.append(f"infer {' '.join(way)}: {verdict[1] if verdict else 'does not run'}; inputs {sizes}")
                break
    return len(good), found


def generated(seed):
    """(model, feeds) of a seed, or None where the model has nothing of what this is about."""
    builder, model = random_model(seed, TEMPLATES)
    if not has_structure(model):
        return None
    rng = random.Random(seed)
    declare(model, builder, rng)
    feeds = [builder.feeds(i) for i in range(len(builder.bindings))] + list(other_feeds(model, builder, rng))
    return model, feeds


def check_seeds(arguments, first, count):
    """A line of JSON for each seed: run in a process of its own, since an engine may end it."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            row = dict(seed=seed, runs=0, found=[])
            made = generated(seed)
            if made is not None:
                ways = [WAYS[0], *random.Random(seed).sample(WAYS[1:], 2)]
                row["runs"], row["found"] = check_model(arguments.binary, *made, ways, folder)
                if row["found"]:
                    row["text"] = onnx.printer.to_text(made[0])
                    if arguments.keep:
                        onnx.save(made[0], os.path.join(arguments.keep, f"seed{seed}.onnx"))
            print(json.dumps(row), flush=True)


def batch(arguments, first, count):
    rows, last = [], first + count
    while first < last:
        command = [sys.executable, __file__, *sys.argv[1:], "--batch", str(first), str(last - first)]
        run = subprocess.run(command, capture_output=True, text=True)
        new = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        rows += new
        first += len(new)
        if first < last:  # this seed ended the process of an engine
            first += 1
    return rows


def check_generated(arguments):
    """Batches of seeds until enough models could be compared."""
    passed = failed = runs = 0
    seed = arguments.seed
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while passed + failed < arguments.count:
            jobs = [pool.submit(batch, arguments, seed + i * BATCH, BATCH) for i in range(arguments.jobs)]
            seed += BATCH * arguments.jobs
            for job in jobs:
                for row in job.result():
                    if row["runs"] == 0:
                        continue
                    runs += row["runs"]
                    failed += bool(row["found"])
                    passed += not row["found"]
                    if row["found"]:
                        print(f"\nseed {row['seed']}:\n  " + "\n  ".join(row["found"]) + f"\n{row['text']}", flush=True)
    print(f"seeds {arguments.seed} to {seed - 1}: {passed + failed} models that pass as they are, {runs} runs of them")
    return passed, failed


def check_conformance(arguments):
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in conformance.models(arguments.models, folder, arguments.only):
            model = onnx.load(path, load_external_data=False)
            if len(model.graph.node) > arguments.max_nodes:
                continue
            feeds = conformance.feeds(arguments.models, name, model)
            runs, found = check_model(arguments.binary, model, feeds, WAYS[: arguments.ways], folder)
            skipped += runs == 0
            passed += runs > 0 and not found
            failed += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    print(f"{skipped} models without a run that passes as they are")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="where failing models go")
    parser.add_argument("--models")
    parser.add_argument("--only", default="")
    parser.add_argument("--max-nodes", type=int, default=400)
    parser.add_argument("--ways", type=int, default=2, help="how many ways of annotating conformance models are tried")
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.batch:
        return check_seeds(arguments, *arguments.batch)
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    passed, failed = check_conformance(arguments) if arguments.models else check_generated(arguments)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
