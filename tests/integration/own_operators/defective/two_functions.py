# refused at line 9: it defines several operators
import torch


def first(x):
    return x


def second(x):
    return x + 1


def get_inputs():
    return [torch.rand(4)]
