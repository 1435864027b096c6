import torch


class Lookup(torch.nn.Module):
    """Rows of a codebook, doubled."""

    def forward(self, codebook, codes):
        return 2 * codebook.index_select(0, codes)


def get_inputs():
    return [torch.randn(128, 64), torch.randint(0, 128, (300,))]
