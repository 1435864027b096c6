"""What a PyTorch program computes, an operator a line: constants, axes and sizes as numbers, whatever way they took to
their place, and nothing of what the result does not need.

    t1 [64,1] = mean(x, 1, keepdim)
    out [64,512] = sub(x, t1)

Operators are those that PyTorch's dispatcher sees, by their names in ATen; a shape stands where it is not the first
operand's. The program is run once, as a rule on tensors without data.
"""

import numbers
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import forms
from without_writes import without_writes
from wide import walk

MOST_LINES = 2000
# They return their argument.
SAME = {"detach", "alias", "lift_fresh", "lift", "clone", "contiguous", "_to_copy"}
OF_ONE_SHAPE = {"view", "_unsafe_view", "reshape", "expand", "slice", "permute", "_reshape_alias", "squeeze"}
RENAMED = {"rsub": "sub", "true_divide": "div", "_unsafe_view": "view", "_reshape_alias": "view", "max_pool2d_with_indices": "max_pool2d",
           "max_pool3d_with_indices": "max_pool3d", "linalg_vector_norm": "vector_norm", "nll_loss_forward": "nll_loss",
           "nll_loss2d_forward": "nll_loss2d", "_native_batch_norm_legit": "batch_norm", "_native_batch_norm_legit_no_training": "batch_norm",
           "_native_batch_norm_legit_functional": "batch_norm", "cudnn_batch_norm": "batch_norm", "log_sigmoid_forward": "log_sigmoid", "_prelu_kernel": "prelu"}
SHAPED = {"view", "_unsafe_view", "reshape", "_reshape_alias", "expand"}  # fully described by the result's shape
AXES = {"dim", "dims", "dim0", "dim1", "axis"}
REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}
TYPES = {torch.float32: "float", torch.float16: "half", torch.bfloat16: "bfloat16", torch.float64: "double"}


class NoTrace(Exception):
    """Why a program cannot be written like this."""


class Value:
    """A tensor of the run: an input, a result of a step, or a number."""

    def __init__(self, tensor, step=None, place=0, name=None, number=None):
        self.shape = list(tensor.shape)  # of now: unsqueeze_ changes the tensor's own
        self.step, self.place, self.name, self.number = step, place, name, number


class Step:
    def __init__(self, function, arguments, keywords, writes):
        self.function, self.arguments, self.keywords, self.writes = function, arguments, keywords, writes
        self.values = []


def _by_list(tensor, key):
    """tensor[key] where a list of whole numbers is among slices: parts side by side, since a list would become a tensor without
    data. None: it is another key."""
    key = list(key) if isinstance(key, tuple) else [key]
    lists = [axis for axis, one in enumerate(key) if isinstance(one, list) and one and all(type(place) is int for place in one)]
    if len(lists) != 1 or not all(isinstance(one, slice) for axis, one in enumerate(key) if axis != lists[0]):
        return None
    axis, places = lists[0], key[lists[0]]
    key[axis] = slice(None)
    rest = tensor[tuple(key)]
    return torch.cat([rest.narrow(axis, place % tensor.shape[axis], 1) for place in places], axis)


class _Numbers(TorchFunctionMode):
    """Records the numbers that tensors are made from, and says indices that are lists by parts: without data they would be lost."""

    MAKERS = {"tensor", "as_tensor", "scalar_tensor"}

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.__getitem__ and (taken := _by_list(*args)) is not None:
            return taken
        result = function(*args, **(kwargs or {}))
        if getattr(function, "__name__", "") in self.MAKERS and args and isinstance(args[0], numbers.Number):
            self.found.append((result, args[0]))
        return result


