"""The results of the two benchmarks' tasks, as numbers: for `kgtrain data meaning`.

    probes.py --multikernelbench DIR --npukernelbench DIR --out probes.jsonl

Each reference is executed at small sizes on three draws, with signed numbers far beyond [0, 1), so that a relu is not the
identity. A line is a task with a draw: {"task", "draw", "inputs": [{"dtype", "shape", "values"}], "outputs": [...]}.
Inputs are the tensors that a kernel gets: the arguments, and those that the module is constructed with; as rows of their own
(#...w) also its weights, if it has others. Only references are read, never an answer.
"""

import argparse
import ast
import csv
import json
import pathlib
import sys
import types
import warnings

import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
DRAWS = 3
CATEGORIES = ("activation", "loss", "math", "normalization", "optimizer", "pooling", "reduce")
LARGEST = 130000  # elements of a tensor
SMALL = ([8, 16, 24, 32, 40], [12, 9, 14, 21, 27])  # multiples of eight stay multiples of eight


class Smaller(ast.NodeTransformer):
    """Large whole numbers become small ones, equal ones equal."""

    def __init__(self):
        self.given, self.used = {}, [0, 0]

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int) or value < 16:
            return node
        if value not in self.given:
            kind = 0 if value % 8 == 0 else 1
            self.given[value] = min(SMALL[kind][self.used[kind] % 5], value)
            self.used[kind] += 1
        return ast.copy_location(ast.Constant(self.given[value]), node)


def stubs():
    for name in ("torch_npu", "torch_npu.contrib", "kernel_gen_ops"):
        module = types.ModuleType(name)
        module.transfer_to_npu = None
        module.__getattr__ = lambda attribute: None
        sys.modules.setdefault(name, module)


def redrawn(value, generator, positive):
    """Replaces a floating tensor by numbers of wide range."""
    if isinstance(value, (list, tuple)):
        return type(value)(redrawn(one, generator, positive) for one in value)
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    numbers = torch.randn(value.shape, generator=generator, dtype=torch.float64) * 2
    numbers = numbers.abs() * 0.4 + 0.05 if positive else numbers
    return numbers.to(value.dtype)


def tensors_of(value, found):
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            tensors_of(one, found)
    return found


def widened(value):
    if isinstance(value, (list, tuple)):
        return type(value)(widened(one) for one in value)
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def described(tensor):
    kind = {torch.float64: "float", torch.float32: "float", torch.float16: "float", torch.bfloat16: "float", torch.bool: "bool",
            torch.int64: "int64", torch.int32: "int32"}.get(tensor.dtype)
    if kind is None or tensor.is_complex() or tensor.numel() > LARGEST or tensor.numel() == 0:
        raise ValueError(f"a tensor of {tensor.dtype}, {list(tensor.shape)}")
    return {"dtype": kind, "shape": list(tensor.shape), "values": tensor.double().flatten().tolist()}


def state_of(module, given):
    """Floating weights and buffers that are not among the given tensors."""
    state = [*module.parameters(), *module.buffers()] if isinstance(module, torch.nn.Module) else []
    same = lambda one, other: one.shape == other.shape and torch.equal(one.double(), other.double())
    return [one.data for one in state if one.is_floating_point() and not any(same(one.data, other) for other in given)]


def lines(task, construct, arguments_of, with_state):
    """construct(arguments) gives the module, arguments_of() what it is constructed with and called with."""
    made = []
    for draw in range(DRAWS):
        for positive in (False, True) if draw < 2 else (True,):
            torch.manual_seed(draw)
            given, arguments = arguments_of()
            generator = torch.Generator().manual_seed(100 * draw + positive)
            given, arguments = redrawn(list(given), generator, positive), redrawn(list(arguments), generator, positive)
            held = tensors_of(given, [])
            module = construct(*widened(given))
            if isinstance(module, torch.nn.Module):
                module = module.double()
            state = state_of(module, held) if with_state else []
            if with_state and not state:
                return made
            for one in state:
                one.copy_(redrawn(one, generator, positive))
            with torch.no_grad():
                results = module(*widened(arguments))
            inputs, outputs = tensors_of(arguments, []) + held + state, tensors_of(results, [])
            if all(bool(one.double().isfinite().all()) for one in outputs):
                made.append({"task": task, "draw": draw, "inputs": [described(one) for one in inputs],
                             "outputs": [described(one) for one in outputs]})
                break
    if len(made) < DRAWS:
        raise ValueError("its results are not finite")
    return made


