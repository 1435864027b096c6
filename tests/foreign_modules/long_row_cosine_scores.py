import torch
import torch.nn.functional as F


class CosineScores(torch.nn.Module):
    def forward(self, left, right):
        left, right = F.normalize(left, dim=1), F.normalize(right, dim=1)
        return (left * right).sum(dim=1)


def get_inputs():
    return [torch.randn(24, 20000), torch.randn(24, 20000)]
