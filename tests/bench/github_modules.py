#!/usr/bin/env python3
"""Modules as people publish them: takes them from a checkout of github.com/jansel/pytorch-jit-paritybench, which collected modules of
PyTorch from some 1,500 repositories with inputs to call them. Each becomes a file that `kgtrain solve FILE` takes.

  github_modules.py CHECKOUT OUT FIRST END

The modules are put in an order of chance (seed 1), and those from place FIRST to END are written, if they need nothing but PyTorch and numpy,
give tensors, the same ones twice, and take 1 to 40 operators in torch.export. The counts of the others are printed. The repositories
have licences of their own; nothing of them is kept here.
"""
import ast
import builtins
import collections
import copy
import multiprocessing
import pathlib
import random
import signal
import sys
import warnings

HEADER = """import math
import copy
from collections import OrderedDict
from typing import *

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Variable
from torch.nn import Module, Parameter, init
"""
TYPES = set("Optional List Tuple Dict Any Union Callable Sequence Iterable Type".split())
KNOWN = set(dir(builtins)) | TYPES | set("math copy OrderedDict np torch nn F Tensor Variable Module Parameter init functional".split())
FIXED = ("torch", "nn", "F", "math", "np")
MOST_TEXT, MOST_PARAMETERS, MOST_OPERATORS, SECONDS = 6000, 2_000_000, 40, 20


def names_used(node):
    """Names that a definition takes from around it."""
    nodes = list(ast.walk(node))
    own = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
    for one in nodes:
        if isinstance(one, ast.arguments):
            several = one.args + one.kwonlyargs + one.posonlyargs + [part for part in (one.vararg, one.kwarg) if part]
            own |= {argument.arg for argument in several}
        elif isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one is not node:
            own.add(one.name)
        elif isinstance(one, ast.ExceptHandler) and one.name:
            own.add(one.name)
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            own |= {(alias.asname or alias.name).split(".")[0] for alias in one.names}
    return {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)} - own


def definitions_of(tree):
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, node)
    return found


def needed(name, definitions):
    """The definitions that one needs; None: it needs something else."""
    wanted, todo = set(), [name]
    while todo:
        one = todo.pop()
        if one in wanted:
            continue
        wanted.add(one)
        for used in names_used(definitions[one]) - wanted:
            if used in definitions and used not in FIXED:
                todo.append(used)
            elif used not in KNOWN:
                return None
    return wanted


def by_place(constructor, call):
    """The constructor's arguments, all by their places; None: that cannot be said."""
    given = [ast.unparse(one) for one in call.elts[0].elts]
    named = {key.value: ast.unparse(value) for key, value in zip(call.elts[1].keys, call.elts[1].values)}
    if not named:
        return given
    if constructor is None:
        return None
    parameters, defaults = [one.arg for one in constructor.args.args][1:], constructor.args.defaults
    for place in range(len(given), len(parameters)):
        if not named:
            break
        otherwise = place - (len(parameters) - len(defaults))
        if parameters[place] not in named and otherwise < 0:
            return None
        given.append(named.pop(parameters[place]) if parameters[place] in named else ast.unparse(defaults[otherwise]))
    return None if named else given


def modules_of(path):
    """(class, text) of each case of a file; none of one that Python cannot read."""
    try:
        tree = ast.parse(path.read_text())
    except SyntaxError:
        return
    definitions = definitions_of(tree)
    for case in definitions["TESTCASES"].value.elts if "TESTCASES" in definitions else []:
        name, constructing, calling = case.elts[0].id, case.elts[1].body, case.elts[2].body
        if not isinstance(definitions.get(name), ast.ClassDef) or "_mock" in ast.unparse(case) or calling.elts[1].keys:
            continue
        wanted = needed(name, definitions)
        if wanted is None:
            continue
        parts = [node for node in tree.body if any(definitions[one] is node for one in wanted)]
        constructor = next((node for node in definitions[name].body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)
        given = by_place(constructor, constructing)
        text = HEADER + "\n\n" + "\n\n\n".join(ast.unparse(node) for node in parts)
        if given is None or len(text) > MOST_TEXT:
            continue
        inputs = ", ".join(ast.unparse(one) for one in calling.elts[0].elts)
        yield name, text + (f"\n\n\ndef get_inputs():\n    return [{inputs}]\n\n\n"
                            f"def get_init_inputs():\n    return [{', '.join(given)}]\n")


def why_not(job):
    """What keeps a module from being taken; else it is written: "taken"."""
    name, text, file = job
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    signal.alarm(SECONDS)
    try:
        scope = {}
        exec(compile(text, "module", "exec"), scope)
        torch.manual_seed(0)
        module, inputs = scope[name](*scope["get_init_inputs"]()).eval(), scope["get_inputs"]()
        if sum(one.numel() for one in module.parameters()) > MOST_PARAMETERS:
            return "many parameters"
        if not all(isinstance(one, torch.Tensor) for one in inputs):
            return "other inputs than tensors"
        with torch.no_grad():
            results = [module(*copy.deepcopy(inputs)) for _ in range(2)]
        results = [list(one) if isinstance(one, (tuple, list)) else [one] for one in results]
        if not results[0] or not all(isinstance(one, torch.Tensor) for one in results[0]):
            return "other results than tensors"
        if not all(torch.equal(*both) for both in zip(*results)):
            return "random"
        if any(one.is_complex() or one.numel() == 0 for one in results[0]):
            return "complex or empty results"
        graph = torch.export.export(module, tuple(inputs), strict=False).graph
        operators = sum(node.op == "call_function" for node in graph.nodes)
        if operators == 0 or operators > MOST_OPERATORS:
            return "no operators" if operators == 0 else "many operators"
    except BaseException as error:
        return type(error).__name__
    file.write_text(text)
    return "taken"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    checkout, out, (first, end) = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), map(int, sys.argv[3:])
    out.mkdir(parents=True, exist_ok=True)
    jobs, seen = [], set()
    for path in sorted((checkout / "generated").glob("test_*.py")):
        for name, text in modules_of(path):
            if text not in seen:
                seen.add(text)
                jobs.append((name, text, out / f"{path.stem[5:]}__{name}.py"))
    random.seed(1)
    random.shuffle(jobs)
    with multiprocessing.Pool(1, maxtasksperchild=20) as pool:
        counts = collections.Counter(pool.imap_unordered(why_not, jobs[first:end]))
    print(f"{len(jobs)} modules; of places {first} to {end}: {dict(counts.most_common())}")


if __name__ == "__main__":
    main()
