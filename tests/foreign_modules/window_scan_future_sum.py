import torch


class RewardToGo(torch.nn.Module):
    """What is still to come at each step of an episode, undiscounted."""

    def forward(self, rewards):
        return rewards.flip([1]).cumsum(1).flip([1]) / 10


def get_inputs():
    return [torch.randn(25, 200)]
