import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return ((x * 2.5 + 1).clamp(-3, 3) - 0.5).abs()


def get_inputs():
    return [torch.randn(33, 257)]
