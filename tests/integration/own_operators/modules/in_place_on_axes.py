import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        y = x * 2
        y.unsqueeze_(1)
        z = (y * w).sum(dim=-1)
        z.transpose_(1, 2)
        return z.squeeze_() + 1


def get_inputs():
    return [torch.randn(4, 6, 8), torch.randn(5, 1, 8)]
