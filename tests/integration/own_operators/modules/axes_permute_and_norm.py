import torch


def channels_last_norm(x):
    x = x.permute(0, 2, 3, 1)
    x = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)
    return x.permute(0, 3, 1, 2).contiguous()


def get_inputs():
    return [torch.randn(2, 32, 6, 6)]
