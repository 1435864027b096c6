import torch

EPSILON = 1e-5


def _normalise(x, dim):
    return (x - x.mean(dim, keepdim=True)) * torch.rsqrt(x.var(dim, unbiased=False, keepdim=True) + EPSILON)


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(width))
        self.offset = torch.nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return _normalise(x, -1) * self.gain + self.offset


class Model(torch.nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(width) for _ in range(depth))

    @staticmethod
    def activate(x):
        return torch.nn.functional.gelu(x)

    def forward(self, x):
        for block in self.blocks:
            x = x + self.activate(block(x))
        return x


def get_inputs():
    return [torch.randn(10, 96)]


def get_init_inputs():
    return [96, 2]
