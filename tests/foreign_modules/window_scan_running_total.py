import torch


class RunningTotal(torch.nn.Module):
    def forward(self, payments):
        return payments.cumsum(-1) * 0.01


def get_inputs():
    return [torch.randn(30, 720)]
