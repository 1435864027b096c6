# refused at line 5: the file is no Python
import torch


def f(x)
    return x


def get_inputs():
    return [torch.rand(4)]
