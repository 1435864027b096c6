"""Executes PyTorch modules that the generator wrote and says which are wrong; started by `kgtrain data modules`.

Frames in and out: docs/design/python-pipes.md. A request has the graph's inputs and outputs (shapes at which it is run) and texts;
the answer is the inputs of two cases with their fp64 results, and what is wrong with each text.
"""

import os
import sys
import warnings

import json_frame

REQUESTS, ANSWERS = os.dup(0), os.dup(1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)

import torch

import traced

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
DTYPES = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "bool": torch.bool, "int64": torch.int64}
NAMES = {torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.bool: "bool",
         torch.int64: "int64", torch.float64: "float64"}
RELATIVE = {"float": 2.0**-14, "half": 1e-3, "bfloat16": 8e-3}
FLOOR = {"float": 1e-5, "half": 1e-3, "bfloat16": 8e-3}  # times the root mean square
AGREE = 1e-6  # of two spellings in fp64; a number such as 0.1 may pass through float32
CASES = 2


class Wrong(Exception):
    pass


def drawn(spec, generator, wide):
    """Numbers of an input; the second case's are uneven, so that a mean or a copy does not pass."""
    shape, kind = spec["shape"], spec["draw"]
    rand = lambda: torch.rand(shape, generator=generator, dtype=torch.float64)
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    if wide and shape:
        rows = [shape[0]] + [1] * (len(shape) - 1)
        normal = normal * (0.5 + torch.rand(rows, generator=generator, dtype=torch.float64)) + \
            (torch.rand(rows, generator=generator, dtype=torch.float64) - 0.5)
    if spec["parameter"]:
        numbers = 0.5 + rand()
    elif kind == "index":
        return torch.randint(0, spec["below"], shape, generator=generator)
    elif kind == "mask":
        return rand() > 0.5
    elif kind == "sign":
        numbers = (rand() > 0.5).double() * 2 - 1
    elif kind == "positive":
        numbers = 0.1 + 2 * rand()
    elif kind == "unit":
        numbers = 0.02 + 0.96 * rand()
    elif kind == "whole":
        return torch.randint(-3, 4, shape, generator=generator).to(DTYPES[spec["dtype"]])
    elif kind == "wild":
        chosen = rand()
        numbers = torch.where(chosen < 0.1, torch.inf, torch.where(chosen < 0.2, -torch.inf, torch.where(chosen < 0.3, torch.nan, normal)))
    elif kind == "prob":
        numbers = torch.softmax(normal, -1)
    else:
        numbers = normal
    return numbers.to(DTYPES[spec["dtype"]])


def instance(text):
    """The operator that a text defines, and its example inputs."""
    space = {"__name__": "surface"}
    exec(compile(text, "surface", "exec"), space)
    if "Model" in space:
        given = space["get_init_inputs"]() if "get_init_inputs" in space else []
        return space["Model"](*given), space["get_inputs"]()
    functions = [value for name, value in space.items() if callable(value) and getattr(value, "__module__", "") == "surface"
                 and name not in ("get_inputs", "get_init_inputs")]
    return functions[0], space["get_inputs"]()


def check_examples(examples, specs):
    wanted = [(list(spec["shape"]), DTYPES[spec["dtype"]]) for spec in specs if not spec["parameter"]]
    found = [(list(one.shape), one.dtype) for one in examples]
    if found != wanted:
        raise Wrong(f"get_inputs gives {found}, wanted {wanted}")


def results(operator, inputs, specs, held, dtype):
    if isinstance(operator, torch.nn.Module):
        operator = operator.to(dtype) if dtype.is_floating_point else operator
        for path, index in held.items():
            operator.get_parameter(path).data = inputs[index].to(dtype)
    given = [one.to(dtype) if one.is_floating_point() else one for one, spec in zip(inputs, specs) if not spec["parameter"]]
    with torch.no_grad():
        made = operator(*given)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def run_one(surface, request, cases):
    operator, examples = instance(surface["text"])
    check_examples(examples, request["inputs"])
    made = []
    for inputs in cases:
        values = results(operator, inputs, request["inputs"], surface["held"], torch.float64)
        shapes = [list(one.shape) for one in values]
        if shapes != request["outputs"]:
            raise Wrong(f"gives {shapes}, wanted {request['outputs']}")
        values = [one.double() for one in values]
        if not all(bool(one.isfinite().all()) for one in values):
            raise Wrong("gives numbers that are not finite")
        made.append(values)
    return made


