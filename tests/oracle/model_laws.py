"""Laws that hold between two inferences of one model, of which more or other things are known of the inputs."""

import random

import onnx

from dim_texts import dims_of, names_of, value_of

UNKNOWN, OPEN, EXACT, NUMBER = range(4)


class Annotated:
    """The shapes that a model says of its inputs and other values."""

    def __init__(self, model):
        self.model = model
        self.inputs = {v.name: dims_of(v) for v in model.graph.input}
        self.symbols = {d for dims in self.inputs.values() for d in dims or [] if isinstance(d, str)}
        infos = [*model.graph.value_info, *model.graph.output]
        self.shapes = {v.name: dims_of(v) for v in infos}

    def binding(self, feed):
        """What the names of input dims are in a run."""
        pairs = [(d, n) for name, dims in self.inputs.items() for d, n in zip(dims or [], feed[name].shape)]
        return {d: n for d, n in pairs if isinstance(d, str)}

    def kind(self, dim):
        """How much is known of a dim: EXACT is an expression over names of inputs, OPEN one over others too."""
        if dim is None or isinstance(dim, int):
            return UNKNOWN if dim is None else NUMBER
        return EXACT if set(names_of(dim, self.symbols)) <= self.symbols else OPEN


def number_of(dim, binding):
    return dim if dim is None or isinstance(dim, int) else value_of(dim, binding)


def less_than(weak, weak_binding, strong, strong_binding):
    """Where the weak annotations know what the strong ones do not, or say something else of the run."""
    for name, dims in weak.shapes.items():
        others = strong.shapes.get(name)
        if dims is None:
            continue
        if others is None or len(others) != len(dims):
            yield f"{name}: {dims} became {others}"
            continue
        for a, b in zip(dims, others):
            if weak.kind(a) < EXACT:
                continue
            # What a node needs may make a nameless dim a number, and one of the author's a restriction of the input.
            if strong.kind(b) < EXACT or number_of(a, weak_binding) != number_of(b, strong_binding):
                yield f"{name}: {a} became {b}"


def author_symbols(model):
    return sorted({d.dim_param for v in model.graph.input for d in v.type.tensor_type.shape.dim if d.dim_param})


def renamed(model, names):
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for value in result.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.dim_param = names[dim.dim_param]
    return result


def without_some_dims(model, rng):
    """The model with less said of one of its inputs; None where nothing is said of any."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    tensors = [v.type.tensor_type for v in result.graph.input if v.type.tensor_type.shape.dim]
    if not tensors:
        return None
    tensor = rng.choice(tensors)
    if rng.random() < 0.2:
        tensor.ClearField("shape")
        return result
    for dim in rng.sample(list(tensor.shape.dim), rng.randint(1, len(tensor.shape.dim))):
        dim.Clear()
    return result


def broken(model, annotated, feeds, infer, seed):
    """What does not fit together: `infer` takes a model and options. The laws:
    * binding the names of inputs and then inferring is inferring and then binding the names in the result;
    * renaming the names of inputs renames them in the result, and changes nothing else;
    * knowing more of the inputs never makes less known of the values.
    """
    rng = random.Random(seed)
    feed = rng.choice(feeds)
    plain, symbols = Annotated(annotated), author_symbols(model)
    binding = plain.binding(feed)

    options = [f"--dim={s}={binding[s]}" for s in symbols]
    bound, errors = infer(model, *options)
    if bound is None or errors:
        yield f"with {options}: {errors}"
    else:
        bound = Annotated(bound)
        for line in less_than(plain, binding, bound, bound.binding(feed)):
            yield f"with {options}, {line}"

    # The order of the new names is the opposite of the old one's, and they are no identifiers.
    names = {s: f"z{99 - i} {'-' * i}" if i % 2 else f"z{99 - i}" for i, s in enumerate(symbols)}
    other, errors = infer(renamed(model, names))
    if other is None or errors:
        yield f"with {names}: {errors}"
    else:
        other = Annotated(other)
        for a, b in ((plain, other), (other, plain)):
            for line in less_than(a, a.binding(feed), b, b.binding(feed)):
                yield f"with {names}, {line}"

    vague = without_some_dims(model, rng)
    if vague is None:
        return
    weak, errors = infer(vague)
    if weak is None or errors:
        yield f"with less known of the inputs: {errors}"
    else:
        weak = Annotated(weak)
        for line in less_than(weak, weak.binding(feed), plain, binding):
            yield f"with {weak.inputs} made {plain.inputs}, {line}"
