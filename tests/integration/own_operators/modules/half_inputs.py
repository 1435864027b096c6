import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        variance = x.float().pow(2).mean(-1, keepdim=True)
        return (x.float() * torch.rsqrt(variance + 1e-6)).to(x.dtype) * w


def get_inputs():
    return [torch.randn(17, 256, dtype=torch.float16), torch.ones(256, dtype=torch.float16)]
