"""ONNX Runtime and the reference evaluator, as the oracle tests use them."""

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.ops import op_loop, op_max_pool, op_unique

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

# What ONNX Runtime says of an operator or a type that it has no kernel for; anything else is said of a node that is wrong.
NO_KERNEL = ("NOT_IMPLEMENTED", "Could not find an implementation", "is not a registered function/op", "under development")


class Loop(op_loop.Loop):
    """The reference evaluator's Loop, but stacking what it scans along a new axis: onnx's own does so only for vectors. And a
    condition that is left out is true."""

    op_domain = ""

    def __init__(self, node, parameters):
        super().__init__(node, parameters)
        self.run_once, self._run_body = self._run_body, self._run_and_extend

    def _run_and_extend(self, *args, **kwargs):
        outputs = list(self.run_once(*args, **kwargs))
        first = len(outputs) - self.K
        self.scalars = [k for k in range(self.K) if np.ndim(outputs[first + k]) == 0]
        for k in range(first, len(outputs)):
            outputs[k] = np.asarray(outputs[k])[None]
        return outputs

    def _run(self, trips, going, *args, **kwargs):
        self.scalars = []
        outputs = list(super()._run(trips, np.array(True) if going is None else going, *args, **kwargs))
        for k in self.scalars:
            outputs[self.N + k] = outputs[self.N + k].reshape(-1)
        return tuple(outputs)


class MaxPool(op_max_pool.MaxPool):
    """The reference evaluator's MaxPool, but windows that move by 1 are handled as others are: onnx's own takes pads for those in another
    order than the specification's, or only the first ones. And SAME_LOWER gives as many windows as SAME_UPPER."""

    op_domain = ""

    def _run(self, x, auto_pad=None, **attributes):
        return self._max_pool(x, auto_pad="SAME_UPPER" if auto_pad == "SAME_LOWER" else auto_pad, **attributes)


class Unique(op_unique.Unique):
    """The reference evaluator's Unique, but unsorted values are taken along the axis, or from the elements in a row: onnx's own takes
    them along axis 0 of the input."""

    op_domain = ""

    def _run(self, x, axis=None, sorted=None):
        results = super()._run(x, axis=axis, sorted=sorted)
        if len(results) == 1 or sorted:
            return results
        values = np.take(x.reshape(-1), results[1]) if axis is None else np.take(x, results[1], axis=axis)
        return (values, *results[1:])


class Evaluator(ReferenceEvaluator):
    """With the operators above, in functions too."""

    def __init__(self, *args, new_ops=(), **options):
        super().__init__(*args, new_ops=[*(new_ops or ()), Loop, MaxPool, Unique], **options)


def run_reference(model, feeds):
    """The outputs by name for each feed; None when it cannot run them all."""
    try:
        session = Evaluator(model)
        names = [o.name for o in model.graph.output]
        return [dict(zip(names, session.run(names, feed))) for feed in feeds]
    except Exception:  # whatever it says of a model that it cannot run
        return None


def run_onnxruntime(model, feeds):
    """(outputs by name for each feed, '') or (None, why it does not run)."""
    if onnxruntime is None:
        return None, NO_KERNEL[0]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        names = [o.name for o in session.get_outputs()]
        return [dict(zip(names, session.run(None, feed))) for feed in feeds], ""
    except Exception as error:  # as above
        return None, str(error)


def run(model, feeds):
    """(outputs by name for each feed, engine) or (None, 'none'); the reference evaluator runs what the runtime has no kernel for."""
    results, why = run_onnxruntime(model, feeds)
    if results is not None:
        return results, "onnxruntime"
    if not any(text in why for text in NO_KERNEL):
        return None, "none"
    results = run_reference(model, feeds)
    return results, "reference" if results is not None else "none"


def exposed(model):
    """The model with all values of its top graph as outputs."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.output[:]
    result.graph.output.extend(onnx.ValueInfoProto(name=o) for n in result.graph.node for o in n.output if o)
    return result


def annotation_error(model, feeds):
    """What is false in a model as the reference evaluator sees it; '' when nothing, None when it does not run."""
    for feed in feeds:
        try:
            Evaluator(model, check_shape_annotations=True).run(None, feed)
        except Exception as error:  # as above
            return str(error) if type(error).__name__ == "ShapeAnnotationError" else None
    return ""
