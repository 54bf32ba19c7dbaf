#!/usr/bin/env python3
"""Lists the operators that have no rule: missing_rules.py BINARY [--all]

Takes the schemas of onnx and, where it is installed, of ONNX Runtime; infers a model of one node for each of their forms, and looks
whether a rule was run, or the body of the schema's function or onnx's own inference instead. Operators of NOT_EMITTED have no rule
because no exporter, optimiser or quantiser writes them, or because they say nothing of their outputs' shapes; --all lists them too.
The last line is `N passed, N failed`, where an operator counts as failed that has no rule and is not in that list, or has and is.
"""

import argparse
import subprocess
import sys
import tempfile

import onnx
from onnx import helper

# (domain, operator): why it has no rule.
NOT_EMITTED = {
    ("com.microsoft", "ConvStateReplay"): "in pipelines made by hand for one device: copies parts of buffers as numbers in an input say",
    ("com.microsoft", "EPContext"): "holds what a device's compiler made of a graph; its outputs are declared",
    ("com.microsoft", "GatedDeltaNetStateReplay"): "as ConvStateReplay",
    ("com.microsoft", "Mamba2Verify"): "in pipelines made by hand for one model on one device",
    ("com.microsoft", "Snpe"): "as EPContext",
    ("com.microsoft", "SpeculativePrefixCommit"): "in pipelines made by hand: keeps records of a host's ring buffer",
}


def schemas():
    """(domain, operator, since version, least inputs, outputs) of each form."""
    found = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        found[schema.domain, schema.name, schema.since_version] = (schema.min_input, schema.min_output)
    try:
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    except ImportError:
        print("no ONNX Runtime: only the operators of onnx are asked for")
    else:
        for schema in runtime.get_all_operator_schema():
            if schema.domain not in ("", "ai.onnx.ml") and not schema.deprecated:
                found.setdefault((schema.domain, schema.name, schema.since_version), (schema.min_input, schema.min_output))
    return found


def has_rule(binary, path, domain, op_type, version, inputs, outputs):
    """Whether a node of that form is inferred by a rule."""
    names = [f"x{i}" for i in range(inputs)]
    node = helper.make_node(op_type, names, [f"y{i}" for i in range(max(outputs, 1))], domain=domain)
    values = [onnx.ValueInfoProto(name=n) for n in names]
    graph = helper.make_graph([node], "g", values, [onnx.ValueInfoProto(name=o) for o in node.output])
    imports = [helper.make_opsetid(domain, version)] + ([helper.make_opsetid("", 17)] if domain else [])
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), path)
    run = subprocess.run([binary, "infer", path, "--dry-run", "--verbose"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{domain} {op_type} {version}: exit {run.returncode}: {run.stderr}")
    return "SHP401" not in run.stdout and "had no rule of ours" not in run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--all", action="store_true", help="list the operators of NOT_EMITTED too")
    arguments = parser.parse_args()
    missing = {}
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        forms = schemas()
        for (domain, op_type, version), (inputs, outputs) in sorted(forms.items()):
            if not has_rule(arguments.binary, file.name, domain, op_type, version, inputs, outputs):
                missing.setdefault((domain, op_type), []).append(version)
    failed = 0
    for (domain, op_type), versions in sorted(missing.items()):
        reason = NOT_EMITTED.get((domain, op_type))
        if reason is None or arguments.all:
            print(f"{domain or 'ai.onnx'} {op_type} (opset {', '.join(map(str, versions))}): {reason or 'no rule'}")
        failed += reason is None
    for domain, op_type in sorted(NOT_EMITTED.keys() - missing.keys()):
        known = any(form[:2] == (domain, op_type) for form in forms)
        failed += known
        if known:
            print(f"{domain} {op_type} has a rule: take it out of NOT_EMITTED")
    print(f"{len({form[:2] for form in forms}) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
