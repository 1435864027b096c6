import torch


class CenterBatch(torch.nn.Module):
    """Takes the batch mean away from every feature."""

    def forward(self, table):
        return table - table.mean(0, keepdim=True)


def get_inputs():
    return [torch.randn(90, 130)]
