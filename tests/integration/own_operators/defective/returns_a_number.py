# refused at line 6: it returns no tensor but a float
import torch


def f(x):
    return x.sum().item()


def get_inputs():
    return [torch.rand(4, 5)]
