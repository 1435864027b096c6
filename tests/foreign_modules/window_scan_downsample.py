import torch
import torch.nn.functional as F


class Downsample(torch.nn.Module):
    """Halves height and width by the largest of each two by two cells."""

    def forward(self, picture):
        return F.max_pool2d(picture, 2)


def get_inputs():
    return [torch.randn(2, 16, 48, 48)]
