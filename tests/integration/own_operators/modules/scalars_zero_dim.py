import torch


class Model(torch.nn.Module):
    def forward(self, x, temperature):
        return torch.log_softmax(x / temperature, -1)


def get_inputs():
    return [torch.randn(9, 77), torch.tensor(0.7)]
