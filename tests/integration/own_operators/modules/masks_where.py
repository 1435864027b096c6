import torch


class Model(torch.nn.Module):
    def forward(self, x, y, mask):
        return torch.where(mask, x, y)


def get_inputs():
    return [torch.randn(13, 29), torch.randn(13, 29), torch.rand(13, 29) > 0.5]
