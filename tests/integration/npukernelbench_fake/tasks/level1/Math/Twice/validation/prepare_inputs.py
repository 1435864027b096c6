import torch


def get_inputs(param, device=None):
    return (torch.rand(eval(param["shape"]), dtype=getattr(torch, param["dtype"])),)


def get_init_inputs(param, device=None):
    return []
