#!/usr/bin/env python3
"""Descriptions of operators that `kgtrain data modules --described` writes, computed from their text alone and compared with the results
that PyTorch gave for the modules of the same graphs.

  check.py KGTRAIN [GRAPHS]

Runs with a Python that has PyTorch and h5py. Exit status 1 if a formula says something else, or too few were read.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "own_operators"))
import compare_golden
import formulas

ORDER = {"x": 0, "y": 1, "w": 2, "X": 0, "Y": 1, "W": 2, "x1": 0, "x2": 1, "x3": 2}
WORDS = re.compile(r"^[^=]+= (?:\\\w+\{[^{}]*\}|[^\s,({]+(?:\{\w\})?), ")


def prompts(path):
    import h5py
    found = {}
    with h5py.File(path) as file:
        for part in file["tasks"].values():
            def text(name, row):
                begin, end = part[name + "_offsets"][row:row + 2]
                return part[name + "_bytes"][begin:end].tobytes().decode()
            for row in range(len(part["id_offsets"]) - 1):
                found[text("id", row)] = text("prompt_short", row), text("family", row)
    return found


def read(prompt):
    """Attributes, and the lines of formulas."""
    lines = prompt.split("\n")[3:]
    given = {}
    if lines[0].startswith("Attributes "):
        for one in lines.pop(0).removeprefix("Attributes ").split(", "):
            name, value = one.split(" = ")
            try:
                given[formulas.canonical(name)] = torch.tensor(float(value), dtype=torch.float64)
            except ValueError:
                pass
    if "=" not in lines[0]:
        lines.pop(0)  # the title
    return given, "\n".join(lines)


def names_of(case, tensors, task, number):
    inputs, names = case["inputs"], {}
    for i, spec in enumerate(inputs):
        value = compare_golden.tensor_of(tensors[task, number, compare_golden.INPUT, i], spec)
        names[formulas.canonical(spec["name"])] = value.double() if value.numel() > 1 or len(inputs) == 1 else value.double().reshape(())
    return names


def with_symbols(names, inputs, text):
    """Inputs by what the formulas call them, where that is not their name: x, X, x1, in order."""
    known = dict(names)
    if "eps" in known:
        known["epsilon"] = known["eps"]
    inputs = [spec for spec in inputs if names[formulas.canonical(spec["name"])].dim() > 0] or inputs
    for symbol, place in ORDER.items():
        if symbol not in known and place < len(inputs) and (len(inputs) == 1 or re.search(rf"\b{symbol}_?\{{?i", text)):
            known[symbol] = names[formulas.canonical(inputs[place]["name"])]
    return known


def with_halves(names, given, wanted):
    """x_1 and x_2, where the result has half of the only input along an axis."""
    axis = next(i for i, (a, b) in enumerate(zip(given.shape, wanted)) if a != b)
    halves = torch.chunk(given, 2, dim=axis)
    called = [name for name, value in names.items() if value is given] + ["X"]
    return {**names, **{name + str(i + 1): half for name in called for i, half in enumerate(halves)}, "A": halves[0], "B": halves[1]}


def before(names):
    """Where results lie in place of inputs these may be called as a step earlier."""
    return {**names, **{name + "t-1": value for name, value in names.items()}}


def result_named(name, results):
    """A result in place has the name of its input, and a sign of its own."""
    plain = formulas.canonical(name)
    return next((results[plain + end] for end in ("", "out", "new", "'", "t") if plain + end in results), None)


def compute(text, names, outputs, everything, count):
    over = (lambda function, v: function(v)) if everything else (lambda function, v: function(v, dim=-1, keepdim=True))
    last = None
    results = {}
    for name, several in formulas.lines_of(text):
        if "," in name:
            continue  # "x_1, x_2 = chunk(x)"
        for formula in several:
            reader = formulas.Reader(formula, names, over, count)
            last = reader.chosen()
            if reader.peek():
                raise formulas.NotUnderstood(f"'{reader.peek()}' is left of {formula}")
        plain = formulas.canonical(re.sub(r"\\(?:text|mathrm)\{(.*)\}", r"\1", name))
        names[plain] = results[plain] = last
    if len(outputs) == 1:
        return {outputs[0]: last}
    return {name: value for name in outputs if (value := result_named(name, results)) is not None}


def is_same(made, wanted, exact):
    """exact: neither a constant given as a tensor nor the result has 16 bits."""
    if made.numel() != wanted.numel():
        made = made.expand(wanted.shape) if made.numel() == 1 else made
    scale = wanted.square().mean().sqrt() + 1e-30
    return made.numel() == wanted.numel() and \
        bool(((made.double().reshape(-1) - wanted.reshape(-1)).abs() <= (1e-4 if exact else 1e-2) * (wanted.reshape(-1).abs() + scale)).all())


def check(task, prompt, family, cases, tensors):
    given, text = read(prompt)
    if WORDS.match(text.split("\n")[0]) or WORDS.match(text.split("\n")[-1]):
        return "words"
    for number, case in enumerate(cases):
        names = {**given, **names_of(case, tensors, task, number)}
        names = with_symbols(names, case["inputs"], text)
        first = next(iter(names_of(case, tensors, task, number).values()))
        if family == "halves":
            given_half = names[formulas.canonical(case["inputs"][0]["name"])]
            names = with_halves(names, given_half, [int(extent) for extent in case["outputs"][0]["shape"]])
        names = before(names)
        everything = family == "total"
        outputs = [spec["name"] for spec in case["outputs"]]
        made = compute(text, names, outputs, everything, first.numel() if everything else first.shape[-1])
        for i, spec in enumerate(case["outputs"]):
            if spec["name"] not in made:
                continue
            golden = torch.frombuffer(bytearray(tensors[task, number, compare_golden.GOLDEN64, i]), dtype=torch.float64)
            short = [one["dtype"] in ("FLOAT16", "BFLOAT16") for one in [*case["inputs"], spec]]
            exact = not short[-1] and not any(is_short and one.get("shape") == ["1"] for is_short, one in zip(short, case["inputs"]))
            if made[spec["name"]].isinf().any() and golden.isfinite().all():
                return "overflows"  # as log(1 + exp(x)) does here, and softplus(x) does not
            if not is_same(made[spec["name"]], golden, exact):
                return f"{spec['name']} differs"
    return "same"


def main():
    kgtrain, graphs = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "150"
    found = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        data, packed = f"{folder}/described.h5", f"{folder}/packed.h5"
        options = ["--graphs", graphs, "--split", "heldout", "--seed", "5", "--descriptions", "3", "--described", "--python", sys.executable]
        subprocess.run([kgtrain, "data", "modules", "--out", data, *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([kgtrain, "data", "pack", data, "--out", packed], check=True, stdout=subprocess.DEVNULL)
        cases, tensors = compare_golden.read(packed)
        for task, (prompt, family) in prompts(packed).items():
            try:
                result = check(task, prompt, family, cases[task], tensors)
            except (formulas.NotUnderstood, RuntimeError, KeyError) as error:
                result = f"not understood: {type(error).__name__}: {error}"
            said = result in ("same", "words", "overflows")
            found[result if said else "wrong"] += 1
            if not said:
                print(f"{task}: {result}\n{prompt}\n")
    print(", ".join(f"{count} {what}" for what, count in found.items()))
    return 1 if found["wrong"] or found["same"] < int(graphs) or found["overflows"] > found["same"] / 50 else 0


if __name__ == "__main__":
    sys.exit(main())
