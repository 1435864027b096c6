import torch


class SplitSigns(torch.nn.Module):
    def forward(self, signal):
        return signal.clamp(min=0), (-signal).clamp(min=0)


def get_inputs():
    return [torch.randn(2000, 12)]
