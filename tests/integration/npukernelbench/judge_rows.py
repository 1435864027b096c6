#!/usr/bin/env python3
"""Judges our kernels against the rows of NPUKernelBench, with inputs, expected values and checkers from its validation/ folders.

usage: judge_rows.py CHECKOUT BUILD [--mode kernel|project] [--most ELEMENTS] [--rows N,M] [TASK ...]

CHECKOUT holds tasks/ and framework/ of the benchmark, BUILD bin/kgtrain-sandbox and bin/npukernelbench_execute. Needs torch, numpy
and pandas. Rows with more input elements than --most are skipped, and said to be. Exit status 1 if a row fails.
"""

import argparse
import base64
import collections
import copy
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy as np
import pandas as pd
import torch

HERE = pathlib.Path(__file__).resolve().parent
# torch type: C type of a kernel, name in a request
TYPES = {
    torch.float16: ("half", "FLOAT16"), torch.bfloat16: ("bfloat16_t", "BFLOAT16"), torch.float32: ("float", "FLOAT32"),
    torch.int8: ("int8_t", "INT8"), torch.uint8: ("uint8_t", "UINT8"), torch.int16: ("int16_t", "INT16"),
    torch.int32: ("int32_t", "INT32"), torch.int64: ("int64_t", "INT64"), torch.bool: ("int8_t", "BOOL"),
    torch.complex64: ("float", "COMPLEX64"),
}


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stub_packages(checkout):
    """What the benchmark's modules import on a machine with an NPU; its own utilities without its configuration."""
    for name in ("torch_npu", "torch_npu.contrib", "torch_npu.contrib.transfer_to_npu", "kernel_gen_ops", "framework"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["torch_npu"].contrib = sys.modules["torch_npu.contrib"]
    sys.modules["torch_npu.contrib"].transfer_to_npu = sys.modules["torch_npu.contrib.transfer_to_npu"]
    utilities = types.ModuleType("framework.utils")
    text = (checkout / "framework/utils.py").read_text().replace("from framework.kernel_gen_config import config", "")
    exec(compile(text, "framework/utils.py", "exec"), utilities.__dict__)
    sys.modules["framework.utils"] = utilities
    return utilities


def is_list(value):
    return isinstance(value, (list, tuple)) and len(value) > 0 and isinstance(value[0], torch.Tensor)


def bytes_of(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.numpy().tobytes()


def tensor_of(data, shape, dtype):
    data = bytearray(data)
    if dtype == torch.bfloat16:
        return torch.frombuffer(data, dtype=torch.int16).view(dtype).reshape(shape)
    if dtype == torch.bool:
        return torch.frombuffer(data, dtype=torch.int8).reshape(shape) != 0
    if dtype == torch.complex64:
        return torch.view_as_complex(torch.frombuffer(data, dtype=torch.float32).reshape(list(shape) + [2]))
    return torch.frombuffer(data, dtype=dtype).reshape(shape)


class Case:
    """What a kernel gets and leaves: `inputs` as the kernel's parameters, `outputs` as (shape, type), `compared` their places in the
    expected values, `attributes` by name, and `in_place` if the only output is the first input."""

    def __init__(self, inputs, outputs, compared=None, attributes=None, in_place=False):
        self.inputs, self.outputs, self.in_place = inputs, outputs, in_place
        self.compared = list(range(len(outputs))) if compared is None else compared
        self.attributes = attributes or {}


def like(tensors, dtype=None):
    return [(list(t.shape), dtype or t.dtype) for t in tensors]


def row_means(x, count):
    return [(list(x.shape[:-1]) + [1], torch.float32)] * count


def layer_norm(inputs, init, expected):
    absent = torch.zeros(1, dtype=inputs[0].dtype)
    parameters = [absent if p is None else p for p in init[1:3]]
    shape = torch.tensor(init[0], dtype=torch.int32)
    return Case([inputs[0], shape] + parameters, like(inputs) + like(expected[1:], torch.float32))


# How a task's Python arguments become parameters, where it is not simply its tensors in order: (inputs, init, expected) to Case.
FORMS = collections.defaultdict(
    lambda: lambda i, n, e: Case([t for t in i if isinstance(t, torch.Tensor) or is_list(t)],
                                 like(e, i[0][0].dtype if is_list(i[0]) and len(e) == len(i[0]) else None)))
FORMS.update({
    **dict.fromkeys(("Less", "Equal", "LessEqual", "IsFinite", "IsInf"), lambda i, n, e: Case(list(i), like(e, torch.bool))),
    **dict.fromkeys(("BasicMatmul", "BatchedMatmul"), lambda i, n, e: Case(list(i), like(e, torch.float16))),
    **dict.fromkeys(("Sscal", "InplaceAttnSoftmax"), lambda i, n, e: Case([i[0]], like(e), in_place=True)),
    **dict.fromkeys(("Eye", "CastMath"), lambda i, n, e: Case([i[0]], like(e))),
    "GatherV3": lambda i, n, e: Case([i[0], i[2], i[1]], like(e)),
    "Muls": lambda i, n, e: Case([i[0], i[1].float()], like(i[:1])),
    "StridesliceNegConcatV2": lambda i, n, e: Case([i[0].half()], like(e)),
    "Fill": lambda i, n, e: Case([torch.tensor(i[0], dtype=torch.int64), i[1]], like(e)),
    "Arange": lambda i, n, e: Case(list(i), like(e, i[0].dtype)),
    "GeluGrad": lambda i, n, e: Case([i[0], i[1], torch.nn.functional.gelu(i[1])], like(e)),
    "SwiGluGrad": lambda i, n, e: Case(list(i[:2]), like(i[1:2])),
    "RmsNorm": lambda i, n, e: Case([i[0], n[0]], like(i[:1]) + row_means(i[0], 1), [0]),
    "AddRmsNorm": lambda i, n, e: Case([*i, n[0]], like(i[:1]) + row_means(i[0], 1) + like(i[:1])),
    "LayerNormV4": layer_norm,
    "DeepNorm": lambda i, n, e: Case([*i, n[0], n[1]], row_means(i[0], 2) + like(i[:1])),
    "Gemv": lambda i, n, e: Case(list(i[:3]), like(e), attributes={"alpha": float(i[3]), "beta": float(i[4])}),
    "Tril": lambda i, n, e: Case([i[0]], like(e), attributes={"diagonal": int(i[1])}),
    "TopKV3": lambda i, n, e: Case([i[0], torch.tensor([i[1]], dtype=torch.int32)],
                                   [like(e)[0], (list(e[1].shape), torch.int32)]),
    "NonFiniteCheckOp": lambda i, n, e: Case([i[0]], like(e)),
})
# Attributes that a project's host side reads, by the names of its operator definition; the values are the row's.
ATTRIBUTES = {"Swish": {"scale": "real"}, "MseLossGradV2": {"reduction": "text"}, "MseLoss": {"reduction": "text"},
              "RmsNorm": {"epsilon": "real"}, "Gemv": {"alpha": "real", "beta": "real"}, "Triu": {"diagonal": "integer"},
              "SwiGlu": {"dim": "integer"}}
CUBE = ("BasicMatmul", "BatchedMatmul")


def constants(row, case):
    """The #defines in front of a kernel.cpp; README.md lists them."""
    lines = [f"#define ROW {row['case_id']}"]

    def describe(name, shape, dtype):
        count = int(np.prod(shape, dtype=np.int64)) * (2 if dtype.is_complex else 1)
        lines.extend([f"#define {name}_TYPE {TYPES[dtype][0]}", f"#define {name}_SIZE {count}",
                      f"#define {name}_RANK {len(shape)}", f"#define {name}_SHAPE {{{', '.join(map(str, shape))}}}"])
        if shape:
            lines.append(f"#define {name}_LAST {shape[-1]}")

    for i, value in enumerate(case.inputs):
        if is_list(value):
            lines.extend([f"#define IN{i}_TYPE {TYPES[value[0].dtype][0]}", f"#define IN{i}_COUNT {len(value)}",
                          f"#define IN{i}_SIZES {{{', '.join(str(t.numel()) for t in value)}}}"])
        else:
            describe(f"IN{i}", list(value.shape), value.dtype)
    for i, (shape, dtype) in enumerate(case.outputs):
        describe(f"OUT{i}", shape, dtype)
    for column, value in {**row.to_dict(), **case.attributes}.items():
        if column == "case_id" or isinstance(value, (float, np.floating)) and np.isnan(value):
            continue
        text = str(value)
        if text in ("True", "False", "true", "false"):
            text = text.lower()
        elif isinstance(value, str):
            text = text.replace("[", "{").replace("]", "}") if text.startswith("[") else f'"{text}"'
        lines.append(f"#define ROW_{column.upper()} {text}")
    return "\n".join(lines) + '\n#line 1 "kernel.cpp"\n'


def names_of(checkout, task):
    """Inputs and outputs of the operator definition in the task's question."""
    text = next((checkout / "tasks" / task / "question/op_host").glob("*.cpp")).read_text()
    return [re.findall(rf'this->{kind}\("(\w+)"\)', text) for kind in ("Input", "Output")]


def request_of(checkout, task, mode, row, case):
    inputs, outputs = names_of(checkout, task)
    one = {"inputs": [], "outputs": []}
    for i, value in enumerate(case.inputs):
        for tensor in value if is_list(value) else [value]:
            one["inputs"].append({"name": inputs[i], "dtype": TYPES[tensor.dtype][1], "shape": [str(n) for n in tensor.shape],
                                  "data": base64.b64encode(bytes_of(tensor)).decode(),
                                  "kind": "DYNAMIC" if is_list(value) else "REQUIRED"})
    of_list = len(case.outputs) > len(outputs) or is_list(case.inputs[0]) and len(case.outputs) == len(case.inputs[0])
    for i, (shape, dtype) in enumerate(case.outputs):
        spec = {"name": outputs[0 if of_list else i] if outputs else "out", "dtype": TYPES[dtype][1],
                "shape": [str(n) for n in shape], "kind": "DYNAMIC" if of_list else "REQUIRED"}
        if case.in_place:
            spec |= {"inPlaceOf": inputs[0], "withoutParameter": True}
        one["outputs"].append(spec)
    request = {"cases": [one], "limits": {"compileSeconds": 120, "runSeconds": 300}}
    if mode == "project":
        values = {**row.to_dict(), **case.attributes}
        one["attributes"] = [{"name": name, kind: str(values[name]) if kind != "real" else float(values[name])}
                             for name, kind in ATTRIBUTES.get(task.split("/")[-1], {}).items()]
        files = [f for part in ("op_host", "op_kernel") for f in sorted((HERE / task / part).iterdir())]
        request["project"] = [{"path": str(f.relative_to(HERE / task)), "content": f.read_text()} for f in files]
    else:
        source = (HERE / task / "kernel.cpp").read_text()
        request |= {"source": constants(row, case) + source, "workspaceBytes": str(32 << 20),
                    "blockDim": 24 if task.split("/")[-1] in CUBE else 48,
                    "entryPoint": re.findall(r'extern "C"[^(]*?(\w+)\(', source)[-1]}
    return request


class Judge:
    def __init__(self, checkout, build):
        self.checkout, self.utilities = checkout, stub_packages(checkout)
        self.cache = tempfile.TemporaryDirectory(prefix="kg-npukernelbench-")
        self.process = subprocess.Popen([build / "bin/npukernelbench_execute", build / "bin/kgtrain-sandbox", self.cache.name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def execute(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("npukernelbench_execute ended")
        return json.loads(answer)

    def row(self, task, mode, row, most, modules):
        """("passed" | "failed" | "skipped", why) of one row."""
        prepare, model = modules
        torch.manual_seed(1 + int(row["case_id"]))
        np.random.seed(1 + int(row["case_id"]))
        try:
            init = prepare.get_init_inputs(row, device="cpu")
            inputs = prepare.get_inputs(row, device="cpu")
        except (RuntimeError, NotImplementedError) as error:
            return "skipped", f"the benchmark makes no inputs: {str(error).splitlines()[0]}"
        tensors = [t for value in inputs for t in (value if is_list(value) else [value]) if isinstance(t, torch.Tensor)]
        if sum(t.numel() for t in tensors) > most:
            return "skipped", f"{sum(t.numel() for t in tensors)} input elements"
        expected = model.Model(*init)(*copy.deepcopy(inputs))
        expected = list(expected) if isinstance(expected, tuple) else expected
        several = isinstance(expected, list)
        case = FORMS[task.split("/")[-1]](inputs, init, expected if several else [expected])
        result = self.execute(request_of(self.checkout, task, mode, row, case))
        if "sandboxError" in result:
            return "failed", "sandbox: " + result["sandboxError"]
        if not result.get("compiled"):
            return "failed", "compile: " + result.get("compilerOutput", "").strip().split("\n")[0]
        ran = result["cases"][0]
        errors = [f"{f['faultClass']} line {f.get('line', 0)}: {f['message']}" for f in ran.get("faults", [])
                  if f.get("severity") == "ERROR"]
        if not ran.get("ran"):
            return "failed", "run: " + "; ".join(errors)
        found = [tensor_of(base64.b64decode(t["data"]), *case.outputs[i]) for i, t in enumerate(ran["outputs"])]
        found = [found[i] for i in case.compared]
        found = found if several else found[0]
        if hasattr(prepare, "custom_check_precision"):
            right, difference, _ = prepare.custom_check_precision(row, expected, found)
        else:
            right, difference, _ = self.utilities.check_precision(expected, found, 1e-3, 1e-3)
        if not right:
            return "failed", f"compare: off by up to {float(difference.float().max()):.3g}"
        return ("failed", "check: " + errors[0]) if errors else ("passed", "")

    def task(self, task, mode, rows, most):
        folder = self.checkout / "tasks" / task / "validation"
        modules = load(folder / "prepare_inputs.py", "prepare_inputs"), load(folder / "module.py", "module")
        table = self.utilities.preprocess_dataframe(pd.read_csv(folder / "test_cases.csv", sep=";"))
        counts, reasons = collections.Counter(), []
        for _, row in table.iterrows():
            if rows and int(row["case_id"]) not in rows:
                continue
            what, why = self.row(task, mode, row, most, modules)
            counts[what] += 1
            if what != "passed":
                reasons.append(f"{row['case_id']}: {why}")
        level, category, name = task.split("/")
        print(f"{name} | {level[-1]} | {category} | {mode} | {counts['passed']}/{sum(counts.values())} | {'; '.join(reasons)}",
              flush=True)
        return counts


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--mode", choices=("kernel", "project"))
    parser.add_argument("--most", type=int, default=14_000_000)
    parser.add_argument("--rows", type=lambda text: {int(n) for n in text.split(",")}, default=set())
    options = parser.parse_intermixed_args()
    torch.set_num_threads(1)
    judge = Judge(options.checkout, options.build)
    total = {"kernel": collections.Counter(), "project": collections.Counter()}
    print("task | level | category | mode | rows passed | the others")
    for mode, part in (("kernel", "kernel.cpp"), ("project", "op_host")):
        if options.mode not in (None, mode):
            continue
        for found in sorted(HERE.glob(f"*/*/*/{part}")):
            task = str(found.parent.relative_to(HERE))
            if options.tasks and task not in options.tasks:
                continue
            counts = judge.task(task, mode, options.rows, options.most)
            total[mode].update(counts)
            total[mode]["tasks"] += counts["passed"] > 0 and counts["failed"] == 0
    for mode, counts in total.items():
        print(f"{mode}: {counts['tasks']} tasks without a failed row, {counts['passed']} rows passed, "
              f"{counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if any(counts["failed"] for counts in total.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
