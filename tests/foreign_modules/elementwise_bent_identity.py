"""Bent identity, an old squashing function that keeps a slope of about one."""
import torch
from torch import Tensor


class BentIdentity(torch.nn.Module):
    def forward(self, a: Tensor) -> Tensor:
        root = torch.sqrt(a * a + 1.0)
        return a + (root - 1.0) / 2.0


def get_inputs():
    return (torch.empty(96, 1000).normal_(),)
