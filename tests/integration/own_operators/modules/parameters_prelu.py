import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.act = nn.PReLU(channels, init=0.1)

    def forward(self, x):
        return self.act(x)


def get_inputs():
    return [torch.randn(5, 20, 33)]


def get_init_inputs():
    return [20]
