#!/usr/bin/env python3
"""Holds `check` against recorded runs: static_alarms.py BINARY CONFORMANCE_FOLDER [--only TEXT] [--verbose]

CONFORMANCE_FOLDER/real has models/, inputs/NAME.K.npz and truth/NAME.K.json, the shape of every value of the top graph in run K;
declared_violations.tsv lists the annotations that are false in a run. Asked are:

  alarms     a refutation (`check MODEL`, all inputs) of an annotation that is true in all recorded runs
  run alarms a refutation (`check MODEL --inputs NAME.K.npz`) of a run that has no row; one in a body or function, of which nothing is
             recorded, is right if the reference evaluator finds an annotation false in that run
  missed     a row that `check MODEL`, or `check MODEL --inputs` of that run, does not find

What is true in a run is worked out here, from the recorded shapes alone: a number is the size, a name is one size on all axes that
bear it alone, an expression has the value of its names. Needs the Python packages onnx and numpy. Exit status: 0 if there are none of the three.
"""

import argparse
import collections
import csv
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

from engines import annotation_error

IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")
NAME_ROW = re.compile(r"name '(.*)' was (\d+), declared")
FUNCTIONS = {"max": max, "min": min}


def dims_of(info):
    if not info.type.HasField("tensor_type") or not info.type.tensor_type.HasField("shape"):
        return None
    return [d.dim_value if d.WhichOneof("value") == "dim_value" else (d.dim_param or None) for d in info.type.tensor_type.shape.dim]


class Run:
    """The annotations of the top graph against the shapes of one run."""

    def __init__(self, graph, truth):
        self.shapes = {}
        self.sizes = collections.defaultdict(set)
        for info in [*graph.input, *graph.value_info, *graph.output]:
            dims, actual = dims_of(info), truth.get(info.name)
            if dims is not None and isinstance(actual, list):
                self.shapes[info.name] = (dims, actual)
                for dim, size in zip(dims, actual):
                    if isinstance(dim, str):
                        self.sizes[dim].add(size)

    def shows_false(self, value, axis):
        """Whether the annotation of the value (of its rank or type, without an axis) is false in the run; None if it does not say."""
        if value not in self.shapes:
            return None
        dims, actual = self.shapes[value]
        if axis is None or len(dims) != len(actual):
            return len(dims) != len(actual)
        dim, size = dims[axis], actual[axis]
        if dim is None:
            return False
        if isinstance(dim, int):
            return dim != size
        if len(self.sizes[dim]) > 1:
            return True
        names = {n: self.sizes.get(n) for n in IDENTIFIER.findall(dim) if n not in FUNCTIONS}
        if dim in names or not all(s and len(s) == 1 for s in names.values()):
            return False
        try:
            return eval(dim, {"__builtins__": {}}, {n: next(iter(s)) for n, s in names.items()} | FUNCTIONS) != size
        except SyntaxError:
            return False


def check(binary, path, *options):
    done = subprocess.run([binary, "check", str(path), "--format", "json", *map(str, options)],
                          capture_output=True, text=True, timeout=300, errors="replace")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def refutations(findings):
    """(value, axis, finding) of each annotation of the top graph that is refuted."""
    for finding in findings:
        place = finding["place"]
        if finding["code"] in ("SHP201", "SHP202", "SHP203", "SHP704", "SHP705") and place.get("graph") == "graph":
            yield place["value"], place.get("axis"), finding


def finds(findings, row):
    """Whether a finding says what the row says: at that axis, or of that name at another."""
    name = NAME_ROW.match(row["detail"])
    for finding in findings:
        place = finding["place"]
        if place.get("value") == row["value"] and (row["axis"] == "rank" or str(place.get("axis")) == row["axis"]):
            if finding["severity"] == "error" or finding["code"] == "SHP012":
                return True
        if name and finding["severity"] == "error" and finding["message"].startswith(f"declared {name.group(1)}, which is"):
            return True
    return False


def feeds(path, graph):
    wanted = {info.name for info in graph.input}
    with numpy.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files if name in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true", help="list what is refuted with reason, too")
    arguments = parser.parse_args()
    root = arguments.folder / "real"
    rows = collections.defaultdict(list)
    with open(arguments.folder / "declared_violations.tsv") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            rows[row["model"]].append(row)
    tally = collections.Counter()

    def problem(kind, text):
        tally[kind] += 1
        print(f"{kind}: {text}")

    with tempfile.TemporaryDirectory() as temporary:
        for source in sorted((root / "models").glob("*.onnx*")):
            name = source.name.removesuffix(".xz").removesuffix(".onnx")
            if arguments.only not in name:
                continue
            path = source
            if source.suffix == ".xz":
                path = pathlib.Path(temporary) / f"{name}.onnx"
                path.write_bytes(lzma.decompress(source.read_bytes()))
            graph = onnx.load(str(path), load_external_data=False).graph
            truths = {p.name.split(".")[-2]: json.loads(p.read_text()) for p in sorted(root.glob(f"truth/{name}.?.json"))}
            runs = {number: Run(graph, truth) for number, truth in truths.items()}
            findings = check(arguments.binary, path)
            for value, axis, finding in refutations(findings):
                shown = [run.shows_false(value, axis) for run in runs.values()]
                tally["refuted"] += 1
                if not any(shown) and False in shown:
                    problem("alarms", f"{name}: {value}[{axis}]: {finding['message']}")
                elif arguments.verbose:
                    print(f"{name}: {value}[{axis}]: {finding['message']}")
            for row in rows[name]:
                tally["rows"] += 1
                if not finds(findings, row):
                    problem("missed", f"{name}: {row}")
            for number in runs:
                inputs = root / "inputs" / f"{name}.{number}.npz"
                if not inputs.exists():
                    continue
                tally["runs"] += 1
                found = check(arguments.binary, path, "--inputs", inputs)
                own = [row for row in rows[name] if row["run"] == number]
                for row in own:
                    if not finds(found, row):
                        problem("missed", f"{name} run {number}: {row}")
                wrong = [f for f in found if f["severity"] == "error"]
                if own or not wrong:
                    continue
                outside = all(f["place"].get("graph") == "graph" for f in wrong)
                if outside or not annotation_error(onnx.load(str(path)), [feeds(inputs, graph)]):
                    for finding in wrong:
                        problem("run alarms", f"{name} run {number}: {finding['place']['path']}: {finding['message']}")
                elif arguments.verbose:
                    print(f"{name} run {number}: the evaluator, too, finds: {wrong[0]['message']}")
            tally["models"] += 1
            if path != source:
                path.unlink()
    for kind in ("models", "runs", "rows", "refuted", "alarms", "run alarms", "missed"):
        print(f"{tally[kind]} {kind}", end="\n" if kind == "missed" else ", ")
    return any(tally[kind] for kind in ("alarms", "run alarms", "missed"))


if __name__ == "__main__":
    sys.exit(main())
