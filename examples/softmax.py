import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


batch, width = 64, 1000


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return []
