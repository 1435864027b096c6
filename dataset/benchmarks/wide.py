"""A reference module in fp64."""

import torch
from torch.overrides import TorchFunctionMode

WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
        torch.complex64: torch.complex128}


def walk(value, change):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(walk(item, change) for item in value)
    if isinstance(value, dict):
        return {key: walk(item, change) for key, item in value.items()}
    return value


def copied(value):
    return walk(value, torch.clone)


def widened(value):
    return walk(value, lambda t: t.to(WIDE[t.dtype]) if t.dtype in WIDE else t.clone())


class Wide(TorchFunctionMode):
    """Values that a reference module rounds to a narrower floating type stay in fp64."""

    NARROWING = {"float": "double", "half": "double", "bfloat16": "double"}

    def __enter__(self):
        self._default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *args):
        torch.set_default_dtype(self._default)
        return super().__exit__(*args)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name in self.NARROWING and args and isinstance(args[0], torch.Tensor):
            return args[0].double() if not args[0].is_complex() else args[0]
        widen = lambda value: self._widen(value)
        return function(*map(widen, args), **{key: widen(value) for key, value in (kwargs or {}).items()})

    def _widen(self, value):
        if isinstance(value, torch.dtype):
            return WIDE.get(value, value)
        if isinstance(value, (list, tuple)) and any(isinstance(item, torch.dtype) for item in value):
            return type(value)(map(self._widen, value))
        return value
