# refused at line 9: has no elements
import torch


def f(x):
    return x + 1


def get_inputs():
    return [torch.rand(0, 5)]
