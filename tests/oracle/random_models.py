#!/usr/bin/env python3
"""Checks what the tool says of random models against what running them shows.

random_models.py BINARY [--count N] [--seed S] [--jobs J] [--seconds S] [--keep FOLDER]

Each model has 5 to 40 nodes over some 140 operators and opsets 7 to 25 (model_operators.py, model_structures.py) and inputs for two or
three bindings of its symbols. `infer --fresh` annotates it; ONNX Runtime runs it with all values exposed, else onnx's reference
evaluator. Checked for each run:
  * every dim that is a number, or an expression over names of inputs, is the length that the axis has;
  * every other name is one number throughout the run, and the expressions over it hold;
  * a model that runs is given no error;
  * the laws of model_laws.py, which compare what is inferred where more or other things are known of the inputs;
  * where the model has control flow, functions or sizes that depend on data: the annotated model passes
    ReferenceEvaluator(check_shape_annotations=True), which looks into branches, loop bodies (each iteration) and functions too.
A failure is made small by dropping nodes, and printed with its seed as ONNX text. The last line is `N passed, N failed`.
Needs the Python packages onnx and numpy; onnxruntime is used where it is installed.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import onnx

import engines
import model_laws
import model_structures  # noqa: F401, adds its templates
from dim_texts import dims_of, names_of, value_of
from model_builder import inner_names, random_model
from model_operators import TEMPLATES

BATCH = 50
DATA_DEPENDENT = {"NonZero", "Compress", "Unique", "NonMaxSuppression", "Range", "TopK", "ConstantOfShape", "Loop", "If", "Scan"}


def shapes(results):
    return {name: list(array.shape) for name, array in results.items() if hasattr(array, "shape")}


def infer(binary, folder, model, *options):
    """(annotated model or None, errors) of the tool."""
    path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    if os.path.exists(out):
        os.remove(out)
    run = subprocess.run([binary, "infer", "--fresh", path, "-o", out, "--format", "concise", *options],
                         capture_output=True, text=True, timeout=60, errors="replace")
    errors = [line for line in run.stdout.splitlines() if "error SHP" in line or "error[SHP" in line]
    if run.returncode not in (0, 1):
        errors.append(f"exit {run.returncode}: {run.stderr.strip()[:300]}")
    return (onnx.load(out) if os.path.exists(out) else None), errors


def wrong_dims(annotated, truth, feed):
    """What the annotations of the top graph say that one run shows to be false."""
    binding, inputs = {}, set()
    for value in annotated.graph.input:
        for dim, size in zip(dims_of(value) or [], feed[value.name].shape):
            if isinstance(dim, str):
                inputs.add(dim)
                if binding.setdefault(dim, size) != size:
                    yield f"input {value.name}: {dim} is {size} and {binding[dim]}"
    infos = [(v.name, dims_of(v)) for v in [*annotated.graph.value_info, *annotated.graph.output]]
    infos = [(name, dims, truth[name]) for name, dims in infos if dims is not None and name in truth]
    for name, dims, actual in infos:
        if len(dims) != len(actual):
            yield f"{name}: rank of {dims}, but {actual}"
    pairs = [(n, d, a) for n, dims, actual in infos if len(dims) == len(actual) for d, a in zip(dims, actual) if d is not None]
    bare = {d for _, d, _ in pairs if isinstance(d, str) and names_of(d, inputs) == [d]}
    for name, dim, actual in pairs:
        if isinstance(dim, str) and dim in bare and binding.setdefault(dim, actual) != actual:
            yield f"{name}: {dim} is {actual}, elsewhere {binding[dim]}"
    for name, dim, actual in pairs:
        said = dim if isinstance(dim, int) else value_of(dim, binding)
        if said is not None and said != actual:
            yield f"{name}: {dim} is {said}, but {actual}"


def problems(binary, model, feeds, folder, seed, known=None):
    """(outcome, what is wrong) of a model; `known` has the shapes of all values where the engine cannot run the whole."""
    truths, engine = known, "node by node"
    if known is None:
        results, engine = engines.run(engines.exposed(model), feeds)
        if results is None:
            return "skipped", []
        truths = [shapes(r) for r in results]
    annotated, errors = infer(binary, folder, model)
    found = [f"an error, but it runs: {e}" for e in errors]
    if annotated is None:
        return engine, found + ["nothing was written"]
    for truth, feed in zip(truths, feeds):
        found += wrong_dims(annotated, truth, feed)
    infer_again = functools.partial(infer, binary, folder)
    found += [f"law: {line}" for line in model_laws.broken(model, annotated, feeds, infer_again, seed)]
    kinds = {n.op_type for n in model.graph.node}
    if kinds & DATA_DEPENDENT or model.functions:
        again = truths
        if engine != "reference":
            results = engines.run_reference(engines.exposed(model), feeds)
            again = results and [shapes(r) for r in results]
        if again != truths:
            engine += " only"
        elif engines.annotation_error(model, feeds) == "":
            engine += "+annotations"
            message = engines.annotation_error(annotated, feeds)
            if message:
                found.append(f"annotation: {message}")
    return engine, list(dict.fromkeys(found))


def without(model, dropped):
    """The model without some nodes and without what depends on them."""
    small = onnx.ModelProto()
    small.CopyFrom(model)
    gone, kept = set(), []
    for index, node in enumerate(model.graph.node):
        if index in dropped or gone & {*node.input, *inner_names(node)}:
            gone.update(node.output)
        else:
            kept.append(node)
    del small.graph.node[:]
    small.graph.node.extend(kept)
    used = {i for n in kept for i in [*n.input, *inner_names(n)]}
    known = {o.name: o for o in model.graph.output}
    del small.graph.output[:]
    for name in [o for n in kept for o in n.output if o and (o not in used or o in known)]:
        small.graph.output.append(known.get(name) or onnx.ValueInfoProto(name=name))
    for values in (small.graph.initializer, small.graph.input):
        left = [v for v in values if v.name in used]
        del values[:]
        values.extend(left)
    called = {(n.domain, n.op_type) for n in kept}
    left = [f for f in small.functions if (f.domain, f.name) in called]
    del small.functions[:]
    small.functions.extend(left)
    return small


def shrunk(model, feeds, fails):
    """The smallest model found that still fails; the last nodes go first, since others depend on the first ones."""
    changed = True
    while changed:
        changed = False
        for index in reversed(range(len(model.graph.node))):
            if index >= len(model.graph.node):
                continue
            small = without(model, {index})
            left = [{i.name: f[i.name] for i in small.graph.input} for f in feeds]
            if small.graph.node and fails(small, left):
                model, feeds, changed = small, left, True
    return model, feeds


def check_seeds(arguments, first, count):
    """A line of JSON for each seed: run in a process of its own, since an engine may end it."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            builder, model = random_model(seed, TEMPLATES)
            bindings = range(len(builder.bindings))
            feeds = [builder.feeds(i) for i in bindings]
            known = None
            if arguments.apart:
                made = {o for n in model.graph.node for o in n.output if o}
                known = [shapes({o: builder.by_name[o].runs[i] for o in made}) for i in bindings]
            check = lambda model, feeds: problems(arguments.binary, model, feeds, folder, seed, known)
            outcome, found = check(model, feeds)
            row = dict(seed=seed, outcome=outcome, found=found, operators=sorted({n.op_type for n in model.graph.node if not n.domain}))
            if found:
                model, feeds = shrunk(model, feeds, lambda *case: check(*case)[1])
                row["found"] = check(model, feeds)[1]
                row["text"] = onnx.printer.to_text(model)
                row["shapes"] = [shapes(f) for f in feeds]
                if arguments.keep:
                    onnx.save(model, os.path.join(arguments.keep, f"seed{seed}.onnx"))
            print(json.dumps(row), flush=True)


