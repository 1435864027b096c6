"""Runs one kernel of a checkout and compares its outputs with arrays that numpy computed."""

import dataclasses
import re

import numpy as np

import checkout as checkouts
import conformance
import operators
import wire
from closure import closure, joined

DTYPES = {np.dtype(np.float32): "FLOAT", np.dtype(np.float16): "FLOAT16", np.dtype(np.int8): "INT8", np.dtype(np.uint8): "UINT8",
          np.dtype(np.int16): "INT16", np.dtype(np.uint16): "UINT16", np.dtype(np.int32): "INT32", np.dtype(np.uint32): "UINT32",
          np.dtype(np.int64): "INT64", np.dtype(np.uint64): "UINT64"}
EQUAL, FAULTY, DIFFERS, NO_RUN = "equal", "equal, with a fault", "differs", "does not run"
RUN_SECONDS = 60


@dataclasses.dataclass
class Bfloat16:
    """A tensor of bfloat16_t; `values` are float32 that it holds exactly (rounded_to_bfloat16)."""
    values: np.ndarray

    def bits(self):
        return (np.ascontiguousarray(self.values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@dataclasses.dataclass
class Output:
    """`fill`: every element before the kernel runs (None: poisoned). `checked`: False for a workspace."""
    wanted: object
    fill: float | None = None
    checked: bool = True
    bound: float | None = None


@dataclasses.dataclass
class Case:
    """A run of a kernel. An element is equal if its absolute or its relative error is at most `bound`."""
    label: str
    path: str  # of the kernel's source, in the checkout
    kernel: str
    inputs: list
    wanted: list  # arrays, Bfloat16 or Output
    numbers: list = ()
    blocks: int = 1
    bound: float = 1e-4
    order: list | None = None  # the kernel's parameters, by name or position, as inputs, outputs, numbers; None: already so
    replaced: list = ()  # (regular expression, text) applied to the source
    fault: str = ""  # the kernel's own fault, which the emulator reports though the outputs are equal

    def request(self, where, own):
        source = checkouts.device_part(joined(where, closure(where, own, self.path), self.path))
        for pattern, text in self.replaced:
            source = re.sub(pattern, text, source, flags=re.S)
        text = with_launcher(without_host_functions(source), self.kernel, self.order)
        tensors = [tensor_of(f"in{number}", one) for number, one in enumerate(self.inputs)]
        outputs = [output_of(f"out{number}", one) for number, one in enumerate(self.wanted)]
        numbers = [wire.attribute(f"n{number}", one) for number, one in enumerate(self.numbers)]
        run = wire.run_case(tensors, outputs, numbers, self.blocks)
        return wire.request(conformance.LAUNCHER, text, cases=[run], block_dim=self.blocks, run_seconds=RUN_SECONDS)


@dataclasses.dataclass
class OperatorCase:
    """A run of an operator project, with its own tiling function. `inputs` and `outputs` go by the definition's names."""
    label: str
    folder: str  # with op_host and op_kernel
    operator: str
    inputs: dict
    outputs: dict
    attributes: dict = dataclasses.field(default_factory=dict)
    bound: float = 1e-4
    fault: str = ""

    @property
    def path(self):
        return f"{self.folder}/op_kernel/{checkouts.snake_case(self.operator)}.cpp"

    @property
    def kernel(self):
        return checkouts.snake_case(self.operator)

    @property
    def wanted(self):
        return list(self.outputs.values())

    def request(self, where, own):
        definition = f"{self.folder}/op_host/{self.kernel}_def.cpp"
        files = operators.project(where, own, self.operator, definition, self.path)
        tensors = [tensor_of(name, one) for name, one in self.inputs.items()]
        outputs = [output_of(name, one) for name, one in self.outputs.items()]
        attributes = [wire.attribute(name, value) for name, value in self.attributes.items()]
        run = wire.run_case(tensors, outputs, attributes)
        return wire.request(self.kernel, project=files, cases=[run], run_seconds=RUN_SECONDS)


def rounded_to_bfloat16(values):
    """The nearest values of bfloat16_t, ties to even, as float32."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + ((bits >> 16) & 1) + 0x7fff) & np.uint32(0xffff0000)
    return rounded.view(np.float32).reshape(np.shape(values))


def uniform(random, low, high, shape, dtype=np.float32):
    return random.uniform(low, high, shape).astype(dtype)


def workspace(size, fill=None):
    return Output(np.zeros(size, np.uint8), fill, checked=False)


def as_output(one):
    return one if isinstance(one, Output) else Output(one)


def parts(tensor):
    """The type, the shape and the bytes of an array or a Bfloat16."""
    if isinstance(tensor, Bfloat16):
        return wire.DTYPES["BF16"], tensor.values.shape, tensor.bits().tobytes()
    return wire.DTYPES[DTYPES[tensor.dtype]], tensor.shape, tensor.tobytes()


def tensor_of(name, tensor):
    return wire.tensor(name, *parts(tensor))


def output_of(name, one):
    output = as_output(one)
    dtype, shape, _ = parts(output.wanted)
    return wire.output_spec(name, dtype, shape, fill=output.fill)


def enclosing_function(plain, at):
    """(begin, end) of the outermost function around a position of a text without comments; None: there is none."""
    opened = []
    for brace in re.finditer(r"[{}]", plain[:at]):
        if brace.group() == "{":
            opened.append(brace.start())
        else:
            opened.pop()
    for start in opened:
        head = re.search(r"(?:[^;{}#\n]|\n(?!\s*#))*$", plain[:start])
        if not re.search(r"\)\s*$", head.group()):
            continue  # a namespace
        begin = head.start()
        if plain[begin - 1:begin] == "#":
            begin = plain.find("\n", begin)  # behind a line of the preprocessor
        depth = 0
        for brace in re.finditer(r"[{}]", plain[start:]):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                return begin, start + brace.end()
    return None


def without_host_functions(text):
    """The source without the functions that launch its kernels."""
    while (at := checkouts.without_comments(text).find("<<<")) >= 0:
        found = enclosing_function(checkouts.without_comments(text), at)
        if found is None:
            raise SystemExit("a launch outside a function")
        text = text[:found[0]] + "\n" + text[found[1]:]
    return text


def with_launcher(text, kernel, order):
    """The source and a function that launches the kernel, with its parameters in the order of the case's tensors and numbers."""
    plain = checkouts.without_comments(text)
    defined = conformance.MACRO_KERNEL.search(plain) or checkouts.KERNEL.search(plain)  # a macro may paste its name, or take it
    listed = conformance.parameters(plain, kernel) or conformance.parameters(plain, defined.group(1))
    listed = [re.sub(r"^\s*const\s+(?=GM_ADDR)", "", " ".join(one.replace("\\", " ").split())) for one in listed]
    named = {re.search(r"(\w+)\s*(?:\[\s*\])?$", one).group(1): one for one in listed}
    positions = list(named.values())
    taken = ", ".join(positions[one] if isinstance(one, int) else named[one] for one in order or named)
    return (f'{text}\n#line 1 "launcher"\nvoid {conformance.LAUNCHER}(uint32_t conformance_blocks, void* conformance_stream, {taken}) {{\n'
            f"  {kernel}<<<conformance_blocks, nullptr, conformance_stream>>>({', '.join(named)});\n}}\n")


def difference(data, output, bound):
    """What is wrong with an output, in words; empty: nothing."""
    wanted = output.wanted
    if isinstance(wanted, Bfloat16):
        wanted = wanted.values
        got = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        got = np.frombuffer(data, wanted.dtype)
    got, wanted = got.reshape(wanted.shape).astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.abs(got - wanted)
        equal = (error <= bound) | (error <= bound * np.abs(wanted)) | (got == wanted)
    if equal.all():
        return ""
    first = tuple(int(one) for one in np.argwhere(~equal)[0])
    return f"{np.count_nonzero(~equal)} of {equal.size} elements; the first at {first} is {got[first]}, not {wanted[first]}"


def outcome(sandbox, where, own, case):
    """(outcome, why) of a case."""
    result = sandbox.ask(case.request(where, own))
    if not result.compiled or not result.cases or not result.cases[0].ran:
        faults = "; ".join(message for made in result.cases for _, error, message in made.faults if error)
        return NO_RUN, result.sandbox_error or faults or result.output
    for number, (data, one) in enumerate(zip(result.cases[0].outputs, case.wanted)):
        output = as_output(one)
        wrong = difference(data, output, case.bound if output.bound is None else output.bound) if output.checked else ""
        if wrong:
            return DIFFERS, f"output {number}: {wrong}"
    errors = [f"{kind}: {message}" for kind, error, message in result.cases[0].faults if error]
    return (FAULTY, errors[0]) if errors else (EQUAL, "")
