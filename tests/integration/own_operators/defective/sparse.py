# refused at line 9: sparse or quantized
import torch


def f(x):
    return x.to_dense()


def get_inputs():
    return [torch.eye(4).to_sparse()]
