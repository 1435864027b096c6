# refused at line 9: get_inputs gives nothing
import torch


def f(x):
    return x


def get_inputs():
    torch.rand(4)
