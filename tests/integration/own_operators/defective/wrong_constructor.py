# refused at line 5: Model cannot be constructed: TypeError
import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()

    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(4)]


def get_init_inputs():
    return []
