import torch


def bce(p, y):
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def get_inputs():
    return [torch.rand(100, 7) * 0.98 + 0.01, torch.randint(0, 2, (100, 7)).float()]
