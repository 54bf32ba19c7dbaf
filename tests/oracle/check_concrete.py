#!/usr/bin/env python3
"""Runs `check --inputs` over models with their inputs: check_concrete.py BINARY FOLDER [--only TEXT] [--most PERCENT]

FOLDER has models/NAME.onnx, inputs/NAME.0.npz and truth/NAME.0.json (the shapes of the run). All annotations of these models are
true, so every finding from warnings on is wrong (but for SHP702 of an array that the file does not have), and so is a name that is
bound to another size than the run shows. What is undetermined is counted, by the operator that gives the value; --most says of how many
models it may be (default 2 %).
Needs the Python package onnx. The last line is `N passed, N failed`.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import onnx


def producer(model, path):
    """The operator that gives the value of a verdict's path; the whole path if it is in a body."""
    name = path.rsplit(" ", 1)[-1]
    for node in model.graph.node:
        if name in node.output:
            return node.op_type
    return path


def problems(report, truth):
    for finding in report["findings"]:
        missing = finding["code"] == "SHP702" and finding["severity"] == "warning"
        if finding["severity"] != "note" and not missing:
            yield f"{finding['code']} {finding['place'].get('path')}: {finding['message']}"
    for run in report["runs"]:
        for verdict in run["verdicts"]:
            if verdict["verdict"] == "refuted":
                yield f"refuted: {verdict['path']}: {verdict.get('reason')}"
        for binding in run["bindings"]:
            place = re.search(r" ([^ ]+)\[axis (\d+)\]$", binding["path"])
            shape = truth.get(place.group(1)) if place else None
            if isinstance(shape, list) and str(shape[int(place.group(2))]) != binding["size"]:
                yield f"{binding['name']} is bound to {binding['size']}, but {place.group(1)} has the shape {shape}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=float, default=2)
    arguments = parser.parse_args()
    passed, failed, open_models, verdicts, waits = 0, 0, 0, collections.Counter(), collections.Counter()
    for path in sorted((arguments.folder / "models").glob("*.onnx")):
        if arguments.only not in path.stem:
            continue
        inputs = arguments.folder / "inputs" / f"{path.stem}.0.npz"
        run = subprocess.run([arguments.binary, "check", path, "--inputs", inputs, "--format", "json"],
                             capture_output=True, text=True, timeout=60, errors="replace")
        if run.returncode not in (0, 1):
            found = [f"exit {run.returncode}: {run.stderr.strip()}"]
        else:
            report = json.loads(run.stdout)
            found = list(problems(report, json.loads((arguments.folder / "truth" / f"{path.stem}.0.json").read_text())))
            undetermined = [v for r in report["runs"] for v in r["verdicts"] if v["verdict"] == "undetermined"]
            verdicts.update(v["verdict"] for r in report["runs"] for v in r["verdicts"])
            open_models += bool(undetermined)
            if undetermined:
                model = onnx.load(str(path), load_external_data=False)
                waits.update({producer(model, v["path"]) for v in undetermined})
        for problem in found:
            print(f"{path.stem}: {problem}")
        passed, failed = passed + (not found), failed + bool(found)
    print("verdicts:", ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    print("undetermined by operator:", ", ".join(f"{name} {count}" for name, count in waits.most_common()))
    share = 100 * open_models / max(1, passed + failed)
    print(f"something is undetermined in {open_models} models, {share:.1f} %")
    if share >= arguments.most:
        failed += 1
        print(f"that is not below {arguments.most} %")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