def rows_of(*options):
    command = [sys.executable, __file__, *sys.argv[1:], *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")], run.stderr


def batch(arguments, first, count):
    """The rows of a batch; what comes after a seed that ended the process is checked by another one."""
    rows, last = [], first + count
    while first < last and time.monotonic() < arguments.deadline:
        new, _ = rows_of("--batch", first, last - first)
        rows += new
        first += len(new)
        if first < last:
            new, error = rows_of("--batch", first, 1, "--apart")
            rows += new or [dict(seed=first, outcome="crashed", found=[], operators=[], text=error[-500:])]
            first += 1
    return rows


def report(row):
    print(f"\nseed {row['seed']} ({row['outcome']}):")
    for line in row["found"]:
        print(f"  {line}")
    print(f"  inputs {row['shapes']}\n{row['text']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no other batch after that")
    parser.add_argument("--keep", help="where the small failing models go")
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--apart", action="store_true", help="believe the engine about single nodes, and do not run whole models")
    arguments = parser.parse_args()
    if arguments.batch:
        return check_seeds(arguments, *arguments.batch)
    if arguments.keep:
        pathlib.Path(arguments.keep).mkdir(parents=True, exist_ok=True)
    arguments.deadline = time.monotonic() + arguments.seconds
    outcomes, operators, failed = collections.Counter(), set(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        last = arguments.seed + arguments.count
        jobs = [pool.submit(batch, arguments, s, min(BATCH, last - s)) for s in range(arguments.seed, last, BATCH)]
        for job in concurrent.futures.as_completed(jobs):
            for row in job.result():
                outcomes[row["outcome"]] += 1
                operators.update(row["operators"])
                failed += bool(row["found"])
                if row["found"]:
                    report(row)
                elif row["outcome"] == "crashed":
                    print(f"seed {row['seed']} ended its process: {row['text']}")
    print(", ".join(f"{k} {v}" for k, v in sorted(outcomes.items())) + f"; {len(operators)} operators")
    print(f"{outcomes.total() - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
