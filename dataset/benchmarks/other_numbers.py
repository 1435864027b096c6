"""Other numbers for a case's inputs, such as its operator may meet: what a constant, a table or a few statistics answer for the
benchmark's own inputs is wrong for these. Range, signs, zeros, whole numbers and rows that sum to one stay what they are.
"""

import torch

FEW = 16  # a tensor with fewer elements is a parameter rather than data
LEAST, MOST = 0.25, 0.7  # factors of a tensor as a whole
BLOCKS = 8  # parts of a tensor, each with its own factor
MIXED = 0.4  # share of an earlier tensor in a later one with the same shape


def widen(values, seed):
    """Changes the floating tensors of nested lists in place."""
    generator = torch.Generator().manual_seed(seed)
    changed = []
    for tensor in _tensors(values):
        if not tensor.is_floating_point() or tensor.numel() < FEW or _stands_for_something(tensor):
            continue
        made = tensor.detach().double()
        if _is_constant(made):
            made = made * (0.5 + torch.rand(made.shape, generator=generator, dtype=torch.float64))
        else:
            made = _mixed(made, changed) * _factors(made, generator)
        with torch.no_grad():
            tensor.copy_(made)
        changed.append(tensor.detach().double())
    return values


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _is_constant(tensor):
    return bool((tensor == tensor.reshape(-1)[0]).all())


def _stands_for_something(tensor):
    """Labels, masks and sizes are whole numbers; probabilities sum to one; a number that is not finite has a special meaning."""
    wide = tensor.detach().double()
    if not bool(torch.isfinite(wide).all()):
        return True
    if _is_constant(wide):
        return bool((wide == 0).all())
    if bool((wide == wide.round()).all()):
        return True
    sums = wide.sum(dim=-1)
    return wide.shape[-1] > 1 and bool(((sums - 1).abs() < 1e-3).all())


def _mixed(tensor, earlier):
    """With correlation: two independent tensors of many elements have none, and operators that measure it would give a constant."""
    for other in earlier:
        if other.shape != tensor.shape:
            continue
        # Within its own range, which may have a meaning.
        scale = tensor.abs().max() / other.abs().max().clamp(min=1e-30)
        low, high = tensor.min(), tensor.max()
        if low >= 0 and other.min() < 0:
            continue
        return ((1 - MIXED) * tensor + MIXED * scale * other).clamp(low, high)
    return tensor


def _factors(tensor, generator):
    """Symmetric and triangular matrices stay so: only tensors that are not a stack of square matrices get blocks."""
    whole = LEAST + (MOST - LEAST) * torch.rand((), generator=generator, dtype=torch.float64)
    if tensor.dim() >= 2 and tensor.shape[-1] == tensor.shape[-2]:
        return whole
    rows = tensor.shape[0]
    blocks = 0.3 + 0.7 * torch.rand(min(BLOCKS, rows), generator=generator, dtype=torch.float64)
    place = torch.sort(torch.randint(0, len(blocks), (rows,), generator=generator)).values
    return whole * blocks[place].reshape([rows] + [1] * (tensor.dim() - 1))
