"""One row of a task's test cases: its inputs, what the kernel gets, and the expected outputs."""

import contextlib
import hashlib
import random
import sys

import numpy
import torch

import checkers
from serving import Unreadable
from tensors import ACL_TYPES, NAMES, input_bytes, is_joined, same_bytes, same_place, type_name
from wide import Wide, copied, walk, widened

SHAPE_WORDS = 128  # size of the buffer for shapes written by a kernel with outputs of unknown size

# Commands whose arguments are not in the order of the operator definition: (inputs, attributes, outputs) as positions
# of the command's arguments. The others are in its order: inputs, attributes, outputs.
VENDOR_ORDER = {
    "aclnnMseLossBackward": ([1, 2, 0], [3], [4]),
    "aclnnBatchNorm": ([0, 1, 2, 3, 4], [7, 6, 5], [8, 9, 10]),
    "aclnnTopKV3": ([0, 1], [4, 2, 3], [5, 6]),
}
REDUCTIONS = ["none", "mean", "sum"]  # how aclnnMseLossBackward counts them


def seed_of(task_id, row):
    return int.from_bytes(hashlib.sha256(f"{task_id}/{row}".encode()).digest()[:4], "little")


def set_seed(seed):
    torch.manual_seed(seed)
    numpy.random.seed(seed)
    random.seed(seed)


def size_without_drawing(prepare, row):
    """Bytes of a row's inputs, or None if tensors without data cannot tell."""
    given = []

    def look(tensor):
        given.append(tensor)
        return tensor

    try:
        with contextlib.redirect_stdout(sys.stderr), torch.device("meta"):
            walk(list(prepare.get_inputs(row, device="meta")), look)
    except Exception:
        return None
    return input_bytes(given) if given and all(tensor.is_meta for tensor in given) else None


def small_values(value):
    """Possible sources of an attribute: plain values and tensors of one element, in nested lists."""
    if isinstance(value, (list, tuple)):
        return [small for item in value for small in small_values(item)]
    if not isinstance(value, torch.Tensor):
        return [value]
    return [value.item()] if value.numel() == 1 else []


def told_values(mine, told, tensors):
    """`mine` with the plain values of `told`, and with its tensors of one element if `tensors`."""
    if isinstance(mine, torch.Tensor) and isinstance(told, torch.Tensor):
        return told if tensors and mine.numel() == 1 else mine
    if isinstance(mine, (list, tuple)) and isinstance(told, (list, tuple)) and len(mine) == len(told):
        return type(mine)(told_values(*pair, tensors) for pair in zip(mine, told))
    return mine if isinstance(mine, torch.Tensor) else told


