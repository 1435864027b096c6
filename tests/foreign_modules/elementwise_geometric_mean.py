import torch


def geometric_mean(first, second):
    """exp of the mean of both logarithms"""
    return torch.exp((first.log() + second.log()) * 0.5)


def get_inputs():
    return [torch.rand(300, 70) + 0.2, torch.rand(300, 70) + 0.2]
