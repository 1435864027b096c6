import torch


def log_partition(energies):
    """log of the sum of exp(-E) of each row"""
    return torch.logsumexp(-energies, dim=-1)


def get_inputs():
    return [torch.randn(32, 50000)]
