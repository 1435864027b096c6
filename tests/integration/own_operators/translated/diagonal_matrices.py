import torch
from torch import nn
from torch.nn import functional as F


def scaled(a, b, c):
    return torch.diag(a) @ b @ torch.diag_embed(c)


def get_inputs():
    return [torch.randn(17), torch.randn(17, 40), torch.randn(40)]
