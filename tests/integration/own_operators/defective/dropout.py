# refused at line 13: draws random numbers
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        x = x * 2
        return self.dropout(x)


def get_inputs():
    return [torch.rand(4, 500)]
