import torch


class Quantise(torch.nn.Module):
    """To whole steps of a fixed size, and back."""

    STEP = 0.0625

    def forward(self, exact):
        return (exact / self.STEP).round() * self.STEP


def get_inputs():
    return [torch.randn(128, 96)]
