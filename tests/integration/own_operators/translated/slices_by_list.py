import torch
from torch import nn
from torch.nn import functional as F


def written(x, places, rows, columns):
    return x.index_copy(0, places, rows), x.index_copy(1, places, columns)


def get_inputs():
    return [torch.randn(9, 33), torch.tensor([3, 0, 5]), torch.randn(3, 33), torch.randn(9, 3)]
