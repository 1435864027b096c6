import torch


class RMSE(torch.nn.Module):
    def forward(self, guess, measured):
        gap = guess - measured
        return gap.pow(2).mean().sqrt()


def get_inputs():
    return [torch.randn(123, 45), torch.randn(123, 45)]
