import torch


class Model(torch.nn.Module):
    def __init__(self, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super().__init__()
        self.lr, self.betas, self.eps = lr, betas, eps

    def forward(self, param, grad, m, v, step):
        m = self.betas[0] * m + (1 - self.betas[0]) * grad
        v = self.betas[1] * v + (1 - self.betas[1]) * grad * grad
        corrected = m / (1 - self.betas[0]**step)
        scale = (v / (1 - self.betas[1]**step)).sqrt() + self.eps
        return param - self.lr * corrected / scale, m, v


def get_inputs():
    param = torch.rand(30, 40)
    return [param, torch.rand_like(param) - 0.5, torch.zeros_like(param), torch.zeros_like(param), 3]
