import torch
from torch.nn import functional as F

rows, columns = 12, 300


class Model(torch.nn.Module):
    def forward(self, logits):
        return F.softplus(logits, beta=2.0) + F.logsigmoid(-logits)


def get_inputs():
    return [torch.randn(rows, columns) * 4]
