"""The models of a conformance folder: models/NAME.onnx (or .onnx.xz), inputs/NAME.0.npz, truth/NAME.0.json."""

import json
import lzma
import os
import pathlib

import numpy as np


def models(root, folder, only=""):
    """(name, path) of each model; what is packed is unpacked into `folder` while it is looked at."""
    for path in sorted(pathlib.Path(root).glob("models/*.onnx*")):
        name = path.name.removesuffix(".xz").removesuffix(".onnx")
        if only not in name:
            continue
        if path.suffix != ".xz":
            yield name, str(path)
            continue
        unpacked = os.path.join(folder, f"{name}.in.onnx")
        with open(unpacked, "wb") as file:
            file.write(lzma.decompress(path.read_bytes()))
        yield name, unpacked
        os.remove(unpacked)


def feeds(root, name, model):
    """The recorded inputs of a model, a dict for each run."""
    wanted = {i.name for i in model.graph.input}
    result = []
    for path in sorted(pathlib.Path(root).glob(f"inputs/{name}.?.npz")):
        with np.load(path, allow_pickle=False) as arrays:
            # Strings are objects to the reference evaluator.
            result.append({k: arrays[k].astype(object) if arrays[k].dtype.kind == "U" else arrays[k] for k in arrays.files if k in wanted})
    return result


def truths(root, name):
    """The true shapes of the values of each run, by name."""
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(root).glob(f"truth/{name}.?.json"))]
