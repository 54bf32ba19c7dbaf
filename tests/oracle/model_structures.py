"""Sequences, control flow and local functions of the random models; the templates are like those of model_operators.py."""

import numpy as np
from onnx import TensorProto, helper

import engines
from model_builder import ELEM_TYPES, Builder, fill
from model_operators import TEMPLATES, axis_of, template


@template(weight=0.8, since=11)
def add_sequence(b):
    kind = b.rng.choice(["construct", "split", "empty"])
    x = b.pick("f", 1, 3, dtype=np.dtype("float32"))
    if not x:
        return None
    if kind == "empty":
        empty = b.emit("SequenceEmpty", [])
        return empty and b.emit("SequenceInsert", [empty[0], x])
    if kind == "split":
        return b.emit("SplitToSequence", [x], axis=axis_of(b, x.rank), keepdims=b.rng.randint(0, 1))
    return b.emit("SequenceConstruct", [x, b.pick("f", 0, 3, dtype=x.dtype)])


def sequence(b):
    fit = [v for v in b.visible() if not v.is_tensor]
    return b.rng.choice(fit) if fit else None


@template(weight=2, since=11)
def add_use_of_sequence(b):
    s = sequence(b)
    op_type = b.rng.choice(["SequenceAt", "SequenceAt", "SequenceLength", "SequenceErase", "SequenceInsert", "ConcatFromSequence"])
    if s is None:
        return None
    if op_type in ("SequenceAt", "SequenceErase"):
        position = b.pick("i", 0, 0, dtype=np.dtype("int64")) if b.rng.random() < 0.3 else None
        return b.emit(op_type, [s, position or b.const(b.rng.choice([0, 0, -1, 1]))])
    if op_type == "SequenceInsert":
        return b.emit(op_type, [s, b.pick("f", 0, 3, dtype=np.dtype("float32"))])
    if op_type == "ConcatFromSequence":
        # ONNX Runtime ends the process when it stacks elements of different ranks.
        stackable = all(len({element.ndim for element in run}) == 1 for run in s.runs)
        return b.emit(op_type, [s], axis=b.rng.choice([0, 1, -1]), new_axis=b.rng.randint(0, int(stackable)))
    return b.emit(op_type, [s])


def info(name, dtype, rank=None):
    return helper.make_tensor_value_info(name, ELEM_TYPES[np.dtype(dtype)], None if rank is None else [None] * rank)


def made_tensors(inner):
    known = {o for n in inner.nodes for o in n.output}
    return [v for v in inner.values if v.is_tensor and v.name in known]


def condition(b):
    if b.rng.random() < 0.5:
        c = b.pick("b", 0, 0)
        if c:
            return c
    x = b.pick("i", 0, 0, dtype=np.dtype("int64"))
    if x and b.rng.random() < 0.7:
        c = b.emit("Greater", [x, b.const(b.rng.choice([0, 1, 2]))])
        return c and c[0]
    return b.add_input([], bool) if not b.parent else None


@template(weight=1, since=11)
def add_if(b):
    c = condition(b)
    if c is None or depth(b) > 1:
        return None
    first, second = branch(b), branch(b)
    pairs = []
    for v in made_tensors(first):
        same = [w for w in made_tensors(second) if w.dtype == v.dtype and (w.rank == v.rank or b.rng.random() < 0.1)]
        if same:
            pairs.append((v, b.rng.choice(same)))
    pairs = pairs[-2:]
    if not pairs:
        return None
    graphs = []
    for inner, side in ((first, 0), (second, 1)):
        outputs = [info(p[side].name, p[side].dtype) for p in pairs]
        graphs.append(helper.make_graph(inner.nodes, b.name("branch"), [], outputs, inner.initializers))
    return b.emit("If", [c], len(pairs), then_branch=graphs[0], else_branch=graphs[1])


def depth(b):
    return 0 if b.parent is None else 1 + depth(b.parent)


def branch(b):
    inner = Builder(b.rng, b.opset, b.bindings, b)
    fill(inner, TEMPLATES, b.rng.randint(1, 4))
    return inner


