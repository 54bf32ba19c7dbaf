#!/usr/bin/env python3
"""Do the dims of models with a key-value cache read as their author would write them? kv_names.py BINARY MODELS [--only NAME]

Of each model of the folder whose inputs have dims `past_seq`, `seq` and `total_seq`, after `infer`:
  * no dim is a number written as text, and none has a name that the author did not give;
  * one dim has one spelling: two different texts are not equal for all sizes of the names;
  * where an output is declared `total_seq` whose length is past_seq + seq (the legacy exporter does so), the three are related, and
    no text mentions past_seq and seq where it could say total_seq; what is past_seq + seq in both recorded runs reads total_seq;
  * where nothing relates them (the dynamo exporter), they are independent names: in runs with a mask of another length than past_seq +
    seq the texts are right too (asked of ONNX Runtime, where it is installed and runs that).
The relation is read off the model and its recorded runs, not off what the tool says. Texts are compared by evaluating them.
Needs the Python package onnx. The last line is `N passed, N failed`.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import conformance
import engines
from dim_texts import BARE, dims_of, names_of, value_of

PAST, NEW, TOTAL = "past_seq", "seq", "total_seq"
SIZES = [3, 5, 11, 17, 29]


def infos(graph):
    yield from [*graph.input, *graph.value_info, *graph.output]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from infos(attribute.g)


def texts_of(model):
    """{text: a value that has it}"""
    found = {}
    for info in infos(model.graph):
        for dim in dims_of(info) or []:
            if isinstance(dim, str):
                found.setdefault(dim, info.name)
    return found


def names_on(values):
    return {d for v in values for d in dims_of(v) or [] if isinstance(d, str)}


def bindings(names, related):
    """Sizes for the names: distinct and without small factors, so that what is equal under all of them is equal."""
    for shift in range(4):
        binding = {name: SIZES[(i + shift) % len(SIZES)] * (100 + 7 * i + 13 * shift) + 1 for i, name in enumerate(sorted(names))}
        if related:
            binding[TOTAL] = binding[PAST] + binding[NEW]
        yield binding


def is_related(model, truths):
    """Whether an output that is declared total_seq is as long as past_seq + seq in all runs, and total_seq is an input's too."""
    inputs = {i.name: dims_of(i) or [] for i in model.graph.input}
    where = {d: (name, axis) for name, dims in inputs.items() for axis, d in enumerate(dims) if d in (PAST, NEW, TOTAL)}
    for output, truth in itertools.product(model.graph.output, truths):
        for axis, dim in enumerate(dims_of(output) or []):
            if dim != TOTAL or output.name in inputs:
                continue
            past, new = (truth[name][axis_of] for name, axis_of in (where[PAST], where[NEW]))
            if truth[output.name][axis] != past + new:
                return False
            return True
    return False


def other_runs(model, feed):
    """(sizes of the inputs' names, true shapes) of runs in which total_seq is not past_seq + seq."""
    axes = {i.name: (dims_of(i) or []).index(TOTAL) for i in model.graph.input if TOTAL in (dims_of(i) or [])}
    for change in (1, 5, -1):
        other = dict(feed)
        for name, axis in axes.items():
            length = feed[name].shape[axis]
            other[name] = feed[name].take(np.minimum(np.arange(length + change), length - 1), axis)
        results, _ = engines.run_onnxruntime(engines.exposed(model), [other])
        if results is not None:
            binding = {d: other[i.name].shape[a] for i in model.graph.input for a, d in enumerate(dims_of(i) or []) if isinstance(d, str)}
            yield binding, {name: array.shape for name, array in results[0].items()}


def false_in(annotated, binding, actual):
    for info in [*annotated.graph.value_info, *annotated.graph.output]:
        for axis, dim in enumerate(dims_of(info) or []):
            said = value_of(dim, binding) if isinstance(dim, str) else dim
            if info.name in actual and said is not None and said != actual[info.name][axis]:
                yield f"{info.name}: axis {axis} reads {dim}, which is {said} with {TOTAL} {binding[TOTAL]}, but it is {actual[info.name][axis]}"


def problems(model, annotated, truths, others):
    author = {d for d in names_on(model.graph.input) | names_on(model.graph.output) if BARE.fullmatch(d)}
    related = is_related(model, truths)
    texts = texts_of(annotated)
    for text, value in texts.items():
        if text.lstrip("-").isdigit():
            yield f"{value}: the number {text} is a text"
        strange = [n for n in names_of(text, author) if n not in author]
        if strange:
            yield f"{value}: {text} has the name {strange[0]}, which the author did not give"
    universe = sorted({n for text in texts for n in names_of(text, author)} | {PAST, NEW, TOTAL})
    numbers = {text: tuple(value_of(text, b) for b in bindings(universe, related)) for text in texts}
    spelled = {}
    for text, number in numbers.items():
        other = spelled.setdefault(number, text)
        if other != text:
            yield f"{texts[text]}: {text} is {other} of {texts[other]}"
    if not related:
        for run in others:
            yield from false_in(annotated, *run)
        return
    for text, number in numbers.items():
        names = names_of(text, author)
        if PAST not in names or NEW not in names:
            continue
        moved = tuple(value_of(text, b | {PAST: b[PAST] + 1, NEW: b[NEW] - 1}) for b in bindings(universe, related))
        if moved == number:
            yield f"{texts[text]}: {text} does not say {TOTAL}"
    where = {d: (i.name, a) for i in model.graph.input for a, d in enumerate(dims_of(i) or []) if isinstance(d, str)}
    for info in [*annotated.graph.value_info, *annotated.graph.output]:
        for axis, dim in enumerate(dims_of(info) or []):
            if not isinstance(dim, str) or any(not isinstance(t.get(info.name), list) for t in truths):
                continue
            sums = [sum(t[where[n][0]][where[n][1]] for n in (PAST, NEW)) for t in truths]
            if [t[info.name][axis] for t in truths] == sums and len(set(sums)) > 1 and dim != TOTAL:
                yield f"{info.name}: axis {axis} is {sums}, {PAST} + {NEW}, but reads {dim}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("models")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in conformance.models(arguments.models, folder, arguments.only):
            model = onnx.load(path, load_external_data=False)
            if not {PAST, NEW, TOTAL} <= names_on(model.graph.input):
                continue
            out = os.path.join(folder, "out.onnx")
            subprocess.run([arguments.binary, "infer", path, "-o", out], capture_output=True)
            annotated = onnx.load(out, load_external_data=False)
            truths = conformance.truths(arguments.models, name)
            related = is_related(model, truths)
            others = [] if related else list(other_runs(model, conformance.feeds(arguments.models, name, model)[0]))
            found = list(dict.fromkeys(problems(model, annotated, truths, others)))
            passed, failed = passed + (not found), failed + bool(found)
            kind = "related by an output" if related else f"independent, also in {len(others)} other runs"
            print(f"{name}: {PAST}, {NEW} and {TOTAL} are {kind}; {len(texts_of(annotated))} texts" + "".join(f"\n  {f}" for f in found))
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
