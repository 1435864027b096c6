import torch


def pairs(x):
    left, right = x[:, [0, 0, 1]], x[:, [1, -1, 2], 1:]
    return left[..., 1:] * right + x[[2, 0]][:, 1:2, 1:].sum()


def get_inputs():
    return [torch.randn(4, 3, 20)]
