# refused at line 10: get_inputs fails: NameError
import torch


def f(x):
    return x


def get_inputs():
    return [torch.rand(rows, 4)]