def steps_of(surface, request):
    """The operators of a surface at its full size, one by one."""
    with torch.device("meta"), torch.no_grad():
        operator, examples = instance(surface["full"])
        given = iter(examples)
        paths = {index: path for path, index in surface["held"].items()}
        named = [(name, operator.get_parameter(paths[index]) if spec["parameter"] else next(given))
                 for index, (name, spec) in enumerate(zip(surface["names"], request["inputs"]))]
        return traced.lines_of(lambda: operator(*examples), named, request["results"])


def steps_or_none(surface, request, wrong):
    try:
        return [] if wrong else steps_of(surface, request)
    except Exception as error:
        print(f"not traced:  {type(error).__name__}: {error}", file=sys.stderr)
        return []


def same(one, other):
    for a, b in zip(one, other):
        for x, y in zip(a, b):
            scale = y.square().mean().sqrt().item() + 1e-30
            if bool(((x - y).abs() > AGREE * (y.abs() + scale)).any()):
                return False
    return True


def dull(case_inputs, values):
    """A constant or an input itself would pass."""
    for value in values:
        if value.numel() > 1 and bool((value - value.mean()).abs().max() <= 1e-3 * value.abs().max()):
            return True
        if any(one.shape == value.shape and one.is_floating_point() and torch.allclose(one.double(), value, rtol=1e-3, atol=1e-5)
               for one in case_inputs):
            return True
    return False


def bound(request, surface, inputs, values):
    """Absolute bounds: four times PyTorch's own error in float."""
    dtype = request["coarsest"]
    exact = request["dtype"] == "float"
    own = results(instance(surface["text"])[0], inputs, request["inputs"], surface["held"], torch.float32) if exact else values
    made = []
    for mine, value in zip(own, values):
        size = value.square().mean().sqrt().item()
        error = (mine.double() - value).abs()
        beyond = error[error > RELATIVE[dtype] / 4 * value.abs()]
        lost = 4 * beyond.max().item() if beyond.numel() else 0.0
        if lost > 200 * FLOOR[dtype] * size:
            raise Wrong("numbers cancel")
        made.append(max(lost, FLOOR[dtype] * size))
    return made


def run(request):
    generator = torch.Generator().manual_seed(request["seed"])
    cases = [[drawn(spec, generator, wide) for spec in request["inputs"]] for wide in range(CASES)]
    surfaces, wrong, made = request["surfaces"], [], []
    for surface in surfaces:
        try:
            made.append(run_one(surface, request, cases))
            wrong.append("")
        except Exception as error:
            made.append(None)
            wrong.append(f"{type(error).__name__}: {error}"[:300])
    # The largest group of equal results is right.
    groups = []
    for i, values in enumerate(made):
        if values is None:
            continue
        group = next((group for group in groups if same(values, made[group[0]])), None)
        groups.append([i]) if group is None else group.append(i)
    if not groups:
        return wrong
    right = max(groups, key=len)
    for group in groups:
        for i in group if group is not right else []:
            wrong[i] = "gives other numbers than most surfaces"
    first = right[0]
    if any(dull(inputs, values) for inputs, values in zip(cases, made[first])):
        return ["dull"] * len(wrong)
    try:
        bounds = [bound(request, surfaces[first], inputs, values) for inputs, values in zip(cases, made[first])]
    except Exception as error:
        return [str(error)] * len(wrong)
    for number, (inputs, values) in enumerate(zip(cases, made[first])):
        for one in inputs:
            send(number, "input", one)
        for one, absolute in zip(values, bounds[number]):
            send(number, "golden", one, absolute)
    return wrong


def send(number, role, tensor, absolute=0.0):
    tensor = tensor.contiguous()
    data = bytes(tensor.view(torch.uint8).numpy()) if tensor.dim() else bytes(tensor.reshape(1).view(torch.uint8).numpy())
    json_frame.write(ANSWERS, {"case": number, "role": role, "dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "absolute": absolute}, data)


def main():
    while frame := json_frame.read(REQUESTS):
        request = frame[0]
        wrong = run(request)
        json_frame.write(ANSWERS, {"done": True, "wrong": wrong, "steps": [steps_or_none(surface, request, why) for surface, why in
                                                                           zip(request["surfaces"], wrong)]})


if __name__ == "__main__":
    sys.exit(main())
