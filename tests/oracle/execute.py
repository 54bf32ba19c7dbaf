#!/usr/bin/env python3
"""Compares `check --inputs --execute` with the reference evaluator: execute.py BINARY [CONFORMANCE_FOLDER] [--rounds N] [--seed S]

The models' shapes depend on data in every way that `--execute` has to decide: counts, computed sizes, conditions, trip counts, ranks. Each is
annotated with the shapes of its run, and again with one annotation changed (--rounds times, see check_differential.py);
onnx.reference.ReferenceEvaluator(check_shape_annotations=True) says what is right. With a folder, so are the operator tests of node-concrete in
which something is undetermined without --execute. What stays undetermined is listed; what a Loop computes inside may.
Where the tool has no ONNX Runtime there is nothing to compare. Needs onnx and numpy. The last line is `N passed, N failed`.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.parser

import engines
from check_differential import feeds, mutate, ours

HEADER = '<ir_version: 10, opset_import: ["" : 21, "f" : 1]>\n'


def numbers(*shape, scale=1.0, seed=0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


LONG = numbers(9000)  # more than inference reads
MODELS = {
    "NonZero": ("g (float[N] x) => (int64[1, K] z) { h = Relu(x) z = NonZero(h) }", {"x": LONG}),
    "NonZero of a mask, gathered": ("""g (float[N] x) => (float[K] y, float[L] t) {
        zero = Constant<value = float {0}>() c = Greater(x, zero) z = NonZero(c) one = Constant<value = int64[1] {0}>()
        s = Squeeze(z, one) y = Gather(x, s) t = Concat<axis = 0>(y, y) }""", {"x": LONG}),
    "Compress": ("g (float[N] x) => (float[K] y) { zero = Constant<value = float {0}>() c = Greater(x, zero) y = Compress<axis = 0>(x, c) }",
                 {"x": numbers(300)}),
    "Unique": ("g (int64[N] x) => (int64[K] y, int64[L] i, int64[N] v, int64[M] c) { h = Abs(x) y, i, v, c = Unique(h) }",
               {"x": np.arange(6000) % 37 - 18}),
    "TopK": ("""g (float[10] x, float[5] s) => (float[K] y, int64[L] i) {
        m = ReduceSum<keepdims = 1>(s) k = Cast<to = 7>(m) y, i = TopK(x, k) }""", {"x": numbers(10), "s": np.ones(5, np.float32)}),
    "Range": ("""g (float[300] s) => (int64[K] y) { m = ReduceMax<keepdims = 0>(s) n = Cast<to = 7>(m) zero = Constant<value = int64 {0}>()
        one = Constant<value = int64 {1}>() y = Range(zero, n, one) }""", {"s": np.abs(numbers(300, scale=9))}),
    "Reshape": ("""g (float[N] x, int64[5000] d) => (float[A, B] y, float[C, D] t) {
        e = Unique(d) y = Reshape(x, e) t = Transpose(y) }""", {"x": numbers(12), "d": np.array([3, 4] * 2500)}),
    "Reshape to a rank of the data": ("""g (float[24] x, int64[5000] d) => (float y, float r) {
        e = Unique(d) y = Reshape(x, e) r = Abs(y) }""", {"x": numbers(24), "d": np.array([2, 3, 4, 2, 3] * 1000)}),
    "Tile and Expand": ("""g (float[2, 3] x, float[300] s) => (float[A, B] y, float[C, D, E] z) {
        m = ReduceMax<keepdims = 1>(s) k = Cast<to = 7>(m) two = Constant<value = int64[1] {2}>() r = Concat<axis = 0>(two, k) y = Tile(x, r)
        one = Constant<value = int64[2] {1, 1}>() q = Concat<axis = 0>(k, one) z = Expand(x, q) }""",
                        {"x": numbers(2, 3), "s": np.abs(numbers(300, scale=3))}),
    "Slice and Pad": ("""g (float[50] x, float[300] s) => (float[K] y, float[L] z) {
        m = ReduceMax<keepdims = 1>(s) k = Cast<to = 7>(m) zero = Constant<value = int64[1] {0}>() y = Slice(x, zero, k)
        p = Concat<axis = 0>(zero, k) z = Pad(y, p) }""", {"x": numbers(50), "s": np.abs(numbers(300, scale=3))}),
    "OneHot and ConstantOfShape": ("""g (int64[4] x, float[300] s) => (float[4, D] y, float[E] z) {
        m = ReduceMax<keepdims = 0>(s) k = Cast<to = 7>(m) v = Constant<value = float[2] {0, 1}>() y = OneHot(x, k, v)
        a = Constant<value = int64[1] {0}>() u = Unsqueeze(k, a) z = ConstantOfShape(u) }""",
                                   {"x": np.arange(4), "s": np.abs(numbers(300, scale=5))}),
    "NonMaxSuppression": ("""g (float[1, N, 4] b, float[1, 1, N] s) => (int64[K, 3] y) {
        m = Constant<value = int64[1] {50}>() i = Constant<value = float[1] {0.5}>() t = Constant<value = float[1] {0.1}>()
        y = NonMaxSuppression(b, s, m, i, t) }""",
                          {"b": np.sort(np.abs(numbers(1, 120, 4, scale=5)), axis=2), "s": np.abs(numbers(1, 1, 120))}),
    "If": ("""g (float[N] x, float[300] s) => (float[B] y, float[C] z) {
        m = ReduceSum<keepdims = 0>(s) zero = Constant<value = float {0}>() c = Less(zero, m)
        y = If(c) <then_branch = t () => (float[A] p) { p = Abs(x) }, else_branch = e () => (float[D] q) { q = Concat<axis = 0>(x, x) }>
        z = Concat<axis = 0>(y, x) }""", {"x": numbers(4), "s": numbers(300)}),
    "NonZero in a branch": ("""g (float[N] x, float[300] s) => (int64[1, B] y) {
        m = ReduceSum<keepdims = 0>(s) zero = Constant<value = float {0}>() c = Less(zero, m)
        y = If(c) <then_branch = t () => (int64[1, A] p) <float[L] h> { h = Relu(x) p = NonZero(h) },
                   else_branch = e () => (int64[1, D] q) <float[L] k> { k = Neg(x) l = Relu(k) q = NonZero(l) }> }""",
                            {"x": LONG, "s": numbers(300)}),
    "Loop, trip count": ("""g (float[4] x, float[300] s) => (float[K] y, float[T, 4] z) {
        m = ReduceMax<keepdims = 0>(s) n = Cast<to = 7>(m) c = Constant<value = bool {1}>()
        y, z = Loop(n, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[Q] w, float[R] o) {
            go = Identity(g) w = Concat<axis = 0>(v, x) o = Abs(x) }> }""",
                         {"x": numbers(4), "s": np.abs(numbers(300, scale=2))}),
    "Loop, condition": ("""g (float[N] x) => (float[N] y, float[T] z) {
        n = Constant<value = int64 {40}>() c = Constant<value = bool {1}>()
        y, z = Loop(n, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[Q] w, float o) {
            half = Constant<value = float {0.5}>() w = Mul(v, half) o = ReduceMax<keepdims = 0>(w) l = Constant<value = float {0.1}>()
            go = Less(l, o) }> }""", {"x": LONG}),
    "Loop that shrinks": ("""g (float[N] x) => (float[K] y) {
        n = Constant<value = int64 {9}>() c = Constant<value = bool {1}>()
        y = Loop(n, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[Q] w) {
            zero = Constant<value = float {0}>() m = Greater(v, zero) q = Constant<value = float {0.1}>() h = Sub(v, q)
            w = Compress<axis = 0>(h, m) go = Identity(g) }> }""", {"x": numbers(500)}),
    "Function": ("""g (float[N] x) => (int64[1, K] y, int64[1, L] z) { h = Abs(x) y = f.nz(h) n = Neg(x) z = f.nz(n) }
        <domain: "f", opset_import: ["" : 21]> nz (a) => (c) { b = Relu(a) c = NonZero(b) }""", {"x": LONG}),
    "SplitToSequence": ("""g (float[20] x, float[300] s) => (float[A] y, float[B] z, float[C] a) {
        m = ReduceMax<keepdims = 0>(s) n = Cast<to = 7>(m) q = SplitToSequence(x, n) zero = Constant<value = int64 {0}>()
        last = Constant<value = int64 {-1}>() y = SequenceAt(q, zero) z = SequenceAt(q, last) a = ConcatFromSequence<axis = 0>(q) }""",
                        {"x": numbers(20), "s": np.abs(numbers(300, scale=2))}),
    "StringSplit": ("g (string[2] x) => (string[2, K] y, int64[2] n) { y, n = StringSplit<delimiter = \" \">(x) }",
                    {"x": np.array(["a b c", "d"], dtype=object)}),
    "after what was decided": ("""g (float[N] x, float[300] s) => (int64[1, K] y) {
        m = ReduceMax<keepdims = 1>(s) k = Cast<to = 7>(m) zero = Constant<value = int64[1] {0}>() h = Slice(x, zero, k)
        r = Relu(h) e = NonZero(r) o = Constant<value = int64[1] {0}>() q = Squeeze(e, o) t = Gather(x, q) y = NonZero(t) }""",
                               {"x": LONG, "s": np.abs(numbers(300, scale=3000))}),
    "half precision": ("""g (float16[300] x) => (float16[K] y) {
        h = Abs(x) m = ReduceMax<keepdims = 1>(h) k = Cast<to = 7>(m) zero = Constant<value = int64[1] {0}>() y = Slice(x, zero, k) }""",
                                         {"x": numbers(300, scale=3).astype(np.float16)}),
    "weights": ("""g (float[8, 64] x) => (int64[2, K] y) { h = MatMul(x, w) r = Relu(h) y = NonZero(r) }""",
                {"x": numbers(8, 64)}, {"w": numbers(64, 640, seed=1)}),
}


def built(entry):
    """(model, inputs)"""
    text, inputs, *weights = entry
    model = onnx.parser.parse_model(HEADER + text)
    for name, array in (weights[0] if weights else {}).items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model, inputs


def annotated(model, inputs):
    """With the shapes of this run on each value of the main graph, as numbers; None if the evaluator does not run it."""
    wide = engines.exposed(model)
    del wide.graph.value_info[:]
    values = engines.run_reference(wide, [inputs])
    if values is None:
        return None
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.value_info[:]
    outputs = {o.name: o for o in result.graph.output}
    for name, value in values[0].items():
        if not isinstance(value, np.ndarray):
            continue
        info = onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        if name in outputs:
            outputs[name].CopyFrom(info)
        else:
            result.graph.value_info.append(info)
    return result


def conformance_models(binary, folder):
    """(name, model, inputs) of the operator tests in which something is undetermined."""
    for path in sorted((folder / "node-concrete/models").glob("*.onnx")):
        data = folder / "node-concrete/inputs" / f"{path.stem}.0.npz"
        run = subprocess.run([binary, "check", path, "--inputs", data, "--format", "json"], capture_output=True, text=True, timeout=60)
        if run.returncode in (0, 1) and any(r["counts"]["undetermined"] for r in json.loads(run.stdout)["runs"]):
            model = onnx.load(str(path))
            yield path.stem, model, feeds(data, model)


def judge(binary, model, inputs, folder):
    """(what came out, a line about it)"""
    truth = engines.annotation_error(model, [inputs])
    if truth is None:
        return "skipped", "the evaluator does not run it"
    verdict = ours(binary, model, inputs, folder, ["--execute"])
    if verdict["others"] and not (truth and verdict.get("violations")):
        return "wrong", verdict["others"]
    if truth and not verdict["violations"] and not verdict["undetermined"]:
        return "wrong", f"missed: {truth}"
    if not truth and verdict["violations"]:
        return "wrong", f"false alarm: {verdict['violations']}"
    if not verdict["violations"] and verdict["undetermined"]:
        return "undetermined", verdict["undetermined"][0]
    return ("refuted" if truth else "proved"), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("conformance", nargs="?", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=8, help="changed annotations of each model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="where the models on which the two differ go")
    arguments = parser.parse_args()
    counts = {"proved": 0, "refuted": 0, "undetermined": 0, "skipped": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as folder:
        model, inputs = built(MODELS["NonZero"])
        if any(text.startswith("exit 2") for text in ours(arguments.binary, model, inputs, folder, ["--execute"])["others"]):
            print("the tool has no ONNX Runtime: nothing to compare\n0 passed, 0 failed")
            return 0
        cases = [(name, *built(entry)) for name, entry in MODELS.items() if arguments.only in name]
        if arguments.conformance:
            cases += [c for c in conformance_models(arguments.binary, arguments.conformance) if arguments.only in c[0]]
        for name, model, inputs in cases:
            exact = annotated(model, inputs)
            versions = [("as it is", model)] + ([("with numbers", exact)] if exact else [])
            for number in range(arguments.rounds):
                changed = onnx.ModelProto()
                changed.CopyFrom(exact if exact and number % 2 == 0 else model)
                how = mutate(changed, random.Random(f"{arguments.seed} {name} {number}"))
                if how:
                    versions.append((how, changed))
            for how, version in versions:
                result, line = judge(arguments.binary, version, inputs, folder)
                counts[result] += 1
                if result in ("wrong", "undetermined", "skipped"):
                    print(f"{result}: {name} ({how}): {line}")
                if result == "wrong" and arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    stem = os.path.join(arguments.keep, f"{name}_{how}".replace(" ", "_"))
                    onnx.save(version, f"{stem}.onnx")
                    np.savez(f"{stem}.npz", **{k: v.astype(str) if v.dtype == object else v for k, v in inputs.items()})
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    print(f"{counts['proved'] + counts['refuted'] + counts['undetermined']} passed, {counts['wrong']} failed")
    return counts["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
