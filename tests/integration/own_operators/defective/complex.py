# refused at line 9: is complex
import torch


def f(x):
    return x.abs()


def get_inputs():
    return [torch.randn(4, 5, dtype=torch.complex64)]
