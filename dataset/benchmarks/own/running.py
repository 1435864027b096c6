"""Runs an operator: as it is, in fp64, or without data; and observes it."""

import contextlib
import copy
import signal
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry, sdpa_flop_count

from reference import Refused, blame, quiet, set_seed
from wide import Wide, copied, walk, widened

ALLOCATE = {"empty", "zeros", "ones", "full", "arange", "empty_like", "zeros_like", "ones_like", "full_like", "scalar_tensor",
            "lift_fresh", "detach", "empty_strided", "new_empty", "new_zeros"}


def products(function, args, kwargs, result):
    """The multiplications of a matrix product, a convolution or an attention; 0 for another operator."""
    operator = function.overloadpacket
    if operator is torch.ops.aten._scaled_dot_product_flash_attention_for_cpu:
        return sdpa_flop_count(*(tensor.shape for tensor in args[:3])) // 2
    if operator not in flop_registry:
        return 0
    return int(flop_registry[operator](*args, **kwargs, out_val=result)) // 2


class Seen(TorchDispatchMode):
    """The tensors that are read directly, and each operator's bytes moved and products."""

    def __init__(self):
        super().__init__()
        self.read = set()
        self.bytes, self.products = [], []

    @classmethod
    def _should_skip_dynamo(cls):  # otherwise it would load it first
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        read, written = [], []
        walk(list(args) + list((kwargs or {}).values()), read.append)
        self.read.update(id(tensor) for tensor in read)
        result = function(*args, **(kwargs or {}))
        walk(result if isinstance(result, (list, tuple)) else [result], written.append)
        places = {tensor.untyped_storage().data_ptr() for tensor in read}
        moves = any(tensor.untyped_storage().data_ptr() not in places for tensor in written) or \
            function.overloadpacket.__name__.endswith("_")
        if read and written and moves and function.overloadpacket.__name__ not in ALLOCATE:
            self.bytes.append(sum(tensor.numel() * tensor.element_size() for tensor in read + written))
            self.products.append(products(function, args, kwargs or {}, result))
        return result


class Drawing(TorchFunctionMode):
    """Finds the line at which random numbers are drawn."""

    def __init__(self, path):
        super().__init__()
        self.path, self.line = str(path), 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        before = torch.get_rng_state()
        result = function(*args, **(kwargs or {}))
        if not self.line and not torch.equal(before, torch.get_rng_state()):
            frame = sys._getframe(1)
            while frame and frame.f_code.co_filename != self.path:
                frame = frame.f_back
            self.line = frame.f_lineno if frame else 0
        return result


class Limit:
    """Ends Python code that takes too long."""

    def __init__(self, seconds, path):
        self.seconds, self.path = seconds, str(path)

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._end)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *args):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _end(self, number, frame):
        while frame and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        raise Refused(f"it takes longer than {self.seconds:.0f} s", frame.f_lineno if frame else 0,
                      "give smaller sizes with --shape")


def state_of(model):
    """(name, tensor, is a buffer) for a module's tensors: parameters, buffers, tensors that are plain attributes."""
    if not isinstance(model, torch.nn.Module):
        return []
    found, seen = [], set()

    def add(name, tensor, is_buffer):
        if id(tensor) not in seen and not name.endswith("num_batches_tracked"):
            seen.add(id(tensor))
            found.append((name, tensor, is_buffer))

    for name, tensor in model.named_parameters():
        add(name, tensor, False)
    for name, tensor in model.named_buffers():
        add(name, tensor, True)
    for prefix, module in model.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor):
                add(f"{prefix}.{name}" if prefix else name, value, True)
    return found


