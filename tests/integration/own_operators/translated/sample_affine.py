import torch
from torch import nn
from torch.nn import functional as F


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Linear(3 * 24 * 36, 6)

    def forward(self, x):
        theta = self.where(x.flatten(1)).view(-1, 2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)


def get_inputs():
    return [torch.randn(2, 3, 24, 36)]
