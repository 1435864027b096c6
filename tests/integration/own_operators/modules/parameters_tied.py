import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.encode = nn.Linear(size, size, bias=False)
        self.decode = nn.Linear(size, size, bias=False)
        self.decode.weight = self.encode.weight

    def forward(self, x):
        return self.decode(torch.relu(self.encode(x)))


def get_inputs():
    return [torch.rand(16, 32)]


def get_init_inputs():
    return [32]
