# refused at line 1: it defines neither a class Model
import torch


def get_inputs():
    return [torch.rand(4)]
