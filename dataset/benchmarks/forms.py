"""Arguments and results of modules in the form of TaskCase.call and .result_form: structure separate from tensors."""

import math

import torch

from serving import Unreadable


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
