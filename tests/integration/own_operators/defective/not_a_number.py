# refused at line 7: NaN
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sqrt(x - 10)


def get_inputs():
    return [torch.rand(40, 50)]
