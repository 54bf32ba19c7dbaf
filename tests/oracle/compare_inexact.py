#!/usr/bin/env python3
"""Compares what inference leaves open in the models of a folder with the list that is kept: compare_inexact.py BINARY MODELS TSV

A value is exact when each of its dims is a number or an expression over names of inputs. The list has a line for each model with
values that are not: how many, and why, as the operators where exactness ends with the inputs whose data they wait for. It fails when
a model has more of them than the list says, or is not in it; it tells when the list can be shortened. --write writes the list.
Needs the Python package onnx. The last line is `N passed, N failed`.
"""

import argparse
import lzma
import pathlib
import subprocess
import sys
import tempfile

import onnx

from dim_texts import dims_of, names_of

# What gives sizes, and not the data of its input.
SIZE_ONLY = {"Shape", "Size"}


def inner_inputs(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                yield from inner.input
                yield from inner_inputs(inner)


def waits_for(graph):
    """For each value the inputs of the graph whose data it holds something of."""
    constants = {t.name for t in graph.initializer}
    data = {i.name: {i.name} for i in graph.input if i.name not in constants}
    for node in graph.node:
        from_data = set()
        if node.op_type not in SIZE_ONLY:
            from_data = set().union(*(data.get(i, set()) for i in [*node.input, *inner_inputs(node)]))
        data.update((output, from_data) for output in node.output)
    return data


def is_exact(info, symbols):
    """Whether all dims of a tensor are known; what is no tensor has none."""
    if info is None:
        return False
    if not info.type.HasField("tensor_type"):
        return True
    dims = dims_of(info)
    return dims is not None and all(
        isinstance(d, int) or d is not None and set(names_of(d, symbols)) <= symbols for d in dims
    )


def inexact(annotated):
    """(number of values that are not exact, the reasons)."""
    graph = annotated.graph
    symbols = {d for i in graph.input for d in dims_of(i) or [] if isinstance(d, str)}
    infos = {v.name: v for v in [*graph.value_info, *graph.output]}
    data, open_values, reasons = waits_for(graph), set(), set()
    for node in graph.node:
        for output in node.output:
            if not output or is_exact(infos.get(output), symbols):
                continue
            open_values.add(output)
            if open_values.isdisjoint(node.input):
                behind = sorted({i for operand in list(node.input)[1:] or node.input for i in data.get(operand, ())})
                reasons.add(f"{node.op_type}({', '.join(behind)})")
    return len(open_values), sorted(reasons)


def rows(binary, models):
    with tempfile.TemporaryDirectory() as folder:
        out, unpacked = pathlib.Path(folder, "out.onnx"), pathlib.Path(folder, "in.onnx")
        for path in sorted(models.glob("models/*.onnx*")):
            source = path
            if path.suffix == ".xz":
                unpacked.write_bytes(lzma.decompress(path.read_bytes()))
                source = unpacked
            out.unlink(missing_ok=True)
            subprocess.run([binary, "infer", "--fresh", "--outputs", "full", source, "-o", out], capture_output=True)
            name = path.name.removesuffix(".xz").removesuffix(".onnx")
            count, reasons = inexact(onnx.load(out, load_external_data=False)) if out.exists() else (10**6, ["nothing written"])
            yield name, count, " ".join(reasons)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("tsv", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found = list(rows(arguments.binary, arguments.models))
    if arguments.write:
        lines = [f"{name}\t{count}\t{reasons}\n" for name, count, reasons in found if count]
        arguments.tsv.write_text("model\tvalues\treason\n" + "".join(lines))
    kept = dict(line.split("\t")[:2] for line in arguments.tsv.read_text().splitlines()[1:])
    failed = 0
    for name, count, reasons in found:
        allowed = int(kept.get(name, 0))
        if count > allowed:
            failed += 1
            print(f"{name}: {count} values are not exact, the list allows {allowed}: {reasons}")
        elif count < allowed:
            print(f"{name}: {count} values are not exact, the list can say so instead of {allowed}")
    print(f"{len(found) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
