# refused at line 10: it defines several operators
import torch


class First(torch.nn.Module):
    def forward(self, x):
        return x


class Second(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(4)]
