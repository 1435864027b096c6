"""Types, sizes and bytes of tensors."""

import torch

from serving import Unreadable
from wide import walk

NAMES = {
    torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.int8: "int8",
    torch.uint8: "uint8", torch.int16: "int16", torch.uint16: "uint16", torch.int32: "int32", torch.uint32: "uint32",
    torch.int64: "int64", torch.uint64: "uint64", torch.bool: "bool", torch.float64: "float64",
    torch.complex64: "complex64",
}
ACL_TYPES = {
    "FLOAT": torch.float32, "FLOAT16": torch.float16, "BF16": torch.bfloat16, "INT8": torch.int8, "UINT8": torch.uint8,
    "INT16": torch.int16, "UINT16": torch.uint16, "INT32": torch.int32, "UINT32": torch.uint32, "INT64": torch.int64,
    "UINT64": torch.uint64, "BOOL": torch.bool, "DOUBLE": torch.float64, "COMPLEX64": torch.complex64,
}


def same_place(one, other):
    return (one.dtype == other.dtype and 0 < one.numel() <= other.numel() and one.is_contiguous() and
            other.is_contiguous() and one.data_ptr() == other.data_ptr())


def same_bytes(one, other):
    """NaN equals NaN."""
    return one.dtype == other.dtype and torch.equal(flat_bytes(one), flat_bytes(other))


def flat_bytes(tensor):
    if tensor.numel() == 0:
        return torch.empty(0, dtype=torch.uint8)
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


def is_joined(item, tensors):
    if sum(tensor.numel() for tensor in tensors) != item.numel():
        return False
    return same_bytes(torch.cat([tensor.reshape(-1) for tensor in tensors]), item)


def type_name(tensor):
    if tensor.dtype not in NAMES:
        raise Unreadable(f"a tensor is of type {tensor.dtype}")
    return NAMES[tensor.dtype]


def raw(tensor):
    """Bytes of a tensor, little-endian, row-major; complex128 as pairs of fp64."""
    tensor = tensor.detach().contiguous()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return memoryview(flat_bytes(tensor).numpy())


def input_bytes(values):
    total = []
    walk(values, lambda t: total.append(t.numel() * t.element_size()))
    return sum(total)


def refuse_larger(most_bytes, size, more=""):
    if most_bytes and size is not None and size > most_bytes:
        raise Unreadable(f"its inputs are {size / 1e6:.0f} MB, and --largest is {most_bytes / 1e6:.0f} MB{more}")
