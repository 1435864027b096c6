import torch


def top(x):
    values, places = torch.topk(x, 5, dim=1)
    return values, places


def get_inputs():
    return [torch.randn(11, 64)]
