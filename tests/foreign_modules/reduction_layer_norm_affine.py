import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.ln = nn.LayerNorm(width, eps=epsilon)

    def forward(self, tokens):
        return self.ln(tokens)


def get_init_inputs():
    return [192, 2e-5]


def get_inputs():
    return [torch.randn(3, 65, 192)]
