"""Builds a random model node by node, running each node on every binding as it is added: a node that cannot run is not kept.

The values of a run are kept with each value, so that the templates of model_operators.py can look at sizes and contents when they
choose operands, and a model comes with inputs on which it runs.
"""

import dataclasses
import random
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import engines

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

MAX_ELEMENTS = 4000
ELEM_TYPES = {
    np.dtype("float32"): TensorProto.FLOAT,
    np.dtype("float64"): TensorProto.DOUBLE,
    np.dtype("int64"): TensorProto.INT64,
    np.dtype("int32"): TensorProto.INT32,
    np.dtype("uint8"): TensorProto.UINT8,
    np.dtype("int8"): TensorProto.INT8,
    np.dtype("bool"): TensorProto.BOOL,
}
# The IR version that came with an opset is at least this; runtimes ask for no more than they need.
IR_VERSION = 10


@dataclasses.dataclass
class Value:
    name: str
    runs: list  # one array, or list of arrays for a sequence, a binding
    by_node: bool = True  # whether a node works it out: no constant

    @property
    def is_tensor(self):
        return not isinstance(self.runs[0], list)

    @property
    def dtype(self):
        return self.runs[0].dtype

    @property
    def one_rank(self):
        return len({run.ndim for run in self.runs}) == 1

    @property
    def rank(self):
        return self.runs[0].ndim

    @property
    def least_rank(self):
        return min(run.ndim for run in self.runs)

    def dims(self, axis):
        return [run.shape[axis] for run in self.runs]


def outer_names(graph):
    """The names that a graph uses from outside itself."""
    known = {i.name for i in graph.input} | {t.name for t in graph.initializer}
    used = []
    for node in graph.node:
        used += [name for name in [*node.input, *inner_names(node)] if name and name not in known]
        known.update(node.output)
    used += [o.name for o in graph.output if o.name not in known]
    return list(dict.fromkeys(used))


def inner_names(node):
    return [name for a in node.attribute if a.type == onnx.AttributeProto.GRAPH for name in outer_names(a.g)]


