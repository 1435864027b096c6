# refused at line 5: is not a torch.nn.Module
import torch


class Model:
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(4)]
