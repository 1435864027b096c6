# refused at line 7: depends on the numbers
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[x > 0]


def get_inputs():
    return [torch.randn(40, 50)]
