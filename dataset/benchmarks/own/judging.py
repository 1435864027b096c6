"""What counts as correct: how far from the fp64 result an element may be."""

import torch

# As the judge has it (reward/tolerance.h): what rounding a number to half does is up to 2^-11.
RELATIVE = {torch.float32: 2.0**-14, torch.float16: 1e-3, torch.bfloat16: 1e-3}
FLOOR = {torch.float32: 1e-5, torch.float16: 5e-4, torch.bfloat16: 4e-3}  # times the root mean square
TIMES_PYTORCH = 4  # cancellation leaves errors; PyTorch's own, in the same type, show how large


class Uncertain(Exception):
    """PyTorch's own result is too far from the fp64 one for any bound to tell right from wrong."""


def bounds(result, golden):
    """(relative, absolute) bounds for a tensor; whole numbers and truth values must be equal."""
    if not result.is_floating_point():
        if not torch.equal(result.to(torch.float64), golden):
            raise Uncertain(f"{int((result.to(torch.float64) != golden).sum())} of {golden.numel()} elements in "
                            f"{name(result.dtype)} differ between PyTorch's own result and the one in fp64")
        return 0.0, 0.0
    relative = RELATIVE.get(result.dtype, RELATIVE[torch.float32])
    finite = golden.isfinite() & result.isfinite()
    if not bool(finite.any()):
        return relative, 0.0
    wanted, found = golden[finite], result.to(torch.float64)[finite]
    size = wanted.square().mean().sqrt().item()
    error = (found - wanted).abs()
    beyond = error[error > relative / 4 * wanted.abs()]
    own = TIMES_PYTORCH * beyond.max().item() if beyond.numel() else 0.0
    floor = FLOOR.get(result.dtype, FLOOR[torch.float32]) * size
    if own > 200 * floor and own > 1e-30:
        raise Uncertain(f"PyTorch's own result in {name(result.dtype)} is off by {own / TIMES_PYTORCH:.2g} where the "
                        f"numbers' root mean square is {size:.2g}")
    return relative, max(own, floor)


def passes(found, golden, relative, absolute):
    """True if every element passes, by the judge's rule."""
    found, dtype = found.to(torch.float64), found.dtype
    same = (found == golden.to(dtype).to(torch.float64)) | (found.isnan() & golden.isnan())
    if not dtype.is_floating_point:
        return bool(same.all())
    error = (found - golden).abs()
    ulps = 2 * torch.finfo(dtype).eps * golden.abs()
    near = (error <= torch.maximum(relative * golden.abs(), ulps)) | (error <= absolute)
    return bool((same | near & golden.isfinite()).all())


def cheats(inputs, results, golden, limits):
    """Kernels that pass although they compute nothing: their names for each result."""
    found = []
    for (label, result), wanted, limit in zip(results, golden, limits):
        if wanted.numel() < 2:
            continue
        finite = wanted[wanted.isfinite()]
        if finite.numel() and passes(torch.full_like(result, finite.mean().item()), wanted, *limit):
            found.append(f"a constant passes as {label}")
        for input_name, tensor in inputs:
            if tensor.numel() == wanted.numel() and not tensor.is_complex() and \
                    passes(tensor.reshape(wanted.shape).to(result.dtype), wanted, *limit):
                found.append(f"a copy of {input_name} passes as {label}")
    return found


def name(dtype):
    return str(dtype).removeprefix("torch.")
