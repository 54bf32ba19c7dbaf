"""The operators of the random models: each template adds one node, or a few that belong together, to a model_builder.Builder.

A template chooses operands that the operator mostly takes; the builder runs the node and drops it if it does not run.
"""

import dataclasses
import math
from typing import Callable

import numpy as np

import engines


@dataclasses.dataclass
class Template:
    add: Callable
    since: int
    until: int
    weight: float
    runtime: bool = False  # whether only ONNX Runtime can be believed: the reference evaluator lets wrong nodes pass, or has sizes of its own


TEMPLATES = []


def template(since=7, until=99, weight=1.0, runtime=False):
    def keep(function):
        TEMPLATES.append(Template(function, since, until, weight, runtime))
        return function

    return keep


def simple(op_type, kinds="f", since=7, until=99, low=0, high=6, weight=0.25, **attributes):
    """An operator with one input and no attributes that matter to shapes."""
    add = lambda b: b.emit(op_type, [b.pick(kinds, low, high)], **attributes)
    TEMPLATES.append(Template(add, since, until, weight))


for name in "Relu Sigmoid Tanh Exp Abs Neg Floor Ceil Sqrt Reciprocal Softplus Softsign Elu Selu LeakyRelu HardSigmoid Log Sin".split():
    simple(name, weight=0.1)
for name, first in dict(Erf=9, Sign=9, Round=11, IsNaN=9, ThresholdedRelu=10, Shrink=9, HardSwish=14, Mish=18, Gelu=20).items():
    simple(name, since=first, weight=0.1)
simple("Identity", "fiub", weight=0.5)
simple("Not", "b")
simple("Shape", "fib", weight=1.5)
simple("Size", "fib", weight=0.5)
simple("GlobalAveragePool", low=3)
simple("GlobalMaxPool", low=4, high=4)
simple("NonZero", "fib", since=9, low=1, weight=0.7)
simple("LRN", low=4, size=3)
simple("MeanVarianceNormalization", since=9, low=4)
simple("Dropout")


def axis_of(b, rank, more=0):
    return b.rng.randrange(-rank - more, rank + more) if rank + more else 0


def axes_of(b, rank):
    axes = b.rng.sample(range(rank), b.rng.randint(1, rank)) if rank else []
    return [a - rank if b.rng.random() < 0.3 else a for a in axes]


def with_axes(b, op_type, inputs, axes, since, **attributes):
    """Axes are an attribute before opset `since`, an input from then on."""
    if axes is None:
        return b.emit(op_type, inputs, **attributes)
    if b.opset < since:
        return b.emit(op_type, inputs, axes=axes, **attributes)
    return b.emit(op_type, [*inputs, b.const(axes)], **attributes)


def compatible(x, run_of=lambda r: r.shape):
    """Whether a value broadcasts with x in each run."""

    def fits(v):
        return all(all(a == c or 1 in (a, c) for a, c in zip(p.shape[::-1], q.shape[::-1])) for p, q in zip(x.runs, v.runs))

    return fits


def partner(b, x, dtype=None):
    """An operand that broadcasts with x: a value, or a constant."""
    if b.rng.random() < 0.6:
        y = b.pick("fiub", dtype=dtype or x.dtype, where=compatible(x))
        if y:
            return y
    shape = [b.rng.choice([1, min(x.dims(a))]) if len(set(x.dims(a))) == 1 else 1 for a in range(x.rank)]
    shape = shape[b.rng.randint(0, x.rank) :] if x.rank else []
    return b.const(b.random_array(shape, dtype or x.dtype), dtype or x.dtype)


def shuffled(b, *values):
    values = list(values)
    b.rng.shuffle(values)
    return values


@template(weight=3)
def add_binary(b):
    x = b.pick("fi")
    return x and b.emit(b.rng.choice(["Add", "Sub", "Mul", "Add", "Mul"]), shuffled(b, x, partner(b, x)))


@template(since=13, weight=0.5)
def add_division(b):
    x = b.pick("i")
    if not x:
        return None
    y = b.const(b.rng.choice([1, 2, 3, 4]), x.dtype)
    return b.emit(b.rng.choice(["Div", "Mod"]), [x, y])


