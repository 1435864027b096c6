import torch
from torch import nn
from torch.nn import functional as F


def warped(x, grid):
    return F.grid_sample(x, grid, mode="nearest", align_corners=True)


def get_inputs():
    return [torch.randn(2, 3, 24, 36), torch.rand(2, 20, 28, 2) * 2.6 - 1.3]
