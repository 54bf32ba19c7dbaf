#!/usr/bin/env python3
"""Runs the cases from public bug reports: run_cases.py BINARY CASES_FOLDER [--only ID]

Each case of cases.json says what `infer` must say of a small model: accept (no error), warn (a warning), reject (an error) or limit
(a limit was hit, or the value stays unknown in bounded time), and which dims must come out. FINDINGS below says which finding a case
is about. Dims are compared by value, not by text: both sides are evaluated under several bindings of their names. Where a case has
check_runs, `check` is given the shapes of their inputs, and must find the annotations false (fail) or not (pass).
Needs the Python package onnx. The last line is `N passed, N failed`.
"""

import argparse
import json
import lzma
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import onnx

# What the finding of a case is about, by code.
FINDINGS = {
    "op08_clip_vector_bound": ("SHP103",),
    "sy06_placeholder_name": ("SHP302",),
    "sy07_minus_one_dim_value": ("SHP012",),
    "sy08_numeric_dim_param": ("SHP303",),
    "fn04_recursive_function": ("SHP502",),
    "mg02_output_rank": ("SHP201",),
    "ex01_parent_path": ("SHP601",),
    "ex03_range_past_end": ("SHP602",),
    "ml01_conv_weight_rank": ("SHP103", "SHP105"),
    "ml02_gemm_scalar": ("SHP103",),
    "ml06_nest_20000_raw": ("SHP604",),
    "ml08_duplicate_value": ("SHP005",),
}
NAME = re.compile(r"'[^']*'|[A-Za-z_][\w.]*")


def broadcast(*sizes):
    return next((size for size in sizes if size != 1), 1)


FUNCTIONS = {"max": max, "min": min, "broadcast": broadcast}


def evaluate(text, declared, seed):
    """The value of a dim text where each name has a number of its own, the same for the same seed."""

    def number(name):
        return random.Random(f"{seed} {name}").randrange(2, 60)

    if text in declared:
        return number(text)
    scope = dict(FUNCTIONS)

    def replace(match):
        name = match.group(0).strip("'")
        if name in FUNCTIONS:
            return name
        scope[f"v{len(scope)}"] = number(name)
        return f"v{len(scope) - 1}"

    return eval(NAME.sub(replace, text), {"__builtins__": {}}, scope)


def same_dim(wanted, got, declared):
    if wanted is None:
        return True
    if wanted == got:
        return True
    if not isinstance(wanted, str) or not isinstance(got, str):
        return False
    return all(evaluate(wanted, declared, seed) == evaluate(got, declared, seed) for seed in range(8))


def dims_of(value):
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.WhichOneof("value") == "dim_value" else d.dim_param or None for d in tensor.shape.dim]


def model_path(folder, name, temporary):
    path = folder / name
    packed = folder / (name + ".xz")
    if path.exists() or not packed.exists():
        return path
    unpacked = temporary / name
    unpacked.write_bytes(lzma.decompress(packed.read_bytes()))
    return unpacked


def problems(case, binary, folder, temporary):
    out = temporary / "out.onnx"
    out.unlink(missing_ok=True)
    path = model_path(folder, case["file"], temporary)
    run = subprocess.run([binary, "infer", path, "-o", out, "--format", "concise"],
                         capture_output=True, text=True, timeout=60, errors="replace")
    said = run.stdout + run.stderr
    verdict = case["verdict"]
    if run.returncode not in (0, 1, 2, 3):
        yield f"exit {run.returncode}"
    errors = "error SHP" in said
    if verdict in ("accept", "warn") and errors:
        yield f"an error where none is: {said.strip()}"
    if verdict == "reject" and not errors:
        yield "no error"
    for codes in [FINDINGS.get(case["id"])]:
        if codes and not any(code in said for code in codes):
            yield f"none of {', '.join(codes)} in: {said.strip()}"
    if verdict == "reject" or not out.exists():
        if verdict in ("accept", "warn") and not out.exists():
            yield "nothing was written"
        return
    graph = onnx.load(str(out), load_external_data=False).graph
    infos = list(graph.value_info) + list(graph.output) + list(graph.input)
    got = {info.name: dims_of(info) for info in infos}
    declared = {d for dims in got.values() for d in dims or [] if isinstance(d, str)}
    for name, wanted in (case.get("infer") or {}).items():
        if wanted is None:
            continue
        dims = got.get(name)
        if dims is None or len(dims) != len(wanted) or not all(same_dim(w, g, declared) for w, g in zip(wanted, dims)):
            yield f"{name} is {dims}, not {wanted}"
    for name, wrong in (case.get("must_not") or {}).items():
        dims = got.get(name)
        if dims is not None and len(dims) == len(wrong) and all(w is not None and w == g for w, g in zip(wrong, dims)):
            yield f"{name} is {dims}, which is false"


def check_problems(case, binary, folder, temporary):
    path = model_path(folder, case["file"], temporary)
    for wanted in case.get("check_runs") or []:
        shapes = [word for name, dims in wanted["feeds"].items() for word in ("--shape", f"{name}={','.join(map(str, dims))}")]
        run = subprocess.run([binary, "check", path, *shapes, "--format", "concise"],
                             capture_output=True, text=True, timeout=60, errors="replace")
        verdict = {0: "pass", 1: "fail"}.get(run.returncode, f"exit {run.returncode}")
        if verdict != wanted["verdict"]:
            yield f"check {' '.join(shapes)}: {verdict}, not {wanted['verdict']}: {run.stdout.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for case in json.loads((arguments.folder / "cases.json").read_text()):
            if arguments.only not in case["id"]:
                continue
            place = (arguments.binary, arguments.folder, pathlib.Path(temporary))
            found = [*problems(case, *place), *check_problems(case, *place)]
            for problem in found:
                print(f"{case['id']}: {problem}")
            passed, failed = passed + (not found), failed + bool(found)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
