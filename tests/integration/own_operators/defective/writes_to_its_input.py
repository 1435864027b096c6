# refused at line 7: writes to its input 0 and does not return it
import torch


def f(x, y):
    x.add_(1)
    return y * 2


def get_inputs():
    return [torch.rand(4, 5), torch.rand(3)]
