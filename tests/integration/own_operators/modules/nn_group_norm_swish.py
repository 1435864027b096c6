import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        y = self.gn(x)
        return y * torch.sigmoid(y)


def get_inputs():
    return [torch.randn(3, 12, 10, 10)]


def get_init_inputs():
    return [4, 12]
