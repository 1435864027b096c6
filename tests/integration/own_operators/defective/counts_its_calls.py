# refused at line 10: gives different numbers when it is called again
import torch

calls = 0


def f(x):
    global calls
    calls += 1
    return x * calls


def get_inputs():
    return [torch.rand(4, 5)]
