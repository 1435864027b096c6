import torch


class WeightedL1(torch.nn.Module):
    """Mean of w |a - b|, for targets of which some matter more."""

    def forward(self, estimate, truth, importance):
        return torch.mean(importance * (estimate - truth).abs())


def get_inputs():
    size = (64, 100)
    return [torch.randn(size), torch.randn(size), torch.rand(size)]
