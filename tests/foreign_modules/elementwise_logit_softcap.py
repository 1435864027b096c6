import torch


class SoftCap(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def forward(self, scores):
        limit = self.config["limit"]
        return limit * torch.tanh(scores / limit)


def get_init_inputs():
    return [dict(limit=30.0)]


def get_inputs():
    return [torch.randn(2, 8, 128, 128) * 20]
