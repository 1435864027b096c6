"""What EXEC_NPU_CMD of csrc/OpApiCommon.h asks for: an operator of the checkout on given tensors, in kgtrain's sandbox.

Arguments come in the order of an aclnn interface: the definition's inputs, its attributes, then its outputs.
"""

import collections
import re

import numpy
import torch

import checkout as checkouts
import operators
import wire

DTYPES = {torch.float32: 1, torch.float16: 2, torch.bfloat16: 3, torch.int8: 4, torch.uint8: 5, torch.int16: 6,
          torch.int32: 8, torch.int64: 10, torch.bool: 12, torch.float64: 13}
PARAMETER = re.compile(r'this->\s*(Input|Output|Attr)\s*\(\s*"(\w+)"\s*\)(.*?)(?=this->|$)', re.S)
CHANGES = re.compile(r'the kernel changes input "(\w+)"')
RUN_SECONDS = 20

Parameter = collections.namedtuple("Parameter", "name kind text")


class KernelFailed(Exception):
    """A call that the kernel did not end, or that ended with an error of the emulator."""


class Calls:
    """The operators of a checkout; `log` has a row (operator, outcome) for each call."""

    def __init__(self, checkout, own, sandbox):
        self.checkout, self.own, self.sandbox = checkout, own, sandbox
        self.paths = {name: [path for path in paths if "arch35" not in path]
                      for name, paths in checkout.operators().items()}
        self.projects, self.log = {}, []
        self.changed = collections.defaultdict(set)  # inputs that a kernel uses as room of its own

    def project(self, operator):
        if operator not in self.projects:
            path = self.paths[operator][0]
            text = checkouts.without_comments(self.checkout.text(path))
            body = re.search(rf"class\s+{operator}\s*:\s*public\s+(?:ops::)?OpDef(.*?)OP_ADD\s*\(\s*{operator}\b", text,
                             re.S).group(1)
            body = re.split(r"\bclass\s+\w+\s*:\s*public", body)[0]  # several definitions, then all OP_ADD
            parameters = [Parameter(name, kind, rest) for kind, name, rest in PARAMETER.findall(body)]
            kernel = [one for one, _ in self.checkout.kernels()
                      if one.endswith(f"/{checkouts.snake_case(operator)}.cpp") and "arch35" not in one]
            files = operators.project(self.checkout, self.own, operator, path, kernel[0])
            self.projects[operator] = (files, parameters)
        return self.projects[operator]

    def run(self, api, arguments):
        operator = api.removeprefix("aclnn")
        if not self.paths.get(operator):
            self.log.append((operator, "not in the checkout"))
            raise KernelFailed(f"{operator} is no operator of the checkout")
        files, parameters = self.project(operator)
        inputs = [one for one in parameters if one.kind == "Input"]
        attributes = [one for one in parameters if one.kind == "Attr"]
        outputs = [one for one in parameters if one.kind == "Output"]
        given = iter(arguments)
        case_inputs, tensors = [], {}
        for one in inputs:
            tensors[one.name] = next(given)
            case_inputs.append(self._input(one.name, tensors[one.name]))
        case_attributes = [self._attribute(one, next(given)) for one in attributes]
        case_outputs, targets = [], []
        for one in outputs:
            if one.name in tensors:  # in place
                target = tensors[one.name]
                case_outputs.append(self._output(one.name, target) + wire.field(9, one.name))
            else:
                target = next(given)
                if target is None:
                    case_outputs.append(wire.output_spec(one.name, 1, (1,)))
                    targets.append(target)
                    continue
                shared = [name for name, tensor in tensors.items() if in_place(tensor, target)]
                case_outputs.append(self._output(one.name, target) + (wire.field(9, shared[0]) if shared else b""))
            targets.append(target)
        while True:
            rooms = [self._output(name, tensors[name]) + wire.field(9, name) for name in self.changed[operator]]
            case = wire.run_case(case_inputs, case_outputs + rooms, case_attributes)
            result = self.sandbox.ask(wire.request(checkouts.snake_case(operator), project=files, cases=[case],
                                                   run_seconds=RUN_SECONDS))
            found = {name for one in result.cases for fault in one.faults for name in CHANGES.findall(fault[2])}
            if found <= self.changed[operator]:
                break
            self.changed[operator] |= found
        self._take(operator, result, targets)

    def _input(self, name, tensor):
        if tensor is None:
            return wire.tensor(name, 1, (0,), absent=True)
        return wire.tensor(name, DTYPES[tensor.dtype], tuple(tensor.shape), bytes_of(tensor))

    @staticmethod
    def _attribute(parameter, value):
        if ".Float(" in parameter.text.replace(" ", ""):
            value = float(value)
        elif ".Bool(" in parameter.text.replace(" ", ""):
            value = bool(value)
        elif ".ListFloat(" in parameter.text.replace(" ", ""):
            value = [float(one) for one in value]
        return wire.attribute(parameter.name, value)

    @staticmethod
    def _output(name, tensor):
        """An output that holds one value everywhere begins with it; any other is as at::empty leaves it."""
        fill = None
        if tensor.numel() and tensor.dtype != torch.bool and bool((tensor == tensor.reshape(-1)[0]).all()):
            fill = float(tensor.reshape(-1)[0])
        return wire.output_spec(name, DTYPES[tensor.dtype], tuple(tensor.shape), fill=fill)

    def _take(self, operator, result, targets):
        case = result.cases[0] if result.cases else None
        if result.sandbox_error or not result.compiled or case is None or not case.ran:
            why = result.sandbox_error or result.output or "; ".join(fault[2] for fault in case.faults)
            self.log.append((operator, "did not run: " + why.strip()[:200]))
            raise KernelFailed(f"{operator}: {why}")
        for target, data in zip(targets, case.outputs):
            if target is not None:
                target.copy_(tensor_of(data, target))
        errors = [f"{kind}: {message}" for kind, error, message in case.faults if error]
        self.log.append((operator, "fault: " + errors[0][:200] if errors else "ran"))


def in_place(tensor, target):
    return tensor is not None and tensor.data_ptr() == target.data_ptr() and tensor.shape == target.shape


def bytes_of(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
    return tensor.numpy().tobytes()


def tensor_of(data, like):
    kind = torch.int16 if like.dtype == torch.bfloat16 else like.dtype
    array = numpy.frombuffer(data, dtype=torch.empty(0, dtype=kind).numpy().dtype).copy()
    return torch.from_numpy(array).view(like.dtype).reshape(like.shape)


calls = None  # set by run_tests.py


def run(api, arguments):
    calls.run(api, arguments)
