# refused at line 7: Model fails
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.cuda() + 1


def get_inputs():
    return [torch.rand(4, 5)]
