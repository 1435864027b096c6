import torch
import torch.nn as nn


class GlobalAveragePool(nn.Module):
    """Average over both spatial axes, (N, C, H, W) to (N, C)."""

    def forward(self, maps):
        n, c = maps.shape[:2]
        return maps.reshape(n, c, -1).mean(dim=-1)


def get_inputs():
    return [torch.randn(16, 64, 14, 14)]
