# refused at line 5: Model fails: TypeError
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def get_inputs():
    return [torch.rand(4)]