@template(weight=0.8, since=11)
def add_loop(b):
    if depth(b) > 1:
        return None
    trips = b.pick("i", 0, 0, dtype=np.dtype("int64"), where=lambda v: all(0 <= r <= 4 for r in v.runs)) or b.const(b.rng.choice([0, 1, 3]))
    carried = [v for v in (b.pick("f", 0, 3) for _ in range(b.rng.randint(1, 2))) if v]
    inner = Builder(b.rng, b.opset, b.bindings, b)
    number = inner.add(b.name("i"), [np.array(0, np.int64)] * len(b.bindings))
    going = inner.add(b.name("go"), [np.array(True)] * len(b.bindings))
    inputs = [info(number.name, np.int64, 0), info(going.name, bool, 0)]
    states = []
    for v in carried:
        states.append(inner.add(b.name("s"), v.runs))
        inputs.append(info(states[-1].name, v.dtype))
    fill(inner, TEMPLATES, b.rng.randint(1, 5))
    made = made_tensors(inner)
    results = []
    for state in states:
        fit = [m for m in made if m.dtype == state.dtype and (m.rank == state.rank or b.rng.random() < 0.1)]
        if fit and b.rng.random() < 0.8:
            results.append(b.rng.choice(fit))
        else:
            results += inner.emit("Identity", [state]) or [None]
    if None in results:
        return None
    # Of what is never scanned only the body's own inference could say the dims, and ONNX Runtime says 0 for those that have names.
    runs = all(r > 0 for r in trips.runs)
    scanned = [m for m in made if m not in results][-1:] if runs and b.rng.random() < 0.6 else []
    stop = [m for m in made if m.dtype == bool and m.rank == 0 and m not in results + scanned]
    keep = stop[:1] if stop and b.rng.random() < 0.5 else inner.emit("Identity", [going])
    if len({r.name for r in results}) < len(results):
        return None
    outputs = [info(v.name, v.dtype) for v in [*keep, *results, *scanned]]
    body = helper.make_graph(inner.nodes, b.name("body"), inputs, outputs, inner.initializers)
    start = b.rng.choice(["", b.const(True, bool)])
    return b.emit("Loop", [trips, start, *carried], len(carried) + len(scanned), body=body)


@template(weight=0.4, since=11)
def add_scan(b):
    x = b.pick("f", 1, 3, dtype=np.dtype("float32"), where=lambda v: min(v.dims(0)) > 0)
    if x is None or depth(b) > 1:
        return None
    shape = [1 if len(set(x.dims(a))) > 1 else x.dims(a)[0] for a in range(1, x.rank)]
    state = b.const(np.zeros(shape), np.float32)
    inner = Builder(b.rng, b.opset, b.bindings, b)
    carry = inner.add(b.name("s"), state.runs)
    element = inner.add(b.name("e"), [r[0] for r in x.runs])
    fill(inner, TEMPLATES, b.rng.randint(1, 4))
    made = [m for m in made_tensors(inner)][-2:]
    kept = inner.emit("Identity", [carry])
    if not kept:
        return None
    outputs = [info(v.name, v.dtype) for v in [*kept, *made]]
    inputs = [info(carry.name, np.float32, carry.rank), info(element.name, np.float32, element.rank)]
    body = helper.make_graph(inner.nodes, b.name("body"), inputs, outputs, inner.initializers)
    return b.emit("Scan", [state, x], 1 + len(made), body=body, num_scan_inputs=1)


@template(weight=0.8, since=11)
def add_function(b):
    """A local function, called twice where another set of operands fits."""
    if b.parent:
        return None
    operands = [v for v in (b.pick("f", 0, 4, dtype=np.dtype("float32")) for _ in range(b.rng.randint(1, 2))) if v]
    if not operands:
        return None
    inner = Builder(b.rng, b.opset, b.bindings)
    formal = [inner.add(inner.name("f"), v.runs) for v in operands]
    fill(inner, [t for t in TEMPLATES if t.add not in (add_if, add_function)], b.rng.randint(1, 5))
    constants = [
        helper.make_node("Constant", [], [t.name], value=t) for t in inner.initializers
    ]
    made = made_tensors(inner)[-2:]
    if not made or inner.inputs:
        return None
    name = b.name("Local")
    function = helper.make_function(
        "local", name, [f.name for f in formal], [m.name for m in made], constants + inner.nodes, [helper.make_opsetid("", b.opset)]
    )
    b.functions.append(function)
    result = b.emit(name, operands, len(made), domain="local")
    if result is None:
        b.functions.pop()
        return None
    if b.rng.random() < 0.6:
        # The templates have looked at the sizes of the first operands only; of other ranks and smaller sizes, windows may be too large
        # and quotients 0. And the reference evaluator runs some nodes on operands of a rank that they do not take.
        delicate = kinds(inner.nodes) & DELICATE
        any_rank = engines.onnxruntime is not None and not delicate and b.rng.random() < 0.3
        others = [b.pick("f", *((0, 4) if any_rank else (v.rank, v.rank)), dtype=v.dtype, where=fits(v, any_rank)) for v in operands]
        b.emit(name, others, len(made), domain="local")
    return result


DELICATE = {"Conv", "PRelu", "ConvTranspose", "MaxPool", "AveragePool", "LpPool", "Reshape", "Split"}


def kinds(nodes):
    """The operators of the nodes and of their bodies."""
    bodies = [kinds(a.g.node) for n in nodes for a in n.attribute if a.type == a.GRAPH]
    return {n.op_type for n in nodes}.union(*bodies)


def fits(operand, any_rank):
    """Whether a value is no smaller than the operand in any run."""

    def larger(v):
        return all(r.size and (any_rank or all(n >= m for n, m in zip(r.shape, s.shape))) for r, s in zip(v.runs, operand.runs))

    return larger
