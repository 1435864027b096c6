import torch


class Model(torch.nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, residual):
        total = x + residual
        rstd = torch.rsqrt(total.pow(2).mean(-1, keepdim=True) + self.eps)
        return total * rstd * self.weight, rstd, total


def get_inputs():
    return [torch.randn(21, 160), torch.randn(21, 160)]


def get_init_inputs():
    return [160, 1e-6]