class _Steps(TorchDispatchMode):
    """`plain`: nothing is written to. Then a part of a tensor is taken once, and not put back where it is already."""

    PARTS = {"select", "slice", "view"}

    def __init__(self, inputs, numbers_of, plain=False):
        super().__init__()
        self.plain, self.parts = plain, {}
        self.values = {id(tensor): Value(tensor, name=name) for name, tensor in inputs}
        self.kept = [tensor for _, tensor in inputs]  # an id is unique only while its tensor lives
        self.steps, self.numbers_of = [], numbers_of
        self.storages = {}
        for _, tensor in inputs:
            self._holds(tensor)

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def _holds(self, tensor):
        self.storages.setdefault(tensor.untyped_storage()._cdata, []).append(tensor)

    def value(self, tensor):
        if id(tensor) not in self.values:
            number = next((number for known, number in self.numbers_of.found if known is tensor), None)  # None: unknown
            self.kept.append(tensor)
            self.values[id(tensor)] = Value(tensor, number=number)
        return self.values[id(tensor)]

    def _taken(self, argument):
        if isinstance(argument, torch.Tensor):
            return self.value(argument)
        if isinstance(argument, (list, tuple)):
            return [self._taken(item) for item in argument]
        return argument

    def _known(self, name, function, arguments):
        """What the operator gives, if that is there already."""
        if name.endswith("_scatter"):
            whole, part, *place = arguments
            taken = part.step is not None and part.step.function.overloadpacket.__name__ == name.removesuffix("_scatter")
            return whole if taken and part.step.arguments == [whole, *place] else None
        return self.parts.get((function, repr(arguments[1:]), id(arguments[0]))) if name in self.PARTS else None

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function.overloadpacket.__name__
        arguments, keywords = [self._taken(one) for one in args], {key: self._taken(one) for key, one in kwargs.items()}
        result = function(*args, **kwargs)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        self.kept += [one for one in results if isinstance(one, torch.Tensor)]
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        if first is not None and len(results) == 1 and results[0] is not first and results[0].dtype == first.dtype and \
                (name in SAME or name in OF_ONE_SHAPE and results[0].shape == first.shape and
                 (name != "permute" or list(args[1]) == sorted(args[1]))):
            self.values[id(results[0])] = arguments[0]
            self._holds(results[0])
            return result
        if self.plain and (known := self._known(name, function, arguments)) is not None:
            self.values[id(result)] = known
            return result
        if name == "copy" and args[0].shape == args[1].shape and args[0].dtype == args[1].dtype:
            self.values[id(result)] = arguments[1]
            return result
        writes = False
        if name.endswith("_") and first is not None and results[0] is first:
            others = self.storages.get(first.untyped_storage()._cdata, [])
            writes = any(one is not first and self.values.get(id(one)) is not self.values.get(id(first)) for one in others)
            for one in others:  # another name of the same numbers
                if one is not first and self.values.get(id(one)) is self.values.get(id(first)):
                    self.values[id(one)] = None
            same = [one for one in others if self.values.get(id(one), 0) is None]
        else:
            same = []
        step = Step(function, arguments, keywords, writes)
        self.steps.append(step)
        for place, one in enumerate(results):
            if not isinstance(one, torch.Tensor):
                if one is not None and name not in ("_local_scalar_dense",):
                    raise NoTrace(f"{name} gives no tensor")
                continue
            made = Value(one, step, place)
            step.values.append(made)
            self.values[id(one)] = made
            if self.plain and name in self.PARTS:
                self.parts[(function, repr(arguments[1:]), id(arguments[0]))] = made
            for other in same:
                self.values[id(other)] = made
            if not writes:
                self._holds(one)
        return result


def _recorded(run, inputs, plain=False):
    """The steps of run(), and the tensors of its result."""
    found = _Numbers()
    with torch.no_grad(), found, _Steps(inputs, found, plain) as steps:
        result = run()
    results = []
    walk([result], results.append)
    return steps, results


def _lines(steps, results, inputs, outputs):
    if len(results) != len(outputs):
        raise NoTrace(f"it gives {len(results)} results instead of {len(outputs)}")
    return _Writer(steps, [steps.value(one) for one in results], outputs).lines({name for name, _ in inputs})


def lines_of(run, inputs, outputs):
    """Lines for what run() computes of `inputs`, (name, tensor) each; its results are called what `outputs` says. Raises NoTrace,
    or what the program raises."""
    return _lines(*_recorded(run, inputs), inputs, outputs)


