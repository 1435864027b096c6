"""Runs an answer's Python inside a cell: everything here except this file is untrusted.

    module_runner.py JSON_FRAME KERNELS

JSON_FRAME is the path of json_frame.py, KERNELS the folder of the compiled binding. Frames come on standard input and go
to descriptor 3; their payload is the bytes of their tensors one after the other (little-endian, row-major). The first
frame says what to do:

  {"do": "unpack", "text", "rules"}   answers {"rules": [what is wrong]} before the text runs, then {"sources": {...}}
  {"do": "run", "text", "call", "tensors"}   runs the module; {"command", "arguments", "tensors"} asks for one operator to
      be run and is answered by {"outputs": [index of a tensor]} or {"error"}; the end is {"result", "tensors", "computed",
      "taken", "commands"} or {"error"}

Nothing that is said here is believed but for what it is: numbers to compare, arguments to launch an operator with.
"""

import importlib.util
import json
import math
import os
import sys
import traceback
import types

sys.modules["dill"] = None  # PyTorch would load it, and it looks for devices that a cell does not have
SOURCES = ("project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src")
JSON_FRAME, KERNELS = sys.argv[1:]

MOST_ITEMS = 256  # numbers that forward may look at one by one

# PyTorch's own operators that allocate, move or inspect data; the others compute, which is the kernel's part.
MOVES = set("""
_local_scalar_dense _reshape_alias _to_copy _unsafe_view alias arange as_strided clone contiguous copy_ detach empty
empty_like empty_permuted empty_strided expand fill_ full full_like index_select is_same_size lift lift_fresh
lift_fresh_copy linspace narrow new_empty new_empty_strided new_full new_ones new_zeros ones ones_like permute reshape
resize_ resolve_conj resolve_neg scalar_tensor select set_ slice split split_with_sizes squeeze squeeze_ t t_ to transpose
transpose_ unbind unfold unsqueeze unsqueeze_ view view_as zero_ zeros zeros_like is_pinned unflatten
""".split())


def load(name, path):
    """Loads one of our files, from a folder that the answer's imports do not see."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


json_frame = load("json_frame", JSON_FRAME)
tensor_exits = load("tensor_exits", os.path.join(os.path.dirname(os.path.abspath(__file__)), "tensor_exits.py"))


def receive():
    return json_frame.read(0) or os._exit(0)


def send(header, tensors=()):
    json_frame.write(3, header, *map(raw, tensors))


def explain(error):
    """The last lines of a traceback, those of the answer's own files."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<")]
    where = "".join(f"{frame.filename[1:-1]}:{frame.lineno}: " for frame in frames[-1:])
    if isinstance(error, SyntaxError) and error.lineno:
        where = f"{(error.filename or '').strip('<>')}:{error.lineno}: "
    return f"{where}{type(error).__name__}: {error}"[:2000]


# The answer's text.
def unpack(request):
    found = []
    if request["rules"]:
        rules = {}
        exec(compile(request["rules"], "<rules>", "exec"), rules)
        cheats, why = rules["detect_python_kernel_cheating"](request["text"])
        if cheats:
            for check in (why or {}).get("checks", {}).values():
                for one in check.get("violations", []):
                    found.append(f"model_src line {one.get('line')}: {one.get('call', 'loop')}: {one.get('reason')}")
                if check.get("error") and not check.get("violations"):
                    found.append(str(check["error"]))
            found = found or ["what the module does is refused"]
    send({"rules": found})
    context = {}
    exec(compile(request["text"], "<answer>", "exec"), context)
    sources = {name: context.get(name) for name in SOURCES}
    wrong = [name for name, text in sources.items() if not isinstance(text, str)]
    if wrong:
        send({"error": "the answer sets no text " + ", ".join(wrong)})
    else:
        send({"sources": sources})


# Tensors as bytes.
def dtypes():
    import torch

    names = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
             "uint64", "bool", "complex64")
    return {name: getattr(torch, name) for name in names}


def name_of(tensor):
    for name, dtype in dtypes().items():
        if tensor.dtype == dtype:
            return name
    raise TypeError(f"a tensor of type {tensor.dtype} cannot be on the device")


def raw(tensor):
    import torch

    tensor = tensor.detach().contiguous()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    if tensor.numel() == 0:
        return b""
    return memoryview(tensor.reshape(-1).view(torch.uint8).numpy())


def spec_of(tensor):
    return {"dtype": name_of(tensor), "shape": list(tensor.shape)}


def tensors_from(specs, payload):
    import torch

    made, at = [], 0
    for spec in specs:
        dtype = dtypes()[spec["dtype"]]
        count = math.prod(spec["shape"])
        size = count * dtype.itemsize
        flat = torch.frombuffer(bytearray(payload[at:at + size]), dtype=torch.uint8).view(dtype) if size else \
            torch.empty(0, dtype=dtype)
        made.append(flat.reshape(spec["shape"]))
        at += size
    return made


