import torch


def scaled(x, bias=None, scale=1.0):
    return x * scale if bias is None else x * scale + bias


def get_inputs():
    return {"x": torch.randn(16, 33), "scale": 0.5}