class Builder:
    def __init__(self, rng, opset, bindings, parent=None):
        self.rng, self.opset, self.bindings, self.parent = rng, opset, bindings, parent
        self.root = parent.root if parent else self
        self.nodes, self.inputs, self.initializers, self.values = [], [], [], []
        self.by_name = dict(parent.by_name) if parent else {}
        if not parent:
            self.names, self.functions = 0, []

    def name(self, stem="v"):
        self.root.names += 1
        return f"{stem}{self.root.names}"

    def add(self, name, runs):
        value = Value(name, runs)
        self.values.append(value)
        self.by_name[name] = value
        return value

    def random_array(self, shape, dtype):
        generator = np.random.default_rng(self.rng.randrange(1 << 30))
        if dtype == np.bool_:
            return generator.integers(0, 2, shape).astype(bool)
        if np.dtype(dtype).kind == "f":
            return generator.standard_normal(shape).astype(dtype)
        return np.asarray(generator.integers(0, 4, shape)).astype(dtype)

    def add_input(self, dims, dtype, runs=None):
        """An input; a dim is a number, a symbol, or a tuple of numbers (one a binding) that has no name."""
        name = self.name("x")
        if runs is None:
            runs = []
            for index, binding in enumerate(self.bindings):
                shape = [d if isinstance(d, int) else binding[d] if isinstance(d, str) else d[index] for d in dims]
                runs.append(self.random_array(shape, dtype))
        shown = [d if isinstance(d, (int, str)) else None for d in dims]
        self.inputs.append(helper.make_tensor_value_info(name, ELEM_TYPES[np.dtype(dtype)], shown))
        return self.add(name, runs)

    def const(self, array, dtype=np.int64):
        """A constant: an initializer, or a node."""
        array = np.asarray(array, dtype)
        name = self.name("c")
        if self.rng.random() < 0.5 and not self.parent:
            self.initializers.append(numpy_helper.from_array(array, name))
        else:
            tensor = numpy_helper.from_array(array)
            self.nodes.append(helper.make_node("Constant", [], [name], name=self.name("n"), value=tensor))
        value = Value(name, [array] * len(self.bindings), by_node=False)
        self.by_name[name] = value
        return value

    def visible(self):
        return self.values + (self.parent.visible() if self.parent else [])

    def pick(self, kinds="fiub", low=0, high=6, dtype=None, where=None):
        """A value among those so far, later ones rather; None when none is fit."""
        fit = [
            v
            for v in self.visible()
            if v.is_tensor
            and v.dtype.kind in kinds
            and all(low <= run.ndim <= high for run in v.runs)
            and (dtype is None or v.dtype == dtype)
            and (where is None or (v.one_rank and where(v)))
        ]
        return fit[max(self.rng.randrange(len(fit)), self.rng.randrange(len(fit)))] if fit else None

    def emit(self, op_type, inputs, count=1, domain="", **attributes):
        """Adds a node if it runs on every binding: its output values, or None."""
        if any(i is None for i in inputs):
            return None
        names = [i.name if isinstance(i, Value) else i for i in inputs]
        outputs = [self.name() for _ in range(count)]
        node = helper.make_node(op_type, names, outputs, name=self.name("n"), domain=domain, **attributes)
        results = self.run_node(node)
        if results is None:
            return None
        self.nodes.append(node)
        return [self.add(name, [run[i] for run in results]) for i, name in enumerate(outputs)]

    def run_node(self, node):
        needed = [n for n in dict.fromkeys([*node.input, *inner_names(node)]) if n]
        outputs = [onnx.ValueInfoProto(name=n) for n in node.output]
        graph = helper.make_graph([node], "g", [self.type_info(n) for n in needed], outputs)
        feeds = [{n: self.by_name[n].runs[i] for n in needed} for i in range(len(self.bindings))]
        results, _ = engines.run(self.model_of(graph), feeds)
        if results is None:
            return None
        try:
            return [[self.fit(run[name]) for name in node.output] for run in results]
        except ValueError:
            return None

    def fit(self, result):
        if isinstance(result, list):
            return [self.fit(r) for r in result]
        array = np.asarray(result)
        if array.dtype not in ELEM_TYPES or array.size > MAX_ELEMENTS or array.ndim > 6:
            raise ValueError("not of a size or type to go on with")
        return array

    def model_of(self, graph):
        imports = [helper.make_opsetid("", self.opset), helper.make_opsetid("local", 1)]
        return helper.make_model(graph, opset_imports=imports, functions=self.root.functions, ir_version=IR_VERSION)

    def model(self):
        used = {n for node in self.nodes for n in [*node.input, *inner_names(node)]}
        ends = [o for node in self.nodes for o in node.output if o and o not in used]
        graph = helper.make_graph(
            self.nodes, "random", self.inputs, [self.type_info(o) for o in ends], self.initializers
        )
        return self.model_of(graph)

    def type_info(self, name):
        run = self.by_name[name].runs[0]
        if isinstance(run, list):
            element = helper.make_tensor_type_proto(ELEM_TYPES[run[0].dtype] if run else TensorProto.FLOAT, None)
            return helper.make_value_info(name, helper.make_sequence_type_proto(element))
        return helper.make_tensor_value_info(name, ELEM_TYPES[run.dtype], None)

    def feeds(self, index):
        return {i.name: self.by_name[i.name].runs[index] for i in self.inputs}


def random_bindings(rng, symbols):
    sizes = [0, 1, 1, 2, 2, 3, 4, 5, 6]
    positive = rng.random() < 0.7
    result = []
    for _ in range(rng.choice([2, 3])):
        result.append({s: rng.choice(sizes[1:] if positive else sizes) for s in symbols})
    return result


def random_model(seed, templates):
    """(builder, model) for a seed; the templates are functions on a builder, drawn by their weights."""
    rng = random.Random(seed)
    symbols = rng.sample(["N", "M", "seq", "batch", "H", "W"], rng.randint(1, 4))
    builder = Builder(rng, rng.choice([7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
                      random_bindings(rng, symbols))
    for _ in range(rng.randint(1, 4)):
        dims = []
        for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 4])):
            kind = rng.random()
            if kind < 0.6:
                dims.append(rng.choice(symbols))
            elif kind < 0.93:
                dims.append(rng.choice([1, 2, 3, 4, 6, 8]))
            else:
                dims.append(tuple(rng.choice([1, 2, 3]) for _ in builder.bindings))
        builder.add_input(dims, rng.choice([np.float32] * 5 + [np.int64, np.bool_]))
    fill(builder, templates, rng.randint(5, 40))
    return builder, builder.model()


def fill(builder, templates, count):
    runtime = engines.onnxruntime is not None
    fit = [t for t in templates if t.since <= builder.opset <= t.until and (runtime or not t.runtime)]
    weights = [t.weight for t in fit]
    target, tries = len(builder.nodes) + count, 3 * count
    while len(builder.nodes) < target and tries:
        tries -= 1
        template = builder.rng.choices(fit, weights)[0]
        try:
            template.add(builder)
        except (IndexError, ValueError):  # operands whose rank or size depends on the binding
            continue
