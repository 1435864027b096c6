import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, predictions, targets):
        return F.kl_div(torch.log(predictions), targets, reduction="batchmean")


def get_inputs():
    return [torch.rand(12, 30).softmax(-1), torch.rand(12, 30).softmax(-1)]