@template(weight=0.5)
def add_float_division(b):
    x = b.pick("f")
    return x and b.emit(b.rng.choice(["Div", "Pow"]), [x, partner(b, x)])


@template(weight=0.2)
def add_prelu(b):
    x = b.pick("f", 1)
    return x and b.emit("PRelu", [x, b.const(np.full([1] * b.rng.randint(1, x.least_rank), 0.5), x.dtype)])


@template(since=8, weight=0.7)
def add_variadic(b):
    x = b.pick("f")
    op_type = b.rng.choice(["Max", "Min", "Sum", "Mean"])
    return x and b.emit(op_type, shuffled(b, x, *(partner(b, x) for _ in range(b.rng.randint(0, 2)))))


@template(since=12, weight=0.5)
def add_integer_extremes(b):
    x = b.pick("i")
    return x and b.emit(b.rng.choice(["Max", "Min"]), shuffled(b, x, partner(b, x)))


@template(since=9, weight=1)
def add_comparison(b):
    x = b.pick("fi")
    op_type = b.rng.choice(["Less", "Greater"] + ["Equal"] * (b.opset >= 11) + ["LessOrEqual", "GreaterOrEqual"] * (b.opset >= 12))
    return x and b.emit(op_type, shuffled(b, x, partner(b, x)))


@template(weight=0.4)
def add_logic(b):
    x = b.pick("b")
    return x and b.emit(b.rng.choice(["And", "Or", "Xor"]), shuffled(b, x, partner(b, x)))


