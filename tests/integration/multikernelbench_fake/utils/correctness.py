import torch


def compare(expected, found):
    return torch.allclose(expected, found, atol=1e-04, rtol=1e-04)
