import torch


class Moments(torch.nn.Module):
    def forward(self, samples):
        mean = samples.mean(dim=1)
        spread = samples.var(dim=1, unbiased=False)
        return mean, spread


def get_inputs():
    return [torch.randn(60, 512)]
