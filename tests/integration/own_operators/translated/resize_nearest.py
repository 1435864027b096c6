import torch
from torch import nn
from torch.nn import functional as F


def resized(x):
    return (F.interpolate(x, scale_factor=1.7), F.interpolate(x, scale_factor=0.6), F.interpolate(x, size=(9, 30)),
            F.interpolate(x, scale_factor=2.3, mode="nearest-exact"))


def get_inputs():
    return [torch.randn(2, 3, 13, 17)]
