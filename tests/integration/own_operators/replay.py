#!/usr/bin/env python3
"""Computes modules once more from the operators that a prompt lists one by one, and compares with the results of the modules:
what the lines leave out, or say wrongly, shows as other numbers.

  replay.py FILE.py...

Exit status 1 if a module cannot be computed from its lines, or comes out differently. The lines are read here with Python's own
parser and handed to torch.ops; nothing of what wrote them is used.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "dataset/benchmarks/own"), str(ROOT / "dataset/benchmarks"), str(ROOT / "proto")]

import torch

import worker

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
TYPES = {"float": torch.float32, "half": torch.float16, "double": torch.float64}
MOST_BYTES = 1 << 28  # so that a case has the file's own sizes, as the prompt does
FEWEST = 0.75  # of the modules have such lines


def tensor_of(header, data):
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(getattr(torch, header["dtype"])).reshape(header["shape"])


class Replay:
    def __init__(self, inputs):
        self.values = dict(inputs)

    def line(self, text):
        names, shape, call = re.fullmatch(r"([\w, ]+?)(?: \[([\d,]*)\])? = (.*)", text).groups()
        known = {**self.values, **REDUCTIONS, **TYPES}
        call = re.sub(r"(?<=, )training(?=, )", "True", call)  # numbers follow by position
        flagged = re.sub(r"(?<=, )([a-z]\w*)(?=[,)])", lambda one: one[1] if one[1] in known else one[1] + "=True", call)
        tree = ast.parse(flagged, mode="eval").body
        made = self.call(tree, shape) if isinstance(tree, ast.Call) else self.value(tree)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        for name, value in zip(names.split(", "), made):
            if shape is not None and len(names.split(", ")) == 1:
                assert ",".join(map(str, value.shape)) == shape, f"{text}: has shape {list(value.shape)}"
            self.values[name] = value

    def value(self, node):
        if isinstance(node, ast.Name):
            known = {**REDUCTIONS, **TYPES, "inf": float("inf"), **self.values}
            return known[node.id] if node.id in known else getattr(torch, node.id)
        if isinstance(node, ast.UnaryOp):
            return -self.value(node.operand)
        if isinstance(node, ast.List):
            return [self.value(one) for one in node.elts]
        return ast.literal_eval(node)

    def call(self, tree, shape):
        name, named = tree.func.id, {one.arg: ast.unparse(one.value) if one.arg == "approximate" else self.value(one.value)
                                     for one in tree.keywords}
        given = [self.value(one) for one in tree.args]
        if name in ("view", "expand"):
            return getattr(given[0], "reshape" if name == "view" else name)([int(one) for one in shape.split(",") if one])
        if name in ("flip", "permute"):
            return getattr(given[0], name)(given[1])
        if name == "to_copy":
            return given[0].to(named["dtype"])
        if name == "prelu":
            return torch.ops.aten._prelu_kernel(*given)
        if name == "batch_norm":
            return torch.batch_norm(*given, False) if len(given) == 8 else torch.batch_norm(*given[:5], False, *given[5:], False)
        if name == "group_norm":
            return torch.native_group_norm(*given)
        if name == "vector_norm":
            return torch.linalg.vector_norm(*given, **named)
        if name == "binary_cross_entropy_with_logits":
            return torch.ops.aten.binary_cross_entropy_with_logits(*given[:-1], reduction=given[-1])
        if name in ("add", "sub", "mul", "div") and not isinstance(given[0], torch.Tensor):
            given[0] = torch.tensor(given[0])
        return getattr(torch.ops.aten, name)(*given, **named)


def compare(path):
    """What is wrong, None: nothing; and whether the module has lines."""
    sent = {}
    worker.send = lambda header, data=b"": sent.setdefault((header["case"], header["role"], header["index"]), tensor_of(header, data))
    found = worker.Worker(str(path)).do_operator(shapes=[], dtype="", operator="", evaluation=False, most_bytes=MOST_BYTES,
                                                 ub_bytes=192 << 10, seed=1, seconds=60)
    if "refused" in found:
        return f"refused: {found['refused']}", False
    lines = re.search(r"\nPyTorch's operators, one by one:\n```\n(.*)\n```$", found["prompt_short"], re.DOTALL)
    if lines is None:
        return None, False
    for number, case in enumerate(found["cases"]):
        replay = Replay({one["name"]: sent[number, "input", i] for i, one in enumerate(case["inputs"])})
        for text in lines[1].split("\n"):
            replay.line(text)
        for i, one in enumerate(case["outputs"]):
            golden, made = sent[number, "golden64", i], replay.values[one["name"]].double()
            error = (made - golden).norm() / golden.norm().clamp_min(1e-30)
            if made.shape != golden.shape or not error < (1e-3 if one["dtype"] == "float32" else 1e-2):
                return f"case {number}, {one['name']}: {list(made.shape)}, {list(golden.shape)}, error {error:.3g}", True
    return None, True


def main():
    files, wrong, with_lines = [pathlib.Path(one).absolute() for one in sys.argv[1:]], 0, 0  # a module's folder becomes the current one
    for file in files:
        try:
            why, listed = compare(file)
        except Exception as error:
            why, listed = f"{type(error).__name__}: {error}", True
        with_lines += listed
        if why:
            wrong += 1
            print(f"{file.name}: {why}")
    print(f"{with_lines} of {len(files)} modules are told one by one; {wrong} wrong")
    return wrong > 0 or with_lines < FEWEST * len(files)


if __name__ == "__main__":
    sys.exit(main())
