"""Arguments and results of modules in the form of TaskCase.call and .result_form: structure separate from tensors."""

import math
import re

import torch

from serving import Unreadable

MOST_ATTRIBUTES, MOST_ELEMENTS, MOST_CHARACTERS = 64, 256, 1024


def apart(value, tensors, lists_only=False):
    """The form of a value; its tensors are appended to `tensors`. With lists_only a tuple is a list, as the benchmark's
    comparison has it."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) and not lists_only else "list"
        return {kind: [apart(item, tensors, lists_only) for item in value]}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {"float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    raise Unreadable(f"a {type(value).__name__} is among its arguments or results")


def together(form, tensors):
    """Rebuilds the value that apart() took apart."""
    if isinstance(form, list):
        return [together(item, tensors) for item in form]
    if not isinstance(form, dict):
        return form
    if "tensor" in form:
        return tensors[form["tensor"]]
    if "float" in form:
        return float(form["float"])
    items = together(form.get("list", form.get("tuple")), tensors)
    return tuple(items) if "tuple" in form else items


def names(parameters, form):
    """A name for each tensor of a list of arguments: its parameter's, followed by its places in a list."""
    found = {}

    def look(part, name):
        if isinstance(part, dict) and "tensor" in part:
            found[part["tensor"]] = name
        elif isinstance(part, dict) and ("list" in part or "tuple" in part):
            for i, item in enumerate(part.get("list", part.get("tuple"))):
                look(item, f"{name}_{i}")

    for i, part in enumerate(form):
        look(part, parameters[i] if i < len(parameters) else f"argument_{i}")
    return [found[i] for i in range(len(found))]


def attributes(constants):
    """The constants that an operator definition can have as attributes."""
    lists = [("ListBool", (bool,)), ("ListInt", (int,)), ("ListFloat", (int, float))]

    def holds(value, kinds):
        return type(value) in kinds and (isinstance(value, int) and abs(value) < 1 << 63 or
                                         isinstance(value, float) and math.isfinite(value))

    made = []
    for name, value in constants.items():
        if isinstance(value, str):
            kind = "String" if len(value) <= MOST_CHARACTERS else None
        elif isinstance(value, (list, tuple)):
            short = 0 < len(value) <= MOST_ELEMENTS
            kind = next((kind for kind, kinds in lists if short and all(holds(one, kinds) for one in value)), None)
            if kind is None and short and all(isinstance(one, (list, tuple)) for one in value):
                inner = [number for one in value for number in one]
                kind = "ListListInt" if len(inner) <= MOST_ELEMENTS and all(holds(n, (int,)) for n in inner) else None
        else:
            kind = next((kind[len("List"):] for kind, kinds in lists if holds(value, kinds)), None)
        if kind and re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,127}", name):
            made.append({"name": name, "type": kind, "value": value, "constant": True})
    return made[:MOST_ATTRIBUTES]
