import torch


class ValidTotal(torch.nn.Module):
    def forward(self, amounts, valid):
        counted = amounts.masked_fill(~valid, 0)
        return torch.cumsum(counted, dim=1) + 1


def get_inputs():
    return [torch.randn(18, 150), torch.rand(18, 150) < 0.8]
