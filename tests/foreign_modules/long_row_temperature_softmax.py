import torch


class Sampler(torch.nn.Module):
    def __init__(self, temperature=0.7):
        super().__init__()
        self.inverse = 1 / temperature
        self.temperature = temperature

    def forward(self, vocabulary_scores):
        return torch.nn.functional.softmax(vocabulary_scores / self.temperature, dim=-1)


def get_inputs():
    return [torch.randn(20, 32000)]
