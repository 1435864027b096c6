import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.argmax(dim=-1)


def get_inputs():
    return [torch.randn(64, 128)]
