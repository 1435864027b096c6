# refused at line 5: it has no example inputs
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x