class Case:
    """`module` and `prepare` are the task's own Python modules."""

    def __init__(self, task, row, index, module, prepare, check_precision, seed=None):
        self.task, self.row, self.index = task, row, index
        self.module, self.prepare = module, prepare
        self.seed = seed_of(task.id, index) if seed is None else seed
        self.notes = []
        set_seed(self.seed)
        with contextlib.redirect_stdout(sys.stderr):
            self.init = prepare.get_init_inputs(row, device="cpu")
            self.arguments = prepare.get_inputs(row, device="cpu")
        self.check = checkers.rule(prepare, row, check_precision)

    def bytes(self):
        return input_bytes([list(self.init), list(self.arguments)])

    def keep_attributes(self, told):
        """Some tasks draw attributes at random. A kernel knows those of the case `told` from its prompt and must not be
        asked about others."""
        if small_values([self.init, self.arguments]) == small_values([told.init, told.arguments]):
            return
        told.capture(False)
        for tensors in (False, True):
            self.capture(False)
            if self.attributes == told.attributes:
                break
            self.init, self.arguments = (told_values(mine, its, tensors)
                                         for mine, its in ((self.init, told.init), (self.arguments, told.arguments)))
        self.notes = []

    def capture(self, spare):
        """The kernel's arguments. With `spare` the inputs themselves are passed, not copies; nothing is written to
        them."""
        commands = []
        definition = self.task.definition

        def command(name, arguments):
            commands.append((name, arguments))
            self._describe(definition, name, list(arguments))
            self._fill(spare)

        sys.modules["kg_npu_capture"].command = command
        with contextlib.redirect_stdout(sys.stderr):
            init = self.init if spare else copied(self.init)
            model = self.module.ModelNew(*init)
            arguments = self.arguments if spare else copied(self.arguments)
            # Fills torch.empty with NaN or the largest integer.
            torch.use_deterministic_algorithms(True, warn_only=True)
            try:
                result = model(*arguments)
            finally:
                torch.use_deterministic_algorithms(False)
        if len(commands) != 1:
            raise Unreadable(f"its binding launches {len(commands)} commands")
        self._check_list(result)

    # The meaning of a command's arguments in the operator definition.
    def _describe(self, definition, name, arguments):
        order = VENDOR_ORDER.get(name)
        own = [out for out in definition.outputs if definition.position(out["name"]) is None]
        if order is None:
            inputs, rest = arguments[:len(definition.inputs)], arguments[len(definition.inputs):]
            attributes, outputs = rest[:len(rest) - len(own)], rest[len(rest) - len(own):]
        else:
            inputs, attributes, outputs = ([arguments[i] for i in part] for part in order)
        counts = len(definition.inputs), len(definition.attributes), len(own)
        if len(inputs) != counts[0] or len(attributes) > counts[1] or len(outputs) != counts[2]:
            raise Unreadable("%s gets %d arguments, the operator has %d inputs, %d attributes, %d outputs of its own" %
                             (name, len(arguments), *counts))
        extra = len(definition.parameters) - len(definition.inputs) - len(definition.outputs)
        if extra not in (0, 1):
            raise Unreadable(f"its kernel has {len(definition.parameters)} parameters besides workspace and tiling, "
                             f"the operator {len(definition.inputs)} inputs and {len(definition.outputs)} outputs")
        self._choose_types(definition, inputs, own, outputs)
        self.inputs, self.input_tensors, self._places = [], [], {}
        for i, entry in enumerate(definition.inputs):
            self._input(i, entry, definition.parameters[i], *inputs[i])
        self.attributes = [self._attribute(entry, *given) for entry, given in zip(definition.attributes, attributes)]
        self.outputs, self.output_tensors = [], []
        own_arguments = iter(outputs)
        for i, entry in enumerate(definition.outputs):
            parameter = definition.parameters[len(definition.inputs) + i]
            source = definition.position(entry["name"])
            if source is not None:
                for spec, tensor in self._places[source]:
                    self._output(parameter, entry, tensor, in_place_of=spec["name"])
                continue
            kind, value = next(own_arguments)
            for tensor in value if kind == "tensors" else [value]:
                if tensor is None:
                    raise Unreadable(f"output {entry['name']} is not allocated")
                self._output(parameter, entry, tensor)
        if extra:
            words = torch.zeros(SHAPE_WORDS, dtype=torch.uint64)
            self._output(definition.parameters[-1], {"kind": "REQUIRED"}, words, fill=0.0)

    def _choose_types(self, definition, inputs, own, outputs):
        """The column of the operator definition's type lists that fits the given tensors; outputs whose types an interface
        converts fit none."""
        given = list(zip(definition.inputs, inputs))
        columns = range(max([len(entry["types"]) for entry in definition.inputs] or [0]))
        self._column = None
        for some in (given + list(zip(own, outputs)), given):
            for column in columns:
                if self._column is None and all(self._fits(entry, column, *one) for entry, one in some):
                    self._column = column
        if self._column is None and len(columns):
            self.notes.append("the operator definition has no column of these input types")

    @staticmethod
    def _fits(entry, column, kind, value):
        if not entry["types"]:
            return True
        wanted = ACL_TYPES.get(entry["types"][min(column, len(entry["types"]) - 1)])
        tensors = value if kind == "tensors" else [value] if kind == "tensor" else []
        return all(tensor is None or tensor.dtype == wanted for tensor in tensors)

    def _scalar_type(self, entry, given):
        if self._column is None or not entry["types"]:
            return given
        return ACL_TYPES.get(entry["types"][min(self._column, len(entry["types"]) - 1)], given)

    def _input(self, position, entry, parameter, kind, value):
        spec = {"name": parameter, "kind": entry["kind"]}
        if kind == "none":
            if entry["kind"] == "REQUIRED":
                raise Unreadable(f"required input {entry['name']} is not given")
            self.inputs.append({**spec, "dtype": "float32", "shape": [], "absent": True})
            self.input_tensors.append(None)
            return
        if kind in ("tensor", "tensors"):
            tensors = value if kind == "tensors" else [value]
        elif kind == "ints":
            tensors = [torch.tensor(value, dtype=self._scalar_type(entry, torch.int64))]
        elif kind in ("int", "float", "bool", "scalar"):
            tensor = value if kind == "scalar" else torch.tensor(value)
            tensors = [tensor.reshape(1).to(self._scalar_type(entry, tensor.dtype))]
        elif kind == "scalars":
            tensor = torch.stack([item.reshape(()) for item in value])
            tensors = [tensor.to(self._scalar_type(entry, tensor.dtype))]
        else:
            raise Unreadable(f"input {entry['name']} is a {kind}")
        if not tensors:
            self.inputs.append({**spec, "dtype": "float32", "shape": [], "absent": True})
            self.input_tensors.append(None)
        for tensor in tensors:
            made = {**spec, "dtype": type_name(tensor), "shape": list(tensor.shape)}
            self._places.setdefault(position, []).append((made, tensor))
            self.inputs.append(made)
            self.input_tensors.append(tensor.contiguous())

    def _attribute(self, entry, kind, value):
        made = {"name": entry["name"], "type": entry["type"]}
        if kind in ("tensor", "scalar"):
            value = value.item()
        if kind == "int" and entry["type"] == "String":
            value = REDUCTIONS[value]
        convert = {"Int": int, "Float": float, "Bool": bool, "String": str}.get(entry["type"])
        made["value"] = convert(value) if convert else list(value)
        return made

    def _output(self, parameter, entry, tensor, in_place_of=None, without_parameter=False, fill=None):
        # Some interfaces convert the kernel's output: then its type is the definition's.
        types = [ACL_TYPES.get(name) for name in entry.get("types", [])]
        kernel_type = tensor.dtype if not types or tensor.dtype in types else self._scalar_type(entry, tensor.dtype)
        made = {"name": parameter, "kind": entry["kind"], "dtype": NAMES[kernel_type], "shape": list(tensor.shape)}
        if in_place_of:
            made["in_place_of"] = in_place_of
        elif fill is None and tensor.numel() and not tensor.any():
            fill = 0.0
        if without_parameter:
            made["without_parameter"] = True
        if fill is not None:
            made["fill"] = fill
        self.outputs.append(made)
        self.output_tensors.append(tensor)

    def _fill(self, spare):
        """Writes distinct numbers into the outputs, to see what the binding does with them afterwards."""
        self.input_tensors = [None if t is None else t if spare else t.clone() for t in self.input_tensors]
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for i, (spec, tensor) in enumerate(zip(self.outputs, self.output_tensors)):
                if spare:
                    if not spec.get("in_place_of"):
                        tensor.fill_(i + 1)
                    continue
                high = 2 if tensor.dtype == torch.bool else 100
                tensor.copy_(torch.randint(0, high, tensor.shape, generator=generator))

    # The origin of each checked tensor.
    def _check_list(self, result):
        items = result if isinstance(result, list) else [result]
        self.checked = []
        for item in items:
            if not isinstance(item, torch.Tensor):
                raise Unreadable(f"its module returns a {type(item).__name__}")
            self.checked.append(self._source(item))

    def _source(self, item):
        for i, tensor in enumerate(self.output_tensors):
            if same_place(item, tensor):
                return self._checked([i], item, tensor.numel())
        for places in self._places.values():
            for spec, tensor in places:
                if same_place(item, tensor):
                    return self._checked([self._written_in_place(spec, tensor)], item, tensor.numel())
        for i, tensor in enumerate(self.output_tensors):
            if item.numel() == tensor.numel() and same_bytes(tensor.reshape(-1).to(item.dtype), item):
                return self._checked([i], item, tensor.numel())
        for first in range(len(self.output_tensors)):
            for last in range(first + 2, len(self.output_tensors) + 1):
                if is_joined(item, self.output_tensors[first:last]):
                    return self._checked(list(range(first, last)), item, item.numel())
        for places in self._places.values():
            if is_joined(item, [tensor for _, tensor in places]):
                return self._checked([self._written_in_place(*place) for place in places], item, item.numel())
        raise Unreadable("its module's result is neither an output of the kernel nor a part, a conversion or a concatenation of outputs")

    def _written_in_place(self, spec, tensor):
        """An input that the kernel writes to though the definition does not say so: its index among the outputs."""
        self._output(spec["name"], {"kind": spec["kind"]}, tensor, in_place_of=spec["name"], without_parameter=True)
        return len(self.outputs) - 1

    @staticmethod
    def _checked(outputs, item, elements):
        made = {"outputs": outputs, "dtype": type_name(item), "shape": list(item.shape)}
        if item.numel() < elements:
            made["elements"] = item.numel()
        return made

    # Expected outputs.
    def golden(self, spare):
        with contextlib.redirect_stdout(sys.stderr):
            init = self.init if spare else copied(self.init)
            arguments = self.arguments if spare else copied(self.arguments)
            result = self.module.Model(*init)(*arguments)
        return self._narrow(self._items(result))

    def golden_form(self):
        """The expected outputs without their data, or None if the reference looks at numbers while it runs."""
        notes = list(self.notes)
        init, arguments = (walk(list(given), lambda t: t.to("meta")) for given in (self.init, self.arguments))
        try:
            with contextlib.redirect_stdout(sys.stderr), torch.device("meta"):
                return self._narrow(self._items(self.module.Model(*init)(*arguments)))
        except Exception:
            self.notes = notes
            return None

    def golden64(self):
        with contextlib.redirect_stdout(sys.stderr), Wide():
            result = self.module.Model(*widened(self.init))(*widened(self.arguments))
        items = self._items(result)
        return [item.detach().to(torch.complex128 if item.is_complex() else torch.float64) for item in items]

    def _narrow(self, items):
        """complex128, which no device writes, as complex64: 6e-8 of a number, where checkers allow 5e-4."""
        if any(item.dtype == torch.complex128 for item in items):
            self.notes.append("the reference's complex128 is kept as complex64")
        return [item.to(torch.complex64) if item.dtype == torch.complex128 else item for item in items]

    def _items(self, result):
        items = result if isinstance(result, list) else list(result) if isinstance(result, tuple) else [result]
        if isinstance(result, tuple):
            self.notes.append("its module returns a tuple, which the benchmark's own checker does not unpack")
        for item in items:
            if not isinstance(item, torch.Tensor):
                raise Unreadable(f"its reference returns a {type(item).__name__}")
        return items[:len(self.checked)]
