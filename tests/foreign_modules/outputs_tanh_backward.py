import torch


class TanhBackward(torch.nn.Module):
    """Gradient of tanh, scaled, given its output."""

    def forward(self, upstream, activated):
        return 0.5 * upstream * (1 - activated * activated)


def get_inputs():
    return [torch.randn(80, 80), torch.tanh(torch.randn(80, 80))]