def of_call(call, form, inputs, held, outputs, listed=lambda result: result):
    """Lines for listed(call(*arguments)), without data: `form` as forms.apart() has it, of tensors as `inputs` describes them;
    held: (name, tensor) of what a module holds beside. Where the module writes to part of a tensor, the lines say it without
    (select_scatter, slice_scatter), if PyTorch can. To be called with the device "meta"."""
    given = [torch.empty(one["shape"], dtype=getattr(torch, one["dtype"]), device="meta") for one in inputs]
    arguments = forms.together(form, given)
    named = [*((one["name"], tensor) for one, tensor in zip(inputs, given)), *held]
    outputs = [one["name"] for one in outputs]
    steps, results = _recorded(lambda: listed(call(*arguments)), named)
    if any(step.writes for step in steps.steps):
        try:
            return _lines(*_recorded(without_writes(call, arguments, listed), named, plain=True), named, outputs)
        except Exception as error:
            print(f"what it writes to parts of tensors stays: {type(error).__name__}: {error}", file=sys.stderr)
    return _lines(steps, results, named, outputs)


class _Writer:
    def __init__(self, steps, results, outputs):
        self.steps, self.results, self.outputs = steps.steps, results, outputs

    def lines(self, taken):
        self._leave_out_expansions()
        wanted = self._wanted()
        for value, name in zip(self.results, self.outputs):
            if value.step is not None and value.name is None:
                value.name = name
        number, lines = 0, []
        for step in self.steps:
            if id(step) not in wanted:
                continue
            for value in step.values:
                if value.name is None and (len(step.values) == 1 or id(value) in self.used):
                    number += 1
                    while f"t{number}" in taken:
                        number += 1
                    value.name = f"t{number}"
            lines += self._parts(step) or [self._line(step)]
        for value, name in zip(self.results, self.outputs):
            if value.name != name:
                lines.append(f"{name} = {self._text(value)}")
        if len(lines) > MOST_LINES:
            raise NoTrace(f"it takes {len(lines)} steps")
        return lines

    def _leave_out_expansions(self):
        """The operand, if an element-wise operator would expand it anyway."""
        users, results = {}, {id(value) for value in self.results}
        for step in self.steps:
            for value in _tensors([step.arguments, list(step.keywords.values())]):
                users.setdefault(id(value), []).append(step)
        for step in self.steps:
            if step.function.overloadpacket.__name__ != "expand" or id(step.values[0]) in results:
                continue
            by = users.get(id(step.values[0]), [])
            if all(torch.Tag.pointwise in user.function.tags and not user.writes for user in by):
                for user in by:
                    user.arguments = _replaced(user.arguments, step.values[0], step.arguments[0])

    def _wanted(self):
        """The steps that the results depend on."""
        self.used, wanted = {id(value) for value in self.results}, set()

        def use(value):
            if isinstance(value, Value):
                self.used.add(id(value))
            elif isinstance(value, list):
                for item in value:
                    use(item)

        for step in reversed(self.steps):
            if step.writes or any(id(value) in self.used for value in step.values):
                wanted.add(id(step))
                use(step.arguments)
                use(list(step.keywords.values()))
        return wanted

    def _text(self, value):
        if isinstance(value, Value):
            if value.name is None and value.number is None:
                raise NoTrace("it uses a tensor that is neither an input nor computed")
            return value.name if value.name is not None else _number(value.number)
        if isinstance(value, list):
            return "[" + ", ".join(self._text(item) for item in value) + "]"
        if isinstance(value, bool) or value is None:
            return str(value)
        if isinstance(value, numbers.Number):
            return _number(value)
        return TYPES.get(value, str(value).replace("torch.", ""))

    def _parts(self, step):
        """For a split, a line for each used part: its own name would not say which one it is."""
        name = step.function.overloadpacket.__name__
        if name not in ("split", "split_with_sizes", "unbind"):
            return []
        given = {one.name: value for one, value in zip(step.function._schema.arguments, step.arguments)} | step.keywords
        whole = step.arguments[0]
        axis = _axes(given.get("dim", 0), len(whole.shape))
        lines, first = [], 0
        for place, value in enumerate(step.values):
            shape = value.shape
            behind = first + (1 if name == "unbind" else shape[axis])
            if value.name is not None:
                made = f"{value.name} [{','.join(map(str, shape))}]"
                lines.append(f"{made} = select({self._text(whole)}, {axis}, {place})" if name == "unbind" else
                             f"{made} = slice({self._text(whole)}, {axis}, {first}, {behind})")
            first = behind
        return lines

    def _line(self, step):
        name = step.function.overloadpacket.__name__
        schema = step.function._schema.arguments
        arguments = list(step.arguments)
        if name == "rsub":
            arguments[:2] = arguments[1::-1]
        if RENAMED.get(name, name).endswith("batch_norm") and "training" in [one.name for one in schema] and arguments[5:6] == [True]:
            arguments[3:5] = [None, None]  # written, not read
        tensors = [one for one in _tensors(arguments) if one.number is None]
        if name == "slice":
            arguments = _slice(arguments, tensors[0])
        if name == "slice_scatter":
            arguments[2:] = _slice(arguments[:1] + arguments[2:], tensors[0])[1:]
        rank = (len(tensors[0].shape) if tensors else 0) + (name in ("unsqueeze", "stack"))
        given, skipped = [], False
        for place, one in enumerate(schema):
            if one.name == "half_to_float" or one.name in ("size", "shape") and name in SHAPED:
                continue
            if place < len(arguments) and not one.kwarg_only:
                value = arguments[place]
                if one.has_default_value() and value == one.default_value:
                    skipped = True
                    continue
                given.append(self._argument(one.name, value, rank, skipped))
            elif one.name in step.keywords and one.name not in ("device", "layout", "pin_memory", "memory_format", "non_blocking"):
                value = step.keywords[one.name]
                if not (one.has_default_value() and value == one.default_value) and not (one.name == "dtype" and value is None):
                    given.append(self._argument(one.name, value, rank, True))
        last = max((place for place, value in enumerate(step.values) if value.name is not None), default=-1)
        made = ", ".join("_" if value.name is None else value.name for value in step.values[:last + 1])
        shapes = [value.shape for value in step.values if value.name is not None]
        if tensors and shapes and shapes[0] != tensors[0].shape or not tensors:
            made += " [" + ",".join(map(str, shapes[0])) + "]"
        word = RENAMED.get(name, name)
        if not step.writes:
            word = word.strip("_")
        return f"{made} = {word.removeprefix('native_')}({', '.join(given)})"

    def _argument(self, name, value, rank, named):
        if value is True:
            return name
        if name in AXES:
            value = _axes(value, rank)
        elif name == "reduction" and value in REDUCTIONS:
            return REDUCTIONS[value]
        text = self._text(value)
        return f"{name}={text}" if named else text


def _tensors(arguments):
    for one in arguments:
        if isinstance(one, Value):
            yield one
        elif isinstance(one, list):
            yield from _tensors(one)


def _slice(arguments, tensor):
    """(tensor, axis, first, end, step), with places counted along the axis itself."""
    axis, first, end = (arguments[1:4] + [0, None, None][len(arguments) - 1:])
    size = tensor.shape[axis]
    place = lambda value, fallback: fallback if value is None else min(max(value + size if value < 0 else value, 0), size)
    return [arguments[0], axis, place(first, 0), place(end, size), *arguments[4:]]


def _replaced(value, old, new):
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return new if value is old else value


def _axes(value, rank):
    if isinstance(value, list):
        value = [_axes(one, rank) for one in value]
        return value[0] if len(value) == 1 else value
    return value + rank if isinstance(value, int) and value < 0 else value


def _number(value):
    """In the usual notation: 2, 0.5, 1e-5."""
    if isinstance(value, float):
        if value == int(value) if abs(value) < 1e6 else False:
            return str(int(value))
        text = repr(value) if len(repr(value)) <= 9 else f"{value:.8g}"  # the digits of float
        return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    return str(value)
