#!/usr/bin/env python3
"""Computes every case of own operators again with PyTorch in double, from the inputs in the data set, and compares with the
results there. Knows nothing of kgtrain but docs/reference/data-format.md.

  compare_golden.py DATA.h5 FOLDER_WITH_THE_FILES

Exit status 1 if a result differs by a bit, or nothing was compared.
"""
import collections
import importlib.util
import json
import pathlib
import sys

import h5py
import torch

INPUT, GOLDEN64 = 0, 2
DTYPES = {"FLOAT32": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16, "INT8": torch.int8,
          "UINT8": torch.uint8, "INT16": torch.int16, "INT32": torch.int32, "INT64": torch.int64, "BOOL": torch.bool}


def read(path):
    """{task: cases as JSON}, {(task, case, role, index): bytes}."""
    tasks, tensors = {}, collections.defaultdict(bytes)
    with h5py.File(path) as file:
        def text(part, name, row):
            begin, end = part[name + "_offsets"][row:row + 2]
            return part[name + "_bytes"][begin:end].tobytes()

        for part in file["tasks"].values():
            for row in range(len(part["id_offsets"]) - 1):
                tasks[text(part, "id", row).decode()] = json.loads(text(part, "cases", row))
        for part in file["tensors"].values():
            for row in range(len(part["task_offsets"]) - 1):
                key = text(part, "task", row).decode(), *(int(part[name][row]) for name in ("case_index", "role", "index"))
                tensors[key] = text(part, "data", row)
    return tasks, tensors


def tensor_of(data, spec):
    dtype = DTYPES[spec["dtype"]]
    shape = [int(extent) for extent in spec.get("shape", [])]
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(dtype).reshape(shape)


def value_of(form, tensors):
    if isinstance(form, dict):
        if "tensor" in form:
            return tensors[form["tensor"]]
        several = [value_of(item, tensors) for item in form.get("list", form.get("tuple"))]
        return tuple(several) if "tuple" in form else several
    return form


def place_state(model, state, tensors):
    for name, place in state.items():
        *path, last = name.split(".")
        module = model
        for part in path:
            module = getattr(module, part)
        held = getattr(module, last)
        if isinstance(held, torch.nn.Parameter):
            held.data = tensors[place["tensor"]]
        else:
            setattr(module, last, tensors[place["tensor"]])


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [tensor for item in items if item is not None for tensor in flat(item)]


def compute(path, call, tensors):
    spec = importlib.util.spec_from_file_location("own", path)
    module = importlib.util.module_from_spec(spec)
    torch.set_default_dtype(torch.float32)
    spec.loader.exec_module(module)
    wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors]
    arguments = [value_of(form, wide) for form in call["arguments"]]
    torch.manual_seed(0)
    classes = [value for value in vars(module).values()
               if isinstance(value, type) and issubclass(value, torch.nn.Module) and value.__module__ == "own"]
    if classes:  # the last one uses the others
        init = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
        operator = classes[-1](*init).double()
        place_state(operator, call["state"], wide)
    else:
        operator = next(value for name, value in vars(module).items() if callable(value) and name != "get_inputs" and
                        getattr(value, "__module__", "") == "own")
    # What a module converts to float on its way stays in double.
    torch.set_default_dtype(torch.float64)
    torch.Tensor.float, kept = torch.Tensor.double, torch.Tensor.float
    try:
        with torch.no_grad():
            return [tensor.double() for tensor in flat(operator(*arguments))]
    finally:
        torch.Tensor.float = kept


def main():
    tasks, stored = read(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    compared = differ = 0
    for task, cases in tasks.items():
        for index, case in enumerate(cases):
            if "checked" not in case:
                continue
            inputs = [tensor_of(stored[task, index, INPUT, i], spec) for i, spec in enumerate(case["inputs"])]
            wanted = compute(folder / (task.removeprefix("own/") + ".py"), json.loads(case["call"]), inputs)
            for i, tensor in enumerate(wanted):
                golden = torch.frombuffer(bytearray(stored[task, index, GOLDEN64, i]), dtype=torch.float64)
                compared += 1
                same = torch.equal(torch.nan_to_num(golden), torch.nan_to_num(tensor.contiguous().reshape(-1)))
                if not same:
                    differ += 1
                    error = (golden - tensor.reshape(-1)).abs().max().item()
                    print(f"{task} case {index} result {i}: differs, by {error:.3g} at most")
    print(f"{len(tasks)} operators, {compared} results compared, {differ} differ")
    return 1 if differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
