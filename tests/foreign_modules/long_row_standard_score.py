import torch


class StandardScore(torch.nn.Module):
    def forward(self, series):
        centred = series - series.mean(dim=1, keepdim=True)
        return centred / centred.pow(2).mean(dim=1, keepdim=True).sqrt()


def get_inputs():
    return [torch.randn(16, 65536)]