# Values in the notation of TaskCase.call.
def value_of(form, tensors):
    if isinstance(form, dict):
        if "tensor" in form:
            return tensors[form["tensor"]]
        if "list" in form:
            return [value_of(item, tensors) for item in form["list"]]
        if "tuple" in form:
            return tuple(value_of(item, tensors) for item in form["tuple"])
        return float(form["float"])
    return form


def form_of(value, tensors):
    import torch

    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if isinstance(value, (list, tuple)):
        return {"list": [form_of(item, tensors) for item in value]}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    raise TypeError(f"the module returns a {type(value).__name__}")


class Device:
    """The operators, on the other side of the pipe."""

    def __init__(self):
        self.commands = 0
        self.at_work = True  # PyTorch's own calls in the meantime are not the module's

    def command(self, name, arguments):
        self.commands += 1
        tensors, described = [], []
        for kind, value in arguments:
            if kind in ("tensor", "tensors"):
                several = value if kind == "tensors" else [value]
                described.append({"kind": kind, "tensors": list(range(len(tensors), len(tensors) + len(several)))})
                tensors += several
            elif kind == "scalar":
                described.append({"kind": kind, "value": value.item()})
            elif kind == "scalars":
                described.append({"kind": kind, "value": [item.item() for item in value]})
            else:
                described.append({"kind": kind, "value": value})
        self.at_work = True
        specs = [{**spec_of(tensor), "zero": bool(tensor.numel()) and not bool(tensor.any())} for tensor in tensors]
        send({"command": name, "arguments": described, "tensors": specs}, tensors)
        answer, payload = receive()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        written = [tensors[index] for index in answer["outputs"]]
        for tensor, new in zip(written, tensors_from([spec_of(tensor) for tensor in written], payload)):
            tensor.copy_(new)
        self.at_work = False


def stand_ins(device):
    """`torch_npu` and similar modules: tensors are on the CPU, where .npu() leaves them."""
    import torch

    capture = types.ModuleType("kg_npu_capture")
    capture.command = device.command
    npu = types.ModuleType("torch_npu")
    npu.npu = types.SimpleNamespace(synchronize=lambda *a, **k: None, is_available=lambda: True, current_device=lambda: 0,
                                    set_device=lambda *a: None, device_count=lambda: 1)
    sys.modules.update({"kg_npu_capture": capture, "torch_npu": npu})
    torch.npu = npu.npu
    torch.Tensor.npu = lambda self, *a, **k: self
    torch.Tensor.is_npu = property(lambda self: True)
    torch.nn.Module.npu = lambda self, *a, **k: self


def run(request, payload):
    import random

    import numpy
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.computed, self.taken, self.items = set(), set(), 0

        @classmethod
        def _should_skip_dynamo(cls):  # otherwise it would load it first
            return False

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name = function.overloadpacket.__name__
            if name not in MOVES and not device.at_work:
                self.computed.add(name)
            self.items += name == "_local_scalar_dense" and not device.at_work
            return function(*args, **(kwargs or {}))

    torch.set_num_threads(1)
    device = Device()
    stand_ins(device)
    sys.path.insert(0, KERNELS)
    call = json.loads(request["call"])
    given = tensors_from(request["tensors"], payload)

    watch = Watch()
    tensor_exits.watch(torch, watch.taken.add, lambda: device.at_work)

    def seed():
        torch.manual_seed(call["seed"])
        numpy.random.seed(call["seed"])
        random.seed(call["seed"])

    context = {"torch": torch, "nn": torch.nn}  # the benchmark's reference imports them under the same names
    exec(compile(request["text"], "<answer>", "exec"), context)
    exec(compile(context["model_src"], "<model_src>", "exec"), context)
    if "ModelNew" not in context:
        raise NameError("model_src defines no ModelNew")
    with torch.no_grad():
        seed()
        model = context["ModelNew"](*[value_of(form, []) for form in call["init"]])
        arguments = [value_of(form, given) for form in call["arguments"]]
        # Fills torch.empty with NaN or the largest integer. (torch.use_deterministic_algorithms loads a compiler as well.)
        torch._C._set_deterministic_algorithms(True, warn_only=True)
        device.at_work = False
        with watch:
            result = model(*arguments)
        device.at_work = True
    if watch.items > MOST_ITEMS:
        watch.taken.add(f"item, {watch.items} times")
    tensors = []
    form = form_of(result, tensors)
    send({"result": form, "tensors": [spec_of(tensor) for tensor in tensors], "computed": sorted(watch.computed)[:20],
          "taken": sorted(watch.taken)[:20], "commands": device.commands}, tensors)


def main():
    # There is no list of users in the cell.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", USER="nobody", LOGNAME="nobody")
    request, payload = receive()
    try:
        if request["do"] == "unpack":
            unpack(request)
        else:
            run(request, payload)
    except BaseException as error:
        send({"error": explain(error)})
    sys.stdout.flush()
    os._exit(0)


main()