@template(since=18, weight=0.2)
def add_bits(b):
    x = b.pick("i")
    return x and b.emit(b.rng.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor"]), [x, partner(b, x)])


@template(since=9, weight=1)
def add_where(b):
    x = b.pick("fi")
    return x and b.emit("Where", [partner(b, x, np.dtype(bool)), *shuffled(b, x, partner(b, x))])


@template(since=11, weight=0.3)
def add_clip(b):
    x = b.pick("f")
    return x and b.emit("Clip", [x, b.const(-1, x.dtype), b.const(1, x.dtype)])


@template(weight=1)
def add_cast(b):
    x = b.pick("fib")
    if x and x.dtype.kind == "f" and not all(np.isfinite(r).all() and (np.abs(r) < 1e6).all() for r in x.runs):
        return None
    return x and b.emit("Cast", [x], to=b.rng.choice([1, 1, 7, 7, 6, 9]))


@template(since=15, weight=0.2)
def add_cast_like(b):
    return b.emit("CastLike", [b.pick("ib"), b.pick("fib")])


@template(weight=1.5)
def add_matmul(b):
    x = b.pick("f", 1, 4, dtype=np.dtype("float32"))
    if not x:
        return None
    fits = lambda v: all(r.shape[-1] == (s.shape[-2] if s.ndim > 1 else s.shape[0]) for r, s in zip(x.runs, v.runs))
    y = b.pick("f", 1, 4, dtype=x.dtype, where=fits) if b.rng.random() < 0.5 else None
    if y is None:
        if len(set(x.dims(-1))) > 1:
            y = transposed(b, x)
        else:
            y = b.const(b.random_array([x.dims(-1)[0], b.rng.choice([1, 3, 4])], x.dtype), x.dtype)
    return b.emit("MatMul", [x, y])


def transposed(b, x):
    perm = list(range(x.rank))
    if x.rank > 1:
        perm[-1], perm[-2] = perm[-2], perm[-1]
    result = b.emit("Transpose", [x], perm=perm)
    return result and result[0]


@template(weight=0.7)
def add_gemm(b):
    x = b.pick("f", 2, 2, dtype=np.dtype("float32"))
    if not x:
        return None
    trans_a = b.rng.randint(0, 1)
    inner = x.dims(0 if trans_a else 1)
    y = b.pick("f", 2, 2, dtype=x.dtype, where=lambda v: v.dims(0) == inner)
    trans_b = 0
    if y is None and len(set(inner)) == 1:
        trans_b = b.rng.randint(0, 1)
        shape = [inner[0], b.rng.choice([1, 3])]
        y = b.const(b.random_array(shape[:: -1 if trans_b else 1], x.dtype), x.dtype)
    bias = [b.const(b.rng.random(), np.float32)] if b.rng.random() < 0.5 or b.opset < 11 else []
    return b.emit("Gemm", [x, y, *bias], transA=trans_a, transB=trans_b)


@template(since=12, weight=0.8)
def add_einsum(b):
    x = b.pick("f", 1, 3, dtype=np.dtype("float32"))
    if not x:
        return None
    letters = "abc"[: x.rank]
    y = b.pick("f", 1, 3, dtype=x.dtype, where=lambda v: v.dims(0) == x.dims(-1))
    if y is None or b.rng.random() < 0.3:
        kept = "".join(b.rng.sample(letters, b.rng.randint(0, len(letters))))
        return b.emit("Einsum", [x], equation=f"{letters}->{kept}")
    other = letters[-1] + "xy"[: y.rank - 1]
    union = sorted(set(letters + other))
    kept = "".join(b.rng.sample(union, b.rng.randint(1, len(union))))
    return b.emit("Einsum", [x, y], equation=f"{letters},{other}->{kept}")


def window(b, rank):
    """Attributes of a sliding window over `rank` axes."""
    attributes = {}
    if b.rng.random() < 0.6:
        attributes["strides"] = [b.rng.choice([1, 2, 2, 3]) for _ in range(rank)]
    pads = b.rng.random()
    if pads < 0.4:
        attributes["pads"] = [b.rng.choice([0, 1]) for _ in range(2 * rank)]
    elif pads < 0.6:
        attributes["auto_pad"] = b.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return attributes


def fits_padded(x, kernel, attributes):
    """Whether a window fits in each run; where it does not, engines differ: floor((1 - 2) / 2) is -1, and 0 in C."""
    spatial = len(kernel)
    pads, dilations = attributes.get("pads", [0] * 2 * spatial), attributes.get("dilations", [1] * spatial)
    span = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    return all(n + pads[i] + pads[i + spatial] >= span[i] for i in range(spatial) for n in x.dims(2 + i))


def image(b):
    return b.pick("f", 3, 5, dtype=np.dtype("float32"), where=lambda v: min(min(r.shape) for r in v.runs) > 0)


@template(weight=1, runtime=True)
def add_conv(b):
    x = image(b)
    if not x or len(set(x.dims(1))) > 1:
        return None
    channels, spatial = x.dims(1)[0], x.rank - 2
    group = b.rng.choice([g for g in (1, 1, 2, channels) if channels % g == 0])
    kernel = [b.rng.choice([1, 2, 3]) for _ in range(spatial)]
    attributes = window(b, spatial)
    if b.rng.random() < 0.3 and "auto_pad" not in attributes:
        attributes["dilations"] = [b.rng.choice([1, 2]) for _ in range(spatial)]
    if not fits_padded(x, kernel, attributes):
        return None
    if b.rng.random() < 0.7:
        weight = b.const(b.random_array([group * b.rng.choice([1, 2]), channels // group, *kernel], np.float32), np.float32)
        return b.emit("Conv", [x, weight], group=group, **attributes)
    weight = b.const(b.random_array([channels, b.rng.choice([1, 2]), *kernel], np.float32), np.float32)
    if "auto_pad" not in attributes and b.rng.random() < 0.3:
        attributes["output_padding"] = [0] * spatial
    return b.emit("ConvTranspose", [x, weight], group=group, **attributes)


@template(weight=1, runtime=True)
def add_pool(b):
    x = image(b)
    if not x:
        return None
    op_type = b.rng.choice(["MaxPool", "AveragePool", "LpPool"])
    attributes = window(b, x.rank - 2)
    if b.opset >= 10 and op_type != "LpPool" and b.rng.random() < 0.4:
        attributes["ceil_mode"] = 1
    kernel = [b.rng.choice([1, 2, 3]) for _ in range(x.rank - 2)]
    if not fits_padded(x, kernel, attributes):
        return None
    if op_type == "MaxPool" and b.rng.random() < 0.3:
        return b.emit(op_type, [x], 2, kernel_shape=kernel, **attributes)
    return b.emit(op_type, [x], kernel_shape=kernel, **attributes)


@template(weight=0.8)
def add_normalization(b):
    x = b.pick("f", 2, 5, dtype=np.dtype("float32"))
    if not x:
        return None
    vector = lambda size: b.const(b.random_array([size], np.float32) ** 2, np.float32)
    choices = ["BatchNormalization", "InstanceNormalization"] if len(set(x.dims(1))) == 1 else []
    choices += ["LayerNormalization"] if b.opset >= 17 and len(set(x.dims(-1))) == 1 else []
    choices += ["RMSNormalization"] if b.opset >= 23 and len(set(x.dims(-1))) == 1 else []
    choices += ["LpNormalization"]
    op_type = b.rng.choice(choices)
    if op_type == "BatchNormalization":
        return b.emit(op_type, [x, *(vector(x.dims(1)[0]) for _ in range(4))])
    if op_type == "InstanceNormalization":
        return x.rank > 2 and b.emit(op_type, [x, vector(x.dims(1)[0]), vector(x.dims(1)[0])])
    if op_type == "LpNormalization":
        return b.emit(op_type, [x], axis=axis_of(b, x.rank))
    if op_type == "LayerNormalization":
        return b.emit(op_type, [x, vector(x.dims(-1)[0])], b.rng.choice([1, 2, 3]))
    return b.emit(op_type, [x, vector(x.dims(-1)[0])])


@template(weight=0.7)
def add_softmax(b):
    x = b.pick("f", 1)
    return x and b.emit(b.rng.choice(["Softmax", "LogSoftmax", "Hardmax"]), [x], axis=axis_of(b, x.rank))


REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"]


@template(weight=2)
def add_reduction(b):
    op_type = b.rng.choice(REDUCTIONS)
    x = b.pick("fi" if op_type in REDUCTIONS[:5] else "f")
    if not x:
        return None
    # ONNX Runtime reduces a scalar along any axis.
    axes = axes_of(b, x.rank) if b.rng.random() < 0.7 and x.rank and x.one_rank else None
    extra = {"noop_with_empty_axes": 1} if axes is None and b.opset >= 18 and b.rng.random() < 0.3 else {}
    return with_axes(b, op_type, [x], axes, 13 if op_type == "ReduceSum" else 18, keepdims=b.rng.randint(0, 1), **extra)


@template(weight=0.8)
def add_arg_extreme(b):
    x = b.pick("f", 1)
    return x and b.emit(b.rng.choice(["ArgMax", "ArgMin"]), [x], axis=axis_of(b, x.rank), keepdims=b.rng.randint(0, 1))


@template(since=11, weight=0.4)
def add_cumsum(b):
    x = b.pick("fi", 1)
    if not x:
        return None
    axis = axis_of(b, x.least_rank)
    return b.emit("CumSum", [x, b.const(axis)], exclusive=b.rng.randint(0, 1))


@template(since=14, weight=0.3)
def add_trilu(b):
    return b.emit("Trilu", [b.pick("fi", 2)], upper=b.rng.randint(0, 1))


@template(since=9, weight=0.3)
def add_eye_like(b):
    return b.emit("EyeLike", [b.pick("fi", 2, 2)])


@template(weight=0.3)
def add_random(b):
    return b.emit(b.rng.choice(["RandomNormalLike", "RandomUniformLike"]), [b.pick("f")])


@template(since=10, weight=0.3)
def add_quantization(b):
    x = b.pick("f", dtype=np.dtype("float32"))
    scale, zero = b.const(0.1, np.float32), b.const(3, np.uint8)
    if b.opset >= 11 and b.rng.random() < 0.5:
        return b.emit("DynamicQuantizeLinear", [x], 3)
    y = b.emit("QuantizeLinear", [x, scale, zero])
    return y and b.emit("DequantizeLinear", [y[0], scale, zero])


def small(value):
    """Whether a value can be read as the sizes of a tensor that is not too large."""
    return all(r.size <= 5 and (r >= 0).all() and r.astype(float).prod() <= 2000 for r in value.runs)


def sizes(b, where=small):
    return b.pick("i", 1, 1, dtype=np.dtype("int64"), where=where)


@template(weight=0.7, since=9)
def add_constant_of_shape(b):
    return b.emit("ConstantOfShape", [sizes(b)])


@template(weight=1, since=8)
def add_expand(b):
    x = b.pick("fib", 0, 4)
    if not x:
        return None
    y = b.pick("fib", 0, 4, where=compatible(x))
    if y and b.rng.random() < 0.6:
        shape = b.emit("Shape", [y])
        return shape and b.emit("Expand", [x, shape[0]])
    return b.emit("Expand", [x, sizes(b)])


@template(weight=0.7)
def add_tile(b):
    x = b.pick("fib", 0, 4)
    if not x:
        return None
    y = sizes(b, lambda v: small(v) and all(r.size == x.rank for r in v.runs))
    return b.emit("Tile", [x, y or b.const([b.rng.choice([0, 1, 2, 3]) for _ in range(x.rank)])])


@template(weight=1.5)
def add_transpose(b):
    x = b.pick("fib", 2)
    return x and b.emit("Transpose", [x], perm=b.rng.sample(range(x.rank), x.rank))


@template(weight=0.7)
def add_flatten(b):
    x = b.pick("f", 1)
    return x and b.emit("Flatten", [x], axis=b.rng.randint(0, x.rank))


def dim_vector(b, x, axes):
    """A vector of one element: the product of the dims of x on some axes, worked out in the model."""
    shape = b.emit("Shape", [x])
    product = None
    for axis in axes:
        if b.opset >= 10 and b.rng.random() < 0.3:
            dim = b.emit("Slice", [shape[0], b.const([axis]), b.const([axis + 1])])
        elif b.rng.random() < 0.4:
            scalar = b.emit("Gather", [shape[0], b.const(axis)], axis=0)
            dim = scalar and with_axes(b, "Unsqueeze", scalar, [0], 13)
        else:
            dim = b.emit("Gather", [shape[0], b.const([axis])], axis=0)
        if not dim:
            return None
        product = dim if product is None else b.emit("Mul", [product[0], dim[0]])
    return product and product[0]


@template(weight=3)
def add_reshape(b):
    """Groups of axes become one each, or an axis is split; targets are constants or worked out from Shape."""
    x = b.pick("fib", 1, 5)
    if not x or b.rng.random() < 0.1:
        return b.emit("Reshape", [b.pick("fib", 0, 4), sizes(b, lambda v: small(v) and all(r.all() for r in v.runs))])
    pieces, start, inferred = [], 0, False
    while start < x.rank:
        end = b.rng.randint(start + 1, min(x.rank, start + 3))
        dims = [math.prod(r.shape[start:end]) for r in x.runs]
        kind = b.rng.random()
        if not inferred and kind < 0.35:
            pieces.append(b.const([-1]))
            inferred = True
        elif len(set(dims)) == 1 and kind < 0.6:
            split = b.rng.choice([d for d in (1, 2, 3, 4) if dims[0] % d == 0])
            pieces.append(b.const([split, dims[0] // split]))
        elif len(pieces) == start and end == start + 1 and kind < 0.7 and all(p.runs[0].size == 1 for p in pieces):
            pieces.append(b.const([0]))
        else:
            piece = dim_vector(b, x, range(start, end))
            if piece is None:
                return None
            pieces.append(piece)
            if b.rng.random() < 0.2 and all(d % 2 == 0 for d in dims):
                pieces[-1] = (b.emit("Div", [piece, b.const([2])]) or [None])[0]
                pieces.append(b.const([2]))
        start = end
    # A size that turns out to be 0 at run time copies the input's; docs/semantics.md takes such a size at its word.
    empty = any(not r.all() for p in pieces if p.by_node for r in p.runs)
    if empty and (b.opset < 14 or inferred):
        return None
    target = b.emit("Concat", pieces, axis=0)
    # With allowzero, a 0 beside a -1 is an error, which ONNX Runtime lets pass.
    extra = {"allowzero": 1} if empty or b.opset >= 14 and not inferred and b.rng.random() < 0.2 else {}
    return target and b.emit("Reshape", [x, target[0]], **extra)


@template(weight=1)
def add_size_arithmetic(b):
    """Sizes are shifted and divided."""
    x = b.pick("i", 0, 1, dtype=np.dtype("int64"))
    return x and b.emit(b.rng.choice(["Add", "Sub", "Mul", "Div"]), [x, b.const(b.rng.choice([[1], [2], 1, 2, 3]))])


@template(weight=1)
def add_squeeze(b):
    x = b.pick("fib", 0, 5)
    if not x:
        return None
    ones = [a for a in range(x.rank) if set(x.dims(a)) == {1}]
    if ones and b.rng.random() < 0.6:
        axes = b.rng.sample(ones, b.rng.randint(1, len(ones))) if b.rng.random() < 0.8 else None
        return with_axes(b, "Squeeze", [x], axes, 13)
    return with_axes(b, "Unsqueeze", [x], [b.rng.randint(0, x.rank)], 13)


@template(weight=2)
def add_concat(b):
    x = b.pick("fib", 1, 5)
    if not x:
        return None
    axis = b.rng.randrange(x.rank)
    rest = lambda v: [r.shape[:axis] + r.shape[axis + 1 :] for r in v.runs]
    others = [b.pick("fib", x.rank, x.rank, dtype=x.dtype, where=lambda v: rest(v) == rest(x)) for _ in range(b.rng.randint(0, 2))]
    return b.emit("Concat", shuffled(b, x, *others), axis=axis - (x.rank if b.rng.random() < 0.3 else 0))


@template(weight=1.2)
def add_split(b):
    x = b.pick("fib", 1, 5)
    if not x:
        return None
    axis = b.rng.randrange(x.rank)
    dims = x.dims(axis)
    if b.opset >= 18 and b.rng.random() < 0.5:
        count = b.rng.randint(1, 3)
        if any(-(-d // count) * (count - 1) > d for d in dims):
            return None
        return b.emit("Split", [x], count, axis=axis, num_outputs=count)
    if len(set(dims)) > 1 or b.rng.random() < 0.3:
        return b.opset < 18 and all(d % 2 == 0 for d in dims) and b.emit("Split", [x], 2, axis=axis)
    first = b.rng.randint(0, dims[0])
    parts = [first, dims[0] - first]
    if b.opset < 13:
        return b.emit("Split", [x], 2, axis=axis, split=parts)
    return b.emit("Split", [x, b.const(parts)], 2, axis=axis)


@template(weight=2)
def add_slice(b):
    x = b.pick("fib", 1, 5)
    if not x:
        return None
    axes = b.rng.sample(range(x.rank), b.rng.randint(1, min(2, x.rank)))
    limits = [-9223372036854775808, -3, -2, -1, 0, 0, 1, 2, 3, 4, 9223372036854775807, 2147483647]
    starts, ends = [[b.rng.choice(limits[1:-2]) for _ in axes], [b.rng.choice(limits) for _ in axes]]
    if b.opset < 10:
        return b.emit("Slice", [x], starts=starts, ends=ends, axes=axes)
    stop = b.const(ends)
    if b.rng.random() < 0.4:
        one = lambda v: all(r.size == len(axes) for r in v.runs)
        stop = b.pick("i", 1, 1, dtype=np.dtype("int64"), where=one) or stop
    steps = [b.rng.choice([1, 1, 2, 3] + [-1, -2] * (engines.onnxruntime is not None)) for _ in axes]
    # Backwards, the reference evaluator does not clamp as the specification does.
    starts = [max(s, -1) if step < 0 else s for s, step in zip(starts, steps)]
    steps, start = b.const(steps), b.const(starts)
    return b.emit("Slice", [x, start, stop, b.const(axes), *([steps] if b.rng.random() < 0.5 else [])])


@template(weight=1, since=11)
def add_pad(b):
    x = b.pick("f", 1, 4)
    if not x:
        return None
    mode = b.rng.choice(["constant"] * 4 + ["edge", "reflect"])
    amounts = [b.rng.choice([0, 0, 1, 2] + ([-1] if mode == "constant" else [])) for _ in range(2 * x.rank)]
    fits = lambda v: small(v) and all(r.size == 2 * x.rank and r.max(initial=0) < 6 for r in v.runs)
    pads = (sizes(b, fits) if b.rng.random() < 0.3 else None) or b.const(amounts)
    return b.emit("Pad", [x, pads], mode=mode)


def indices(b, limit, shape):
    low = -limit if limit > 0 else 0
    return b.const(np.random.default_rng(b.rng.randrange(1 << 30)).integers(low, max(limit, 1), shape))


@template(weight=1.5)
def add_gather(b):
    x = b.pick("fib", 1, 5)
    if not x:
        return None
    axis = b.rng.randrange(x.rank)
    limit = min(x.dims(axis))
    fits = lambda v: all((r >= 0).all() and (r < limit).all() for r in v.runs)
    i = b.pick("i", 0, 2, dtype=np.dtype("int64"), where=fits) if b.rng.random() < 0.5 else None
    shape = b.rng.choice([(), (1,), (2,), (2, 3), (0,)]) if limit else (0,)
    return b.emit("Gather", [x, i or indices(b, limit, shape)], axis=axis)


@template(weight=0.8, since=11)
def add_gather_or_scatter_elements(b):
    x = b.pick("f", 1, 4)
    if not x:
        return None
    axis = b.rng.randrange(x.rank)
    shape = [b.rng.randint(0, min(x.dims(a))) for a in range(x.rank)]
    i = indices(b, min(x.dims(axis)), shape)
    if b.rng.random() < 0.5:
        return b.emit("GatherElements", [x, i], axis=axis)
    return b.emit("ScatterElements", [x, i, b.const(b.random_array(shape, x.dtype), x.dtype)], axis=axis)


@template(weight=0.8, since=12)
def add_gather_or_scatter_nd(b):
    x = b.pick("f", 1, 4)
    if not x:
        return None
    depth = b.rng.randint(1, x.rank)
    i = indices(b, min(min(x.dims(a)) for a in range(depth)), [b.rng.choice([0, 1, 2]), depth])
    if b.rng.random() < 0.6:
        return b.emit("GatherND", [x, i])
    updates = b.emit("GatherND", [x, i])
    return updates and b.emit("ScatterND", [x, i, updates[0]])


@template(weight=0.8, since=10)
def add_topk(b):
    x = b.pick("f", 1, 4)
    if not x:
        return None
    axis = b.rng.randrange(x.rank)
    fits = lambda v: all(r.size == 1 and 0 <= r[0] <= d for r, d in zip(v.runs, x.dims(axis)))
    k = (sizes(b, fits) if b.rng.random() < 0.6 else None) or b.const([b.rng.randint(0, min(x.dims(axis)))])
    return b.emit("TopK", [x, k], 2, axis=axis)


@template(weight=0.7, since=9)
def add_compress(b):
    x = b.pick("fib", 1, 4)
    axis = b.rng.randrange(x.rank) if x and b.rng.random() < 0.7 else None
    if not x:
        return None
    lengths = x.dims(axis) if axis is not None else [r.size for r in x.runs]
    fits = lambda v: all(r.size <= n for r, n in zip(v.runs, lengths))
    condition = b.pick("b", 1, 1, where=fits) or b.const(b.random_array([min(lengths)], bool), bool)
    return b.emit("Compress", [x, condition], **({} if axis is None else {"axis": axis}))


@template(weight=0.7, since=11, runtime=True)
def add_unique(b):
    x = b.pick("fi", 1, 3, where=lambda v: all(r.size for r in v.runs))
    if not x:
        return None
    extra = {"axis": b.rng.randrange(x.rank)} if b.rng.random() < 0.5 else {}
    return b.emit("Unique", [x], b.rng.choice([1, 2, 4]), sorted=b.rng.randint(0, 1), **extra)


@template(weight=0.8, since=11)
def add_resize(b):
    x = b.pick("f", 2, 4, dtype=np.dtype("float32"), where=lambda v: all(r.size for r in v.runs))
    if not x:
        return None
    roi = b.const([], np.float32) if b.opset < 13 else ""
    mode = b.rng.choice(["nearest", "linear"])
    extra = {"coordinate_transformation_mode": "asymmetric"}
    if b.rng.random() < 0.6:
        scales = [1.0] * (x.rank - 2) + [b.rng.choice([0.5, 1.0, 1.5, 2.0, 2.6]) for _ in range(2)]
        return b.emit("Resize", [x, roi, b.const(scales, np.float32)], mode=mode, **extra)
    target = b.emit("Shape", [b.pick("f", x.rank, x.rank, where=lambda v: all(r.size and r.shape[:-2] == s.shape[:-2] for r, s in zip(v.runs, x.runs)))])
    empty = b.const([], np.float32) if b.opset < 13 else ""
    return target and b.emit("Resize", [x, roi, empty, target[0]], mode=mode, **extra)


@template(weight=0.5, since=9, until=9)
def add_upsample(b):
    x = b.pick("f", 4, 4, dtype=np.dtype("float32"), where=lambda v: all(r.size for r in v.runs))
    return x and b.emit("Upsample", [x, b.const([1, 1, 2, b.rng.choice([1.5, 2.0, 3.0])], np.float32)], mode="nearest")


@template(weight=0.8)
def add_depth_space(b):
    block = 2
    if b.rng.random() < 0.5:
        x = b.pick("f", 4, 4, where=lambda v: all(d % block**2 == 0 for d in v.dims(1)))
        return b.emit("DepthToSpace", [x], blocksize=block)
    x = b.pick("f", 4, 4, where=lambda v: all(d % block == 0 for a in (2, 3) for d in v.dims(a)))
    return b.emit("SpaceToDepth", [x], blocksize=block)


@template(weight=0.6, since=9)
def add_one_hot(b):
    x = b.pick("i", 0, 3)
    depth = b.pick("i", 0, 0, where=lambda v: all(0 <= r < 8 for r in v.runs)) or b.const(b.rng.choice([1, 3, 5]))
    return x and b.emit("OneHot", [x, depth, b.const([0, 1], np.float32)], axis=axis_of(b, x.rank, 1) if x.rank else -1)


@template(weight=1, since=11)
def add_range(b):
    limit = b.pick("i", 0, 0, dtype=np.dtype("int64"), where=lambda v: all(-50 < r < 50 for r in v.runs))
    if not limit:
        shape = b.emit("Shape", [b.pick("fib", 1)])
        size = shape and b.emit("Gather", [shape[0], b.const(0)])
        limit = size and size[0]
    start = b.const(b.rng.choice([0, 0, 1, -2]))
    return b.emit("Range", [start, limit, b.const(b.rng.choice([1, 1, 2, 3]))])


@template(weight=0.2, since=10, runtime=True)
def add_reverse(b):
    x = b.pick("f", 2, 4)
    if not x or len(set(x.dims(1))) > 1 or min(x.dims(0)) == 0:
        return None
    return b.emit("ReverseSequence", [x, b.const([1] * x.dims(1)[0])], time_axis=0, batch_axis=1)


@template(weight=0.4, runtime=True)
def add_recurrent(b):
    x = b.pick("f", 3, 3, dtype=np.dtype("float32"), where=lambda v: all(r.size for r in v.runs))
    if not x or len(set(x.dims(2))) > 1:
        return None
    op_type, gates = b.rng.choice([("RNN", 1), ("GRU", 3), ("LSTM", 4)])
    hidden, size = b.rng.choice([1, 2, 3]), x.dims(2)[0]
    w = b.const(b.random_array([1, gates * hidden, size], np.float32), np.float32)
    r = b.const(b.random_array([1, gates * hidden, hidden], np.float32), np.float32)
    return b.emit(op_type, [x, w, r], 2, hidden_size=hidden)


@template(weight=0.3, since=10)
def add_non_max_suppression(b):
    boxes = b.pick("f", 3, 3, dtype=np.dtype("float32"), where=lambda v: set(v.dims(2)) == {4})
    scores = boxes and b.pick("f", 3, 3, dtype=boxes.dtype, where=lambda v: v.dims(0) == boxes.dims(0) and v.dims(2) == boxes.dims(1))
    return boxes and b.emit("NonMaxSuppression", [boxes, scores, b.const([3]), b.const([0.5], np.float32)])


@template(weight=0.2, since=17)
def add_window_function(b):
    size = b.pick("i", 0, 0, dtype=np.dtype("int64"), where=lambda v: all(1 <= r < 30 for r in v.runs))
    return b.emit(b.rng.choice(["HannWindow", "HammingWindow", "BlackmanWindow"]), [size])


@template(weight=0.3, since=18)
def add_center_crop_pad(b):
    x = b.pick("f", 1, 4)
    target = x and sizes(b, lambda v: small(v) and all(r.size == x.rank for r in v.runs))
    return x and b.emit("CenterCropPad", [x, target])
