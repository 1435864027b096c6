"""The cost of a module, found by running it on tensors without data."""

import math

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.flop_counter import FlopCounterMode

from extents import Size
from wide import walk

# For two cores, on the low side: if the estimate is too long, outputs are only made later, when they are needed.
FLOPS_PER_SECOND = 5e10
BYTES_PER_SECOND = 5e8
# The emulated device takes about as long for a row of elements as for so many operations of a product.
ROW_FLOPS = 2000


class WithoutNumbers(TorchFunctionMode):
    """Lets code continue that draws a scalar and looks at it, or joins tensors without data to one of its own that has data."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if any(isinstance(one, torch.Tensor) and one.is_meta for one in args):
            args = [one.to("meta") if isinstance(one, torch.Tensor) and not one.is_meta else one for one in args]
        if getattr(function, "__name__", "") == "item" and args and isinstance(args[0], torch.Tensor) and args[0].is_meta:
            return 1.0 if args[0].is_floating_point() else 1
        return function(*args, **(kwargs or {}))


MOST_STEPS = 5000  # a recurrent network without data goes step by step, which takes longer than with data


class _Bytes(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.steps = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise RuntimeError("many small steps")
        result = function(*args, **(kwargs or {}))
        for item in tree_flatten(result)[0]:
            if isinstance(item, torch.Tensor):
                self.count += item.numel() * item.element_size()
        return result


class _Rows(TorchDispatchMode):
    """Rows of elements that a kernel visits for windows: of a convolution, for each place in a window; of pooling likewise."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        out = tree_flatten(result)[0][0]
        if name == "convolution":
            weight, groups = args[1], args[8] if len(args) > 8 else 1
            channels = out.shape[1] * weight.shape[1] if groups == args[0].shape[1] else args[0].shape[1]
            places = math.prod(weight.shape[2:])
            self.count += (places > 1) * out.shape[0] * channels * places * math.prod(out.shape[2:-1])
        elif "pool" in name and len(args) > 1 and isinstance(args[1], (list, tuple)) and out.ndim >= len(args[1]):
            width = args[1] if len(args[1]) > 1 else list(args[1]) * (3 if "3d" in name else 2 if "2d" in name else 1)
            places = args[0].numel() // max(out.numel(), 1) if "adaptive" in name else math.prod(width)
            self.count += out.numel() // out.shape[-1] * places
        return result


class _Scalars(TorchDispatchMode):
    """The numbers that operators take besides tensors, axes and sizes."""

    OF_SIZES = {"arange", "linspace"}

    def __init__(self):
        super().__init__()
        self.found = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs, name = kwargs or {}, function.overloadpacket.__name__
        if name not in self.OF_SIZES:
            for i, argument in enumerate(function._schema.arguments):
                given = args[i] if i < len(args) else kwargs.get(argument.name)
                if isinstance(given, (int, float)) and not isinstance(given, bool) and not str(argument.type).endswith(("int", "int]")):
                    self.found.add((name, argument.name, float(given)))
        return function(*args, **kwargs)


def size_of(arguments, state, run, dtype=None):
    """The Size of run(), a module on `arguments`, with the tensors `state`, all without data. dtype: what floating-point
    tensors become, if they are converted."""
    with FlopCounterMode(display=False) as flops, _Rows() as rows, _Scalars() as scalars:
        result = run()
    tensors = []
    for role, values in ("input", arguments), ("state", state), ("output", [result]):
        def add(tensor, role=role):
            converted = dtype is not None and tensor.is_floating_point()
            tensors.append((role, list(tensor.shape), dtype.itemsize if converted else tensor.element_size()))

        walk(values, add)
    return Size(tensors, flops.get_total_flops() + ROW_FLOPS * rows.count, scalars.found)


class Measured:
    """`result` on tensors without data, and `seconds` that the module takes on two cores, roughly."""

    def __init__(self, run):
        moved = _Bytes()
        with torch.no_grad(), FlopCounterMode(display=False) as flops, moved:
            self.result = run()
        self.seconds = flops.get_total_flops() / FLOPS_PER_SECOND + moved.count / BYTES_PER_SECOND
