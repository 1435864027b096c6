import torch


class SoftmaxBackward(torch.nn.Module):
    def forward(self, dprob, prob):
        inner = torch.sum(dprob * prob, -1, keepdim=True)
        return (dprob - inner) * prob


def get_inputs():
    return [torch.randn(32, 128), torch.randn(32, 128).softmax(-1)]
