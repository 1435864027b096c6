import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inside, outside, window):
        super().__init__()
        self.conv = nn.Conv1d(inside, outside, window, padding=window // 2, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 100)]


def get_init_inputs():
    return [6, 10, 3]
