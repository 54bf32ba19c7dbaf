"""The value of the dim texts that the tool writes (docs/semantics.md), and the dims of annotations."""

import functools
import re

NAME = re.compile(r"'(?:[^']|'')*'|[A-Za-z_][\w.]*")
BARE = re.compile(r"[A-Za-z_][\w.]*")


def broadcast(*sizes):
    return next((size for size in sizes if size != 1), 1)


FUNCTIONS = {"max": max, "min": min, "broadcast": broadcast}


@functools.lru_cache(maxsize=100_000)
def parsed(text):
    """(names, code) of a text that is an expression; the code reads the names as v[0], v[1], ..."""
    names = []

    def place(match):
        name = match.group(0)
        if name in FUNCTIONS and text[match.end() :].startswith("("):
            return name
        if name[0] == "'":
            name = name[1:-1].replace("''", "'")
        if name not in names:
            names.append(name)
        return f"v[{names.index(name)}]"

    return names, compile(NAME.sub(place, text), "<dim>", "eval")


def names_of(text, declared):
    """The names in a text, where `declared` are texts that are names as they stand."""
    if text in declared or BARE.fullmatch(text):
        return [text]
    return parsed(text)[0]


def value_of(text, binding):
    """The number of a dim text; None when a name of it is not bound or a divisor is 0."""
    if text in binding:
        return binding[text]
    if BARE.fullmatch(text):
        return None
    names, code = parsed(text)
    if any(name not in binding for name in names):
        return None
    try:
        return eval(code, {"__builtins__": {}, **FUNCTIONS, "v": [binding[name] for name in names]})
    except ZeroDivisionError:
        return None


def dims_of(info):
    """Dims of a ValueInfoProto: numbers, texts, or None (unknown); None when its rank is not known or it is no tensor."""
    tensor = info.type.tensor_type
    if not info.type.HasField("tensor_type") or not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.WhichOneof("value") == "dim_value" else d.dim_param or None for d in tensor.shape.dim]