def _plain_tensors(model, change):
    """Changes the tensors that are plain attributes of a module or of its members."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                object.__setattr__(module, name, change(value))


def without_history(model):
    """The module with plain tensors that are results of computations, such as a weight of torch.nn.utils.weight_norm, as numbers:
    others cannot be copied."""
    _plain_tensors(model, torch.Tensor.detach)
    return model


def convert(model, dtype):
    """The module in another floating type, its plain tensors as well."""
    if isinstance(model, torch.nn.Module):
        model.to(dtype)
        _plain_tensors(model, lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)
    return model


@contextlib.contextmanager
def in_double(model):
    """The module itself converted, and as it was afterwards: a copy would leave out modules that its functions hold."""
    if not isinstance(model, torch.nn.Module):
        yield
        return
    kept = [(module, [(one, one.data) for one in module._parameters.values() if one is not None], dict(module._buffers),
             {name: value for name, value in vars(module).items() if isinstance(value, torch.Tensor)}) for module in model.modules()]
    convert(model, torch.float64)
    try:
        yield
    finally:
        for module, parameters, buffers, plain in kept:
            for one, data in parameters:
                one.data = data
            module._buffers.update(buffers)
            for name, value in plain.items():
                object.__setattr__(module, name, value)


def without_data(model):
    """The module with its tensors on the device "meta", also those that constructors make elsewhere whatever the default device
    is (FloatTensor, from_numpy)."""
    if isinstance(model, torch.nn.Module):
        model.to("meta")
        _plain_tensors(model, lambda tensor: tensor.to("meta"))
    return model


def result_list(result):
    """A result with dictionaries as lists of their values."""
    if isinstance(result, dict):
        return [result_list(value) for value in result.values()]
    if isinstance(result, (list, tuple)):
        return [result_list(value) for value in result]
    return result


class Runner:
    def __init__(self, reference, seconds):
        self.reference, self.path, self.seconds = reference, reference.path, seconds

    def _call(self, model, arguments, doing):
        hint = "it is called with what the example inputs are"
        line = self.reference.lines[self.reference.name]
        with blame(self.path, doing, hint, line), quiet(), torch.no_grad(), Limit(self.seconds, self.path):
            return result_list(model(*arguments))

    def as_it_is(self, model, arguments):
        """The result, what was seen of the module's tensors and operators. Refuses results that no kernel can match."""
        name = self.reference.name
        given = copied(arguments)
        set_seed(1)
        before = torch.get_rng_state()
        with blame(self.path, "the module cannot be copied", "keep no tensors of a computation in it"):
            fresh = copy.deepcopy(model) if isinstance(model, torch.nn.Module) else model
        with Seen() as seen:
            result = self._call(model, given, f"{name} fails")
        if not torch.equal(before, torch.get_rng_state()):
            with Drawing(self.path) as drawing:
                self._call(copy.deepcopy(fresh), copied(arguments), f"{name} fails")
            raise Refused(f"{name} draws random numbers, so no kernel can match it", drawing.line or
                          self.reference.line_of_return(), "leave dropout away, or add --eval")
        result = walk(result, torch.clone)  # an input that is returned may be written to
        self._refuse_writing(arguments, given, result)
        again = self._call(fresh, copied(arguments), f"{name} fails when it is called again")
        if not same(result, again):
            raise Refused(f"{name} gives different numbers when it is called again", self.reference.line_of_return(),
                          "let the result follow from inputs and parameters alone")
        return result, seen

    def _refuse_writing(self, before, after, result):
        old, new, results = [], [], []
        walk(before, old.append)
        walk(after, new.append)
        walk([result], results.append)
        for i, (one, other) in enumerate(zip(old, new)):
            if same(one, other):
                continue
            if not any(same(other, item) for item in results):
                raise Refused(f"{self.reference.name} writes to its input {i} and does not return it",
                              self.reference.line_of_return(), "return what it writes")

    def wide(self, model, arguments):
        set_seed(1)
        with in_double(model), Wide():
            return self._call(model, widened(list(arguments)), f"{self.reference.name} cannot be computed in double")


def same(one, other):
    """NaN equals NaN."""
    first, second = [], []
    walk([one], first.append)
    walk([other], second.append)
    return len(first) == len(second) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
        if a.is_floating_point() else a.shape == b.shape and torch.equal(a, b) for a, b in zip(first, second))
