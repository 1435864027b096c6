"""Inputs and parameters that expose cheats.

The file's own example says what an input may be: its range, and whether its numbers are of a kind that is not to be broken
(a mask, probabilities, sorted offsets). Within that, rows are drawn with different scales and offsets, so that no row is
normalised already, and parameters that begin as 1 or 0 are drawn around them.
"""

import torch

FEW = 16  # numbers that an input may have besides those of a kind
MOSTLY_TRUE = 0.75  # for truth values whose example has only one value


def generator(seed):
    return torch.Generator().manual_seed(seed)


def uniform(shape, low, high, source):
    return torch.rand(shape, generator=source, dtype=torch.float64) * (high - low) + low


class Way:
    """spread: rows of different scale and offset where the example allows it; else as the example is, or in its range where
    the shape is another. zeros: what becomes of an example of zeros alone."""

    AROUND, POSITIVE, KEPT = range(3)

    def __init__(self, spread, zeros):
        self.spread, self.zeros = spread, zeros


# If the first leaves nothing to judge by, for example negative numbers as the mean of squares, the next is tried.
def ways(spread):
    return [Way(spread, Way.AROUND), Way(spread, Way.POSITIVE), Way(False, Way.POSITIVE), Way(False, Way.KEPT)]


def inputs(examples, seed, shapes, way):
    """Tensors like the examples. shapes: index of an example to another shape."""
    source = generator(seed)
    made = []
    for i, example in enumerate(examples):
        shape = shapes.get(i, example.shape)
        same = tuple(shape) == tuple(example.shape)
        if example.numel() == 0 or example.is_complex():
            made.append(example.clone() if same else torch.randn(shape, dtype=example.dtype, generator=source))
        elif example.is_floating_point():
            made.append(floats(example, shape, same, source, way))
        elif example.dtype == torch.bool:
            made.append(truths(example, shape, same, source))
        else:
            made.append(example.clone() if same else whole_numbers(example, shape, source))
    return made


def truths(example, shape, same, source):
    share = example.double().mean().item()
    if 0 < share < 1 or example.numel() == 1:
        return example.clone() if same else torch.rand(shape, generator=source) < share
    drawn = torch.rand(shape, generator=source) < (MOSTLY_TRUE if share else 1 - MOSTLY_TRUE)
    drawn[..., 0] = bool(share)  # every row has at least one
    return drawn


def whole_numbers(example, shape, source):
    """In the example's range, and sorted if the example is."""
    low, high = int(example.min()), int(example.max())
    drawn = torch.randint(low, high + 1, tuple(shape), generator=source)
    flat = example.reshape(-1)
    if flat.numel() > 2 and bool((flat[1:] >= flat[:-1]).all()):
        drawn = drawn.reshape(-1).sort().values.reshape(tuple(shape))
    return drawn.to(example.dtype)


def floats(example, shape, same, source, way):
    numbers = example.double()
    if example.numel() == 1 and same:
        return example.clone()
    low, high = numbers.min().item(), numbers.max().item()
    if low == high:  # such as ones for a weight, zeros for a bias
        if same and way.zeros == Way.KEPT:
            return example.clone()
        return around(low, shape, source, way.zeros).to(example.dtype)
    if same and (not way.spread or is_of_a_kind(example)):
        return example.clone()
    if low >= 0 or low >= -1 and high <= 1:
        drawn = within(low, high, shape, source)
    else:
        drawn = bells(numbers.mean().item(), numbers.std().item(), shape, source)
    return clamped(drawn, low, high, example.dtype) if low >= 0 else drawn.to(example.dtype)


def clamped(drawn, low, high, dtype):
    return drawn.clamp(low, high).to(dtype)


def within(low, high, shape, source):
    """Each row in its own part of the range."""
    rows = (*shape[:-1], 1) if len(shape) > 1 else (1,)
    width = (high - low) * uniform(rows, 0.4, 1.0, source)
    start = low + (high - low - width) * uniform(rows, 0, 1, source)
    return start + width * uniform(tuple(shape), 0, 1, source)


def bells(mean, deviation, shape, source):
    """Normal numbers; each row, and each place in a row, with a scale and an offset of its own."""
    shape = tuple(shape)
    drawn = torch.randn(shape, generator=source, dtype=torch.float64)
    if len(shape) > 1:
        rows = (*shape[:-1], 1)
        drawn = drawn * torch.exp(uniform(rows, -0.7, 0.9, source)) + uniform(rows, -1.5, 1.5, source)
        channels = (1, shape[1], *[1] * (len(shape) - 2))
        drawn = drawn * torch.exp(uniform(channels, -0.4, 0.4, source)) + uniform(channels, -0.5, 0.5, source)
    else:
        drawn = drawn * 1.7 + 0.6
    return mean + deviation * drawn


def around(value, shape, source, zeros=Way.AROUND):
    if value == 0:
        return uniform(tuple(shape), -0.5 if zeros == Way.AROUND else 0.01, 0.5, source)
    return value * uniform(tuple(shape), 0.5, 1.5, source)


def is_of_a_kind(example):
    """Few values, infinities, many zeros, rows that sum to 1, numbers in order: they mean something."""
    numbers = example.double()
    if not bool(numbers.isfinite().all()) or (numbers == 0).double().mean().item() > 0.1:
        return True
    flat = numbers.reshape(-1)
    if flat.numel() > FEW and flat[:4096].unique().numel() <= min(FEW, flat.numel() // 2):
        return True
    if example.dim() > 0 and example.shape[-1] > 2:
        sums = numbers.sum(-1)
        if bool(((sums - 1).abs() < 1e-3).all()):
            return True
        steps = numbers.diff(dim=-1)
        if bool((steps >= 0).all()) or bool((steps <= 0).all()):
            return True
    return example.dim() >= 2 and example.shape[-1] == example.shape[-2] > 1 and \
        bool((numbers - numbers.transpose(-1, -2)).abs().max() < 1e-6)


def is_statistic(name):
    """Of batch norm: read in evaluation, written in training."""
    return name.rsplit(".", 1)[-1] in ("running_mean", "running_var")


def parameter(name, tensor, is_buffer, source):
    """Another value for a module's parameter or buffer, or the one that it has."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor.clone()
    if is_buffer and not is_statistic(name) or tensor.min() != tensor.max():
        return tensor.clone()
    return around(tensor.reshape(-1)[0].item(), tensor.shape, source).to(tensor.dtype)
