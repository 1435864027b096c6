import torch


class Energy(torch.nn.Module):
    def forward(self, frames):
        # samples are on the last axis
        return (frames * frames).sum(-1)


def get_inputs():
    return [torch.randn(200, 400)]
