"""torch_npu and its test case, as far as DrivingSDK's tests use them, with the CPU as the device."""

import functools
import sys
import types
import unittest

import numpy
import torch


class TestCase(unittest.TestCase):
    """assertRtolEqual fails for an element whose absolute and relative error both exceed the bound."""

    found_equal = staticmethod(lambda: None)  # is called after each comparison that holds

    def assertRtolEqual(self, x, y, prec=1e-4, prec16=1e-3, message=None, **_):
        x, y = (numpy.asarray(one.detach().float() if isinstance(one, torch.Tensor) and one.dtype == torch.bfloat16
                              else one.detach() if isinstance(one, torch.Tensor) else one) for one in (x, y))
        if x.size == 0 and y.size == 0:
            return
        self.assertEqual(x.shape, y.shape, message)
        bound = prec16 if numpy.float16 in (x.dtype, y.dtype) else prec
        a, b = x.astype(numpy.float64), y.astype(numpy.float64)
        self.assertTrue(bool((numpy.isfinite(a) == numpy.isfinite(b)).all()), "non-finite values differ")
        error = numpy.abs(a - b)[numpy.isfinite(b)]
        size = numpy.abs(b)[numpy.isfinite(b)]
        bad = (error > bound) & (error > bound * size)
        self.assertFalse(bool(bad.any()), f"{int(bad.sum())} of {bad.size} elements, worst {error.max(initial=0)}")
        self.found_equal()


sorts = torch.library.Library("aten", "IMPL")


def cpu(value):
    return "cpu" if isinstance(value, str) and value.startswith("npu") else value


def on_cpu(function):
    @functools.wraps(function)
    def called(*arguments, **named):
        if "device" in named:
            named["device"] = cpu(named["device"])
        return function(*[cpu(one) for one in arguments], **named)
    return called


def same(value=None, *_, **__):
    return value


def plain_decorator(function=None, **_):
    return function if function is not None else plain_decorator


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def create_common_tensor(item, low, high):
    dtype, _, shape = item
    array = numpy.random.uniform(low, high, shape).astype(dtype)
    return torch.from_numpy(array), torch.from_numpy(array.copy())


def device_sort(tensor, dim=-1, descending=False):
    """DrivingSDK relies on the device's sort: it keeps the order of equal values, and a NaN of negative sign (-1, an
    integer, seen as a float) is less than any number."""
    keys = tensor
    if tensor.is_floating_point():
        keys = torch.where(torch.isnan(tensor) & torch.signbit(tensor), -torch.inf, tensor)
    order = torch.ops.aten.sort.stable(keys, stable=True, dim=dim, descending=descending)[1]
    return tensor.gather(dim, order), order


def install():
    npu = module("torch_npu.npu", get_device_name=lambda *_: "Ascend910B2", set_device=same, synchronize=same,
                 is_available=lambda: True, current_device=lambda: 0, manual_seed=same, device_count=lambda: 1,
                 set_compile_mode=same, config=types.SimpleNamespace(allow_internal_format=False))
    testcase = module("torch_npu.testing.testcase", TestCase=TestCase, run_tests=same)
    common = module("torch_npu.testing.common_utils", create_common_tensor=create_common_tensor)
    testing = module("torch_npu.testing", testcase=testcase, common_utils=common)
    module("torch_npu", npu=npu, testing=testing, __version__="2.6.0")
    module("data_cache", golden_data_cache=lambda *_, **__: lambda function: function)
    torch.npu = sys.modules["torch.npu"] = npu
    npu.__path__ = []
    npu.amp = module("torch.npu.amp", custom_fwd=plain_decorator, custom_bwd=plain_decorator)
    torch.Tensor.npu = same
    torch.nn.Module.npu = same
    for name in ("tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange", "randperm",
                 "zeros_like", "ones_like", "as_tensor", "linspace", "device", "normal", "eye"):
        if name != "device":
            setattr(torch, name, on_cpu(getattr(torch, name)))
    sorts.impl("sort", device_sort, "CPU")
    torch.Tensor.to = on_cpu(torch.Tensor.to)
    torch.nn.Module.to = on_cpu(torch.nn.Module.to)
