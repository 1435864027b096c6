# refused at line 3: No module named 'no_such_package'
import torch
import no_such_package


def f(x):
    return x


def get_inputs():
    return [torch.rand(4)]
