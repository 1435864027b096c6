# refused at line 1: it defines no operator
import torch


def get_inputs():
    return [torch.rand(4)]
