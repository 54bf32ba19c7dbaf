#!/usr/bin/env python3
"""Do the laws of rewriting hold on the models of conformance folders? laws_on_models.py BINARY MODELS... [--only NAME] [--jobs J]

For each model:
  determinism   infer gives the same bytes again: in another process, with and without randomised addresses, with another environment
  idempotence   inferring what was inferred changes no byte
  honesty       nothing but annotations changes: without value_info, types on inputs and outputs, and the metadata of ours there, the
                bytes before and after are the same, field by field, in the order of the file; and stripping gives back the stripped
                original, byte by byte, where inputs and outputs were left alone (--outputs keep is about those of the main graph, so in
                a model with branches or bodies but for the types of their outputs)
  names aside   inferring the stripped model gives each dim that inferring the original does, but where a name or a number that only the
                original's value_info has makes the difference
Needs the Python package onnx. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import onnx

import conformance
from dim_texts import dims_of, names_of

MODEL, GRAPH, FUNCTION, NODE, ATTRIBUTE, VALUE = range(6)
# The messages that hold annotations, by (message, field).
INSIDE = {
    (MODEL, 7): GRAPH,
    (MODEL, 25): FUNCTION,
    (GRAPH, 1): NODE,
    (GRAPH, 11): VALUE,
    (GRAPH, 12): VALUE,
    (FUNCTION, 7): NODE,
    (NODE, 5): ATTRIBUTE,
    (ATTRIBUTE, 6): GRAPH,
    (ATTRIBUTE, 11): GRAPH,
}
DROPPED = {(GRAPH, 13), (FUNCTION, 12), (VALUE, 2)}
OUR_KEY = b"onnx_shapes.bounds"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def end_of_group(data, at, number):
    """Where the group that has begun before `at` ends."""
    while True:
        tag, at = varint(data, at)
        if tag == number << 3 | 4:
            return at
        at = end_of_value(data, at, tag)


def end_of_value(data, at, tag):
    kind = tag & 7
    if kind == 0:
        return varint(data, at)[1]
    if kind == 2:
        size, at = varint(data, at)
        return at + size
    if kind == 3:
        return end_of_group(data, at, tag >> 3)
    return at + {1: 8, 5: 4}[kind]


def without_annotations(data, message=MODEL, value_info=False):
    """The fields of a message in order as (tag, bytes or fields), without what inference may change; `value_info`: with value_info."""
    at, fields = 0, []
    while at < len(data):
        tag, start = varint(data, at)
        end = end_of_value(data, start, tag)
        number = tag >> 3
        if tag & 7 == 2:
            start = varint(data, start)[1]
        content = data[start:end]
        inner = INSIDE.get((message, number))
        ours = (message, number) == (VALUE, 4) and OUR_KEY in bytes(content)
        dropped = (message, number) in DROPPED and not (value_info and message != VALUE)
        if not dropped and not ours:
            nested = inner is not None and tag & 7 == 2
            fields.append((tag, without_annotations(content, inner, value_info) if nested else bytes(content)))
        at = end
    return fields


class Tool:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.count = binary, folder, 0

    def __call__(self, path, *arguments, prefix=(), environment=None):
        """The path of what `infer` writes."""
        self.count += 1
        out = os.path.join(self.folder, f"out{self.count}.onnx")
        command = [*prefix, self.binary, "infer", path, "-o", out, "-q", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, errors="replace", env=environment)
        if not os.path.exists(out):
            raise RuntimeError(f"{' '.join(arguments)}: nothing written, exit {run.returncode}: {(run.stdout + run.stderr).strip()[:200]}")
        return out


def read(path):
    return pathlib.Path(path).read_bytes()


def infos(graph, path=""):
    """(where, ValueInfoProto) of outputs and value_info in all graphs."""
    for role, values in (("output", graph.output), ("value_info", graph.value_info)):
        for value in values:
            yield (path, value.name, role), value
    for index, node in enumerate(graph.node):
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from infos(attribute.g, f"{path}/{index}.{attribute.name}")


def annotations(model):
    result = {key: dims_of(value) for key, value in infos(model.graph)}
    for function in model.functions:
        result.update({((function.domain, function.name), v.name, "value_info"): dims_of(v) for v in function.value_info})
    return result


def names_aside(original, inferred, fresh):
    """What inferring the stripped model says otherwise, though no name or number of value_info alone is the reason."""
    author = annotations(original)
    inputs = {d for i in original.graph.input for d in dims_of(i) or [] if isinstance(d, str)}
    inputs |= {d for i in inferred.graph.input for d in dims_of(i) or [] if isinstance(d, str)}
    told = {d for (_, _, role), dims in author.items() if role == "value_info" for d in dims or [] if d is not None}
    ours, theirs = annotations(inferred), annotations(fresh)

    def exact(dim):
        return isinstance(dim, int) or dim is not None and set(names_of(dim, inputs)) <= inputs

    def by_value_info(dim):
        return dim in told or isinstance(dim, str) and bool(set(names_of(dim, inputs)) & told)

    for key in ours.keys() | theirs.keys():
        a, b = ours.get(key), theirs.get(key)
        if a == b:
            continue
        if key[2] == "value_info" and author.get(key) is not None or b is None and told:
            continue
        if a is None or b is None or len(a) != len(b):
            yield f"{key}: {a} and, when stripped, {b}"
            continue
        for x, y in zip(a, b):
            if x == y or by_value_info(x):
                continue
            if exact(y) or not told:
                yield f"{key}: {a} and, when stripped, {b}"
                break


def problems(tool, path):
    original = read(path)
    first = tool(path)
    inferred = read(first)
    unrandom = ["setarch", platform.machine(), "-R"] if shutil.which("setarch") else []
    for name, prefix, environment in (("again", [], None), ("without randomised addresses", unrandom, None),
                                      ("in another environment", [], {"PATH": os.environ["PATH"], "X": "y" * 5000})):
        if read(tool(path, prefix=prefix, environment=environment)) != inferred:
            yield f"not deterministic: {name}"
    if read(tool(first)) != inferred:
        yield "not idempotent"
    bounded = tool(path, "--bounds")
    if read(tool(bounded, "--bounds")) != read(bounded):
        yield "not idempotent with --bounds"
    before = without_annotations(original)
    for name, after in (("infer", inferred), ("--bounds", read(bounded)), ("--fresh", read(tool(path, "--fresh")))):
        if without_annotations(after) != before:
            yield f"more than annotations changes with {name}"
    stripped = tool(path, "--strip")
    alone = tool(path, "--bounds", "--outputs", "keep", "--inputs", "keep")
    back = read(tool(alone, "--strip"))
    if back != read(stripped):
        has_bodies = any(a.type == onnx.AttributeProto.GRAPH for n in onnx.load_from_string(original).graph.node for a in n.attribute)
        if not has_bodies or without_annotations(back, value_info=True) != without_annotations(read(stripped), value_info=True):
            yield "stripping does not give back the stripped original"
    yield from names_aside(onnx.load_from_string(original), onnx.load_from_string(inferred), onnx.load(tool(stripped), load_external_data=False))


def check(binary, path):
    with tempfile.TemporaryDirectory() as folder:
        try:
            return list(problems(Tool(binary, folder), path))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return [str(error)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for root in arguments.models:
            jobs = []
            for name, path in conformance.models(root, folder, arguments.only):
                if path.startswith(folder):
                    path = shutil.copy(path, os.path.join(folder, f"{len(jobs)}.kept.onnx"))
                jobs.append((name, pool.submit(check, arguments.binary, path)))
            for name, job in jobs:
                found = job.result()
                passed, failed = passed + (not found), failed + bool(found)
                for line in found[:5]:
                    print(f"{name}: {line}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
