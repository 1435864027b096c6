import torch
from torch import nn
from torch.nn import functional as F


def resized(x):
    return F.interpolate(x, scale_factor=1.5, mode="bicubic"), F.interpolate(x, size=(40, 9), mode="bicubic", align_corners=True)


def get_inputs():
    return [torch.randn(2, 3, 13, 17)]