def multikernelbench(root):
    for category in CATEGORIES:
        for path in sorted((root / "reference" / category).glob("*.py")):
            tree = Smaller().visit(ast.parse(path.read_text()))
            space = {"__name__": "reference"}
            exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), space)
            yield f"multikernelbench/{category}/{path.stem}", lambda *given: space["Model"](*given), \
                lambda: (space["get_init_inputs"](), space["get_inputs"]())


def smaller_row(row):
    made, smaller = {}, Smaller()  # equal sizes of a row stay equal
    for key, text in row.items():
        try:
            value = ast.parse(text, mode="eval")
            shaped = isinstance(value.body, (ast.List, ast.Tuple))
            made[key] = ast.unparse(smaller.visit(value)) if shaped else text
        except (SyntaxError, TypeError, ValueError):
            made[key] = text
    return made


def typed(row):
    """Reads a value like pandas: numbers become numbers."""
    made = {}
    for key, text in row.items():
        try:
            value = ast.literal_eval(text)
            made[key] = value if isinstance(value, (int, float, bool)) else text
        except (SyntaxError, ValueError):
            made[key] = text
    return made


def npukernelbench(root):
    for folder in sorted(root.glob("tasks/level*/*/*/validation")):
        space, prepare = {"__name__": "reference"}, {"__name__": "prepare"}
        name = "npukernelbench/" + "/".join(folder.parts[-4:-1])
        try:
            exec(compile((folder / "module.py").read_text(), str(folder), "exec"), space)
            if "get_init_inputs" in space:
                prepare = space
            else:
                exec(compile((folder / "prepare_inputs.py").read_text(), str(folder), "exec"), prepare)
            with open(folder / "test_cases.csv") as file:
                rows = list(csv.DictReader(file, delimiter=";"))
        except Exception as error:
            yield name, error, None
            continue
        for number, change in ((0, True), (0, False), (min(1, len(rows) - 1), True)):
            row = typed(smaller_row(rows[number]) if change else dict(rows[number]))
            yield f"{name}#{number}{'s' if change else ''}", lambda *given: space["Model"](*given), \
                lambda: (prepare["get_init_inputs"](row), prepare["get_inputs"](row))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--multikernelbench", type=pathlib.Path)
    parser.add_argument("--npukernelbench", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    stubs()
    sys.path.append(str(arguments.npukernelbench))  # its tasks import its framework
    sys.argv = sys.argv[:1]  # its framework reads them
    found, failed = set(), {}
    with open(arguments.out, "w") as out:
        for suite, root in ((multikernelbench, arguments.multikernelbench), (npukernelbench, arguments.npukernelbench)):
            for name, construct, arguments_of in suite(root) if root else ():
                task = name.split("#")[0]
                for with_state in (False, True):
                    try:
                        if isinstance(construct, Exception):
                            raise construct
                        row = name + ("w" if "#" in name else "#w") if with_state else name
                        for line in lines(row, construct, arguments_of, with_state):
                            out.write(json.dumps(line) + "\n")
                            found.add(task)
                    except Exception as error:
                        failed.setdefault(task, f"{type(error).__name__}: {error}"[:160])
    for task, why in failed.items():
        if task not in found:
            print(f"not probed: {task}: {why}")
    print(f"{len(found)} tasks probed, {len(set(failed) - found)} not")


if __name__ == "__main__":
    main()
